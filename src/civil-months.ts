/**
 * Which day is some months after another?
 *
 * The only file that imports date-fns, with its UTC dates: a local-time date is a bug here. It is separate from `civil-date.ts`,
 * so that bundles that only look up pairs do not load date-fns.
 */
import { UTCDateMini } from "@date-fns/utc/date/mini"
import { addMonths } from "date-fns/addMonths"
import { type EpochDay, MS_PER_DAY } from "./civil-date.ts"

/**
 * Adds whole months, and stays inside the month reached: a month after 31 January is the last day of February.
 *
 * The reading chosen for "valid for six months": the same day of the month six months on, or that month's last day. Cannot fail: NaN
 * where one of the two is not a number.
 *
 * @example
 * ```ts
 * const day = parseCivilDate("2025-08-31") ?? 0
 * formatCivilDate(addCivilMonths(day, 6)) // => "2026-02-28"
 * ```
 */
export function addCivilMonths(day: EpochDay, months: number): EpochDay {
  if (typeof day !== "number" || typeof months !== "number") return Number.NaN
  return Math.floor(addMonths(new UTCDateMini(day * MS_PER_DAY), months).getTime() / MS_PER_DAY)
}
