/**
 * Where and when does a transit take place?
 *
 * The day is not given, so a transit must be permitted on the first and on the last day of the journey.
 */
import type { EpochDay } from "../civil-date.ts"
import { type DecisionState, type StopState, startStop } from "./decision-state.ts"
import { findKept, findPair } from "./pair-findings.ts"
import type { PairFindings } from "./pair-table.ts"
import { NO_PARAMS } from "./reasons.ts"
import type { ReadTransit } from "./request-fields.ts"
import type { Journey } from "./transit-documents.ts"
import type { Place } from "./transit-entry.ts"
import { type Area, betterOf, rankOf, sayUnknown, type TransitVerdict, worseOf } from "./transit-rules.ts"
import type { PassportState } from "./traveller-state.ts"

/** The transit that is judged. */
export interface Change extends Place {
  readonly asked: ReadTransit
  readonly journey: Journey
  readonly area: Area
  /** The country as a stop of the first day, and of the last; made on first use. */
  first: StopState | null
  last: StopState | null
  /** By index of a rule: whether the considered documents meet its demand of a visa, which depends neither on the passport nor on the day. */
  demanded: TransitVerdict[]
  /** By passport, on the first day and on the last: what is known of the pair. */
  readonly pairs: PairFindings[]
}

/** The first day of the journey, or the last. */
export type End = "first" | "last"

/** Returns the day of an end of the journey. */
export function dayOf({ journey }: Change, end: End): EpochDay {
  return end === "first" ? journey.firstDay : journey.lastDay
}

/** Returns the findings for the pair on one of the two days. */
export function findPairOn(state: DecisionState, change: Change, passport: PassportState, end: End): PairFindings {
  const { pairs } = change
  const at = 2 * passport.place + (end === "first" ? 0 : 1)
  let pair = pairs[at]
  if (pair === undefined) {
    // The kept findings are not for a particular border.
    const kept = change.asked.by === null ? findKept(state, passport, change.column, dayOf(change, end)) : null
    pair = kept ?? findPair(state, passport, placeOn(state, change, end))
    pairs[at] = pair
  }
  return pair
}

/** Returns the country as a stop of the first day of the journey, or of the last. */
export function placeOn(state: DecisionState, change: Change, end: End): StopState {
  let stop = change[end]
  if (stop !== null) return stop
  const { asked, column } = change
  const { stops, dataset, rules } = state
  const on = end === "first" ? stops[0]!.from : stops[stops.length - 1]!.to
  const day = dayOf(change, end)
  const { country: destination, countryKey: destinationKey } = asked
  const days = { from: on, fromDay: day, to: on, toDay: day }
  stop = startStop(dataset, { destination, destinationKey, ...days }, 0, { passport: null, by: asked.by }, "none")
  stop.firstHere = stop
  stop.zonePlace = rules.zonePlaces[column]!
  change[end] = stop
  return stop
}

/** The verdict if a transit is permitted on one of the two days only. */
export const DAY_NOT_GIVEN = sayUnknown("transit_day_not_given", NO_PARAMS)

/** Judges both days. The day of the transit is not given: if it is forbidden on only one of them, the verdict is open. */
export function judgeBothDays(
  state: DecisionState,
  change: Change,
  passport: PassportState,
  judge: (state: DecisionState, change: Change, passport: PassportState, end: End) => TransitVerdict,
): TransitVerdict {
  const onFirst = judge(state, change, passport, "first")
  if (change.journey.firstDay === change.journey.lastDay) return onFirst
  const onLast = judge(state, change, passport, "last")
  const worse = worseOf(onFirst, onLast)
  return rankOf(worse) === 0 && rankOf(betterOf(onFirst, onLast)) > 0 ? DAY_NOT_GIVEN : worse
}
