/**
 * On what does an entry rule depend, besides the passport?
 *
 * A rule may apply only with a visa of another state, after a registration, through a sponsor, at some airports; a ban may have exceptions.
 * Such conditions are data of the rule. Each has a kind from a closed list and the parameters of its kind, so that a program can judge it
 * and every language can express it. The kind `other` is an English sentence for everything else. This file defines the kinds and words; it
 * knows no country.
 */
import type { Requirement } from "./requirement.ts"

/** The terms of a rule for a document of another state. The document must be valid on the day of entry, unless a field says otherwise. */
export interface DocumentTerms {
  readonly kind: "visa" | "residence_permit"
  /** The issuers: codes, `@BLOC` (its members) and `@zone` (its members); any one of them is enough. */
  readonly issuers: readonly string[]
  /** A visa for several entries. */
  readonly multipleEntry?: true | undefined
  /** A visa that was used at least once to enter its issuer. */
  readonly usedBefore?: true | undefined
  /** A permit without an end: permanent or indefinite residence. */
  readonly permanent?: true | undefined
  /** On paper or a card: an electronic visa is not accepted. */
  readonly physical?: true | undefined
  /** The holder comes from the issuer, after having been admitted there. */
  readonly enteredIssuerFirst?: true | undefined
  /** Classes that are accepted, in the issuer's own words, such as `C` or `B1/B2`; all when absent. */
  readonly types?: readonly string[] | undefined
  /** Classes that are not accepted. */
  readonly typesExcept?: readonly string[] | undefined
  /** Days for which it is still valid on the day of entry, that day not counted. */
  readonly validDaysAfterEntry?: number | undefined
  /** Days for which it is still valid on the day of exit, that day not counted; 0: valid for the whole stay. */
  readonly validDaysAfterExit?: number | undefined
  /** It may have expired, less than this many years before the day of entry. */
  readonly expiredWithinYears?: number | undefined
  /** A term that no other parameter expresses, as an English sentence. A person has to check it. */
  readonly remark?: string | undefined
}

/** An amount of money; the currency by ISO 4217. */
export interface Money {
  readonly amount: number
  readonly currency: string
}

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

/** A condition of a rule, by its kind. */
export type ConditionTerms =
  /** The rule holds only for holders of one of these documents. */
  | { readonly kind: "held_document"; readonly held: readonly DocumentTerms[] }
  /** A registration or authorisation before the journey, by its own name. */
  | {
      readonly kind: "registration"
      readonly name: string
      readonly url?: string | undefined
      /** Hours before the arrival by which it has to be made. */
      readonly hoursBefore?: number | undefined
      readonly fee?: Money | undefined
    }
  /** The route leads through these states, which have to admit the traveller; `entries`: how many times. */
  | { readonly kind: "gateway_visa"; readonly states: readonly string[]; readonly entries?: number | undefined }
  /** These states control the border, and their own rules of entry apply there. */
  | { readonly kind: "border_control"; readonly states: readonly string[] }
  /** Another party has to apply for the traveller. */
  | { readonly kind: "sponsor"; readonly by: readonly (typeof SPONSORS)[number][] }
  /** Another document than the passport is used. */
  | { readonly kind: "special_document"; readonly name: string }
  /** The law requires it, but these borders do not check it; all borders if none is named. */
  | { readonly kind: "not_enforced"; readonly borders?: readonly (typeof BORDERS)[number][] | undefined }
  /** Who is exempt from a ban; `issuedBefore`: holders of visas issued before that day. */
  | {
      readonly kind: "exempt"
      readonly who?: readonly (typeof EXEMPTIONS)[number][] | undefined
      readonly issuedBefore?: string | undefined
    }
  /** Classes of visas that are not issued, in the issuer's own words. */
  | { readonly kind: "suspension"; readonly visas: readonly string[] }
  /** A bond that is paid back on leaving in time. */
  | {
      readonly kind: "bond"
      readonly leastAmount: number
      readonly mostAmount?: number | undefined
      readonly currency: string
    }
  /** Only at these places of entry (their own names) or kinds of border. */
  | {
      readonly kind: "entry_points"
      readonly names?: readonly string[] | undefined
      readonly borders?: readonly (typeof BORDERS)[number][] | undefined
    }
  /** The rule's requirement applies at these kinds of border only; at others this one applies. */
  | {
      readonly kind: "asked_at"
      readonly borders: readonly (typeof BORDERS)[number][]
      readonly elsewhere: Requirement
    }
  | { readonly kind: "purpose"; readonly purposes: readonly (typeof PURPOSES)[number][] }
  /** Only for groups of at least this many people. */
  | { readonly kind: "group"; readonly least: number }
  /** What to show besides the passport. */
  | { readonly kind: "bring"; readonly proofs: readonly (typeof PROOFS)[number][] }
  | { readonly kind: "passport_kind"; readonly features: readonly (typeof PASSPORT_FEATURES)[number][] }
  /** Only for people of these ages, in whole years, both ends included. */
  | { readonly kind: "age"; readonly least?: number | undefined; readonly most?: number | undefined }
  /** The same entry is also possible in this way, if the remark applies. */
  | { readonly kind: "also"; readonly requirement: Requirement; readonly remark?: string | undefined }
  /** Anything else, as an English sentence. */
  | { readonly kind: "other"; readonly text: string }

/** One of the kinds of conditions. */
export type ConditionKind = ConditionTerms["kind"]
