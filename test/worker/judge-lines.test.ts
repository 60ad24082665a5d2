import { describe, expect, it } from "vitest"
import { DECISION_EXAMPLE, readItinerary } from "../../adapters/answers/decision.ts"
import { listMost } from "../../adapters/batch/lines/batch-tally.ts"
import { type Judging, makeJudge } from "../../adapters/batch/lines/judge-lines.ts"
import { listColumns, listFields } from "../../adapters/batch/lines/line-answer.ts"
import { loadFullFacts } from "../../src/full.ts"
import { embeddedDataset } from "../../src/index.ts"
import { answerPlainly, makeTrips, toLines } from "./trips.ts"

const dataset = embeddedDataset()
const facts = await loadFullFacts()
const JSON_LINES: Judging = { lines: { kind: "json" }, shape: { kind: "whole" }, answers: "json" }
const encode = (text: string) => new TextEncoder().encode(text)

const judge = (text: string | Uint8Array, judging: Partial<Judging> = {}, firstLine = 1) => {
  const bytes = typeof text === "string" ? encode(text) : text
  const block = makeJudge(dataset, { ...JSON_LINES, ...judging }, facts).judgeBlock(bytes, firstLine)
  return { ...block, text: new TextDecoder().decode(block.bytes) }
}
const answersTo = (text: string | Uint8Array, judging: Partial<Judging> = {}) =>
  judge(text, judging)
    .text.split("\n")
    .slice(0, -1)
    .map(line => JSON.parse(line))
const example = (more: object = {}) => JSON.stringify({ ...DECISION_EXAMPLE, ...more })

describe("a block of lines", () => {
  it("has the same answers as a plain loop, to the character", () => {
    const lines = toLines(makeTrips(100))
    expect(judge(lines).text).toBe(answerPlainly(lines))
  })

  it("is judged a line at a time where others have to run in between, blank ones too", () => {
    const lines = `${toLines(makeTrips(5))}\n\nno end`
    const pieces = makeJudge(dataset, JSON_LINES, facts).judgeInPieces(encode(lines), 1)
    let count = 0
    for (;;) {
      const next = pieces.next()
      if (next.done) {
        expect(new TextDecoder().decode(next.value.bytes)).toBe(judge(lines).text)
        break
      }
      count++
    }
    expect(count).toBe(lines.split("\n").length)
  })

  it("numbers its lines, blank ones too, and accepts a last one without a line break", () => {
    const answers = judge(`${example()}\n\n \r\n${example({ id: "last" })}`, { shape: { kind: "summary" } }, 41).text
    expect(
      answers
        .split("\n")
        .slice(0, -1)
        .map(line => JSON.parse(line)),
    ).toMatchObject([{ line: 41 }, { line: 44, id: "last" }])
  })

  it.each([
    ["{", { line: 1, error: "The line is not JSON: Expected property name or '}' in JSON at position 1 (column 2)" }],
    ["visa", { line: 1, error: "The line is not JSON: Unexpected token 'v' (column 1)" }],
    ["[]", { line: 1, error: expect.stringContaining("An array is not an object.") }],
    ["7", { line: 1, error: expect.stringContaining("7 is not an object.") }],
    [
      example({ id: "x", stops: undefined }),
      {
        line: 1,
        id: "x",
        error: "stops: It is required, as an array.",
        issues: [{ path: "stops", message: "It is required, as an array." }],
      },
    ],
    [
      example({ id: 7, pasport_expiry: "2027-01-01" }),
      { line: 1, id: 7, error: expect.stringMatching(/^pasport_expiry: There is no such field; known: passport, /) },
    ],
    [example({ id: null, passport: "ZZZ" }), { line: 1, error: "No passport with the code ZZZ is recorded." }],
    [
      JSON.stringify({
        travellers: [{ passport: "FRA" }, { passport: "GBN" }, { passports: ["ZZZ", "QQQ"] }],
        stops: DECISION_EXAMPLE.stops,
      }),
      { line: 1, error: "No passport with the code ZZZ or QQQ is recorded." },
    ],
    [example({ id: {} }), { line: 1, error: "id: a text of at most 200 characters or a number is expected." }],
    [
      example({ id: "x".repeat(201) }),
      { line: 1, error: "id: a text of at most 200 characters or a number is expected." },
    ],
  ])("answers a bad line with its mistake: %s", (line, expected) => {
    const [answer, next] = answersTo(`${line}\n${example()}\n`)
    expect(answer).toMatchObject(expected)
    expect(answer).not.toHaveProperty("data")
    expect(next).toMatchObject({ line: 2, data: { passport: "FRA" } })
  })

  it("names five mistakes of a line at most, and the known fields once, so that a short line has no long answer", () => {
    const unknown = Object.fromEntries(Array.from({ length: 60 }, (_, at) => [`x${at}`, 1]))
    const [{ error, issues }] = answersTo(JSON.stringify(unknown))
    expect(issues).toHaveLength(5)
    expect(error).toMatch(/There are more mistakes\.$/)
    expect(error.match(/known: /g)).toHaveLength(1)
    expect(JSON.stringify(issues).match(/known: /g)).toHaveLength(1)
  })

  it("answers a line of other bytes than UTF-8 with its mistake, and the lines around it", () => {
    const bytes = Buffer.concat([
      encode(`${example()}\n`),
      Buffer.from([0x22, 0xff, 0x0a]),
      encode(example({ id: "é" })),
    ])
    expect(answersTo(new Uint8Array(bytes))).toMatchObject([
      { line: 1, data: {} },
      { line: 2, error: "The line is not UTF-8." },
      { line: 3, id: "é", data: {} },
    ])
  })

  it("counts the outcomes of its lines", () => {
    const { tally } = judge(`${example()}\n{}\n\n${example({ passport_expiry: "2026-12-10" })}\n`)
    expect(tally).toMatchObject({ lines: 3, failed: 1 })
    expect(Object.fromEntries(tally.verdicts)).toEqual({ blocked: 2 })
    expect(tally.blockers.get("passport_expires_before_exit")).toBe(1)
    expect(tally.blockers.get("passport_validity_short")).toBe(2)
    expect(tally.unknowns.get("purpose: not_modelled")).toBe(2)
    const elsewhere = judge(`${example({ transit: ["DEU", "QQQ"] })}\n`).tally
    expect([...elsewhere.unknowns.keys()].some(name => name.startsWith("transit[].permitted: "))).toBe(true)
    expect(
      listMost(
        new Map([
          ["b", 1],
          ["a", 1],
          ["c", 2],
        ]),
        2,
      ),
    ).toEqual([
      ["c", 2],
      ["a", 1],
    ])
  })
})

describe("the answer to a line", () => {
  const decision = readItinerary(DECISION_EXAMPLE)
  it("is its verdict alone, with codes", () => {
    expect(decision.ok).toBe(true)
    expect(answersTo(`${example({ id: 1 })}\n`, { shape: { kind: "summary" } })).toEqual([
      {
        line: 1,
        id: 1,
        outcome: "blocked",
        verdict: "blocked",
        blockers: ["passport_validity_short"],
        conditions: ["arrival_form"],
        unknowns: 3,
      },
    ])
  })

  it("is some fields of the decision, in the requested order", () => {
    const shape = { kind: "fields", names: ["pairs_charged", "passports", "verdict"] } as const
    expect(judge(`${example()}\n`, { shape }).text).toBe('{"line":1,"pairs_charged":2,"verdict":"blocked"}\n')
    expect(listFields()).toEqual(
      expect.arrayContaining(["verdict", "passport", "passports", "steps", "blockers", "unknowns", "pairs_charged"]),
    )
  })

  it("is a row of CSV, with JSON in the cells that are not a text or number", () => {
    const shape = { kind: "fields", names: ["verdict", "blockers", "purpose"] } as const
    expect(listColumns(shape)).toEqual(["line", "id", "verdict", "blockers", "purpose", "error"])
    const { text } = judge(`${example({ id: 'a "b", c' })}\n{}\n`, { shape, answers: "csv" })
    const [first, second] = text.split("\n")
    expect(first).toMatch(/^1,"a ""b"", c",blocked,"\[\{""code"":""passport_validity_short"",.*\}\]",tourism,$/)
    expect(second).toMatch(/^2,,,,,.*stops: It is required, as an array\./)
    expect(judge(`${example({ id: 1 })}\n`, { shape: { kind: "summary" }, answers: "csv" }).text).toBe(
      '1,1,blocked,blocked,"Blocked. The FRA passport expires on 2029-03-01: THA asks that it be valid for 6 months after arrival. Fill in an arrival form online before the arrival, from 2028-11-28 on.",passport_validity_short,arrival_form,3,\n',
    )
  })

  it("is a list for each column", () => {
    const shape = { kind: "summary" } as const
    expect(judge(`${example({ id: 5 })}\n{}\n`, { shape, answers: "columns" }).columns).toEqual([
      [1, 2],
      ["5", null],
      ["blocked", null],
      ["blocked", null],
      [expect.stringMatching(/^Blocked\. /), null],
      ["passport_validity_short", null],
      ["arrival_form", null],
      [3, null],
      [null, expect.stringContaining("stops: It is required, as an array.")],
    ])
  })
})

describe("a block of rows of a table", () => {
  const given = ["passport", "Seat", "verdict"]
  const lines = { kind: "rows", given } as const
  const shape = { kind: "summary" } as const
  const request = { id: "a", passport: "FRA", stops: DECISION_EXAMPLE.stops }
  const cells = ["FRA", "12A", "mine"]
  const ROWS = [
    JSON.stringify([request, cells, 2]),
    "",
    JSON.stringify([{ ...request, passport: "fr" }, cells, 7]),
    JSON.stringify([null, cells, 9, "The row has 2 cells, 3 are expected."]),
  ].join("\n")

  it("is numbered by rows, repeats the cells of each and names its line in a mistake", () => {
    const repeated = { passport: "FRA", Seat: "12A", verdict: "mine" }
    expect(answersTo(ROWS, { lines, shape })).toMatchObject([
      { line: 1, id: "a", verdict: "no_blocker_found", given: repeated },
      {
        line: 3,
        error: expect.stringMatching(/^Line 7: passport: "fr" is not an ISO 3166-1 alpha-3/),
        given: repeated,
      },
      { line: 4, error: "Line 9: The row has 2 cells, 3 are expected.", given: repeated },
    ])
    for (const kind of ["whole", "fields"] as const) {
      const [first] = answersTo(ROWS, { lines, shape: kind === "whole" ? { kind } : { kind, names: ["verdict"] } })
      expect(first).toMatchObject({ line: 1, given: repeated })
    }
  })

  it("repeats the cells in tables, under names of their own", () => {
    expect(listColumns(shape, { given })).toEqual([
      "line",
      "id",
      "passport",
      "Seat",
      "given_verdict",
      "outcome",
      "verdict",
      "summary",
      "blockers",
      "conditions",
      "unknowns",
      "error",
    ])
    expect(judge(ROWS, { lines, shape, answers: "csv" }).text.split("\n")[0]).toMatch(
      /^1,a,FRA,12A,mine,obtain,no_blocker_found,"Something has to be obtained or done before departure\. .*",,arrival_form,\d+,$/,
    )
  })
})
