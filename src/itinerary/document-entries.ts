/**
 * Which entries and days of a held document do the stops use up?
 *
 * A stop that is reached without a border check is not a new entry. Showing a document to another state uses up nothing.
 */
import { UNKNOWN_INDEX } from "../dataset/open.ts"
import type { DecisionState, StopState } from "./decision-state.ts"
import type { EntryTerms } from "./entry-terms.ts"
import { comesOnInside, comesUnchecked } from "./presence.ts"
import type { DocumentState } from "./traveller-state.ts"
import { findWindowStart } from "./zones.ts"

/** Says whether a document has no entry left for a stop, after the entries at the stops before. */
export function isExhausted(state: DecisionState, index: number, terms: EntryTerms): boolean {
  const { stops } = state
  const { held } = terms
  const entries = held?.document.read.entries
  if (held === null || !held.isOwn || typeof entries !== "number") return false
  let used = 0
  for (let at = 0; at <= index; at++) {
    if (at < index && !isUnder(stops[at]!, held.document)) continue
    if (!comesOnUnder(state, at, held.document)) used++
  }
  return used > entries
}

// Says whether a stop is reached without a border check from one that was entered on the same document. A territory
// that needs no document may lie in between, such as San Marino between two stops in Italy.
function comesOnUnder(state: DecisionState, index: number, document: DocumentState): boolean {
  const { rules, stops } = state
  for (let at = index; at > 0 && comesUnchecked(state, at); at--) {
    const before = stops[at - 1]!
    if (isUnder(before, document)) return true
    if (before.column >= UNKNOWN_INDEX || rules.openTo[before.column] === null || before.zonePlace !== null)
      return false
  }
  return false
}

// Says whether a stop is entered on a document of the destination or its zone. A waiver only asks to see a document of
// another state, and uses up nothing of it.
function isUnder({ terms }: StopState, document: DocumentState): boolean {
  const held = terms?.held
  return held?.isOwn === true && held.document === document
}

/**
 * Counts the days under a document up to the end of a stop: in a zone over all stops, otherwise from the entry on.
 *
 * A visa of a rolling zone that gives all of the zone's days may be valid for longer than its window. It then gives
 * them again in every window (Regulation (EC) No 810/2009, Art. 24(2)). One that gives fewer gives them once.
 */
export function countDaysUnder({ stops }: DecisionState, index: number): number {
  const { terms, zonePlace, lastDay } = stops[index]!
  const { document, boundDays } = terms!.held!
  const rule = zonePlace?.zone.rule
  const isRolling = rule?.kind === "rolling" && boundDays! >= rule.allowanceDays
  const sinceDay = isRolling ? findWindowStart(rule.windowDays, lastDay) : Number.NEGATIVE_INFINITY
  let days = 0
  let after = Number.POSITIVE_INFINITY
  for (let at = index; at >= 0; at--) {
    const stop = stops[at]!
    if (isUnder(stop, document)) {
      days += Math.max(0, Math.min(stop.lastDay, after - 1) - Math.max(stop.firstDay, sinceDay) + 1)
      after = stop.firstDay
    }
    if (zonePlace === null && (at === 0 || !comesOnInside(stops, at))) break
  }
  return days
}
