/**
 * Which codes and words does the data use?
 *
 * Codes are ISO 3166-1 alpha-3 (and `XKX` for Kosovo): exactly three capital letters. This file parses and never converts: lower
 * case, alpha-2, blanks and look-alike letters are malformed, because a converted code would answer for a country that nobody
 * asked about. It does not know which codes exist; a dataset does. Behind them are the requirements, with their order, the kinds of passports and
 * the words of conditions.
 */

// ---- Codes

/** How many codes three capital letters can spell: 26 × 26 × 26. */
export const CODE_SPACE = 17_576

/** The key of everything that is not a code; tables have one place more than {@link CODE_SPACE} for it. */
export const MALFORMED_KEY = CODE_SPACE

/**
 * Turns a code into its key, 0 to 17,575 in alphabetical order, or {@link MALFORMED_KEY} for anything else of any type.
 *
 * Cannot fail. Three character reads and no allocation: this is the first step of every lookup.
 *
 * @example
 * ```ts
 * codeKey("AAB") // => 1
 * codeKey("fra") // => 17576
 * ```
 */
export function codeKey(code: unknown): number {
  if (typeof code !== "string" || code.length !== 3) return MALFORMED_KEY
  const a = code.charCodeAt(0) - 65
  const b = code.charCodeAt(1) - 65
  const c = code.charCodeAt(2) - 65
  // Any letter below A or above Z makes one of these negative, so that one comparison covers all six bounds.
  return (a | b | c | (25 - a) | (25 - b) | (25 - c)) >= 0 ? a * 676 + b * 26 + c : MALFORMED_KEY
}

/**
 * Says whether a value is spelled as a code: three capital letters A to Z, whether or not such a country exists.
 *
 * @example
 * ```ts
 * isCode("ZZZ") // => true
 * isCode("FR") // => false
 * ```
 */
export function isCode(code: unknown): code is string {
  return codeKey(code) !== MALFORMED_KEY
}

/** Splits codes that were run together, three letters a code: that compresses best, and is split at once. */
export function splitCodes(text: string): string[] {
  const codes: string[] = []
  for (let at = 0; at < text.length; at += 3) codes.push(text.slice(at, at + 3))
  return codes
}

// ---- Kinds of passports

// Rules for ordinary passports do not apply to other kinds: each kind has its own rules, and is unknown without one. The five classes of
// British nationals who are not British citizens have passports of their own, with the codes of ICAO Doc 9303, Part 3.

/**
 * The kinds, in the order of their numbers in a dataset file. `refugee_convention`: a travel document under the Convention of 28 July 1951;
 * `stateless`: one for stateless persons; `alien`: a passport for persons without the issuer's nationality; `seafarer`: an identity document of
 * a seafarer.
 */
export const PASSPORT_KINDS = [
  "ordinary",
  "diplomatic",
  "service",
  "refugee_convention",
  "stateless",
  "alien",
  "seafarer",
] as const

/** A kind of passport. */
export type PassportKind = (typeof PASSPORT_KINDS)[number]

/** Citizens of overseas territories, nationals (Overseas), overseas citizens, protected persons and subjects. */
export const BRITISH_CLASSES: readonly string[] = ["GBD", "GBN", "GBO", "GBP", "GBS"]

/** Says whether passports of a kind are issued to nationals: ordinary, diplomatic and service passports, the first three. */
export function isOfNationals(kind: PassportKind): boolean {
  return PASSPORT_KINDS.indexOf(kind) < 3
}

// ---- Requirements

// The six requirements and their order are those of the visa-requirements specification.

/** The six requirements, easiest first. */
export const REQUIREMENTS = /* @__PURE__ */ Object.freeze([
  "visa_free",
  "eta",
  "visa_on_arrival",
  "e_visa",
  "visa_required",
  "no_admission",
] as const)

/** The requirement for entering: one of {@link REQUIREMENTS}. */
export type Requirement = (typeof REQUIREMENTS)[number]

const EASE: Readonly<Record<string, number>> = Object.freeze(
  Object.assign(Object.create(null), Object.fromEntries(REQUIREMENTS.map((requirement, rank) => [requirement, rank]))),
)

/**
 * Ranks a requirement by ease: 0 is visa-free, 5 is no admission. Cannot fail: 6, harder than any, for other values.
 *
 * @example
 * ```ts
 * easeRank("visa_free") // => 0
 * easeRank("no_admission") // => 5
 * ```
 */
export function easeRank(requirement: Requirement): number {
  return isRequirement(requirement) ? (EASE[requirement] as number) : REQUIREMENTS.length
}

/**
 * Ranks a requirement by what has to be done for it: as {@link easeRank}, but a visa that is issued on arrival goes before an eTA, which has to
 * be had before the journey. By this rank a passport is chosen, for a decision as for a list of passports. Cannot fail: 6 for other values.
 *
 * @example
 * ```ts
 * effortRank("visa_on_arrival") // => 1
 * effortRank("eta") // => 2
 * ```
 */
export function effortRank(requirement: Requirement): number {
  return requirement === "visa_on_arrival" ? 1 : requirement === "eta" ? 2 : easeRank(requirement)
}

/**
 * Says whether a value is one of the six requirements.
 *
 * @example
 * ```ts
 * isRequirement("eta") // => true
 * isRequirement("e_ta") // => false
 * ```
 */
export function isRequirement(value: unknown): value is Requirement {
  return typeof value === "string" && EASE[value] !== undefined
}

/**
 * Says whether a document must be obtained before or at the border, as the field `visa_required` of the visa service means it: false
 * exactly for visa-free and eTA, true for everything else, so a client that reads only this field is on the safe side.
 *
 * @example
 * ```ts
 * needsVisa("eta") // => false
 * needsVisa("visa_on_arrival") // => true
 * ```
 */
export function needsVisa(requirement: Requirement): boolean {
  return requirement !== "visa_free" && requirement !== "eta"
}

/**
 * Says whether nothing has to be obtained before the arrival: no visa is needed, or one is issued at the border.
 *
 * @example
 * ```ts
 * opensOnArrival("visa_on_arrival") // => true
 * opensOnArrival("eta") // => false
 * ```
 */
export function opensOnArrival(requirement: Requirement | undefined): boolean {
  return requirement === "visa_free" || requirement === "visa_on_arrival"
}

/**
 * Says whether a destination with this requirement is open without a visa from a consulate: anything but `visa_required` and
 * `no_admission`.
 *
 * @example
 * ```ts
 * unlocks("e_visa") // => true
 * unlocks("visa_required") // => false
 * ```
 */
export function unlocks(requirement: Requirement): boolean {
  return easeRank(requirement) < 4
}

/** Says whether a rule that names requirements, or is about all, applies to a traveller with one. */
export const isAbout = (
  { requirements }: { readonly requirements: readonly Requirement[] | null },
  asked: Requirement | null,
): boolean => requirements === null || requirements.includes(asked!)

// ---- Words of conditions

export const BORDERS = ["air", "land", "sea"] as const
export const SPONSORS = [
  "agency",
  "airline",
  "employer",
  "group",
  "hotel",
  "invitation",
  "relative",
  "sponsor",
] as const
export const EXEMPTIONS = [
  "adoptees",
  "athletes",
  "diplomats",
  "dual_nationals",
  "national_interest",
  "permanent_residents",
  "relatives",
  "residents",
  "special_immigrants",
] as const
export const PURPOSES = ["business", "exchange", "family", "medical", "pilgrimage", "tourism", "transit"] as const
export const PROOFS = ["accommodation", "funds", "insurance", "invitation", "return_ticket"] as const
export const PASSPORT_FEATURES = ["biometric", "identity_number", "machine_readable"] as const
