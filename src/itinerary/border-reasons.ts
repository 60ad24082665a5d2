/**
 * How do the sentences about borders read: the way of arrival, citizenship, earlier stays?
 *
 * These are the English sentences of these codes, and the words that they share with other sentences (reasons.ts).
 */
import type { Requirement } from "../dataset/requirement.ts"

/** The name of an entry with each requirement. */
export const OTHER_WAYS: Readonly<Record<Requirement, string>> = {
  visa_free: "without a visa",
  eta: "with a travel authorisation",
  visa_on_arrival: "with a visa on arrival",
  e_visa: "with an electronic visa",
  visa_required: "with a visa",
  no_admission: "none",
}

/** Returns a word of a list with blanks instead of underscores. */
export const nameWord = (word: string) => word.replaceAll("_", " ")

/** Joins words into a list, with a conjunction before the last. */
export function listWords(words: readonly string[], last: "and" | "or"): string {
  const named = words.map(nameWord)
  return named.length < 2 ? named.join() : `${named.slice(0, -1).join(", ")} ${last} ${named[named.length - 1]}`
}

type VisaInstead = { readonly destination: string; readonly asked: Requirement } & (
  | { readonly because: "presence"; readonly country: string; readonly since: string; readonly seen: string }
  | { readonly because: "nationality"; readonly country: string }
  | { readonly because: "passport"; readonly features: readonly string[] }
)

/** Names of passport features in sentences. */
export const FEATURES: Readonly<Record<string, string>> = {
  biometric: "biometric",
  identity_number: "with an identity number",
  machine_readable: "machine-readable",
}

function sayVisaInstead(said: VisaInstead): string {
  if (said.because === "passport") {
    const features = said.features.map(each =>
      each === "identity_number" ? "without an identity number" : `that are not ${FEATURES[each] ?? each}`,
    )
    return `Instead of the entry ${OTHER_WAYS[said.asked]}, ${said.destination} asks for a visa of holders of passports ${listWords(features, "or")}.`
  }
  const why =
    said.because === "presence"
      ? `was in ${said.country} on ${said.seen}, after ${said.since}`
      : `is a national of ${said.country}`
  return `Instead of the entry ${OTHER_WAYS[said.asked]}, ${said.destination} asks for a visa of a traveller who ${why}.`
}

/** The codes about borders, with their sentences. */
export const BORDER_REASONS = {
  entry_point_closed: (said: {
    readonly destination: string
    readonly by: string
    readonly borders: readonly string[]
    readonly names: readonly string[]
  }) => `${said.destination} admits by this rule only by ${listWords(said.borders, "or")}, not by ${said.by}.`,
  own_passport_needed: (said: { readonly destination: string; readonly passport: string; readonly own: string }) =>
    `${said.destination} asks its own citizens to enter on the ${said.own} passport, and gives no visa or authorisation for the ${said.passport} one.`,
  visa_instead: sayVisaInstead,
  earlier_overstay: (said: {
    readonly destination: string
    readonly days: number
    readonly by: string
    readonly allowed: number
  }) =>
    `${said.days} days by ${said.by} in an earlier stay, where ${said.allowed} are allowed today: an officer may refuse who stayed too long before.`,
} as const
