import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { makeLineJudge } from "../../adapters/batch/lines/judge-line.ts"
import { readId } from "../../adapters/batch/lines/line-id.ts"
import { PlainReader } from "../../adapters/batch/lines/plain-request.ts"
import { embeddedDataset } from "../../src/index.ts"
import { makeTrips } from "./trips.ts"

const dataset = embeddedDataset()
const reader = new PlainReader()
const encode = (text: string) => new TextEncoder().encode(text)
const read = (line: string) => {
  const bytes = encode(line)
  const plain = reader.read(bytes, 0, bytes.length)
  return reader.lineEnd === bytes.length ? plain : null
}

/** What was read, without what was not given, under the names of the wire. */
const show = (line: string) => {
  const plain = read(line)
  if (plain === null) return null
  const { passportExpiry, ...request } = plain.request
  return JSON.parse(
    JSON.stringify({
      id: plain.id === null ? undefined : readId(plain.id),
      passport_expiry: passportExpiry,
      ...request,
    }),
  )
}

describe("the fast reader of a line", () => {
  const blanks = fc.constantFrom("", "", " ", "\t ")
  const usual = fc.string({ unit: fc.constantFrom("A", "F", "é", "7", "-", " ", "😀", "{", "]", ","), maxLength: 6 })
  const unusual = fc.constantFrom("\\", 'a"b', "\n")
  const text = fc.oneof({ weight: 60, arbitrary: usual }, unusual)
  const code = fc.oneof({ weight: 40, arbitrary: fc.constantFrom("FRA", "ZZZ", "AAA") }, text)
  const date = fc.oneof(
    { weight: 40, arbitrary: fc.constantFrom("2026-12-01", "1950-01-01", "2149-12-31", "2026-02-31") },
    fc.constantFrom("1949-12-31", "2150-01-01", "2026-13-01", "2026-00-10", "2026-1-001", "20261-1-01", "2026-12-0x"),
  )
  const stop = fc.record({ destination: code, from: date, to: date }, { requiredKeys: ["from"] })
  const request = fc.record(
    {
      id: fc.oneof({ weight: 9, arbitrary: fc.nat() }, { weight: 9, arbitrary: text }, fc.constant(null), fc.double()),
      passport: code,
      passport_expiry: date,
      stops: fc.array(stop, { maxLength: 3 }),
      transit: fc.array(code, { maxLength: 3 }),
      residence: code,
      purpose: fc.oneof({ weight: 9, arbitrary: text }, fc.constant(null)),
    },
    { requiredKeys: [] },
  )
  // The signs of JSON outside of texts, each with blanks around it.
  const spread = (json: string, blank: string) =>
    json.replace(/"(?:[^"\\]|\\.)*"|[{}[\]:,]/g, part => (part.startsWith('"') ? part : `${blank}${part}${blank}`))

  it("reads what JSON.parse reads, or leaves it to JSON.parse", () => {
    let plain = 0
    fc.assert(
      fc.property(request, blanks, (value, blank) => {
        const line = spread(JSON.stringify(value), blank)
        const shown = show(line)
        if (shown === null) return
        plain++
        expect(shown).toEqual(JSON.parse(line))
      }),
      { numRuns: 500 },
    )
    expect(plain).toBeGreaterThan(50)
  })

  it("never accepts invalid JSON, with any character removed, inserted or replaced", () => {
    const signs = fc.constantFrom("", '"', ",", ":", "{", "}", "[", "]", "0", "\\", "x", "\u0001", " ")
    fc.assert(
      fc.property(fc.constantFrom(...makeTrips(40)), fc.nat(), fc.nat(1), signs, (trip, place, taken, sign) => {
        const json = JSON.stringify(trip)
        const at = place % (json.length + 1)
        const line = json.slice(0, at) + sign + json.slice(at + taken)
        const shown = show(line)
        if (shown !== null) expect(shown).toEqual(JSON.parse(line))
      }),
      { numRuns: 2_000 },
    )
  })

  it("reads every usual line", () => {
    for (const trip of makeTrips(100)) expect(show(JSON.stringify(trip))).toEqual(JSON.parse(JSON.stringify(trip)))
    expect(show('{"id": 0, "stops": [], "transit": []}\r')).toEqual({ id: 0, stops: [], transit: [] })
  })

  it.each([
    "{}",
    '{"id":01}',
    '{"id":-1}',
    '{"id":1.5}',
    '{"id":1234567890123456}',
    '{"passport":null}',
    '{"passport":"Fra"}',
    '{"passport":"FRAN"}',
    '{"passport_expiry":"2026-12-1"}',
    '{"passport_expiry":"2026-12-01T"}',
    `{"id":"${"x".repeat(201)}"}`,
    '{"passport":"FRA","passport":"DEU"}',
    '{"passport":"FR\\u0041"}',
    '{"passports":[]}',
    '{"__proto__":{}}',
    '{"stops":[{}]}',
    '{"stops":[{"destination":"THA","passport":"FRA"}]}',
    '{"passport":"FRA"',
    '{"passport":"FRA"}}',
    '{"passport":"FRA",}',
    "",
    " ",
  ])("leaves to JSON.parse what is unusual: %s", line => {
    expect(read(line)).toBeNull()
  })

  it("reads nothing outside its line", () => {
    const bytes = encode('{"id":1,"passport":"FRA"}{"id":2,"passport":"DEU"}')
    const idAt = (from: number, end: number) => {
      const id = reader.read(bytes, from, end)?.id
      return id === undefined || id === null ? null : readId(id)
    }
    expect(idAt(0, 25)).toBe(1)
    expect(idAt(25, 50)).toBe(2)
    expect(idAt(0, 24)).toBeNull()
    expect(idAt(0, 50)).toBeNull()
  })

  it("ends at its line break, without blanks before it", () => {
    const bytes = encode('{"id":1,"stops":[]} \r\n{"id":2,"stops":\n[]}')
    expect(reader.read(bytes, 0, bytes.length)?.request.stops).toEqual([])
    expect(reader.lineEnd).toBe(21)
    expect(reader.read(bytes, 22, bytes.length)).toBeNull()
  })
})

describe("both ways to judge a line", () => {
  it.each(["whole", "summary"] as const)("give the same answer: %s", kind => {
    const judge = makeLineJudge(dataset, { kind })
    const codes = fc.constantFrom("FRA", "USA", "THA", "IND", "JPN", "ZZZ", "fra", "", "CHN", "XKX")
    const dates = fc.constantFrom("2026-12-01", "2026-12-20", "2027-03-01", "2026-02-30", "", "2027-12-31")
    const request = fc.record(
      {
        id: fc.oneof(fc.nat(), fc.constant("x".repeat(201)), fc.string()),
        passport: codes,
        passport_expiry: dates,
        stops: fc.array(fc.record({ destination: codes, from: dates, to: dates }, { requiredKeys: ["from", "to"] }), {
          maxLength: 3,
        }),
        transit: fc.array(codes, { maxLength: 2 }),
        residence: codes,
        purpose: fc.constantFrom("tourism", "", "x".repeat(500)),
      },
      { requiredKeys: ["passport", "stops"] },
    )
    const show = (answer: ReturnType<typeof judge.judgeLine>) => {
      const { line, id, outcome } = answer as NonNullable<typeof answer>
      const shown = { line, id: id === null ? null : readId(id) }
      if (!outcome.ok) return { ...shown, outcome }
      // Remedies are not looked for where nobody asks for them.
      const blockers = outcome.decision.blockers.map(({ remedies, ...blocker }) =>
        kind === "whole" ? { ...blocker, remedies } : blocker,
      )
      return { ...shown, decision: { ...outcome.decision, blockers } }
    }
    fc.assert(
      fc.property(request, value => {
        const line = JSON.stringify(value)
        expect(show(judge.judgeLine(encode(line), 0, 7))).toEqual(show(judge.judgeBody(JSON.parse(line), 7)))
      }),
      { numRuns: 500 },
    )
  })
})
