/**
 * How old is the information behind a decision?
 *
 * It is as old as the oldest answer behind it. The age of each stop's answer counts from the last check before the
 * first day of the stop, as in `describePair`. If a held document changes the requirement, the age is that of the rule
 * about the document. Citizens, and visas of the destination itself, depend on no answer.
 */
import { type EpochDay, parseCivilDate } from "../civil-date.ts"
import type { DecisionState, StopState } from "./decision-state.ts"
import { isInHand } from "./entry-terms.ts"
import { findLookOf } from "./pair-doubts.ts"
import { isPast } from "./past-terms.ts"

/** Returns the days since the oldest check; null if no day of one is known, or if nothing was looked up. */
export function findAge(state: DecisionState): number | null {
  let oldest = -1
  for (let index = 0; index < state.stops.length; index++) {
    const stop = state.stops[index]!
    const lookDay = findLook(state, stop)
    if (lookDay === undefined) continue
    if (lookDay === null) return null
    oldest = Math.max(oldest, stop.firstDay - lookDay, 0)
  }
  return oldest < 0 ? null : oldest
}

function findLook(state: DecisionState, stop: StopState): EpochDay | null | undefined {
  const { requirement, held, isHome } = stop.terms!
  if (requirement.status === "unknown" || isHome) return undefined
  if (held !== null && isInHand(stop.terms!)) return undefined
  if (isPast(state.dataset, stop)) return null
  const waiver = held === null ? undefined : requirement.because?.[0]?.waiver
  if (waiver) return parseCivilDate(waiver.verifiedOn ?? waiver.citedOn)
  return findLookOf(state, stop.passport!, stop)
}
