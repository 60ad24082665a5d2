/**
 * Does an answer depend on which days were asked about before? A rule that is replaced by one with the same answer still changes what is known
 * of a pair: whom a refusal does not concern, what a second source confirms, what contradicts what. Each decision is compared with that of a
 * dataset which nobody has asked anything.
 */
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { type Dataset, decideWithRemedies, type ItineraryRequest } from "../../src/index.ts"
import { openSmall, policy, rule } from "../dataset/small-facts.ts"
import { countTrips } from "../sample.ts"
import { stay } from "./decisions.ts"

const changesOn = "2026-09-01"
const twice = (passport: string, before: object, since: object) => [
  rule([passport], { ...before, until: changesOn }),
  rule([passport], { ...since, from: changesOn }),
]
const eVisa = { requirement: "e_visa", days: 30 } as const
const refused = { requirement: "no_admission" } as const
const free = { requirement: "visa_free", days: 90, source: "law" } as const
const provenance = { source: "law", sourceUrl: null }
const exempt = { kind: "exempt", who: ["permanent_residents"], ...provenance } as const
const alsoOnArrival = { kind: "also", requirement: "visa_on_arrival", ...provenance } as const

const open = () =>
  openSmall({
    policies: [
      policy("AAA"),
      policy("BBB", { rules: twice("AAA", eVisa, { ...eVisa, conditions: [alsoOnArrival] }) }),
      policy("CCC", { rules: twice("AAA", refused, { ...refused, conditions: [exempt] }) }),
      policy("TTT", { rules: twice("CCC", free, { ...free, note: "Read anew." }) }),
    ],
    corroboration: [
      {
        destination: "BBB",
        checks: [
          {
            source: "law",
            sourceUrl: null,
            checkedOn: "2026-10-01",
            says: [{ requirement: "visa_on_arrival", days: 30, passports: ["AAA"] }],
            silent: ["BBB", "CCC"],
          },
        ],
      },
      {
        destination: "TTT",
        checks: [
          {
            source: "table",
            sourceUrl: null,
            checkedOn: "2026-08-01",
            says: [{ requirement: "visa_required", days: null, passports: ["CCC"] }],
            silent: ["AAA", "BBB"],
            reasons: [{ passports: ["CCC"], reason: "Two ministries say two things.", open: true }],
          },
        ],
      },
    ],
  })
const answer = (asked: Dataset, request: ItineraryRequest) => JSON.stringify(decideWithRemedies(asked, request))

/** A request of one stop that changes landside in TTT; it lasts so many days from a day of that month. */
const trip = (passport: string, destination: string, on: string, more: Partial<ItineraryRequest> = {}) => ({
  passport,
  stops: [stay(destination, on, on)],
  ...more,
})

describe("a decision on one of two rules with the same answer", () => {
  const transit = [{ country: "TTT", airside: false }]
  const longer = (on: string, to: string) => ({ passport: "AAA", stops: [stay("BBB", on, to)] })
  it.each([
    [
      "on whom a refusal does not concern",
      trip("AAA", "CCC", "2026-08-10", { residence: "CCC" }),
      trip("AAA", "CCC", "2026-11-10", { residence: "CCC" }),
    ],
    [
      "on the days that a second source confirms",
      longer("2026-07-01", "2026-08-10"),
      longer("2026-11-01", "2026-12-20"),
    ],
    [
      "on a transit of which sources say two things",
      trip("CCC", "CCC", "2026-08-10", { transit }),
      trip("CCC", "CCC", "2026-11-10", { transit }),
    ],
  ])("is the same whichever was asked about first: %s", (_, before, since) => {
    const one = open()
    const other = open()
    const [first, then] = [answer(open(), before), answer(open(), since)]
    expect(first.replaceAll(before.stops[0]!.from, "")).not.toBe(then.replaceAll(since.stops[0]!.from, ""))
    expect([answer(one, before), answer(one, since)]).toEqual([first, then])
    expect([answer(other, since), answer(other, before)]).toEqual([then, first])
  })

  it("is the same after any other questions", () => {
    const asked = open()
    const day = fc
      .integer({ min: 20_620, max: 20_850 })
      .map(each => new Date(each * 86_400_000).toISOString().slice(0, 10))
    const code = fc.constantFrom("AAA", "BBB", "CCC", "TTT")
    const requests = fc
      .record({
        passport: fc.constantFrom("AAA", "BBB", "CCC"),
        stops: fc.tuple(code, day, day),
        change: fc.tuple(code, fc.constantFrom(true, false, null)),
        residence: fc.option(code, { nil: undefined }),
      })
      .map(({ passport, stops: [destination, one, other], change: [country, airside], residence }) => ({
        passport,
        stops: [stay(destination, one < other ? one : other, one < other ? other : one)],
        transit: [airside === null ? country : { country, airside }],
        residence,
      }))
    fc.assert(
      fc.property(requests, request => {
        expect(answer(asked, request)).toBe(answer(open(), request))
      }),
      { numRuns: countTrips(80) },
    )
  })

  it("does not mix the rules before and after a change, asked in either order", () => {
    const days = ["2026-08-10", "2026-11-10", "2026-08-20", "2026-12-01", "2026-08-10"]
    for (const [passport, destination] of [
      ["AAA", "BBB"],
      ["AAA", "CCC"],
      ["CCC", "TTT"],
    ] as const) {
      const asked = open()
      for (const on of days) {
        const request = trip(passport, destination, on, { transit })
        expect(answer(asked, request)).toBe(answer(open(), request))
        const over = {
          passport,
          stops: [
            stay(destination, "2026-08-10", "2026-08-11"),
            stay("AAA", "2026-11-01", on > "2026-11-01" ? on : "2026-11-02"),
          ],
          transit,
        }
        expect(answer(asked, over)).toBe(answer(open(), over))
      }
    }
  })
})
