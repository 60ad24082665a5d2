/**
 * Which kinds of conditions exist, and which words do they use?
 *
 * These lists are apart from the declarations of `conditions.ts`, so that code that only names them is small in a bundle.
 */
/** The kinds of conditions. */
export const CONDITION_KINDS = [
  "held_document",
  "registration",
  "gateway_visa",
  "border_control",
  "sponsor",
  "special_document",
  "not_enforced",
  "exempt",
  "suspension",
  "bond",
  "entry_points",
  "purpose",
  "group",
  "bring",
  "passport_kind",
  "age",
  "asked_at",
  "also",
  "other",
] as const

/** One of the kinds of conditions. */
export type ConditionKind = (typeof CONDITION_KINDS)[number]

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
