/** Who read the page of a rule, and when? The same words on the map's card and on the page of a pair. */
import { type Dataset, dateEvidence, type Found, judgeEvidence } from "landfall"
import type { Words } from "./language/words.ts"

const READINGS = { read: "label.verified_on", cited: "label.cited_on", table: "label.copied_on" } as const

/** Says it, with the day of the table where only a table says so; or that the pair was not checked individually, where no day is known. */
export function describeReading(words: Words, answer: Found, dataset?: Dataset): string {
  const evidence = dataset === undefined ? judgeEvidence(answer) : dateEvidence(dataset, answer)
  if (evidence === null || evidence.on === null) return words.say("label.not_verified")
  return words.say(READINGS[evidence.level], { date: { on: evidence.on } })
}
