import fc from "fast-check"
import { describe, expect, it } from "vitest"
import {
  addCivilMonths,
  FIRST_DAY,
  findNewYear,
  formatCivilDate,
  isEpochDay,
  LAST_DAY,
  parseCivilDate,
} from "../src/civil-date.ts"

// The oracle: the proleptic Gregorian calendar of `Date`, in UTC.
const dateByDate = (day: number) => new Date(day * 86_400_000).toISOString().slice(0, 10)
const dayByDate = (text: string) => new Date(`${text}T00:00:00Z`).getTime() / 86_400_000
/** The same day of another month, or that month's last day, which is the one before the first of the next. */
function monthsByDate(day: number, months: number): number {
  const date = new Date(day * 86_400_000)
  const [year, month] = [date.getUTCFullYear(), date.getUTCMonth() + months]
  return Math.min(Date.UTC(year, month, date.getUTCDate()), Date.UTC(year, month + 1, 0)) / 86_400_000
}

describe("parseCivilDate", () => {
  it("counts whole days from 1970-01-01", () => {
    expect(parseCivilDate("1970-01-01")).toBe(0)
    expect(parseCivilDate("1969-12-31")).toBe(-1)
    expect(parseCivilDate("2000-03-01")).toBe(11_017)
  })

  it("judges the years 1900 to 2199 and no others", () => {
    expect(parseCivilDate("1900-01-01")).toBe(FIRST_DAY)
    expect(parseCivilDate("2199-12-31")).toBe(LAST_DAY)
    expect(parseCivilDate("1899-12-31")).toBeNull()
    expect(parseCivilDate("2200-01-01")).toBeNull()
  })

  it("knows that 1900 and 2100 are not leap years, and that 2000 is", () => {
    expect(parseCivilDate("1900-02-29")).toBeNull()
    expect(parseCivilDate("2100-02-29")).toBeNull()
    expect(parseCivilDate("2000-02-29")).toBe(dayByDate("2000-02-29"))
  })

  it.each([
    "2023-02-29",
    "2023-04-31",
    "2023-13-01",
    "2023-00-10",
    "2023-01-00",
    "2023-1-1",
    "2023-01-01T00:00",
    " 2023-01-01",
    "2023/01/01",
    "2023-01/01",
    "2023/01-01",
    "20230101",
    "+023-01-01",
    "２０２３-01-01",
    "-2023-01-1",
    "",
  ])("refuses %j", text => {
    expect(parseCivilDate(text)).toBeNull()
  })

  it("agrees with the calendar on every day that it judges, both ways", () => {
    for (let day = FIRST_DAY; day <= LAST_DAY; day++) {
      const text = new Date(day * 86_400_000).toISOString().slice(0, 10)
      if (parseCivilDate(text) !== day || formatCivilDate(day) !== text) expect.fail(`${text} is not day ${day}`)
    }
  })

  it("never throws, for any input", () => {
    fc.assert(fc.property(fc.anything(), value => typeof value === "string" || parseCivilDate(value) === null))
  })
})

describe("addCivilMonths", () => {
  const add = (text: string, months: number) => formatCivilDate(addCivilMonths(parseCivilDate(text) as number, months))

  it("keeps the day of the month if the month has it, and else takes the month's last day", () => {
    expect(add("2025-03-15", 6)).toBe("2025-09-15")
    expect(add("2025-08-31", 6)).toBe("2026-02-28")
    expect(add("2023-08-31", 6)).toBe("2024-02-29")
    expect(add("2024-02-29", 12)).toBe("2025-02-28")
  })

  it("does not lose the day that the local calendar of Samoa skipped", () => {
    expect(add("2011-11-30", 1)).toBe("2011-12-30")
  })

  it("is what the calendar of `Date` says of every day that is judged, and of those around", () => {
    const days = fc.integer({ min: FIRST_DAY - 1_000, max: LAST_DAY + 1_000 })
    fc.assert(
      fc.property(days, fc.integer({ min: -2_000, max: 2_000 }), (day, months) => {
        expect(addCivilMonths(day, months)).toBe(monthsByDate(day, months))
      }),
      { numRuns: 2_000 },
    )
    for (let day = FIRST_DAY; day <= LAST_DAY; day++) {
      if (addCivilMonths(day, 6) !== monthsByDate(day, 6)) expect.fail(`day ${day}`)
    }
  })

  it("never runs backwards", () => {
    const days = fc.integer({ min: FIRST_DAY, max: LAST_DAY - 800 })
    fc.assert(
      fc.property(
        days,
        fc.integer({ min: 0, max: 24 }),
        (day, months) => addCivilMonths(day + 1, months) >= addCivilMonths(day, months),
      ),
    )
  })
})

describe("a value that is not a day", () => {
  it("is written as `no date`, and nothing throws", () => {
    const given: unknown[] = [
      Number.NaN,
      Number.POSITIVE_INFINITY,
      -719_163,
      2_932_897,
      "0",
      null,
      Symbol("day"),
      5n,
      {},
    ]
    for (const day of given) expect(formatCivilDate(day as number)).toBe("no date")
    expect(formatCivilDate(-719_162)).toBe("0001-01-01")
    expect(formatCivilDate(2_932_896)).toBe("9999-12-31")
  })

  it("has no months added", () => {
    for (const none of [Number.NaN, "1", null, Symbol("day"), 5n]) {
      expect(addCivilMonths(none as number, 1)).toBeNaN()
      expect(addCivilMonths(0, none as number)).toBeNaN()
    }
    expect(addCivilMonths(0, Number.POSITIVE_INFINITY)).toBeNaN()
  })
})

describe("isEpochDay", () => {
  it("accepts whole days inside the years judged only", () => {
    expect([FIRST_DAY, 0, LAST_DAY].every(isEpochDay)).toBe(true)
    expect([FIRST_DAY - 1, LAST_DAY + 1, 0.5, Number.NaN, "0", null].some(isEpochDay)).toBe(false)
  })
})

describe("findNewYear", () => {
  it("finds the first of January of every day from 1900 to 2199", () => {
    let expected = FIRST_DAY
    for (let day = FIRST_DAY; day <= LAST_DAY; day++) {
      if (dateByDate(day).endsWith("-01-01")) expected = day
      if (findNewYear(day) !== expected) expect.fail(dateByDate(day))
    }
  })
})
