/**
 * Is a passport valid for long enough at a stop?
 *
 * A passport is valid on its day of expiry. Rules of validity bind visitors: for a traveller who is at home, moves freely or has a permit,
 * no rule is recorded and nothing is judged (Regulation (EU) 2016/399, Art. 6(1), is about third-country nationals). The date of issue
 * matters at the entry: a traveller who continues inside a zone is not checked again. The last exit is the last one from a country that is
 * not the traveller's own: a passport that expires while its holder is at home blocks nothing. Where a country accepts expired passports, this is
 * a check, because carriers and the countries on the way may refuse them.
 */
import type { EpochDay } from "../civil-date.ts"
import type { Dataset } from "../dataset/open.ts"
import { findLastUse, isIssuedWithin, outlasts } from "../itinerary/passport-validity.ts"
import { ROLLING_SINCE_DAY } from "../itinerary/zones.ts"
import type { ValidityTerms } from "../rules/provisions.ts"
import type { Arrival } from "./days.ts"
import { ask, block, type Issue, missing } from "./issues.ts"
import { isExpired, type Journey, type Passport, type Stay } from "./journey.ts"
import {
  NOTHING_OF_VALIDITY,
  pickValidity,
  VALIDITY_AT_HOME,
  VALIDITY_OF_KIND,
  VALIDITY_OF_PAST,
  type ValidityFinding,
  type ValidityFindings,
} from "./provisions.ts"
import type { Way } from "./ways.ts"

const ACCEPTED = "The passport has expired. The country accepts it, but carriers may not."

/** Says whether a history answers for a day, one before the dataset's first. */
export function isPast({ sinceDay, past }: Dataset, { firstDay }: { readonly firstDay: EpochDay }): boolean {
  return firstDay < sinceDay && past !== undefined
}

/** Says whether a passport that expires before the end of a stop serves there all the same. */
export function servesExpired(
  { provisions }: Journey,
  { column, firstDay, lastDay }: Stay,
  { expiryDay, row }: Passport,
): boolean {
  if (expiryDay === null) return false
  const findings = pickValidity(provisions, column, row)
  return findings?.binds?.[row] === 1 && findLastUse(expiryDay, findings.rule, firstDay, lastDay) >= lastDay
}

/** Judges a passport's validity at a stop, and adds to `issues` what is too short or not known. */
export function judgePassport(arrival: Arrival, issues: Issue[]): ValidityFinding {
  const { journey, passport, stop, way } = arrival
  const { held } = passport
  if (isExpired(passport, way.isHome ? stop.firstDay : stop.lastDay) && servesExpired(journey, stop, passport)) {
    issues.push(ask("other", { text: ACCEPTED }))
  } else if (isExpired(passport, stop.firstDay)) {
    issues.push(
      block("passport_expired", { passport: held.passport, expiry: held.passportExpiry!, arrival: stop.from }),
    )
  }
  const validity = findValidity(arrival, issues)
  if (validity.status === "unknown") issues.push(missing("passportValidity", validity))
  return validity
}

function findValidity({ journey, passport, stop, way }: Arrival, issues: Issue[]): ValidityFinding {
  const { provisions, dataset } = journey
  const { requirement, isHome, movesFreely, counting } = way
  const { destination, firstDay, departureDay } = stop
  const findings = pickValidity(provisions, stop.column, passport.row)
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

/** Judges the validity of a visitor's passport for entering and leaving a country on the same day. */
export function judgeValidityOn(
  { provisions }: Journey,
  column: number,
  passport: Passport,
  way: Way,
  day: EpochDay,
): ValidityFinding {
  const findings = pickValidity(provisions, column, passport.row)
  return findings ? judgeDates(findings, passport, way, day, day, day) : NOTHING_OF_VALIDITY
}

function judgeDates(
  findings: ValidityFindings,
  passport: Passport,
  way: Way,
  firstDay: EpochDay,
  departureDay: EpochDay,
  issueDay: EpochDay,
): ValidityFinding {
  const { rule, binds } = findings
  if (binds !== null && binds[passport.row] !== 1) return findings.notNamed
  const stayDays = findPermittedDays(rule, way)
  const { expiryDay, issuedDay } = passport
  const { issuedWithinYears } = rule
  if (fallsShort(passport, rule, firstDay, departureDay, stayDays)) return findings.notMet
  if (issuedWithinYears !== null && issuedDay !== null && !isIssuedWithin(issuedDay, issuedWithinYears, issueDay)) {
    return findings.notMet
  }
  if (expiryDay === null) return findings.expiryNotGiven
  if (rule.anchor === "permitted_stay" && stayDays === null) return findings.stayNotKnown
  return issuedWithinYears !== null && issuedDay === null ? findings.issueDateNotGiven : findings.met
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
