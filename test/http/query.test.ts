import fc from "fast-check"
import { assert, describe, it } from "vitest"
import { choice, explainCodes, list, optional, pattern, readParameters } from "../../adapters/http/pipeline/endpoint.ts"
import { readQuery } from "../../adapters/http/pipeline/http-message.ts"
import * as lookup from "../../adapters/http/routes/lookup/lookup-endpoints.ts"
import * as visa from "../../adapters/http/routes/visa/visa-endpoints.ts"
import { leastProcessorTime } from "../processor-time.ts"
import { countTrips } from "../sample.ts"

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
      { numRuns: countTrips(200) },
    )
  })

  it.each(["&", "a&", "=", "a=&", "a=1&", "%41=1&"])("is read in time that grows with its length: %s", piece => {
    const body = piece.repeat(60_000 / piece.length)
    // A millisecond or two; fifty, if the rest of the query is read again for each of its pieces.
    assert.isBelow(
      leastProcessorTime(() => readQuery(body), 5),
      20_000,
    )
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

describe("a refused code in a query", () => {
  const codes = { passport: visa.passport, passports: visa.passports, on: visa.on }
  const explain = async (known: typeof codes | { readonly passport: typeof lookup.passport }, search: string) => {
    const raw = readQuery(search)
    const read = readParameters(known, raw)
    return read.ok
      ? []
      : (await explainCodes(known, raw, read.issues)).map(({ path, message }) => `${path}: ${message}`)
  }
  const expected = "Expected an ISO 3166-1 alpha-3 code in capital letters, such as FRA, got"

  it.each([
    ["passport=FR&passports=FRA,DEU", [`passport: ${expected} "FR". The code of France is FRA.`]],
    ["passport=D&passports=FRA,DEU", [`passport: ${expected} "D". The code of Germany is DEU.`]],
    ["passport=Japan&passports=FRA,DEU", [`passport: ${expected} "Japan". The code of Japan is JPN.`]],
    ["passport=nowhere&passports=FRA,DEU", [`passport: ${expected} "nowhere"`]],
    [
      "passport=FRA&passports=FRA,uk,JP,JP",
      [
        'passports: Expected 2 to 10 distinct ISO 3166-1 alpha-3 codes, separated by commas, got "FRA,uk,JP,JP". The code of United Kingdom is GBR. The code of Japan is JPN.',
      ],
    ],
    [
      "passport=FR&passport=DE&passports=FRA,DEU",
      [`passport: Expected an ISO 3166-1 alpha-3 code in capital letters, such as FRA, once, got ["FR","DE"]`],
    ],
  ])("says which one is probably meant: %s", async (search, messages) => {
    assert.deepStrictEqual(await explain(codes, search), messages)
  })

  it("is explained in the lookup too", async () => {
    const messages = await explain({ passport: lookup.passport }, "passport=fr")
    assert.deepStrictEqual(messages, [
      'passport: Expected an ISO 3166-1 alpha-3 code, such as FRA, got "fr". The code of France is FRA.',
    ])
  })

  it("has an explanation of bounded length, whatever was sent", async () => {
    const [message = ""] = await explain(codes, `passport=FRA&passports=${"FR,DE,JP,".repeat(1_000)}`)
    assert.isBelow(message.length, 600)
  })
})

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
