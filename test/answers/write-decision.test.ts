import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { judgeItinerary, readItinerary } from "../../adapters/answers/decision.ts"
import { describeMeta } from "../../adapters/answers/visa-answers.ts"
import { writeDecision } from "../../adapters/answers/write-decision.ts"
import {
  type Dataset,
  type Decision,
  decideGroup,
  decideWithRemedies,
  embeddedDataset,
  type GroupDecision,
} from "../../src/index.ts"
import { itinerary } from "../itinerary/arbitrary-trips.ts"
import { world } from "../itinerary/arbitrary-worlds.ts"
import { openWorld, toRequest } from "../itinerary/itinerary-worlds.ts"
import { describeDecision } from "../oracles/describe-decision.ts"
import { countTrips } from "../sample.ts"

const dataset = embeddedDataset()
const describedAs = (data: Dataset, decision: Decision | GroupDecision) =>
  JSON.stringify(describeDecision(decision, describeMeta(data)))
const expectWritten = (data: Dataset, decision: Decision | GroupDecision) =>
  expect(writeDecision(data, decision)).toBe(describedAs(data, decision))
const judge = (request: unknown, asked: Dataset = dataset) => {
  const read = readItinerary(request)
  if (!read.ok) throw new Error(read.refusal.error)
  const judged = judgeItinerary(asked, read.request)
  if (judged.kind !== "found") throw new Error(judged.message)
  return judged.body
}

const dateOf = (day: number) => new Date(day * 86_400_000).toISOString().slice(0, 10)
const FIRST_DAY = Date.parse("2026-11-01") / 86_400_000
const country = fc.constantFrom(...dataset.destinations, "FRA", "DEU", "USA", "MEX", "GTM", "THA", "ZZZ")
const passport = fc.constantFrom(...dataset.passports, "USA", "IND")
const visa = fc.record(
  {
    kind: fc.constantFrom("visa", "residence_permit"),
    issuer: fc.constantFrom("USA", "FRA", "GBR", "JPN"),
    type: fc.constantFrom("C", "D", 'B1/B2 "\u2028\ud83d\ude80'),
    valid_until: fc.integer({ min: 0, max: 900 }).map(day => dateOf(FIRST_DAY + day)),
    entries: fc.constantFrom(1, 2, "multiple"),
    duration_of_stay_days: fc.constantFrom(10, 90),
  },
  { requiredKeys: ["kind", "issuer"] },
)
const traveller = fc.record(
  {
    passports: fc.uniqueArray(passport, { minLength: 1, maxLength: 2 }),
    held: fc.array(visa, { maxLength: 2 }),
    residence: country,
    earlier_stays: fc.array(
      fc.record({ destination: country, from: fc.constant("2026-08-01"), to: fc.constant("2026-09-15") }),
      { maxLength: 2 },
    ),
  },
  { requiredKeys: ["passports"] },
)
const route = fc
  .record({
    legs: fc.array(fc.tuple(country, fc.nat(20), fc.nat(80)), { minLength: 1, maxLength: 12 }),
    transit: fc.array(country, { maxLength: 3 }),
    purpose: fc.constantFrom(null, "tourism", 'a "quoted" \u2029 purpose'),
  })
  .map(({ legs, ...rest }) => {
    let next = FIRST_DAY
    const stops = legs.map(([destination, gap, length]) => {
      const from = next + gap
      next = from + length
      return { destination, from: dateOf(from), to: dateOf(next) }
    })
    return { stops, ...rest }
  })

describe("a decision that is written from pieces", () => {
  it("is what JSON.stringify writes of its record, to the character, in any world", () => {
    const seen = new Set<string>()
    fc.assert(
      fc.property(world, fc.array(itinerary, { minLength: 8, maxLength: 8 }), (each, itineraries) => {
        const data = openWorld(each)
        for (const asked of itineraries) {
          const result = decideWithRemedies(data, toRequest(asked))
          if (!result.ok || result.value.kind !== "decided") throw new Error("not decided")
          const decision = result.value
          expectWritten(data, decision)
          for (const blocker of decision.blockers) seen.add(blocker.basis ?? blocker.code)
          if (decision.blockers.some(({ remedies = [] }) => remedies.length > 0)) seen.add("remedies")
          if (decision.changes.length > 0) seen.add("changes")
          for (const step of decision.steps) {
            if (step.countedStay !== null) seen.add("counted")
            if (step.requirement.status === "known" && step.requirement.because) seen.add("because")
          }
        }
      }),
      { numRuns: countTrips(160) / 8 },
    )
    // A property that never meets a field proves nothing of it.
    for (const met of [
      "accumulated",
      "held_document",
      "zone_stay_exceeded",
      "remedies",
      "changes",
      "counted",
      "because",
    ]) {
      expect([...seen]).toContain(met)
    }
  })

  it("is the same with the embedded dataset's rules and for several travellers", () => {
    fc.assert(
      fc.property(fc.array(traveller, { minLength: 1, maxLength: 3 }), route, (travellers, asked) => {
        const [first] = travellers
        const one = judge({ ...asked, ...first })
        expectWritten(dataset, one)
        const all = judge({ ...asked, travellers })
        expectWritten(dataset, all)
      }),
      { numRuns: countTrips(8) },
    )
  })

  it("escapes every character of a dataset's words that needs it", () => {
    const zone = 'a "zone" \u2028 \ud83d\ude80'
    const data = openWorld({
      sinceOn: "2026-01-01",
      passports: ["AAA"],
      destinations: ["AAA", "BBB"],
      entries: { AAABBB: [{ fromOn: "2026-01-01", requirement: "visa_free", days: 50, free: false }] },
      follows: {},
      zones: [
        {
          id: zone,
          rule: { kind: "rolling", allowanceDays: 5, windowDays: 180 },
          members: [{ code: "BBB", fromDay: null, untilDay: null }],
        },
      ],
      validity: [],
      transit: [],
    })
    const stops = [
      { destination: "BBB", from: "2026-02-01", to: "2026-02-04" },
      { destination: "AAA", from: "2026-02-05", to: "2026-02-06" },
      { destination: "BBB", from: "2026-02-07", to: "2026-02-20" },
    ]
    const decision = decideGroup(data, { travellers: [{ passport: "AAA" }], stops }, { remedies: true })
    if (!decision.ok || decision.value.kind !== "decided") return expect.fail("not decided")
    expectWritten(data, decision.value)
    expect(writeDecision(data, decision.value)).toContain(JSON.stringify(zone))
  })

  it("has the requested language in `meta`", () => {
    const decision = judge({ passport: "FRA", stops: [{ destination: "THA", from: "2026-12-01", to: "2026-12-20" }] })
    expect(JSON.parse(writeDecision(dataset, decision, "hi")).meta).toMatchObject({ lang: "hi", pairs_charged: 1 })
    expect(JSON.parse(writeDecision(dataset, decision)).meta).toMatchObject({ lang: "en" })
  })
})
