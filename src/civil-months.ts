/**
 * Which day is some months after another?
 *
 * `Date` is only used in UTC: a local-time date is a bug here. This file is separate from `civil-date.ts`, because bundles that only look up
 * pairs add no months.
 */
import { type EpochDay, FIRST_DAY, LAST_DAY, MONTH_STARTS, MS_PER_DAY } from "./civil-date.ts"

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
