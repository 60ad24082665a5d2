/**
 * Which kinds of passports and travel documents exist besides ordinary passports, and what does a dataset record about them?
 *
 * Rules for ordinary passports do not apply to other kinds: each kind has its own rules, and is unknown without one. The five classes of
 * British nationals who are not British citizens have passports of their own, with the codes of ICAO Doc 9303, Part 3.
 */
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
