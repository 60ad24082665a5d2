/**
 * What do people write down about entry rules, before anything is compiled?
 *
 * These are the shapes of the records in `data/`, in the engine's names; an adapter reads the files and hands them over. A
 * policy is one destination's dated rules. Dates stay text until they are compiled, so that a mistake in one can be named
 * by its record and field.
 */
import type { Requirement } from "../requirement/requirement.ts"

/** What a rule rests on; null where the source does not say. */
export type Basis = "home" | "freedom_of_movement" | "follows" | null

/** A publication that rules are read from. */
export interface Source {
  readonly id: string
  readonly name: string
  readonly url: string | null
  /** True for a table that was imported whole, so that nobody has looked at its pairs one by one. */
  readonly imported: boolean
}

/** A publication as it is written down. */
export interface SourceFact extends Source {
  /** The day of an imported table: in its rules a bloc means whoever was a member then. Null for every other source. */
  readonly snapshotOn: string | null
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

/** What a rule says of the passports that it covers. */
export interface Terms {
  readonly requirement: Requirement
  /** Allowed stay in days; null when it is no fixed number or not known. */
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
  /** The day a person last confirmed the rule in its source, or null. */
  readonly verifiedOn: string | null
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

/** How sure a rule is that nobody verified; rules that are less sure than these are not recorded. */
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

/** How long a passport must be valid, at some destinations. */
export interface ValidityFacts extends Provenance {
  /** The day from which the validity is counted. */
  readonly anchor: "arrival" | "departure"
  /** Whole months, then days, for which the passport must be valid after that day; both 0 for validity on the day itself. */
  readonly months: number
  readonly days: number
  /** The passport must have been issued less than so many years before the arrival; null where no such rule is known. */
  readonly issuedWithinYears: number | null
  readonly confidence: Confidence
  readonly destinations: readonly string[]
}

/** What some countries ask of travellers who only change there. */
export interface TransitFacts extends Provenance {
  /** Staying in the international area of an airport, or entering the country. */
  readonly area: "airside" | "landside"
  /** Whether the passports below need a visa for it or need none. */
  readonly demand: "visa" | "no_visa"
  /** Longest transit in hours, or null. */
  readonly hours: number | null
  /** What else the rule says, in a few words; or null. */
  readonly condition: string | null
  /** False where only a part of the list of passports could be read. */
  readonly isComplete: boolean
  readonly confidence: Confidence
  /** The passports that the rule names; null for all. */
  readonly passports: readonly string[] | null
  readonly destinations: readonly string[]
}

/** Everything that is compiled into a dataset. */
export interface Facts {
  readonly version: string
  /** The day the dataset answers for when no day is asked. */
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
}
