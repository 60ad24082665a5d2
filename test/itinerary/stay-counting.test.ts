import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { measureStay } from "../../src/trip/days.ts"
import { countOwnDays, type OracleStayRule } from "../oracles/stay-counting.ts"
import { dateOf, dayOf } from "../oracles/stay-days.ts"
import { countTrips } from "../sample.ts"

type CountingRule = NonNullable<Parameters<typeof measureStay>[0]>

const NO_LIMITS = {
  ...{ days: null, months: null, windowDays: null, visitDays: null, daysOutside: null },
  ...{ readmissionDays: null, firstDayCounted: true },
}
const rule = (kind: CountingRule["kind"], more: Partial<CountingRule> = {}): CountingRule => ({
  kind,
  ...NO_LIMITS,
  ...more,
})
const visits = (...dates: string[]) => dates.map(dayOf)

describe("days of visits, where", () => {
  it("each entry is counted separately: a visit one day later has all days again", () => {
    const days = visits("2026-11-15", "2027-01-13", "2027-01-15", "2027-03-15")
    expect(measureStay(rule("per_entry"), days, 60)).toEqual({ days: 60, allowed: 60, counting: "per_entry" })
    expect(measureStay(rule("per_entry", { days: 30 }), days, 60)).toMatchObject({ days: 60, allowed: 30 })
  })

  it("an entry is counted separately only after some days outside", () => {
    const days = visits("2026-01-01", "2026-01-20", "2026-02-01", "2026-02-10")
    // Eleven whole days outside, from 21 to 31 January.
    expect(measureStay(rule("per_entry", { daysOutside: 11 }), days, 60)?.days).toBe(10)
    expect(measureStay(rule("per_entry", { daysOutside: 12 }), days, 60)?.days).toBe(30)
  })

  it("a visit may last some months: until the same day of the month, or its last day", () => {
    const months = rule("per_entry", { months: 3 })
    expect(measureStay(months, visits("2026-11-30", "2027-02-28"), 90)).toEqual({
      days: 91,
      allowed: 91,
      counting: "per_entry",
    })
    expect(measureStay(months, visits("2026-11-30", "2027-03-01"), 90)).toMatchObject({ days: 92, allowed: 91 })
  })

  it("months replace the days of a table, but not fewer days, such as those of a document", () => {
    const months = rule("per_entry", { months: 3 })
    const summer = visits("2027-07-01", "2027-10-01")
    expect(measureStay(months, summer, 90)).toMatchObject({ days: 93, allowed: 93 })
    expect(measureStay(months, summer, 180)).toMatchObject({ days: 93, allowed: 93 })
    expect(measureStay(months, summer, 84)).toMatchObject({ days: 93, allowed: 93 })
    expect(measureStay(months, summer, 30)).toMatchObject({ days: 93, allowed: 30 })
  })

  it("days count in any window", () => {
    const rolling = rule("rolling", { days: 90, windowDays: 180 })
    expect(measureStay(rolling, visits("2026-01-01", "2026-03-31", "2026-06-29", "2026-06-29"), null)?.days).toBe(91)
    expect(measureStay(rolling, visits("2026-01-01", "2026-03-31", "2026-06-30", "2026-06-30"), null)?.days).toBe(90)
  })

  it("days count from 1 January: a visit over New Year counts in both years, and the year with more days is reported", () => {
    const yearly = rule("calendar_year", { days: 90 })
    expect(measureStay(yearly, visits("2026-11-01", "2027-02-28"), null)).toEqual({
      days: 61,
      allowed: 90,
      counting: "calendar_year",
    })
    expect(measureStay(yearly, visits("2026-01-01", "2026-01-30", "2026-11-01", "2027-02-28"), null)?.days).toBe(91)
  })

  it("a year begins with the first entry, and the next one with the first day of presence after it", () => {
    const yearly = rule("per_year_of_entry", { days: 180 })
    const days = visits("2026-03-10", "2026-06-07", "2026-12-01", "2027-04-08")
    // From 10 March 2026 on: 90 days and those of 1 December to 9 March; from 10 March 2027 on thirty more.
    expect(measureStay(yearly, days, null)).toEqual({ days: 189, allowed: 180, counting: "per_year_of_entry" })
  })

  it("one visit may have fewer days than all visits together: by the rule, or by the days of the pair", () => {
    const yearly = rule("calendar_year", { days: 90, visitDays: 30 })
    expect(measureStay(yearly, visits("2026-05-01", "2026-05-31"), null)).toEqual({
      days: 31,
      allowed: 30,
      counting: "visit",
    })
    const migratory = rule("per_year_of_entry", { days: 180 })
    expect(measureStay(migratory, visits("2026-05-01", "2026-08-01"), 90)).toEqual({
      days: 93,
      allowed: 90,
      counting: "visit",
    })
  })

  it("there is no limit, they are not counted", () => {
    expect(measureStay(null, visits("2026-05-01", "2026-08-01"), null)).toBeNull()
    expect(measureStay(rule("per_entry"), visits("2026-05-01", "2026-08-01"), null)).toBeNull()
  })

  it("a day that two visits share counts once", () => {
    expect(measureStay(null, visits("2026-05-01", "2026-05-10", "2026-05-10", "2026-05-20"), 15)).toEqual({
      days: 20,
      allowed: 15,
      counting: "accumulated",
    })
  })
})

describe("days of visits, against counting them one by one", () => {
  const maybe = (least: number, most: number) => fc.option(fc.integer({ min: least, max: most }), { nil: null })
  const rules: fc.Arbitrary<CountingRule | null> = fc.option(
    fc
      .record({
        kind: fc.constantFrom(
          "per_entry" as const,
          "rolling" as const,
          "calendar_year" as const,
          "per_year_of_entry" as const,
        ),
        days: maybe(1, 90),
        months: maybe(1, 3),
        window: fc.integer({ min: 1, max: 300 }),
        visitDays: maybe(1, 60),
        daysOutside: maybe(1, 40),
        isFirstDayCounted: fc.boolean(),
      })
      .map(({ kind, days, months, window, visitDays, daysOutside, isFirstDayCounted }) => ({
        kind,
        days: kind === "per_entry" && months !== null ? null : days,
        months: kind === "per_entry" ? months : null,
        windowDays: kind === "rolling" ? (days ?? 1) + window : null,
        visitDays: kind === "per_entry" ? null : visitDays,
        daysOutside: kind === "per_entry" ? daysOutside : null,
        readmissionDays: null,
        firstDayCounted: kind !== "per_entry" || months !== null || daysOutside !== null || isFirstDayCounted,
      })),
    { nil: null },
  )
  // Gaps of a whole day at least, so that each stay is a visit.
  const stays = fc
    .array(fc.tuple(fc.integer({ min: 2, max: 250 }), fc.integer({ min: 0, max: 80 })), { minLength: 1, maxLength: 6 })
    .map(list => {
      let next = dayOf("2026-01-01")
      return list.map(([gap, length]) => {
        const from = next + gap
        next = from + length
        return { destination: "AAA", from: dateOf(from), to: dateOf(next) }
      })
    })

  it("agrees under every kind of rule", () => {
    fc.assert(
      fc.property(rules, stays, maybe(1, 120), (each, visited, maxDays) => {
        const flat = visited.flatMap(({ from, to }) => [dayOf(from), dayOf(to)])
        const current = visited[visited.length - 1] as (typeof visited)[number]
        const oracleRules: OracleStayRule[] = each === null ? [] : [{ destinations: ["AAA"], ...each }]
        const isHere = ({ destination }: typeof current) => destination === current.destination
        const expected = countOwnDays(oracleRules, "BBB", current, visited, visited, isHere, maxDays)
        const found = measureStay(each, flat, maxDays)
        expect(found).toEqual(
          expected === null ? null : { days: expected.days, allowed: expected.allowed, counting: expected.counting },
        )
      }),
      { numRuns: countTrips(600) },
    )
  })
})
