/**
 * What does an answer mean, in one or two sentences of a language?
 *
 * The sentence names the destination, what is needed and how long the stay may be, and says where the rule is another
 * territory's or rests on an unsettled treaty. It adds nothing that the answer does not hold.
 */
import type { Found } from "../dataset/open.ts"
import type { Locale, Phrase, ProperName } from "./localise.ts"

/** The name of an authorisation without a name of its own. */
export const ANY_AUTHORISATION: ProperName = Object.freeze({ name: "ETA" })

/** Lists the sentences that describe an answer for a destination; an authorisation is called by its name where that is given. */
function listDescription(
  answer: Found,
  destination: string,
  programme: ProperName = ANY_AUTHORISATION,
): readonly Phrase[] {
  const sentences = [describeRule(answer, destination, programme)]
  if (answer.follows !== null)
    sentences.push({ key: "description.follows", values: { country: { country: answer.follows } } })
  if (answer.uncertain) sentences.push({ key: "description.uncertain" })
  return sentences
}

function describeRule({ requirement, days, home, basis }: Found, destination: string, programme: ProperName): Phrase {
  const country = { destination: { country: destination } }
  const values = requirement === "eta" ? { ...country, programme } : country
  if (home) return { key: "description.home", values }
  if (basis === "freedom_of_movement") return { key: "description.freedom_of_movement", values }
  if (days === null || requirement === "visa_required" || requirement === "no_admission") {
    return { key: `description.${requirement}`, values }
  }
  return { key: `description.${requirement}_days`, values: { ...values, days } }
}

/**
 * Describes an answer for a destination in a language; an authorisation is called by its name where that is given.
 *
 * Cannot fail.
 *
 * @example
 * ```ts
 * const answer = lookup("FRA", "JPN")
 * answer.kind === "found" && writeDescription(locale, answer, "JPN") // => "Japan: no visa is needed for a stay of up to 90 days."
 * ```
 */
export function writeDescription(
  locale: Locale,
  answer: Found,
  destination: string,
  programme: ProperName = ANY_AUTHORISATION,
): string {
  return locale.join(listDescription(answer, destination, programme).map(locale.say))
}
