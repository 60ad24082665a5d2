/**
 * What does a passport give at a stop, and is it valid for long enough?
 *
 * A passport is valid on its day of expiry. Rules of validity bind visitors: for who is at home, moves freely or has a permit no rule is
 * recorded, so nothing is judged (Regulation (EU) 2016/399, Art. 6(1), is about third-country nationals). When a passport was issued is asked at the
 * entry: whoever goes on inside a zone is not asked again. The last exit is the last one from a country that is not the traveller's own:
 * a passport that expires while its holder is at home blocks nothing.
 */
import type { EpochDay } from "../civil-date.ts"
import { block, type DecisionState, noteGap, type StopState } from "./decision-state.ts"
import type { EntryTerms } from "./entry-terms.ts"
import { hasOpenEnd } from "./open-end.ts"
import { isIssuedWithin, outlasts, type ValidityTerms } from "./passport-validity.ts"
import { isPast } from "./past-terms.ts"
import { findEntryStop } from "./presence.ts"
import { NO_PARAMS } from "./reasons.ts"
import {
  NOTHING_OF_VALIDITY,
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

/** Judges a passport's validity at a stop, and reports when it is too short. */
export function judgePassport(
  state: DecisionState,
  index: number,
  passport: PassportState,
  terms: EntryTerms,
): ValidityFinding {
  const { requirement, isHome, movesFreely, counting } = terms
  const { slot, destination, from, firstDay } = state.stops[index]!
  if (isExpired(passport, firstDay)) {
    block(state, index, "passport_expired", { ...nameExpiry(passport), arrival: from })
  }
  const findings = state.rules.validity[slot]
  // A state lets its own citizens in (ICCPR, Art. 12(4)), so that a rule which nobody recorded leaves nothing open.
  if (!findings) return isHome ? VALIDITY_AT_HOME : NOTHING_OF_VALIDITY
  if (movesFreely || counting === "permit") return findings.forVisitors
  if (!passport.isOrdinary && requirement.status === "unknown") return VALIDITY_OF_KIND
  if (isUnrecorded(state, index)) return VALIDITY_OF_PAST
  const entryDay = () => findEntryStop(state, index).firstDay
  const { finding, failing, stayDays } = judgeDates(findings, passport, terms, state.stops[index]!, entryDay)
  if (failing === null) return finding
  const { rule } = findings
  const { anchor, months, days } = rule
  const short =
    failing === "issue"
      ? { issued: passport.held.passportIssued!, years: rule.issuedWithinYears!, expiry: passport.held.passportExpiry }
      : {
          expiry: passport.held.passportExpiry!,
          anchor,
          months,
          days,
          ...(anchor === "permitted_stay" ? { stayDays } : {}),
        }
  const params = { passport: passport.held.passport, destination, ...short }
  block(state, index, "passport_validity_short", params, { granularity: "destination" })
  return findings.notMet
}

/** Judges the validity of a visitor's passport for who enters a country on a day and leaves it on the same one. */
export function judgeValidityOn(
  { rules }: DecisionState,
  slot: number,
  passport: PassportState,
  terms: EntryTerms,
  day: EpochDay,
): ValidityFinding {
  const findings = rules.validity[slot]
  if (!findings) return NOTHING_OF_VALIDITY
  return judgeDates(findings, passport, terms, { firstDay: day, departureDay: day }, () => day).finding
}

interface DatesJudged {
  readonly finding: ValidityFinding
  /** Which of its dates is known to fall short. */
  readonly failing: "expiry" | "issue" | null
  readonly stayDays: number | null
}

function judgeDates(
  findings: ValidityFindings,
  passport: PassportState,
  terms: EntryTerms,
  stay: Pick<StopState, "firstDay" | "departureDay">,
  findEntryDay: () => EpochDay,
): DatesJudged {
  const { rule, binds } = findings
  const stayDays = rule.anchor === "permitted_stay" ? findPermittedDays(terms) : null
  const say = (finding: ValidityFinding) => ({ finding, failing: null, stayDays })
  if (binds !== null && binds[passport.slot] !== 1) return say(findings.notNamed)
  const failing = findFailing(passport, rule, stay, stayDays, findEntryDay)
  if (failing !== null) return { finding: findings.notMet, failing, stayDays }
  if (passport.expiryDay === null) return say(findings.expiryNotGiven)
  if (rule.anchor === "permitted_stay" && stayDays === null) return say(findings.stayNotKnown)
  const isIssueOpen = rule.issuedWithinYears !== null && passport.issuedDay === null
  return say(isIssueOpen ? findings.issueDateNotGiven : findings.met)
}

// The rule of the Schengen area is the law since 2013; of others it is not known since when they hold.
function isUnrecorded({ dataset, stops }: DecisionState, index: number): boolean {
  const stop = stops[index]!
  return isPast(dataset, stop) && (stop.zonePlace?.zone.rule.kind !== "rolling" || stop.firstDay < ROLLING_SINCE_DAY)
}

// The days that are permitted from the arrival on. Those of a table that it copies from the visa are none.
function findPermittedDays({ maxStay, isTableStay }: EntryTerms): number | null {
  return maxStay.status === "known" && typeof maxStay.value === "number" && !isTableStay ? maxStay.value : null
}

/** Finds in which of its dates a passport is known to fall short of a rule. */
function findFailing(
  { expiryDay, issuedDay }: PassportState,
  rule: ValidityTerms,
  { firstDay, departureDay }: Pick<StopState, "firstDay" | "departureDay">,
  stayDays: number | null,
  findEntryDay: () => EpochDay,
): "expiry" | "issue" | null {
  // A permitted stay that nobody knows does not end before the departure.
  const afterDay = rule.anchor === "arrival" ? firstDay : stayDays === null ? departureDay : firstDay + stayDays
  if (expiryDay !== null && !outlasts(expiryDay, rule, afterDay)) return "expiry"
  const years = rule.issuedWithinYears
  if (years === null || issuedDay === null || isIssuedWithin(issuedDay, years, firstDay)) return null
  return isIssuedWithin(issuedDay, years, findEntryDay()) ? null : "issue"
}

function nameExpiry({ held: { passport, passportExpiry } }: PassportState) {
  return { passport, expiry: passportExpiry! }
}

/** Judges what is about the whole journey: whether a passport lasts until its last exit, and what was not given. */
export function judgeLastUse(state: DecisionState, passport: PassportState): void {
  const { lastStep, path, expiryDay } = passport
  if (!passport.isRecorded) {
    noteGap(state, `${path}passport`, null, "no_passport_record", NO_PARAMS)
    return
  }
  if (passport.isUsed && expiryDay === null)
    noteGap(state, `${path}passportExpiry`, null, "expiry_not_given", NO_PARAMS)
  const last = state.stops[lastStep]
  // Of a last day that is not given the arrival alone is known, which is judged there.
  const isOpen = lastStep === state.stops.length - 1 && hasOpenEnd(state.read)
  if (last !== undefined && !isOpen && isExpired(passport, last.lastDay)) {
    block(state, lastStep, "passport_expires_before_exit", { ...nameExpiry(passport), exit: last.to })
  }
}
