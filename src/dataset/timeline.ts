/**
 * Which answer holds on a day, where a pair's answer depends on the day?
 *
 * A timeline is the days on which an answer begins to hold, each with that answer, in the order of the days: day, answer, day, answer …
 */
import type { EpochDay } from "../civil-date.ts"

/** Finds a timeline's answer for a day: that of the last step not after it. */
export function answerIndexOn(steps: readonly number[], day: EpochDay): number {
  let found = steps[1] as number
  for (let at = 2; at < steps.length && (steps[at] as number) <= day; at += 2) found = steps[at + 1] as number
  return found
}
