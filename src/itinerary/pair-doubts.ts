/**
 * Is the answer for a passport at a stop doubtful, and when was it last checked?
 */
import { type EpochDay, LAST_DAY } from "../civil-date.ts"
import { type Found, UNKNOWN_SLOT } from "../dataset/open.ts"
import { findLastLook } from "../requirement/age.ts"
import { describeFound } from "../requirement/describe-pair.ts"
import type { DecisionState, StopState } from "./decision-state.ts"
import { type Unknown, unknown } from "./findings.ts"
import { findPair } from "./pair-findings.ts"
import type { Doubtful, PairFindings } from "./pair-table.ts"
import type { PassportState } from "./traveller-state.ts"

const NO_DOUBTS: readonly Unknown[] = []

/**
 * Lists the doubts about the answer for a passport at a stop on the day of arrival: contradictions, in English, and why
 * it is stale.
 */
export function listDoubts(state: DecisionState, passport: PassportState, stop: StopState): readonly Unknown[] {
  if (stop.slot >= UNKNOWN_SLOT || state.rules.hasDoubts[stop.slot] !== 1) return NO_DOUBTS
  const pair = findPair(state, passport, stop)
  const doubtful = findDoubtful(state, passport, stop, pair)
  if (doubtful === "never") return NO_DOUBTS
  const { firstDay: day } = stop
  if (pair.doubts === null || (doubtful !== "always" && pair.doubts.day !== day)) {
    pair.doubts = { day, listed: findDoubts(state, passport, stop, pair) }
  }
  return pair.doubts.listed
}

function findDoubts(
  { dataset }: DecisionState,
  passport: PassportState,
  { destination, firstDay }: StopState,
  { entry }: PairFindings,
): readonly Unknown[] {
  const pair = describeFound(dataset, passport.held.passport, destination, entry!.answer as Found, firstDay)
  const { afterExpiry, changedSince, corroboration, stale } = pair
  const doubts: Unknown[] = []
  const says = corroboration?.isOpen === true ? corroboration.reason : null
  if (says !== null) doubts.push(unknown("pair", "disputed", { says }))
  if (stale === "ended") doubts.push(unknown("pair", "answer_ended", { on: afterExpiry!.endedOn }))
  if (stale === "changed_since") doubts.push(unknown("pair", "answer_changed_since", { on: changedSince!.on }))
  return doubts
}

/**
 * Returns the day of the last check of the answer at a stop; null if none is known, and undefined if citizens need no
 * answer or there is none.
 */
export function findLookOf(
  state: DecisionState,
  passport: PassportState,
  stop: StopState,
): EpochDay | null | undefined {
  const pair = findPair(state, passport, stop)
  const answer = pair.entry?.answer
  if (answer?.kind !== "found" || answer.home) return undefined
  if (pair.lastLook === null) {
    const said = describeFound(state.dataset, passport.held.passport, stop.destination, answer, stop.firstDay)
    pair.lastLook = { day: findLastLook(said) }
  }
  return pair.lastLook.day
}

/**
 * Says when the answer at a stop is doubtful while its rules apply: a stale answer stays stale until they change, and a
 * disputed one is disputed on all days.
 */
export function findDoubtful(
  { dataset, rules }: DecisionState,
  passport: PassportState,
  { slot, destination }: Pick<StopState, "slot" | "destination">,
  pair: PairFindings,
): Doubtful {
  const answer = pair.entry?.answer
  if (rules.hasDoubts[slot] !== 1 || !passport.isOrdinary || answer?.kind !== "found") return "never"
  if (pair.doubtful === null) {
    const lastDay = Math.min(pair.untilDay - 1, LAST_DAY)
    const { stale, corroboration } = describeFound(dataset, passport.held.passport, destination, answer, lastDay)
    if (stale === "ended" || stale === "changed_since") pair.doubtful = "from_some_day"
    else pair.doubtful = corroboration?.isOpen === true ? "always" : "never"
  }
  return pair.doubtful
}
