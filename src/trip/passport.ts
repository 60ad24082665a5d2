/**
 * Is a passport valid for long enough at a stop?
 *
 * A passport is valid on its day of expiry. Rules of validity bind visitors: for a traveller who is at home, moves freely or has a permit,
 * no rule is recorded and nothing is judged (Regulation (EU) 2016/399, Art. 6(1), is about third-country nationals). The date of issue
 * matters at the entry: a traveller who continues inside a zone is not checked again. The last exit is the last one from a country that is
 * not the traveller's own: a passport that expires while its holder is at home blocks nothing. Where a country accepts expired passports, this is
 * a check, because carriers and the countries on the way may refuse them.
 */
import { addCivilMonths, type EpochDay } from "../civil-date.ts"
import type { ValidityTerms } from "../rules/provisions.ts"
import type { Arrival } from "./days.ts"
import type { Way } from "./documents.ts"
import { ask, block, type Issue, missing } from "./issues.ts"
import { isExpired, isPast, type Journey, type Passport, type Stay } from "./journey.ts"
import {
  NOTHING_OF_VALIDITY,
  pickValidity,
  VALIDITY_AT_HOME,
  VALIDITY_OF_KIND,
  VALIDITY_OF_PAST,
  type ValidityFinding,
  type ValidityFindings,
} from "./recorded.ts"
import { ROLLING_SINCE_DAY } from "./stay-counting.ts"

/** Says whether a passport that expires before the end of a stop serves there all the same. */
export function servesExpired({ provisions }: Journey, stop: Stay, { expiryDay, row }: Passport): boolean {
  if (expiryDay === null) return false
  const { firstDay, lastDay } = stop
  const findings = pickValidity(provisions, stop, row)
  return findings?.binds?.[row] === 1 && findLastUse(expiryDay, findings.rule, firstDay, lastDay) >= lastDay
}

/** An entry, as far as the passport's validity depends on it: not on the stays before. */
type Shown = Pick<Arrival, "journey" | "passport" | "stop" | "way">

/** Judges a passport's validity at a stop, and adds to `issues` what is too short or not known. */
export function judgePassport(arrival: Shown, issues: Issue[]): ValidityFinding {
  const { journey, passport, stop, way } = arrival
  const { held } = passport
  if (isExpired(passport, way.isHome ? stop.firstDay : stop.lastDay) && servesExpired(journey, stop, passport)) {
    issues.push(ask("expired_accepted", { destination: stop.destination, passport: held.passport }))
  } else if (isExpired(passport, stop.firstDay)) {
    issues.push(
      block("passport_expired", { passport: held.passport, expiry: held.passportExpiry!, arrival: stop.from }),
    )
  }
  const validity = findValidity(arrival, issues)
  if (validity.status === "unknown") issues.push(missing("passportValidity", validity))
  return validity
}

function findValidity({ journey, passport, stop, way }: Shown, issues: Issue[]): ValidityFinding {
  const { provisions, dataset } = journey
  const { requirement, isHome, movesFreely, counting } = way
  const { destination, firstDay, departureDay } = stop
  const findings = pickValidity(provisions, stop, passport.row)
  // A state must admit its own citizens (ICCPR, Art. 12(4)), so a missing rule leaves nothing open at home.
  if (!findings) return isHome ? VALIDITY_AT_HOME : NOTHING_OF_VALIDITY
  if (movesFreely || counting === "permit") return findings.forVisitors
  if (!passport.isOrdinary && requirement.status === "unknown") return VALIDITY_OF_KIND
  // The rule of the Schengen area is law since 2013. The first day of the other rules is not known.
  const isRolling = stop.zonePlace?.zone.rule.kind === "rolling"
  if (isPast(dataset, stop) && (!isRolling || firstDay < ROLLING_SINCE_DAY)) return VALIDITY_OF_PAST
  const { rule } = findings
  const { anchor, months, days, issuedWithinYears: years } = rule
  const { issuedDay } = passport
  // The date of issue matters on the day of the entry, which is searched if the arrival is too late.
  const isOld = years !== null && issuedDay !== null && !isIssuedWithin(issuedDay, years, firstDay)
  const finding = judgeDates(findings, passport, way, firstDay, departureDay, isOld ? stop.entryDay : firstDay)
  if (finding !== findings.notMet) return finding
  const { passport: code, passportExpiry: expiry, passportIssued: issued } = passport.held
  const stayDays = findPermittedDays(rule, way)
  const short = fallsShort(passport, rule, firstDay, departureDay, stayDays)
    ? { expiry: expiry!, anchor, months, days, ...(anchor === "permitted_stay" ? { stayDays } : {}) }
    : { issued: issued!, years: years!, expiry }
  issues.push(block("passport_validity_short", { passport: code, destination, ...short }, null, "destination"))
  return finding
}

/** The longest stay that an answer can have. */
const LONGEST_STAY_DAYS = 36_500

function judgeDates(
  findings: ValidityFindings,
  passport: Passport,
  way: Way,
  firstDay: EpochDay,
  departureDay: EpochDay,
  issueDay: EpochDay,
): ValidityFinding {
  const { rule, binds, isStrictest } = findings
  if (binds !== null && binds[passport.row] !== 1) {
    // Whether the rule holds for a passport that it excepts is not known: one that meets it all the same is valid for long enough.
    const isMet =
      isStrictest && judgeDates({ ...findings, binds: null }, passport, way, firstDay, departureDay, issueDay)
    return isMet === findings.met ? isMet : findings.notNamed
  }
  const stayDays = findPermittedDays(rule, way)
  const { expiryDay, issuedDay, earliestIssue } = passport
  const { issuedWithinYears } = rule
  if (fallsShort(passport, rule, firstDay, departureDay, stayDays)) return findings.notMet
  const isYoung =
    issuedWithinYears === null || (earliestIssue !== null && isIssuedWithin(earliestIssue, issuedWithinYears, issueDay))
  if (issuedDay !== null && !isYoung) return findings.notMet
  if (expiryDay === null) return findings.expiryNotGiven
  const isLong = stayDays === null && fallsShort(passport, rule, firstDay, departureDay, LONGEST_STAY_DAYS)
  if (rule.anchor === "permitted_stay" && isLong) return findings.stayNotKnown
  return isYoung ? findings.met : findings.issueDateNotGiven
}

// Returns the days that are permitted from the arrival on, if a rule counts from their end. Days from an imported table
// are not used: they may differ from the visa's.
function findPermittedDays({ anchor }: ValidityTerms, { maxStay, isTableStay }: Way): number | null {
  if (anchor !== "permitted_stay" || maxStay.status === "unknown" || isTableStay) return null
  return typeof maxStay.value === "number" ? maxStay.value : null
}

// Says whether a passport is known to expire too early for a rule.
function fallsShort(
  { expiryDay }: Passport,
  rule: ValidityTerms,
  firstDay: EpochDay,
  departureDay: EpochDay,
  stayDays: number | null,
): boolean {
  if (expiryDay === null) return false
  // An unknown permitted stay does not end before the departure.
  const afterDay = rule.anchor === "arrival" ? firstDay : stayDays === null ? departureDay : firstDay + stayDays
  return !outlasts(findLastUse(expiryDay, rule, firstDay, departureDay), rule, afterDay)
}

// ---- Is a passport valid for long enough?

// A rule counts whole months, then days, from the arrival or from the departure. A passport is valid on its day of expiry. Some rules also
// limit the date of issue: Schengen "within the previous ten years" on the day of entry (Regulation (EU) 2016/399, Art. 6(1)(a)), read as
// less than ten years before the arrival, so that the day of the tenth anniversary is too late. This does not know whom a rule binds. If the date
// of issue is not given, the longest time for which the issuer's passports are valid may say enough.
//
// Türkiye requires sixty days beyond the end of the visa or exemption, not of the journey (Law 6458, Art. 7(1)(b) and Art. 18). With 90 days,
// that is 150 days from the day of entry, as published; a permitted stay of 90 days is taken to end on the ninetieth day after the entry.

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
function findLastUse(
  expiryDay: EpochDay,
  { expiredWithinYears }: ValidityTerms,
  firstDay: EpochDay,
  lastDay: EpochDay,
): EpochDay {
  if (expiredWithinYears === null || lastDay >= addCivilMonths(firstDay, 3)) return expiryDay
  return addCivilMonths(expiryDay, 12 * expiredWithinYears) - 1
}
