import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { DECISION_EXAMPLE, describeDecision, judgeItinerary } from "../../adapters/answers/decision.ts"
import { writeDecision, writePieces } from "../../adapters/answers/write-decision.ts"
import { type Dataset, type Decision, embeddedDataset } from "../../src/index.ts"
import { openWorld } from "../itinerary/itinerary-worlds.ts"

const dataset = embeddedDataset()
const judge = (request: unknown, asked: Dataset = dataset): Decision => {
  const judged = judgeItinerary(asked, request)
  if (!judged.ok) throw new Error(judged.refusal.error)
  if (judged.judged.kind !== "found") throw new Error(judged.judged.message)
  return judged.judged.body
}
const dateOf = (day: number) => new Date(day * 86_400_000).toISOString().slice(0, 10)
const FIRST_DAY = Date.parse("2026-11-01") / 86_400_000

const day = fc.integer({ min: FIRST_DAY - 200, max: FIRST_DAY + 900 })
const code = fc.constantFrom(...dataset.destinations, "FRA", "DEU", "SLV", "GTM", "ZZZ")
const held = fc.record(
  {
    passport: fc.constantFrom(...dataset.passports, "USA", "FRA"),
    passport_expiry: day.map(dateOf),
    passport_issued: day.map(at => dateOf(at - 1_500)),
  },
  { requiredKeys: ["passport"] },
)
const stops = fc.array(fc.tuple(code, fc.nat(20), fc.nat(120)), { minLength: 1, maxLength: 12 }).map(list => {
  let next = FIRST_DAY
  return list.map(([destination, gap, length]) => {
    const from = next + gap
    next = from + length
    return { destination, from: dateOf(from), to: dateOf(next) }
  })
})
const travellers = fc.oneof(
  held,
  fc
    .uniqueArray(held, { minLength: 1, maxLength: 3, selector: ({ passport }) => passport })
    .map(passports => ({ passports })),
)
const request = fc
  .tuple(
    travellers,
    fc.record(
      {
        stops,
        transit: fc.uniqueArray(fc.constantFrom(...dataset.destinations), { maxLength: 4 }),
        residence: fc.constantFrom("FRA", "JPN"),
        purpose: fc.constantFrom("tourism", "business"),
      },
      { requiredKeys: ["stops"] },
    ),
  )
  .map(([who, rest]) => ({ ...who, ...rest }))

describe("a decision that is written from pieces", () => {
  it("is what JSON.stringify writes of its record, to the character, and never needs it", () => {
    fc.assert(
      fc.property(request, asked => {
        const decision = judge(asked)
        const expected = describeDecision(dataset, decision)
        expect(writePieces(decision)).toBe(JSON.stringify(expected.data))
        expect(writeDecision(dataset, decision)).toBe(JSON.stringify(expected))
      }),
      { numRuns: 300 },
    )
  })

  it("escapes whatever a dataset's words or a request's need", () => {
    const day = (text: string) => Date.parse(text) / 86_400_000
    const world = openWorld({
      sinceOn: "2026-01-01",
      passports: ["AAA"],
      destinations: ["AAA", "BBB"],
      entries: { AAABBB: [{ fromOn: "2026-01-01", requirement: "visa_free", days: 5, free: false }] },
      follows: {},
      zones: [
        {
          id: 'a "zone" \u2028 \ud83d\ude80',
          rule: { kind: "rolling", allowanceDays: 5, windowDays: 180 },
          members: [{ code: "BBB", fromDay: day("2026-01-01"), untilDay: null }],
        },
      ],
      validity: [],
      transit: [],
    })
    const stop = { destination: "BBB", from: "2026-02-01", to: "2026-02-20" }
    const decision = judge({ passport: "AAA", stops: [stop] }, world)
    expect(decision.blockers.at(-1)?.zone).toBe('a "zone" \u2028 \ud83d\ude80')
    expect(writePieces(decision)).toBe(JSON.stringify(describeDecision(world, decision).data))
  })

  it("is written by JSON.stringify where anything has a field that nobody has given a place", () => {
    const decision = judge(DECISION_EXAMPLE)
    const [step] = decision.steps
    const others: Decision[] = [
      { ...decision, remark: "new" } as Decision,
      { ...decision, steps: [{ ...step, remark: "new" } as Decision["steps"][number]] },
      { ...decision, transit: decision.transit.map(each => ({ ...each, remark: "new" })) },
      { ...decision, unknowns: decision.unknowns.map(each => ({ ...each, remark: "new" })) },
      { ...decision, blockers: decision.blockers.map(each => ({ ...each, remark: "new" })) },
    ]
    expect(writePieces(decision)).not.toBeNull()
    for (const other of others) {
      expect(writePieces(other)).toBeNull()
      expect(writeDecision(dataset, other)).toBe(JSON.stringify(describeDecision(dataset, other)))
    }
    const finding = { granularity: "pair", status: "known", value: 20, remark: "new" }
    const marked = { ...decision, steps: [{ ...step, daysAccumulated: finding }] } as Decision
    expect(writeDecision(dataset, marked)).toBe(JSON.stringify(describeDecision(dataset, marked)))
  })
})
