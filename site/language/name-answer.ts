/** How does the page name the rule of one pair, as figures and histories show it? It is not a verdict: that is the engine's (see verdict/). */
import type { Found } from "landfall"
import type { Words } from "./words.ts"

/** Names a rule, with the days where they are known: "Visa-free, 90 days". */
export function nameAnswer(words: Words, answer: Found | null): string {
  if (answer === null) return words.say("category.unknown")
  if (answer.home) return words.say("category.home")
  const named = words.say(`requirement.${answer.requirement}`)
  return answer.days === null ? named : words.locale.list([named, words.days(answer.days)])
}
