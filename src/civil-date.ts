/**
 * How are calendar dates read, counted and written, without a clock, a time zone or a time of day?
 *
 * Days are `EpochDay` integers: whole days since 1970-01-01 in the proleptic Gregorian calendar, the same everywhere on earth. Dates
 * outside 1900-01-01 … 2199-12-31 are refused: the engine judges none of them, and a typing error in a year must not become an answer.
 * Months are added in `addCivilMonths`.
 */

/** Whole days since 1970-01-01 (UTC); negative before it. */
export type EpochDay = number

/** Milliseconds of a day. */
const MS_PER_DAY = 86_400_000

/** 1900-01-01. */
export const FIRST_DAY: EpochDay = -25_567
/** 2199-12-31. */
export const LAST_DAY: EpochDay = 84_005

// 0001-01-01 and 9999-12-31, the days that have a year of four digits.
const FIRST_WRITTEN_DAY: EpochDay = -719_162
const LAST_WRITTEN_DAY: EpochDay = 2_932_896

// The number that two digits spell; negative if they are not digits.
function pairAt(text: string, start: number): number {
  const tens = text.charCodeAt(start) - 48
  const units = text.charCodeAt(start + 1) - 48
  return tens >>> 0 > 9 || units >>> 0 > 9 ? -100_000 : tens * 10 + units
}

// Days from 1970-01-01 to a civil date of the year 1 or later, in years that begin on 1 March (H. Hinnant, "chrono-Compatible Low-Level
// Date Algorithms"); integers only, because `Date` costs more than the rest of a decision together.
function daysFromCivil(year: number, month: number, day: number): EpochDay {
  const y = month <= 2 ? year - 1 : year
  const dayOfYear = ((153 * (month + (month > 2 ? -3 : 9)) + 2) / 5) | 0
  return y * 365 + (y >> 2) - ((y / 100) | 0) + ((y / 400) | 0) + dayOfYear + day - 719_469
}

const FIRST_YEAR = 1900
const YEARS = 300

/** The first day of every month that is judged, from January 1900 on, and of the one after the last: a table is faster than a calculation. */
const MONTH_STARTS = /* @__PURE__ */ Int32Array.from({ length: YEARS * 12 + 1 }, (_, month) =>
  daysFromCivil(FIRST_YEAR + Math.floor(month / 12), (month % 12) + 1, 1),
)

/**
 * Reads a calendar date `YYYY-MM-DD` of the years 1900 to 2199 as an {@link EpochDay}, or null for anything else of any type.
 *
 * Refuses days that no calendar has (2023-02-29), times of day, signs and blanks. Cannot fail; allocates nothing.
 *
 * @example
 * ```ts
 * parseCivilDate("1970-01-02") // => 1
 * parseCivilDate("2023-02-29") // => null
 * ```
 */
export function parseCivilDate(text: unknown): EpochDay | null {
  if (typeof text !== "string" || text.length !== 10) return null
  if (text.charCodeAt(4) !== 45 || text.charCodeAt(7) !== 45) return null
  const year = pairAt(text, 0) * 100 + pairAt(text, 2)
  const month = pairAt(text, 5)
  const day = pairAt(text, 8)
  if (year < FIRST_YEAR || year >= FIRST_YEAR + YEARS || month < 1 || month > 12 || day < 1) return null
  const place = (year - FIRST_YEAR) * 12 + month - 1
  const epochDay = MONTH_STARTS[place]! + day - 1
  return epochDay < MONTH_STARTS[place + 1]! ? epochDay : null
}

/**
 * Says whether a number is a day that this engine judges: a whole number from 1900-01-01 to 2199-12-31.
 *
 * @example
 * ```ts
 * isEpochDay(0) // => true
 * isEpochDay(0.5) // => false
 * ```
 */
export function isEpochDay(day: unknown): day is EpochDay {
  return typeof day === "number" && Number.isInteger(day) && day >= FIRST_DAY && day <= LAST_DAY
}

/**
 * Writes a day as `YYYY-MM-DD`, or `no date` for anything but a day of the years 0001 to 9999.
 *
 * Cannot fail. Computed days may lie outside the years that are judged, so more years are written than read.
 *
 * @example
 * ```ts
 * formatCivilDate(0) // => "1970-01-01"
 * formatCivilDate(NaN) // => "no date"
 * ```
 */
export function formatCivilDate(day: EpochDay): string {
  if (!(typeof day === "number" && day >= FIRST_WRITTEN_DAY && day <= LAST_WRITTEN_DAY)) return "no date"
  // The inverse of `daysFromCivil`: eras of 400 years that begin on 1 March of the year 0. `Date` takes ten times as long.
  const shifted = Math.floor(day) + 719_468
  const era = (shifted / 146_097) | 0
  const dayOfEra = shifted - era * 146_097
  const yearOfEra =
    ((dayOfEra - ((dayOfEra / 1460) | 0) + ((dayOfEra / 36_524) | 0) - ((dayOfEra / 146_096) | 0)) / 365) | 0
  const dayOfYear = dayOfEra - (365 * yearOfEra + (yearOfEra >> 2) - ((yearOfEra / 100) | 0))
  const shiftedMonth = ((5 * dayOfYear + 2) / 153) | 0
  const month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
  const year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
  const number = year * 10_000 + month * 100 + dayOfYear - (((153 * shiftedMonth + 2) / 5) | 0) + 1
  const digits = String(number + 100_000_000)
  return `${digits.slice(1, 5)}-${digits.slice(5, 7)}-${digits.slice(7)}`
}

/**
 * Finds 1 January of a day's year. Cannot fail; integers only.
 *
 * @example
 * ```ts
 * formatCivilDate(findNewYear(parseCivilDate("2027-12-31"))) // => "2027-01-01"
 * ```
 */
export function findNewYear(day: EpochDay): EpochDay {
  // A year too late or right: 400 years have 146,097 days.
  const year = 1970 + Math.ceil((day * 400) / 146_097)
  let newYear = daysFromCivil(year, 1, 1)
  if (newYear > day) newYear = daysFromCivil(year - 1, 1, 1)
  return newYear > day ? daysFromCivil(year - 2, 1, 1) : newYear
}

// ---- Months

// Which day is some months after another?
//
// `Date` is only used in UTC: a local-time date is a bug here. This file is separate from `civil-date.ts`, because bundles that only look up
// pairs add no months.

/**
 * Adds whole months, and stays inside the month reached: a month after 31 January is the last day of February.
 *
 * The reading chosen for "valid for six months": the same day of the month six months on, or that month's last day. Cannot fail: NaN
 * where one of the two is not a number. A table answers for the years that are judged; `Date`, which takes longer, for all
 * others.
 *
 * @example
 * ```ts
 * const day = parseCivilDate("2025-08-31") ?? 0
 * formatCivilDate(addCivilMonths(day, 6)) // => "2026-02-28"
 * ```
 */
export function addCivilMonths(day: EpochDay, months: number): EpochDay {
  if (typeof day !== "number" || typeof months !== "number") return Number.NaN
  if (Number.isInteger(day) && Number.isInteger(months) && day >= FIRST_DAY && day <= LAST_DAY) {
    const month = findMonth(day)
    const start = MONTH_STARTS[month + months]
    const end = MONTH_STARTS[month + months + 1]
    if (start !== undefined && end !== undefined) return Math.min(start + day - MONTH_STARTS[month]!, end - 1)
  }
  const date = new Date(day * MS_PER_DAY)
  const dayOfMonth = date.getUTCDate()
  date.setUTCMonth(date.getUTCMonth() + months)
  // The month reached does not have the day, so that the date is in the month after it.
  if (date.getUTCDate() !== dayOfMonth) date.setUTCDate(0)
  return Math.floor(date.getTime() / MS_PER_DAY)
}

const MEAN_MONTH_DAYS = 365.2425 / 12

// The month of a day as its place in the table.
function findMonth(day: EpochDay): number {
  let month = Math.trunc((day - FIRST_DAY) / MEAN_MONTH_DAYS)
  while (MONTH_STARTS[month]! > day) month--
  while (MONTH_STARTS[month + 1]! <= day) month++
  return month
}
