import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { findEarliestEntry, findLongestStay } from "../../src/itinerary/stay-days.ts"
import { dateOf, dayOf, earliestEntry, longestStay, type OracleStay, type OracleZone } from "../oracles/stay-days.ts"
import { figuresOf } from "./arbitrary-stays.ts"

const members = [{ code: "FRA", fromDay: null, untilDay: null }]

const stay = fc.tuple(fc.integer({ min: 0, max: 120 }), fc.integer({ min: 0, max: 25 }), fc.nat(3)).map(
  ([first, more, kind]): OracleStay => ({
    destination: "FRA",
    from: dateOf(first),
    to: dateOf(first + more),
    ...(kind === 0 ? { permit: "residence" } : {}),
  }),
)

const zone = fc.tuple(fc.integer({ min: 1, max: 20 }), fc.integer({ min: 1, max: 30 }), fc.boolean()).map(
  ([allowanceDays, slack, isRolling]): OracleZone => ({
    rule: isRolling
      ? { kind: "rolling", allowanceDays, windowDays: allowanceDays + slack }
      : { kind: "single-permission", allowanceDays },
    members,
  }),
)

describe("the earliest day of entry", () => {
  it("is the first day on which a stay is permitted, with other stays before and after it and days under permits", () => {
    fc.assert(
      fc.property(
        zone,
        fc.array(stay, { maxLength: 10 }),
        fc.integer({ min: 1, max: 20 }),
        fc.integer({ min: -20, max: 150 }),
        (each, stays, days, notBefore) => {
          const plan = { days, notBeforeOn: dateOf(notBefore) }
          expect(findEarliestEntry(each, stays, plan)).toEqual({ ok: true, value: earliestEntry(each, stays, plan) })
          const longest = longestStay(each, stays, plan.notBeforeOn)
          expect(figuresOf(findLongestStay(each, stays, plan.notBeforeOn))).toEqual({ ok: true, value: longest })
        },
      ),
      { numRuns: 500 },
    )
  })

  it("is found after a thousand stays over three centuries without a possible day between them", () => {
    const begin = dayOf("1900-01-01")
    // 45 days in, 45 out: no room for 46 more under 90 days in any 180.
    const stays = Array.from({ length: 1000 }, (_, place) => {
      const from = begin + place * 90
      return { destination: "FRA", from: dateOf(from), to: dateOf(from + 44) }
    })
    const schengen = { rule: { kind: "rolling", allowanceDays: 90, windowDays: 180 } as const, members }
    const plan = { days: 46, notBeforeOn: "1900-01-20" }
    expect(findEarliestEntry(schengen, stays, plan)).toEqual({ ok: true, value: "2146-07-15" })
    const lengthFrom = (entryOn: string) => {
      const longest = findLongestStay(schengen, stays, entryOn)
      return longest.ok && longest.value.days
    }
    expect(lengthFrom("2146-07-15")).toBeGreaterThanOrEqual(46)
    expect(lengthFrom("2146-07-14")).toBeLessThan(46)
  })
})
