import { execFileSync } from "node:child_process"
import { readFileSync } from "node:fs"
import { describe, expect, it } from "vitest"

const sources = execFileSync("git", ["ls-files", "--", "src", "adapters", "site"], { encoding: "utf8" })
  .split("\n")
  .filter(file => /\.tsx?$/.test(file) && !/^src\/record\/(?:page-)?messages\.ts$/.test(file))

/** Catalogues, the code that says their messages, and families of messages whose names are put together from words of data. */
const CATALOGUES = [
  {
    file: "data/locales/en.json",
    saidIn: ["src/", "site/", "adapters/"],
    families: ["vaccination.", "purpose.", "proof.", "feature."],
  },
  { file: "site/locales/en.json", saidIn: ["site/"], families: [] },
  {
    file: "adapters/customers/mail/locales/en.json",
    saidIn: ["adapters/customers/mail/"],
    families: ["confirm.", "sign_in.", "payment_failed.", "webhook_stopped."],
  },
]

/** Finds the messages that no text, no property and no template of the code names. */
function findUnused(keys: readonly string[], saidIn: readonly string[]): readonly string[] {
  const code = sources
    .filter(file => saidIn.some(folder => file.startsWith(folder)))
    .map(file => readFileSync(file, "utf8"))
    .join("\n")
  const named = new Set(
    [...code.matchAll(/"([\w.-]+)"|\bcatalogue\.(\w+)/g)].flatMap(([, text, name]) => text ?? name ?? []),
  )
  const templates = [...code.matchAll(/`([a-z_]+\.[\w.]*\$\{[^`]*)`/g)].map(([, text = ""]) => {
    const parts = text.split(/\$\{[^{}]*\}/).map(part => part.replaceAll(".", "\\."))
    return new RegExp(`^${parts.join("[\\w-]+")}$`)
  })
  return keys.filter(key => !named.has(key) && !templates.some(template => template.test(key)))
}

describe("a message of a catalogue", () => {
  it.each(CATALOGUES)("is used somewhere: $file", ({ file, saidIn, families }) => {
    const unused = findUnused(Object.keys(JSON.parse(readFileSync(file, "utf8"))), saidIn)
    expect(unused.filter(key => !families.some(family => key.startsWith(family)))).toEqual([])
    // A family whose messages are all named is an exception too many.
    expect(families.filter(family => !unused.some(key => key.startsWith(family)))).toEqual([])
  })

  it("is reported if it is unused", () => {
    expect(findUnused(["nobody.says_this"], ["src/"])).toEqual(["nobody.says_this"])
  })
})
