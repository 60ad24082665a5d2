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
import { block, type DecisionState, noteCondition, noteGap, type StopState } from "./decision-state.ts"
import type { EntryTerms } from "./entry-terms.ts"
import { hasOpenEnd } from "./open-end.ts"
import { findLastUse, isIssuedWithin, outlasts, type ValidityTerms } from "./passport-validity.ts"
import { isPast } from "./past-terms.ts"
import { findEntryStop } from "./presence.ts"
import { NO_PARAMS } from "./reasons.ts"
import {
  NOTHING_OF_VALIDITY,
  pickValidity,
  VALIDITY_AT_HOME,
  VALIDITY_OF_KIND,
  VALIDITY_OF_PAST,
  type ValidityFinding,
  type ValidityFindings,
} from "./rules.ts"
import type { PassportState } from "./traveller-state.ts"
import { ROLLING_SINCE_DAY } from "./zones.ts"

/** Says whether a passport is known to have expired before a day. */
export function isExpired({ expiryDay }: PassportState, day: number): boolean {
  return expiryDay !== null && expiryDay < day
}

const ACCEPTED = "The passport has expired. The country accepts it, but carriers may not."

/** Says whether a passport that expires before the end of a stop serves there all the same. */
export function servesExpired(
  { rules }: DecisionState,
  { column, firstDay, lastDay }: StopState,
  { expiryDay, row: passport }: PassportState,
): boolean {
  const findings = pickValidity(rules, column, passport)
  if (expiryDay === null || findings?.binds?.[passport] !== 1) return false
  return findLastUse(expiryDay, findings.rule, firstDay, lastDay) >= lastDay
}

/** Judges a passport's validity at a stop, and reports it if it is too short. */
export function judgePassport(
  state: DecisionState,
  index: number,
  passport: PassportState,
  terms: EntryTerms,
): ValidityFinding {
  const { requirement, isHome, movesFreely, counting } = terms
  const stop = state.stops[index]!
  const { column, destination, from, firstDay } = stop
  if (isExpired(passport, isHome ? firstDay : stop.lastDay) && servesExpired(state, stop, passport)) {
    noteCondition(state, index, "other", { text: ACCEPTED })
  } else if (isExpired(passport, firstDay)) {
    block(state, index, "passport_expired", { ...nameExpiry(passport), arrival: from })
  }
  const findings = pickValidity(state.rules, column, passport.row)
  // A state must admit its own citizens (ICCPR, Art. 12(4)), so a missing rule leaves nothing open at home.
  if (!findings) return isHome ? VALIDITY_AT_HOME : NOTHING_OF_VALIDITY
  if (movesFreely || counting === "permit") return findings.forVisitors
  if (!passport.isOrdinary && requirement.status === "unknown") return VALIDITY_OF_KIND
  if (isUnrecorded(state, index)) return VALIDITY_OF_PAST
  const { rule } = findings
  const { departureDay } = state.stops[index]!
  const issueDay = findIssueDay(state, index, passport, rule)
  const finding = judgeDates(findings, passport, terms, firstDay, departureDay, issueDay)
  if (finding !== findings.notMet) return finding
  const { anchor, months, days } = rule
  const expiry = passport.held.passportExpiry
  const stayDays = findPermittedDays(rule, terms)
  const short = fallsShort(passport, rule, firstDay, departureDay, stayDays)
    ? { expiry: expiry!, anchor, months, days, ...(anchor === "permitted_stay" ? { stayDays } : {}) }
    : { issued: passport.held.passportIssued!, years: rule.issuedWithinYears!, expiry }
  const params = { passport: passport.held.passport, destination, ...short }
  block(state, index, "passport_validity_short", params, { granularity: "destination" })
  return finding
}

/** Judges the validity of a visitor's passport for entering and leaving a country on the same day. */
export function judgeValidityOn(
  { rules }: DecisionState,
  column: number,
  passport: PassportState,
  terms: EntryTerms,
  day: EpochDay,
): ValidityFinding {
  const findings = pickValidity(rules, column, passport.row)
  return findings ? judgeDates(findings, passport, terms, day, day, day) : NOTHING_OF_VALIDITY
}

function judgeDates(
  findings: ValidityFindings,
  passport: PassportState,
  terms: EntryTerms,
  firstDay: EpochDay,
  departureDay: EpochDay,
  issueDay: EpochDay,
): ValidityFinding {
  const { rule, binds } = findings
  if (binds !== null && binds[passport.row] !== 1) return findings.notNamed
  const stayDays = findPermittedDays(rule, terms)
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

// Returns the day on which the date of issue matters: that of the entry, which is searched if the arrival is too late.
function findIssueDay(
  state: DecisionState,
  index: number,
  { issuedDay }: PassportState,
  { issuedWithinYears }: ValidityTerms,
): EpochDay {
  const { firstDay } = state.stops[index]!
  if (issuedWithinYears === null || issuedDay === null) return firstDay
  return isIssuedWithin(issuedDay, issuedWithinYears, firstDay) ? firstDay : findEntryStop(state, index).firstDay
}

// The rule of the Schengen area is law since 2013. The first day of the other rules is not known.
function isUnrecorded({ dataset, stops }: DecisionState, index: number): boolean {
  const stop = stops[index]!
  return isPast(dataset, stop) && (stop.zonePlace?.zone.rule.kind !== "rolling" || stop.firstDay < ROLLING_SINCE_DAY)
}

// Returns the days that are permitted from the arrival on, if a rule counts from their end. Days from an imported table
// are not used: they may differ from the visa's.
function findPermittedDays({ anchor }: ValidityTerms, { maxStay, isTableStay }: EntryTerms): number | null {
  if (anchor !== "permitted_stay" || maxStay.status === "unknown" || isTableStay) return null
  return typeof maxStay.value === "number" ? maxStay.value : null
}

// Says whether a passport is known to expire too early for a rule.
function fallsShort(
  { expiryDay }: PassportState,
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

function nameExpiry({ held: { passport, passportExpiry } }: PassportState) {
  return { passport, expiry: passportExpiry! }
}

/** Judges what concerns the whole journey: whether a passport is valid until its last exit, and which dates are missing. */
export function judgeLastUse(state: DecisionState, passport: PassportState): void {
  const { lastStep, path, expiryDay } = passport
  if (!passport.isRecorded) {
    noteGap(state, `${path}passport`, null, "no_passport_record", NO_PARAMS)
    return
  }
  if (passport.isUsed && expiryDay === null)
    noteGap(state, `${path}passportExpiry`, null, "expiry_not_given", NO_PARAMS)
  const last = state.stops[lastStep]
  // If the last day is not given, only the arrival is known, and it is judged at its stop.
  const isOpen = lastStep === state.stops.length - 1 && hasOpenEnd(state.read)
  if (last !== undefined && !isOpen && isExpired(passport, last.lastDay)) {
    block(state, lastStep, "passport_expires_before_exit", { ...nameExpiry(passport), exit: last.to })
  }
}
