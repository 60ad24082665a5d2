/** What is kept about a passport at a destination, after decisions have asked for it? By pair, for one dataset. */
import type { EpochDay } from "../civil-date.ts"
import type { Found } from "../dataset/open.ts"
import type { Requirement } from "../dataset/requirement.ts"
import type { RuleCondition, StayRule, Waiver } from "../dataset/rule-terms.ts"
import type { Scoped } from "../dataset/scoped-lists.ts"
import type { Entry } from "../requirement/entry.ts"
import type { BorderLists } from "./border-lists.ts"
import type { SaidCondition } from "./condition-due.ts"
import type { EntryTerms } from "./entry-terms.ts"
import type { Unknown } from "./findings.ts"
import type { TransitVerdict } from "./transit-rules.ts"
import type { EasingWaiver, Exemption } from "./ways.ts"

/** A condition as it is reported at one destination, the same in every decision. */
export interface AskedCondition {
  readonly condition: RuleCondition
  readonly said: SaidCondition
}

/** The conditions and the gaps of an entry, the same in every decision. */
export interface SaidOfEntry {
  readonly conditions: readonly SaidCondition[]
  readonly gaps: readonly Pick<Unknown, "reason" | "granularity" | "code" | "params">[]
}

/** The conditions of a pair's rules. */
export interface PairConditions {
  /** From the rule of the answer and from the policies. */
  readonly onAnswer: readonly AskedCondition[]
  /** The conditions that also apply to a holder of the required document. */
  readonly inHand: readonly AskedCondition[]
}

/** On which days an answer is doubtful, while its rules apply. */
export type Doubtful = "never" | "from_some_day" | "always"

/** The findings for a pair, for the period in which its rules do not change; null for those that no decision has requested yet. */
export interface PairFindings {
  /** Null if there is no record. */
  readonly entry: Entry | null
  readonly fromDay: EpochDay
  /** First day on which another entry, or other rules, may apply. */
  readonly untilDay: EpochDay
  readonly terms: EntryTerms
  /** What must be checked for a passport of another kind; null for nothing. */
  readonly toCheck: RuleCondition | null
  /** The answer, if a held document could change the requirement; null otherwise. */
  readonly easable: Found | null
  /** Who is exempt from a refusal; null if nobody is, or if there is no refusal. */
  readonly exemption: Exemption | null
  /** The waivers that improve it on any day, the easiest first. */
  waivers: readonly EasingWaiver[] | null
  /** The stay rules that may apply on any day; the first one that fits is used. */
  stayRules: readonly Scoped<StayRule>[] | null
  /** The agreements beside the rule of the destination's zone, likewise. */
  agreements: readonly Scoped<StayRule>[] | null
  /** The border rules that may concern the passport. */
  readonly borders: BorderLists
  /** The findings of an entry that depend on the pair only; null until a decision needs them, or if they cannot be kept. */
  entered: SaidOfEntry | null
  /** The conditions of its rules. */
  conditions: PairConditions | null
  /** By waiver: its conditions with those of the policies. */
  ofWaivers: Map<Waiver, readonly AskedCondition[]> | null
  /** The findings where something else is asked of the traveller than the answer says, by what is asked. */
  asked: Map<Requirement, PairFindings> | null
  /** The conditions of its answer, as the rules have them. */
  ruled: readonly RuleCondition[] | null
  /** Whether its days come from an imported table only. */
  isTableStay: boolean | null
  /** The last check of its answer; `day` is null if none is known, and undefined if no answer is needed. */
  lastLook: { readonly day: EpochDay | null | undefined } | null
  doubtful: Doubtful | null
  /** The doubts about its answer, if they always apply. */
  doubts: readonly Unknown[] | null
  /** The transit verdict without a document, inside the international area by its rules, or as an entry. */
  airside: TransitVerdict | null
  landside: TransitVerdict | null
  /** The verdict if the entry has further conditions that are not judged. */
  mayEnter: TransitVerdict | null
  /** The findings for other days; a linked list with one entry for each period of the pair's rules. */
  other: PairFindings | null
}

/** The findings so far. */
export interface KnownPairs {
  /** By passport, then by destination. */
  readonly rows: ((PairFindings | null)[] | null)[]
  readonly waiverPlaces: Map<Waiver, number>
}
