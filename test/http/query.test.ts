import fc from "fast-check"
import { assert, describe, it } from "vitest"
import { choice, list, optional, pattern, readParameters } from "../../adapters/http/pipeline/parameters.ts"
import { readQuery } from "../../adapters/http/pipeline/query.ts"

/** What a form says, by the standard's own reader. */
function readForm(search: string): Record<string, string | string[]> {
  const form: Record<string, string | string[]> = Object.create(null)
  const params = new URLSearchParams(search)
  for (const name of new Set(params.keys())) {
    const values = params.getAll(name)
    form[name] = values.length === 1 ? (values[0] as string) : values
  }
  return form
}

const piece = fc.oneof(
  fc.constantFrom(
    "passport",
    "FRA",
    "=",
    "&",
    "&&",
    "%41",
    "%",
    "%zz",
    "+",
    "a=b",
    "__proto__",
    "toString",
    "ä",
    ",",
    ".",
  ),
  fc.string({ maxLength: 4 }),
)

describe("a query", () => {
  it("is read like a form, with any content", () => {
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 10 }), pieces => {
        // URLSearchParams drops a question mark at the beginning; a query has lost it already.
        const search = pieces.join("").replace(/^\?+/, "")
        assert.deepStrictEqual(readQuery(search), readForm(search))
      }),
      { numRuns: 500 },
    )
  })

  it.each(["&", "a&", "=", "a=&", "a=1&", "%41=1&"])("is read in time that grows with its length: %s", piece => {
    const body = piece.repeat(60_000 / piece.length)
    readQuery(body)
    const before = process.threadCpuUsage()
    for (let times = 0; times < 20; times++) readQuery(body)
    // Some 20 ms; a second, if the rest of the query is read again for each of its pieces.
    assert.isBelow(process.threadCpuUsage(before).user, 100_000)
  })
})

const code = pattern("a code", /^[A-Z]{3}$/, { description: "A code." })
const codes = list("one or two distinct codes", /^[A-Z]{3}(,[A-Z]{3})?$/, { description: "Codes.", isDistinct: true })
const lang = optional(choice(["en", "fr"], { description: "A language." }))
const table = { code, codes, lang }

const issuesOf = (search: string) => {
  const read = readParameters(table, readQuery(search))
  return read.ok ? [] : read.issues.map(({ path, message }) => `${path}: ${message}`)
}

describe("parameters", () => {
  it("are decoded, and unknown names are ignored", () => {
    const read = readParameters(table, readQuery("codes=FRA,DEU&code=JPN&utm_source=x"))
    assert.deepStrictEqual(read, { ok: true, values: { code: "JPN", codes: ["FRA", "DEU"] } })
  })

  it("are refused all at once, each by name, with what is expected and what was given", () => {
    assert.deepStrictEqual(issuesOf("codes=FRA,FRA&lang=xx"), [
      "code: Missing, expected a code",
      'codes: Expected one or two distinct codes, got "FRA,FRA"',
      'lang: Expected one of en, fr, got "xx"',
    ])
  })

  it("are refused if they are repeated, so that there is no doubt about the value", () => {
    assert.deepStrictEqual(issuesOf("code=FRA&code=FRA&codes=FRA"), ['code: Expected a code, once, got ["FRA","FRA"]'])
  })

  it("are refused if they are empty", () => {
    assert.deepStrictEqual(issuesOf("code=&codes=FRA"), ['code: Expected a code, got ""'])
  })

  it("are not repeated at length in a message", () => {
    const [message = ""] = issuesOf(`code=${"x".repeat(10_000)}&codes=FRA`)
    assert.isBelow(message.length, 300)
  })

  it("with the name of a property of every object are absent unless they are sent", () => {
    const read = readParameters({ toString: optional(code), __proto: optional(code) }, readQuery(""))
    assert.deepStrictEqual(read, { ok: true, values: {} })
  })
})
