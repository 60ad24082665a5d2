/**
 * Do the days of an e-visa or a visa on arrival come from an imported table alone?
 *
 * Such days are not a maximum stay: the visa states how long it permits. A second source that says the same makes them
 * a maximum. The result is kept by pair, because it takes longer than the rest of a decision.
 */
import { isStayConfirmed } from "../requirement/describe-pair.ts"
import type { DecisionState, StopState } from "./decision-state.ts"
import { findPair } from "./pair-findings.ts"

/** Says whether the days of a stop, whose entry is already chosen, come from an imported table alone. */
export function restsOnTable(state: DecisionState, stop: StopState): boolean {
  const { terms, destination, firstDay } = stop
  const { requirement } = terms!
  if (requirement.status === "unknown") return false
  const { answer } = requirement
  const { dataset, rules } = state
  const { passport } = stop.passport!.held
  const pair = findPair(state, stop.passport!, stop)
  if (pair.isTableStay === null) {
    const asked = { passport, destination, answer, day: firstDay, as: terms! }
    pair.isTableStay = rules.index === null || !isStayConfirmed(dataset, rules.index, asked)
  }
  return pair.isTableStay
}
