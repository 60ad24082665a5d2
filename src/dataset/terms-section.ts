/**
 * How are the terms of a dataset laid out: what rules depend on, waivers, stay rules, logged changes, second sources?
 *
 * JSON rows that name destinations and passports by codes run together, days as numbers, sources and conditions by their places
 * in lists. They follow the pairs in a file, and are a module of their own in a bundle, because no lookup needs them. This file
 * says what each row holds, not what it means.
 */
import type { ProvenanceRow, ProvisionSection } from "../rules/provisions.ts"
import type { SourceRow } from "./source-rows.ts"

/** A bloc or zone that conditions name, and its members' codes on the dataset's day. */
export type SetRow = readonly [selector: string, codes: string]

/**
 * The contents of one rule besides its answer: conditions, notes, the page that was read, its first day and its announced first day no
 * longer in force.
 */
export type DetailRow = readonly [
  conditions: readonly number[],
  note: string | null,
  sourceUrl: string | null,
  fromDay: number | null,
  untilDay: number | null,
]

/** A rule that decided before and ended: its first day no longer in force, its requirement and days. */
export type EndedRow = readonly [untilDay: number, requirement: number, days: number | null]

/** A stretch of days on which a rule decides for some passports of a destination: its detail and the rule that ended before, or null. */
export type RuleRow = readonly [
  destination: string,
  detail: number | null,
  ended: number | null,
  passports: string,
  fromDay: number | null,
  untilDay: number | null,
]

/** The scope of a rule: its passports and those that it excepts, as codes and `@BLOC`s with commas, and its days. */
export type ScopeRow = readonly [
  passports: string | null,
  except: string | null,
  from: string | null,
  until: string | null,
]

/** A condition of a whole policy; the requirements it applies to, or null for all. */
export type PolicyConditionRow = readonly [
  condition: number,
  requirements: readonly number[] | null,
  destination: string,
  ...ScopeRow,
]

/** A change that an official log names, in its words, null without remarks; the passports that it concerns, or null for all. */
export type ChangeRow = readonly [
  destination: string,
  day: number,
  change: string | null,
  passports: string | null,
  ...ProvenanceRow,
]

/**
 * An answer of a second source: requirement and days; if it differs and the reason is recorded, the reason, or null without remarks, and 1
 * if nothing decides between the two.
 */
export type SaidRow =
  | readonly [requirement: number, days: number | null]
  | readonly [requirement: number, days: number | null, reason: string | null, isOpen: 0 | 1]

/**
 * The statements of a second source about a destination: its distinct answers, and one character for each passport in the order of codes:
 * {@link SAYS_NOTHING}, {@link SAYS_THE_SAME} as the dataset on that day, or its answer's index after {@link FIRST_SAID}.
 */
export type CheckRow = readonly [
  destination: string,
  day: number,
  said: readonly SaidRow[],
  says: string,
  source: number,
  sourceUrl: string | null,
]

export const SAYS_NOTHING = "0"
export const SAYS_THE_SAME = "1"
/** Character of the first answer of the list. */
export const FIRST_SAID = 0x32

/** The terms of a dataset. */
export interface TermsSection extends ProvisionSection {
  /** Sources behind those of the header, whose places go on from there. */
  readonly sources: readonly SourceRow[]
  /** By index of a source: the day on which it was fetched, or null. */
  readonly retrievedDays: readonly (number | null)[]
  readonly sets: readonly SetRow[]
  readonly details: readonly DetailRow[]
  readonly ended: readonly EndedRow[]
  readonly rules: readonly RuleRow[]
  readonly policyConditions: readonly PolicyConditionRow[]
  readonly policyNotes: readonly (readonly [destination: string, note: string])[]
  readonly changes: readonly ChangeRow[]
  readonly checks: readonly CheckRow[]
}
