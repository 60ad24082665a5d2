/**
 * How much may be done to answer one question?
 *
 * A decision of several passports and documents has very many ways through its stops, and the remedies of one need many decisions. What
 * may be done is bounded by a count and not by time, so that the same question always has the same answer.
 */

/** What may still be done for one question, counted in ways of entering a stop that are looked at. */
export interface Work {
  left: number
}

/** What may be done for one decision: some tens of milliseconds, which no journey of two or three passports comes near. */
export const WORK_OF_DECISION = 400_000

/** What may be done to find the remedies of all blockers of a question, over all travellers. */
export const WORK_OF_REMEDIES = 4_000_000

/** What may be done for one of several travellers' decisions. */
export function workOfTraveller(count: number): number {
  return WORK_OF_DECISION / Math.min(4, count)
}
