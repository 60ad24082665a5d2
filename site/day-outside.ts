/** Is a day after the last of which the rules say anything, and how is that said? */
import { dateOf, dayOf, findDaySpan } from "./answers.ts"
import type { Words } from "./language/words.ts"

/** Says whether nothing is known of a day because it is too far ahead. */
export const isTooFarAhead = (on: string): boolean => dayOf(on) > findDaySpan().last

/** Says that of such a day nothing can be said, and between which days the rules are known. */
export function sayTooFarAhead(words: Words, on: string): string {
  const { first, last } = findDaySpan()
  return words.say("day.outside", { date: { on }, first: { on: dateOf(first) }, last: { on: dateOf(last) } })
}
