import { readdirSync, readFileSync } from "node:fs"
import { assert, describe, it } from "vitest"
import { send, startTestService } from "../http/service.ts"
import { share } from "../share.ts"

/** The words of a command, as a shell would cut them: blanks part them, single and double quotes hold them together, `\` joins lines. */
function cutWords(command: string): string[] {
  const text = command.replace(/\\\n\s*/g, " ")
  return [...text.matchAll(/(?:'[^']*'|"[^"]*"|[^\s'"])+/g)].map(([word]) =>
    word.replace(/'([^']*)'|"([^"]*)"/g, "$1$2"),
  )
}

interface CurlLine {
  readonly page: string
  readonly command: string
}

/** Every `curl` of the pages, with the lines that its quoted body goes on in. */
const pages = ["README.md", ...readdirSync("docs").flatMap(name => (name.endsWith(".md") ? [`docs/${name}`] : []))]
const listed: readonly CurlLine[] = pages.flatMap(page =>
  [...readFileSync(page, "utf8").matchAll(/```sh\n(?<block>[^`]*)```/g)].flatMap(({ groups }) =>
    [...(groups?.block ?? "").matchAll(/^curl (?:'[^']*'|"[^"]*"|\\\n|[^\n'"#])+/gm)].map(([command]) => ({
      page,
      command,
    })),
  ),
)

describe("the curl lines of the documentation", () => {
  const service = share(startTestService)

  const read = (command: string) => {
    const [, ...words] = cutWords(command.replaceAll("$KEY", service.keys.business))
    const headers: Record<string, string> = {}
    let [method, body, url] = ["GET", undefined as string | undefined, ""]
    for (let at = 0; at < words.length; at++) {
      const word = words[at] as string
      if (word === "-H") {
        const [name = "", value = ""] = (words[++at] as string).split(/:\s*/)
        headers[name.toLowerCase()] = value
      } else if (word === "-d") {
        body = words[++at]
        method = "POST"
      } else if (word === "-X") method = words[++at] as string
      else if (!word.startsWith("-")) url = word
    }
    // What curl says where nothing else is said; the service takes it for JSON.
    if (body !== undefined) headers["content-type"] ??= "application/x-www-form-urlencoded"
    return { method, headers, url, ...(body === undefined ? {} : { body }) }
  }

  it("are those of every surface", () => {
    const text = listed.map(({ command }) => command).join("\n")
    for (const path of ["/api/v1/visa?", "/visa?", "/api/v1/spots?", "/policies/history?"]) assert.include(text, path)
    assert.isAtLeast(listed.length, 10)
  })

  it.each(listed)("$page: $command", async ({ command }) => {
    const { url, ...ask } = read(command)
    const { pathname, search } = new URL(url.startsWith("http") ? url : `http://${url}`)
    const reply = await send(service.url, pathname + search, ask)
    assert.isBelow(reply.status, 300, reply.text.slice(0, 300))
    assert.isNotEmpty(reply.read() as object)
  })
})
