import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { sayReason } from "../../src/itinerary/reasons.ts"
import { isIssuedWithin, outlasts } from "../../src/trip/passport.ts"
import { dateOf, dayOf } from "../oracles/stay-days.ts"

// The same day of the month so many months on, or that month's last day: by trying days downwards.
function monthsLater(date: string, months: number): string {
  const [year, month, day] = date.split("-").map(Number) as [number, number, number]
  const count = year * 12 + (month - 1) + months
  const target = `${Math.floor(count / 12)}-${String((count % 12) + 1).padStart(2, "0")}`
  for (let last = day; ; last--) {
    const candidate = `${target}-${String(last).padStart(2, "0")}`
    const parsed = new Date(`${candidate}T00:00:00Z`)
    if (!Number.isNaN(parsed.getTime()) && parsed.toISOString().startsWith(candidate)) return candidate
  }
}

const date = fc.integer({ min: dayOf("1995-01-01"), max: dayOf("2060-12-31") }).map(dateOf)

describe("outlasts", () => {
  it.each([
    ["2026-08-28", { months: 6, days: 0 }, "2026-02-28", true],
    ["2026-08-27", { months: 6, days: 0 }, "2026-02-28", false],
    ["2027-02-28", { months: 6, days: 0 }, "2026-08-31", true],
    ["2027-02-27", { months: 6, days: 0 }, "2026-08-31", false],
    ["2028-02-28", { months: 6, days: 0 }, "2027-08-31", false],
    ["2028-02-29", { months: 6, days: 0 }, "2027-08-31", true],
    ["2026-02-15", { months: 0, days: 45 }, "2026-01-01", true],
    ["2026-02-14", { months: 0, days: 45 }, "2026-01-01", false],
    ["2026-01-01", { months: 0, days: 0 }, "2026-01-01", true],
    ["2025-12-31", { months: 0, days: 0 }, "2026-01-01", false],
  ])("a passport until %s, %o after %s: %s", (expiry, rule, after, isValid) => {
    expect(outlasts(dayOf(expiry), rule, dayOf(after))).toBe(isValid)
  })

  it("agrees with a calendar, whatever the rule and however close the days", () => {
    const around = fc.integer({ min: -6, max: 6 })
    fc.assert(
      fc.property(date, fc.nat(24), fc.nat(60), around, (after, months, days, offset) => {
        const needed = dayOf(monthsLater(after, months)) + days
        return outlasts(needed + offset, { months, days }, dayOf(after)) === offset >= 0
      }),
      { numRuns: 5000 },
    )
  })
})

describe("isIssuedWithin", () => {
  it.each([
    ["2016-05-01", "2026-04-30", true],
    ["2016-05-01", "2026-05-01", false],
    ["2016-02-29", "2026-02-27", true],
    ["2016-02-29", "2026-02-28", false],
    ["2026-06-01", "2026-05-01", true],
  ])("a passport issued on %s, ten years, arrival on %s: %s", (issued, arrival, isRecent) => {
    expect(isIssuedWithin(dayOf(issued), 10, dayOf(arrival))).toBe(isRecent)
  })

  it("agrees with a calendar around every anniversary", () => {
    const around = fc.integer({ min: -6, max: 6 })
    fc.assert(
      fc.property(date, fc.integer({ min: 1, max: 15 }), around, (issued, years, offset) => {
        const tooOld = dayOf(monthsLater(issued, 12 * years))
        return isIssuedWithin(dayOf(issued), years, tooOld + offset) === offset < 0
      }),
      { numRuns: 5000 },
    )
  })
})

describe("what a rule asks of a passport", () => {
  it.each([
    [{ anchor: "arrival", months: 6, days: 0 }, "for 6 months after arrival"],
    [{ anchor: "arrival", months: 0, days: 45 }, "for 45 days after arrival"],
    [{ anchor: "departure", months: 1, days: 2 }, "for 1 month and 2 days after departure"],
    [{ anchor: "departure", months: 0, days: 0 }, "until departure"],
  ] as const)("%o reads %s", (rule, text) => {
    const said = { passport: "FRA", destination: "THA", expiry: "2027-01-01", ...rule }
    expect(sayReason("passport_validity_short", said)).toBe(
      `The FRA passport expires on 2027-01-01: THA asks that it be valid ${text}.`,
    )
  })
})
