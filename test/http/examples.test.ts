import { readdirSync, readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { assert, describe, it } from "vitest"

const folder = fileURLToPath(new URL("../../adapters/http/pipeline/", import.meta.url))
const files = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter(name => name.endsWith(".ts"))
const EXAMPLE = /@example\n \* ```ts\n(?<lines>(?: \* .*\n)+?) \* ```/g

/** The lines of every example of a file. */
const examplesOf = (file: string): string[][] =>
  [...readFileSync(folder + file, "utf8").matchAll(EXAMPLE)].map(({ groups }) =>
    (groups?.lines ?? "")
      .trimEnd()
      .split("\n")
      .map(line => line.slice(3).replaceAll("*\\/", "*/")),
  )

describe("the examples in the docstrings", () => {
  it("return what they say", async () => {
    let checked = 0
    for (const file of files) {
      const examples = examplesOf(file)
      if (examples.length === 0) continue
      const scope = (await import(folder + file)) as Record<string, unknown>
      for (const line of examples.flat()) {
        const [code = "", expected = ""] = line.split(" // => ")
        const found: unknown = new Function(...Object.keys(scope), `return ${code}`)(...Object.values(scope))
        assert.deepStrictEqual(found, expected === "undefined" ? undefined : JSON.parse(expected), `${file}: ${code}`)
        checked++
      }
    }
    assert.isAtLeast(checked, 8)
  })
})
