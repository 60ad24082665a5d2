/**
 * How are the terms of a dataset laid out: what rules depend on, waivers, stay rules, logged changes, second sources?
 *
 * JSON rows that name destinations and passports by codes run together, days as numbers, sources and conditions by their places
 * in lists. They follow the pairs in a file, and are a module of their own in a bundle, because no lookup needs them. This file
 * says what each row holds, not what it means.
 */
import type { BorderRuleTerms } from "./border-rules.ts"
import type { ConditionTerms, DocumentTerms } from "./conditions.ts"
import type { ProvenanceRow, SourceRow } from "./source-rows.ts"

/** A bloc or zone that conditions name, and its members' codes on the dataset's day. */
export type SetRow = readonly [selector: string, codes: string]

/** A condition, its source, and the page where that is known. */
export type ConditionRow = readonly [terms: ConditionTerms, source: number | null, sourceUrl: string | null]

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

/** The scope of a rule and its days; the rank is 3 for codes, 2 for members of a bloc and 1 for everybody (passports null) except some. */
export type ScopeRow = readonly [
  rank: 1 | 2 | 3,
  passports: string | null,
  except: string,
  fromDay: number | null,
  untilDay: number | null,
]

/** The last places in the row of a rule for some destinations and passports. */
export type ScopedRowEnd = readonly [destinations: string, scopes: readonly ScopeRow[], ...ProvenanceRow]

/** The last places in the row of a rule that may apply to some requirements only; null for all. */
export type RuleRowEnd = readonly [
  requirements: readonly number[] | null,
  note: string | null,
  isMediumConfidence: 0 | 1,
  ...ScopedRowEnd,
]

/** A condition of a whole policy; the requirements it applies to, or null for all. */
export type PolicyConditionRow = readonly [
  condition: number,
  requirements: readonly number[] | null,
  destination: string,
  scopes: readonly ScopeRow[],
]

/** A waiver for holders of documents, with its announced first day no longer in force. */
export type WaiverRow = readonly [
  held: readonly DocumentTerms[],
  requirement: number,
  days: number | null,
  conditions: readonly number[],
  note: string | null,
  isMediumConfidence: 0 | 1,
  untilDay: number | null,
  ...ScopedRowEnd,
]

/** A stay rule; the kind by its index, {@link BESIDE_ZONE} for an agreement beside a zone. */
export type StayRow = readonly [
  kind: number,
  zone: string | null,
  agreement: string | null,
  days: number | null,
  months: number | null,
  windowDays: number | null,
  visitDays: number | null,
  daysOutside: number | null,
  ...RuleRowEnd,
]

/**
 * The admission in a stay rule: neighbours whose visits do not end it, the days of a traveller who returns from there after its end, and
 * whether its first day counts.
 */
export type AdmissionRow = readonly [
  stay: number,
  neighbours: string | null,
  readmissionDays: number | null,
  isFirstDayCounted: 0 | 1,
]

/** A rule of a border. */
export type BorderRow = readonly [terms: BorderRuleTerms, ...RuleRowEnd]

/**
 * A rule for kinds of passports, by their indices in {@link PASSPORT_KINDS}, with its requirement and scope; the requirements that it
 * applies to are those of the issuer's ordinary passports.
 */
export type KindRow = readonly [
  kinds: readonly number[],
  requirement: number,
  days: number | null,
  movesFreely: 0 | 1,
  isForResidents: 0 | 1,
  ...RuleRowEnd,
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
export interface TermsSection {
  /** Sources behind those of the header, whose places go on from there. */
  readonly sources: readonly SourceRow[]
  /** By index of a source: the day on which it was fetched, or null. */
  readonly retrievedDays: readonly (number | null)[]
  readonly sets: readonly SetRow[]
  readonly conditions: readonly ConditionRow[]
  readonly details: readonly DetailRow[]
  readonly ended: readonly EndedRow[]
  readonly rules: readonly RuleRow[]
  readonly policyConditions: readonly PolicyConditionRow[]
  readonly policyNotes: readonly (readonly [destination: string, note: string])[]
  readonly waivers: readonly WaiverRow[]
  /** By index of a transit rule: the documents whose holders it does not bind. */
  readonly transitWaivers: readonly (readonly [rule: number, held: readonly DocumentTerms[]])[]
  readonly stays: readonly StayRow[]
  /**
   * By index of a rule of passport validity: the passports that it names, or null, and its marks (`AFTER_STAY`, `OF_OTHERS`, `YEAR_OF_EXPIRED`);
   * absent if no rule has either.
   */
  readonly validity?: readonly (readonly [rule: number, passports: string | null, marks: number])[]
  /** By index of a stay rule: its admission; absent if none has one. */
  readonly admissions?: readonly AdmissionRow[]
  /** Likewise. */
  readonly borders?: readonly BorderRow[]
  /** Likewise. */
  readonly kinds?: readonly KindRow[]
  readonly changes: readonly ChangeRow[]
  readonly checks: readonly CheckRow[]
}
