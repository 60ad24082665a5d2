/** Is a day too far ahead for the rules, and what does the page say then? */
import { dateOf, dayOf, findDaySpan } from "./answers.ts"
import type { Words } from "./language/words.ts"

/** Says whether nothing is known of a day because it is too far ahead. */
export const isTooFarAhead = (on: string): boolean => dayOf(on) > findDaySpan().last

/** Says that nothing is known for such a day, and for which days the rules are known. */
export function sayTooFarAhead(words: Words, on: string): string {
  const { first, last } = findDaySpan()
  return words.say("day.outside", { date: { on }, first: { on: dateOf(first) }, last: { on: dateOf(last) } })
}
