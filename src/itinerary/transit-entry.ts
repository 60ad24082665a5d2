/**
 * What does an entry require, besides the requirement, of a traveller who leaves the international area of an airport?
 *
 * The passport must be valid for as long as the country requires, and the allowed days there, and in its zone, must not
 * be used up (Regulation (EU) 2016/399, Art. 6(1), has no entry for transit only). A known obstacle forbids the
 * transit; missing dates and days that may be used up leave it open. Unrecorded rules are reported at the stops. A
 * traveller who is at home, moves freely or has a permit is not a visitor.
 */
import type { EpochDay } from "../civil-date.ts"
import type { Requirement } from "../dataset/requirement.ts"
import { addDays, startCountSince } from "./day-count.ts"
import type { DecisionState } from "./decision-state.ts"
import { judgeValidityOn } from "./judge-passport.ts"
import type { PairFindings } from "./pair-table.ts"
import { countZoneDays, findFirstHere, findFirstInZone } from "./presence.ts"
import { NO_PARAMS } from "./reasons.ts"
import { ACCUMULATION_DAYS } from "./stay-counting.ts"
import { NO, sayUnknown, type TransitVerdict, YES } from "./transit-rules.ts"
import type { PassportState } from "./traveller-state.ts"
import { findWindowStart, isMemberOn } from "./zones.ts"

/** Judges what an entry as a visitor on a day requires besides the requirement; `YES` if there is no obstacle. */
export function judgeVisitor(
  state: DecisionState,
  place: Place,
  passport: PassportState,
  pair: PairFindings,
  day: EpochDay,
): TransitVerdict {
  const { terms } = pair
  const { requirement, isHome, movesFreely, counting, maxDays } = terms
  if (isHome || movesFreely || counting === "permit" || requirement.status === "unknown") return YES
  const validity = judgeValidityOn(state, place.column, passport, terms, day)
  if (validity.status === "known" && validity.value !== "met") return NO
  if (validity.status === "unknown" && validity.code === "expiry_not_given") return EXPIRY_NOT_GIVEN
  if (validity.status === "unknown" && validity.code === "issue_date_not_given") return ISSUE_DATE_NOT_GIVEN
  if (maxDays === null || countDays(state, place, day) <= maxDays) return YES
  return needEntry(pair, place.destination, requirement.value)
}

/** Says that the country must be entered, with what a pair needs for it. */
export function needEntry(pair: PairFindings, destination: string, requirement: Requirement): TransitVerdict {
  pair.mayEnter ??= sayUnknown("transit_needs_entry", { destination, requirement })
  return pair.mayEnter
}

const EXPIRY_NOT_GIVEN = sayUnknown("expiry_not_given", NO_PARAMS)
const ISSUE_DATE_NOT_GIVEN = sayUnknown("issue_date_not_given", NO_PARAMS)

/** The place of a transit. */
export interface Place {
  readonly destination: string
  readonly column: number
}

// Counts the days that are used there, or in its zone, on the day of the transit, including that day.
function countDays(state: DecisionState, { column }: Place, day: EpochDay): number {
  const place = state.rules.zonePlaces[column]!
  const isInZone = place?.zone.rule.kind === "rolling" && isMemberOn(place.memberships, day)
  const count = isInZone
    ? countZoneDays({ firstInZone: findFirstInZone(state, column), order: Number.POSITIVE_INFINITY }, place, day)
    : startCountSince(findWindowStart(ACCUMULATION_DAYS, day))
  let stay = isInZone ? null : findFirstHere(state, column)
  for (; stay !== null && stay.firstDay <= day; stay = stay.nextHere) {
    // A territory counts with its country, but not for a transit.
    if (stay.column === column) addDays(count, stay.firstDay, Math.min(day, stay.lastDay), stay.counting)
  }
  addDays(count, day, day, "possible")
  return count.possible
}
