/**
 * Is a passport valid for long enough?
 *
 * A rule counts whole months, then days, from the arrival or from the departure. A passport is valid on its day of expiry. Some rules also
 * limit the date of issue: Schengen "within the previous ten years" on the day of entry (Regulation (EU) 2016/399, Art. 6(1)(a)), read as
 * less than ten years before the arrival, so that the day of the tenth anniversary is too late. This file does not know whom a rule binds.
 *
 * Turkey requires sixty days beyond the end of the visa or exemption, not of the journey (Law 6458, Arts. 7(1)(b) and 18). With 90 days,
 * that is 150 days from the day of entry, as published; a permitted stay of 90 days is taken to end on the ninetieth day after the entry.
 */
import type { EpochDay } from "../civil-date.ts"
import { addCivilMonths } from "../civil-months.ts"
import type { ValidityTerms } from "../rules/provisions.ts"

/**
 * Says whether a passport that expires on a day is valid for as long as a rule requires after another day.
 *
 * Months are civil months: six months after 31 August is the last day of February. Cannot fail. The calendar is only
 * used if the length of the months can matter.
 *
 * @example
 * ```ts
 * const day = parseCivilDate
 * outlasts(day("2026-05-20"), { months: 3, days: 0 }, day("2026-02-20")) // => true
 * outlasts(day("2026-05-19"), { months: 3, days: 0 }, day("2026-02-20")) // => false
 * ```
 */
export function outlasts(
  expiryDay: EpochDay,
  { months, days }: Pick<ValidityTerms, "months" | "days">,
  afterDay: EpochDay,
): boolean {
  const spare = expiryDay - days - afterDay
  if (spare >= 31 * months) return true
  return spare >= 28 * months && expiryDay >= addCivilMonths(afterDay, months) + days
}

/**
 * Says whether a passport was issued less than some years before an arrival.
 *
 * @example
 * ```ts
 * const day = parseCivilDate
 * isIssuedWithin(day("2016-03-02"), 10, day("2026-03-01")) // => true
 * isIssuedWithin(day("2016-03-01"), 10, day("2026-03-01")) // => false
 * ```
 */
export function isIssuedWithin(issuedDay: EpochDay, years: number, arrivalDay: EpochDay): boolean {
  const age = arrivalDay - issuedDay
  if (age < 365 * years) return true
  return age <= 366 * years && arrivalDay < addCivilMonths(issuedDay, 12 * years)
}

/**
 * Returns the last day on which a passport serves a visit under a rule: that of its expiry, or a later one if the rule accepts expired passports.
 *
 * The European Agreement of 13 December 1957 (ETS No. 25), Art. 1, opens its parties' territories to holders of the documents in its appendix,
 * for visits of at most three months. Some parties name passports that expired within the last five years, Germany within the last year.
 */
export function findLastUse(
  expiryDay: EpochDay,
  { expiredWithinYears }: ValidityTerms,
  firstDay: EpochDay,
  lastDay: EpochDay,
): EpochDay {
  if (expiredWithinYears === null || lastDay >= addCivilMonths(firstDay, 3)) return expiryDay
  return addCivilMonths(expiryDay, 12 * expiredWithinYears) - 1
}
