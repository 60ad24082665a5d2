/**
 * Do the days of an e-visa or a visa on arrival rest on an imported table alone?
 *
 * Such days are no maximum stay: the visa that is issued says how long it permits. A second source that says the same makes them one.
 * What is found out is kept by pair, because it takes longer than the rest of a decision.
 */
import type { Found } from "../dataset/open.ts"
import { describePair } from "../requirement/describe-pair.ts"
import type { Draft } from "./decision.ts"
import type { ReadStop } from "./route-input.ts"

/** What was found out of a pair, for the answer that it had. */
export interface TableStay {
  readonly answer: Found
  readonly isTable: boolean
}

/** Says whether nothing but an imported table names the days of a stop, which is entered already. */
export function restsOnTable(
  { dataset, rulebook }: Draft,
  { passport, slot, terms, destination, from }: ReadStop,
): boolean {
  const { requirement } = terms!
  if (requirement.status === "unknown") return false
  const pair = passport!.slot * dataset.destinations.length + slot
  const kept = rulebook.tableStays.get(pair)
  if (kept?.answer === requirement.answer) return kept.isTable
  const found = describePair(dataset, passport!.held.passport, destination, { on: from })
  const check = found.kind === "found" ? found.corroboration : null
  const isTable = !(check?.agrees === true && check.days === requirement.answer.days)
  rulebook.tableStays.set(pair, { answer: requirement.answer, isTable })
  return isTable
}
