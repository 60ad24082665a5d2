/** Who read the page of a rule, and when? The same words on the map's card and on the page of a pair. */
import { type Found, judgeEvidence } from "landfall"
import type { Words } from "./language/words.ts"

/** Says it, or that the pair was not checked individually: a table names no page. */
export function describeReading(words: Words, answer: Found): string {
  const evidence = judgeEvidence(answer)
  if (evidence === null || evidence.level === "table" || evidence.on === null) return words.say("label.not_verified")
  const date = { on: evidence.on }
  return evidence.level === "read" ? words.say("label.verified_on", { date }) : words.say("label.cited_on", { date })
}
