/**
 * Which requirements exist, and which of two is easier?
 *
 * The six requirements and their order are those of the visa-requirements specification. This file does not know any country or any day.
 */

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
