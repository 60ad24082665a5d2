/**
 * What is the form of entry rules before anything is compiled?
 *
 * These are the shapes of the records in `data/`, with the engine's names; an adapter reads the files. A policy is one destination's dated
 * rules. Dates stay text until they are compiled, so that a mistake in one can be reported with its record and field.
 */

import type { BorderRuleTerms } from "./border-rules.ts"
import type { ConditionTerms, DocumentTerms } from "./conditions.ts"
import type { PassportKind } from "./passport-kinds.ts"
import type { Requirement } from "./requirement.ts"

/** The basis of a rule; null if the source does not say. */
export type Basis = "home" | "freedom_of_movement" | "follows" | null

/** A publication that rules are read from. */
export interface Source {
  readonly id: string
  readonly name: string
  readonly url: string | null
  /** True for a table that was imported as a whole, without a check of each pair. */
  readonly imported: boolean
  /** True for a publication that reports what official pages say: we did not read the pages ourselves. */
  readonly compiled: boolean
}

/** A publication as it is written down. */
export interface SourceFact extends Omit<Source, "compiled"> {
  readonly compiled?: boolean | undefined
  /** The day of an imported table: in its rules a bloc means the members of that day. Null for every other source. */
  readonly snapshotOn: string | null
  /** The day on which it was fetched, or null: what it says is not newer. */
  readonly retrievedOn?: string | null | undefined
}

/** A country or territory that can be entered. */
export interface Destination {
  readonly code: string
  /** M49 sub-region, or null. */
  readonly region: string | null
  /** Gross domestic product in current US dollars, or null. */
  readonly gdpUsd: number | null
}

/** A treaty organisation used as a set of passports. */
export interface Bloc {
  readonly id: string
  readonly freedomOfMovement: boolean
  readonly members: readonly Membership[]
}

/** One country's time in a bloc or zone. */
export interface Membership {
  readonly code: string
  /** First day of membership, or null where it is not recorded. */
  readonly from: string | null
  /** First day no longer a member, or null. */
  readonly until: string | null
}

/** The terms of a rule for its passports. */
export interface Terms {
  readonly requirement: Requirement
  /** Allowed stay in days; null when it is not a fixed number or not known. */
  readonly days: number | null
  /** First day in force, or null when it is not recorded. */
  readonly from: string | null
  /** First day no longer in force, or null. */
  readonly until: string | null
  readonly basis: Basis
  /** The bloc whose treaty is the basis; given exactly with `freedom_of_movement`. */
  readonly bloc: string | null
  /** Id of a {@link Source}, or null. */
  readonly source: string | null
  /** The page that was read, where it is another than the source's own. */
  readonly sourceUrl?: string | null | undefined
  /** The day a person last confirmed the rule in its source, or null. */
  readonly verifiedOn: string | null
  /** Its conditions. */
  readonly conditions?: readonly ConditionFact[] | undefined
  /** Notes for readers, in English. */
  readonly note?: string | null | undefined
}

/** A condition, with its own source where that is another than the rule's. */
export type ConditionFact = ConditionTerms & {
  readonly source?: string | null | undefined
  readonly sourceUrl?: string | null | undefined
}

/** The passports of a rule: codes and `@BLOC`. */
export interface Scope {
  /** Everybody when absent. */
  readonly passports?: readonly string[] | undefined
  /** Of these, the passports for which it does not hold. */
  readonly except?: readonly string[] | undefined
  /** First day in force, or null when it is not recorded. */
  readonly from?: string | null | undefined
  /** First day no longer in force, or null. */
  readonly until?: string | null | undefined
}

/** A condition of a whole policy, whichever of its rules decides: of all passports, or of some. */
export type PolicyCondition = ConditionFact &
  Scope & {
    /** The requirements for which it applies; any if absent. */
    readonly requirements?: readonly Requirement[] | undefined
  }

/** Terms for passports, given as codes and as `@BLOC`. */
export interface Rule extends Terms {
  readonly passports: readonly string[]
}

/** One destination's rules for all passports. */
export interface Policy {
  readonly destination: string
  /** A destination whose policy holds here too, apart from the rules below; or null. */
  readonly follows: string | null
  /** For passports that no rule names. Empty: such pairs have no record. */
  readonly defaults: readonly Terms[]
  readonly rules: readonly Rule[]
  /** Rules that a person read in a better source: they beat the others whatever their rank. */
  readonly reviewed: readonly Rule[]
  /** Conditions besides those of its rules. An import does not change them. */
  readonly conditions?: readonly PolicyCondition[] | undefined
  /** A note for readers about the whole policy, in English. */
  readonly note?: string | null | undefined
}

/** Where a rule that holds for a destination was read. */
export interface Provenance {
  /** Id of a {@link Source}, or null. */
  readonly source: string | null
  /** The page that was read, where it is another than the source's own; or null. */
  readonly sourceUrl: string | null
  /** The day a person last confirmed the rule in its source, or null. */
  readonly verifiedOn: string | null
}

/** The confidence in an unverified rule; less certain rules are not recorded. */
export type Confidence = "high" | "medium"

/** Destinations that share one stay allowance. */
export interface ZoneFacts extends Provenance {
  readonly id: string
  readonly name: string
  /** The law, with its article; or null. */
  readonly instrument: string | null
  readonly kind: "rolling" | "single-permission"
  /** Days of presence allowed. */
  readonly allowanceDays: number
  /** Length of the rolling window in days; null for a single permission. */
  readonly windowDays: number | null
  readonly members: readonly Membership[]
}

/** The day from which the validity of a passport is counted. */
export type ValidityAnchor = "arrival" | "departure" | "permitted_stay"

/** How long a passport must be valid, at some destinations. */
export interface ValidityFacts extends Provenance {
  /** The day from which the validity is counted; `permitted_stay`: the end of the stay that is permitted from the arrival on, however long one stays. */
  readonly anchor: ValidityAnchor
  /** Whole months, then days, for which the passport must be valid after that day; both 0 for validity on the day itself. */
  readonly months: number
  readonly days: number
  /** The passport must have been issued less than this many years before the arrival; null if no such rule is known. */
  readonly issuedWithinYears: number | null
  /** For visits of at most three months it may have expired less than this many years before the departure; null or absent if it may not. */
  readonly expiredWithinYears?: number | null | undefined
  readonly confidence: Confidence
  readonly destinations: readonly string[]
  /** The passports for which it is recorded, before a rule for all; all if absent. */
  readonly passports?: readonly string[] | undefined
  /** Passports that a rule for all does not cover. */
  readonly except?: readonly string[] | undefined
}

/** A country's rules for travellers in transit. */
export interface TransitFacts extends Provenance {
  /** Staying in the international area of an airport, or entering the country. */
  readonly area: "airside" | "landside"
  /** Whether the passports below need a visa for it or not. */
  readonly demand: "visa" | "no_visa"
  /** Longest transit in hours, or null. */
  readonly hours: number | null
  /** A further condition of the rule in a few words, or null. */
  readonly condition: string | null
  /** Documents whose holders need no transit visa; any one is enough. */
  readonly waivedFor?: readonly DocumentTerms[] | undefined
  /** False where only a part of the list of passports could be read. */
  readonly isComplete: boolean
  readonly confidence: Confidence
  /** The passports that the rule names; null for all. */
  readonly passports: readonly string[] | null
  readonly destinations: readonly string[]
}

/** The rule of some destinations for holders of a document of another state, instead of the usual one. */
export interface WaiverFacts extends Provenance, Scope {
  /** Any one of these documents is enough. */
  readonly held: readonly DocumentTerms[]
  readonly requirement: Requirement
  /** Allowed stay in days, or null where it is not a fixed number or not known. */
  readonly days: number | null
  readonly conditions?: readonly ConditionFact[] | undefined
  readonly note?: string | null | undefined
  readonly confidence: Confidence
  readonly destinations: readonly string[]
}

/** How a destination counts days. */
export const STAY_RULE_KINDS = ["per_entry", "rolling", "calendar_year", "per_year_of_entry"] as const

/** What an agreement beside a zone's rule gives: days or an exemption, or possibly more than visitors have. */
export const ZONE_AGREEMENT_KINDS = ["beside_zone", "may_exceed_zone"] as const

/** A kind of stay rule. */
export type StayRuleKind = (typeof STAY_RULE_KINDS)[number] | (typeof ZONE_AGREEMENT_KINDS)[number]

/** All of them, in the order of their numbers in a dataset file. */
export const ALL_STAY_RULE_KINDS: readonly StayRuleKind[] = [...STAY_RULE_KINDS, ...ZONE_AGREEMENT_KINDS]

/** How days of stay add up at some destinations. */
export interface StayRuleFacts extends Provenance, Scope {
  /**
   * `beside_zone`: an agreement lets these passports stay beyond a zone's allowance, or exempts them from it; `may_exceed_zone`: it may, at
   * most for its days if they are known.
   */
  readonly kind: StayRuleKind
  /** Days allowed in the span that the kind names; null for the days of the pair's own answer. */
  readonly days: number | null
  /** The same in whole months, for `per_entry` only; or null. */
  readonly months?: number | null | undefined
  /** Length of the rolling window in days; given with `rolling`, and with `beside_zone` where days are counted. */
  readonly windowDays?: number | null | undefined
  /** The longest single visit in days, where it is shorter; or null. */
  readonly visitDays?: number | null | undefined
  /** Days that have to be spent outside before a new entry; or null. */
  readonly daysOutside?: number | null | undefined
  /** Visits to these start no new stay, for `per_entry` only: a traveller who returns from there has the remaining days of the admission. */
  readonly neighbours?: readonly string[] | null | undefined
  /** The days of a traveller who returns from there after the end of the admission; null for those of a new one. */
  readonly readmissionDays?: number | null | undefined
  /** False where the day of the entry is not one of the days, for `per_entry` only; true when absent. */
  readonly firstDayCounted?: boolean | undefined
  /** The zone that an agreement is about. */
  readonly zone?: string | null | undefined
  /** The agreement by its name, given with `beside_zone` and `may_exceed_zone`. */
  readonly agreement?: string | null | undefined
  /** The requirements for which it applies; any if absent. */
  readonly requirements?: readonly Requirement[] | undefined
  readonly note?: string | null | undefined
  readonly confidence: Confidence
  readonly destinations: readonly string[]
}

/** A rule of public law at the border of some destinations; its scope is the passports that are used there. */
export interface BorderRuleFacts extends Provenance, Scope {
  readonly terms: BorderRuleTerms
  /** The requirements for which it applies; any if absent. */
  readonly requirements?: readonly Requirement[] | undefined
  readonly note?: string | null | undefined
  readonly confidence: Confidence
  readonly destinations: readonly string[]
}

/** The common parts of the rules of destinations. */
export type ScopedRule = Omit<BorderRuleFacts, "terms">

/** The rule of some destinations for kinds of passports. */
export interface KindRuleFacts extends Provenance, Scope {
  /** `ordinary` for the British classes only. */
  readonly kinds: readonly PassportKind[]
  readonly requirement: Requirement
  /** Allowed stay in days, or null where it is not a fixed number or not known. */
  readonly days: number | null
  /** Given where the holder moves freely, as a citizen does. */
  readonly basis?: "freedom_of_movement" | undefined
  /** True where it holds only for those who live in the state that issued the document. */
  readonly residents?: true | undefined
  /** Only where the issuer's ordinary passports need one of these. */
  readonly requirements?: readonly Requirement[] | undefined
  readonly note?: string | null | undefined
  readonly confidence: Confidence
  readonly destinations: readonly string[]
}

/** An official log says that a destination's entry rules changed on a day. */
export interface ChangeFact extends Provenance {
  readonly destination: string
  readonly on: string
  /** The text of the notice, in its own words. */
  readonly change: string
  /** The passports that it concerns: codes and `@BLOC`; everybody when absent. */
  readonly passports?: readonly string[] | undefined
}

/** The statements of a second source about a destination's passports. */
export interface CheckFacts {
  /** Id of a {@link Source}. */
  readonly source: string
  readonly sourceUrl: string | null
  /** The day on which that source read the page. */
  readonly checkedOn: string
  /** Its answers, by passports. One of them may leave out `passports`: it covers all that are not named elsewhere. */
  readonly says: readonly {
    readonly requirement: Requirement
    readonly days: number | null
    readonly passports?: readonly string[] | undefined
  }[]
  /** Passports that it does not mention. */
  readonly silent?: readonly string[] | undefined
  /** Why our answer stands if the two differ; `open` if nothing decides between them. */
  readonly reasons?:
    | readonly { readonly passports: readonly string[]; readonly reason: string; readonly open?: true | undefined }[]
    | undefined
}

/** All second sources on one destination. */
export interface CorroborationFacts {
  readonly destination: string
  readonly checks: readonly CheckFacts[]
}

/** Everything that is compiled into a dataset. */
export interface Facts {
  readonly version: string
  /** The default day of answers. */
  readonly asOf: string
  /** The first day for which the facts say anything; there is no record before it. */
  readonly since: string
  readonly destinations: readonly Destination[]
  readonly passports: readonly string[]
  readonly sources: readonly SourceFact[]
  readonly blocs: readonly Bloc[]
  readonly policies: readonly Policy[]
  readonly zones: readonly ZoneFacts[]
  readonly validity: readonly ValidityFacts[]
  readonly transit: readonly TransitFacts[]
  readonly waivers?: readonly WaiverFacts[] | undefined
  readonly stayRules?: readonly StayRuleFacts[] | undefined
  readonly borderRules?: readonly BorderRuleFacts[] | undefined
  readonly kindRules?: readonly KindRuleFacts[] | undefined
  readonly changeLog?: readonly ChangeFact[] | undefined
  readonly corroboration?: readonly CorroborationFacts[] | undefined
}
