/**
 * How much work may one question take?
 *
 * A decision with several passports and documents has very many ways through its stops, and its remedies need many
 * decisions. The work is bounded by a count and not by time, so the same question always has the same answer.
 */

/** The remaining work for one question, counted in considered ways of entering a stop. */
export interface Work {
  left: number
}

/** The limit for one decision: some tens of milliseconds, which a journey with two or three passports never reaches. */
export const WORK_OF_DECISION = 400_000

/** The limit for the remedies of all blockers of a question, over all travellers. */
export const WORK_OF_REMEDIES = 4_000_000

/** The limit for each of several travellers' decisions. */
export function workOfTraveller(count: number): number {
  return WORK_OF_DECISION / Math.min(4, count)
}
