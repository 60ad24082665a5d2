/**
 * Is the answer for a passport at a stop doubtful, and when was it last checked?
 */
import { type EpochDay, LAST_DAY } from "../civil-date.ts"
import type { Found } from "../dataset/open.ts"
import { findChangeOf } from "../requirement/age.ts"
import { findLook, readFacts } from "../requirement/describe-pair.ts"
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
  const pair = findPair(state, passport, stop)
  if (pair.doubtful === "never") return NO_DOUBTS
  const doubtful = findDoubtful(state, passport, stop, pair)
  if (doubtful === "never") return NO_DOUBTS
  const doubts = pair.doubts ?? findDoubts(state, passport, stop, pair)
  if (doubtful === "always") pair.doubts = doubts
  return doubts
}

function findDoubts(
  { dataset }: DecisionState,
  passport: PassportState,
  { destination, firstDay }: StopState,
  { entry }: PairFindings,
): readonly Unknown[] {
  const answer = entry!.answer as Found
  const facts = readFacts(dataset, passport.held.passport, destination, answer, firstDay)
  const { afterExpiry, changedSince, corroboration } = facts
  const stale = answer.home ? null : findChangeOf(facts)
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
  if (pair.lastLook === null) {
    const answer = pair.entry?.answer
    const isAsked = answer?.kind === "found" && !answer.home
    const { destination, firstDay } = stop
    pair.lastLook = {
      day: isAsked ? findLook(state.dataset, passport.held.passport, destination, answer, firstDay) : undefined,
    }
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
  { column, destination }: Pick<StopState, "column" | "destination">,
  pair: PairFindings,
): Doubtful {
  const answer = pair.entry?.answer
  if (rules.hasDoubts[column] !== 1 || !passport.isOrdinary || answer?.kind !== "found") pair.doubtful = "never"
  else if (pair.doubtful === null) {
    const lastDay = Math.min(pair.untilDay - 1, LAST_DAY)
    const facts = readFacts(dataset, passport.held.passport, destination, answer, lastDay)
    if (!answer.home && findChangeOf(facts) !== null) pair.doubtful = "from_some_day"
    else pair.doubtful = facts.corroboration?.isOpen === true ? "always" : "never"
  }
  return pair.doubtful
}
