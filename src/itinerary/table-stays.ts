/**
 * Do the days of an e-visa or a visa on arrival rest on an imported table alone?
 *
 * Such days are no maximum stay: the visa that is issued says how long it permits. A second source that says the same makes them one.
 * What is found out is kept by pair, because it takes longer than the rest of a decision.
 */
import { describePair } from "../requirement/describe-pair.ts"
import type { DecisionState, StopState } from "./decision-state.ts"
import { findPair } from "./pair-findings.ts"

/** Says whether nothing but an imported table names the days of a stop, which is entered already. */
export function restsOnTable(state: DecisionState, stop: StopState): boolean {
  const { passport, terms, destination, from } = stop
  const { requirement } = terms!
  if (requirement.status === "unknown") return false
  const { answer } = requirement
  const pair = findPair(state, passport!, stop)
  if (pair.isTableStay === null) {
    const found = describePair(state.dataset, passport!.held.passport, destination, { on: from })
    const check = found.kind === "found" ? found.corroboration : null
    pair.isTableStay = !(check?.agrees === true && check.days === answer.days)
  }
  return pair.isTableStay
}
