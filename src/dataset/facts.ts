/**
 * What is the form of entry rules before anything is compiled?
 *
 * These are the shapes of the records in `data/`, with the engine's names; an adapter reads the files. A policy is one destination's dated
 * rules. Dates stay text until they are compiled, so that a mistake in one can be reported with its record and field.
 */

import type { Requirement } from "../codes.ts"
import type {
  CheckFacts,
  ConditionFact,
  Membership,
  ProvisionFact,
  ProvisionKind,
  Terms,
} from "../rules/provision-kinds.ts"

/** The basis of a rule; null if the source does not say. */
export type Basis = "home" | "freedom_of_movement" | "follows" | null

/** A publication that rules are read from. */
export interface Source {
  /** Its name in the data. */
  readonly id: string
  /** Its name for people. */
  readonly name: string
  /** Its address; null if it has none. */
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

/** The passports of a rule: codes and `@BLOC`. */
export interface Scope {
  /** Everybody when absent. */
  readonly passports?: readonly string[] | null | undefined
  /** Of these, the passports for which it does not hold. */
  readonly except?: readonly string[] | null | undefined
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

/** All second sources on one destination. */
export interface CorroborationFacts {
  readonly destination: string
  readonly checks: readonly CheckFacts[]
}

/** The provisions of each kind. */
type ProvisionFacts = { readonly [K in ProvisionKind]?: readonly ProvisionFact<K>[] | undefined }

/** Everything that is compiled into a dataset. */
export interface Facts extends ProvisionFacts {
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
  readonly zones: readonly ProvisionFact<"zones">[]
  readonly corroboration?: readonly CorroborationFacts[] | undefined
}
