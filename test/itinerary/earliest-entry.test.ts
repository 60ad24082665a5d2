import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { findEarliestDay } from "../../src/itinerary/earliest-entry.ts"
import { findEarliestEntry } from "../../src/itinerary/stay-days.ts"
import { mergeRuns, permitsStay } from "../../src/itinerary/stay-runs.ts"
import type { ZoneRule } from "../../src/itinerary/zones.ts"
import { dateOf, dayOf } from "../oracles/stay-days.ts"

const run = fc
  .tuple(fc.integer({ min: 0, max: 120 }), fc.integer({ min: 0, max: 25 }))
  .map(([first, more]) => [first, first + more] as const)

const rule = fc
  .tuple(fc.integer({ min: 1, max: 20 }), fc.integer({ min: 1, max: 30 }), fc.boolean())
  .map(
    ([allowanceDays, slack, isRolling]): ZoneRule =>
      isRolling
        ? { kind: "rolling", allowanceDays, windowDays: allowanceDays + slack }
        : { kind: "single-permission", allowanceDays },
  )

describe("the earliest day of entry", () => {
  it("is the first day on which a stay is permitted, with other stays before and after it and days under permits", () => {
    fc.assert(
      fc.property(
        rule,
        fc.array(run, { maxLength: 8 }),
        fc.array(run, { maxLength: 3 }),
        fc.integer({ min: 1, max: 20 }),
        fc.integer({ min: -20, max: 150 }),
        (each, stays, permits, days, notBefore) => {
          const presence = { counted: mergeRuns(stays), unbroken: mergeRuns([...stays, ...permits]) }
          const tried = Array.from({ length: 300 }, (_, more) => notBefore + more)
          const permitted = tried.find(day => permitsStay(each, presence, day, day + days - 1))
          expect(findEarliestDay(each, presence, days, notBefore)).toBe(days > each.allowanceDays ? null : permitted)
        },
      ),
      { numRuns: 3_000 },
    )
  })

  it("is found after a thousand stays over three centuries without a possible day between them", () => {
    const begin = dayOf("1900-01-01")
    // 45 days in, 45 out: no room for 46 more under 90 days in any 180.
    const stays = Array.from({ length: 1000 }, (_, place) => {
      const from = begin + place * 90
      return { destination: "FRA", from: dateOf(from), to: dateOf(from + 44) }
    })
    const members = [{ code: "FRA", fromDay: null, untilDay: null }]
    const runs = stays.flatMap(({ from, to }) => [dayOf(from), dayOf(to)])
    const presence = { counted: runs, unbroken: runs }
    const rolling = { kind: "rolling", allowanceDays: 90, windowDays: 180 } as const
    const plan = { days: 46, notBeforeOn: "1900-01-20" }
    expect(findEarliestEntry({ rule: rolling, members }, stays, plan)).toEqual({ ok: true, value: "2146-07-15" })
    const entry = dayOf("2146-07-15")
    expect(permitsStay(rolling, presence, entry, entry + 45)).toBe(true)
    expect(permitsStay(rolling, presence, entry - 1, entry + 44)).toBe(false)
  })
})
