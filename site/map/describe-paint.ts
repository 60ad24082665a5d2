/** What does the map say about one country, in a sentence and on a card? */
import type { Found } from "landfall"
import type { MapAddress } from "../address.ts"
import { nameHolding } from "../holdings.ts"
import type { Words } from "../language/words.ts"
import type { Category, Paint } from "./colouring.ts"

/** Names a category, as the legend does; the difference of two passports names them. */
export function nameCategory(words: Words, category: Category, passports: readonly string[]): string {
  const [first = "", second = ""] = passports
  switch (category) {
    case "home":
    case "unknown":
    case "no_passport":
    case "plain":
      return words.say(`category.${category}`)
    case "same":
      return words.say("difference.same")
    case "only_first":
    case "only_second":
      return words.say("difference.only", { country: { country: category === "only_first" ? first : second } })
    case "first_easier":
    case "second_easier":
      return words.say("difference.easier", { country: { country: category === "first_easier" ? first : second } })
    default:
      return words.say(`requirement.${category}`)
  }
}

/** Says what an answer is, with the days where they are known: "Visa-free, 90 days". */
export function nameAnswer(words: Words, answer: Found | null): string {
  if (answer === null) return words.say("category.unknown")
  if (answer.home) return words.say("category.home")
  const named = words.say(`requirement.${answer.requirement}`)
  return answer.days === null ? named : words.locale.list([named, words.days(answer.days)])
}

/** Names the requirement with the document that eases it, with the days if they are known. */
export function describeCategory(words: Words, { category, days }: Paint): string {
  const named = nameCategory(words, category, [])
  return days === null ? named : words.locale.list([named, words.days(days)])
}

/** Describes what the map shows for a country. */
export function describePaint(words: Words, paint: Paint, chosen: MapAddress): string {
  const named = nameCategory(words, paint.category, chosen.passports)
  const parts = [named]
  if (paint.days !== null) parts.push(words.days(paint.days))
  if (paint.use !== null && paint.category !== "home") {
    parts.push(words.locale.label(words.say("map.use"), words.country(paint.use)))
  }
  if (paint.by !== null) parts.push(nameHolding(words, paint.by))
  return words.locale.list(parts)
}
