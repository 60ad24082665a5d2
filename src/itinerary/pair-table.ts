/** What is kept of a passport at a destination, as far as decisions have asked for it? By pair, for one dataset. */
import type { EpochDay } from "../civil-date.ts"
import type { Found } from "../dataset/open.ts"
import type { RuleCondition, StayRule, Waiver } from "../dataset/rule-terms.ts"
import type { Scoped } from "../dataset/scoped-lists.ts"
import type { Entry } from "../requirement/entry.ts"
import type { BorderLists } from "./border-lists.ts"
import type { EntryTerms } from "./entry-terms.ts"
import type { Unknown } from "./findings.ts"
import type { ReasonParams } from "./reasons.ts"
import type { TransitVerdict } from "./transit-rules.ts"

/** A waiver that eases an answer. */
export interface EasingWaiver {
  readonly waiver: Waiver
  /** Its place among the waivers that were met so far. */
  readonly place: number
  readonly fromDay: EpochDay
  /** First day no longer in force. */
  readonly untilDay: EpochDay
}

/** Whom a ban does not concern. */
export type Exemption = Extract<RuleCondition, { readonly kind: "exempt" }>

/** A condition as it is said at one destination, the same in every decision. */
export interface AskedCondition extends SaidOfPair {
  readonly condition: RuleCondition
  /** Whether something that a traveller may say decides it. */
  readonly isJudged: boolean
}

/** Parameters and what is said with them, shared by all decisions. */
export interface SaidOfPair {
  readonly params: ReasonParams
  readonly message: string
}

/** What the rules of a pair depend on. */
export interface PairConditions {
  /** By the rule of the answer and the policies. */
  readonly onAnswer: readonly AskedCondition[]
  /** Those of them that are asked of who has the document that the answer asks for. */
  readonly inHand: readonly AskedCondition[]
  /** By the waiver and the policies, for those who enter by it; as far as any decision asked. */
  readonly byWaiver: Map<Waiver, readonly AskedCondition[]>
}

/** On which of the days on which its rules hold an answer is doubtful. */
export type Doubtful = "never" | "from_some_day" | "always"

/** What was found out of a pair, for the days between which its rules do not change; null for what no decision has asked yet. */
export interface PairFindings {
  /** Null where there is no record. */
  readonly entry: Entry | null
  /** Whether another entry may hold on another day. */
  readonly isDated: boolean
  readonly fromDay: EpochDay
  /** First day on which other rules may hold, with the same entry too. */
  readonly untilDay: EpochDay
  readonly terms: EntryTerms
  /** What has to be checked of a passport of another kind; null for nothing. */
  readonly toCheck: RuleCondition | null
  /** By {@link DatesGiven}, what an entry costs at least, whatever came before. */
  readonly leastCosts: readonly number[]
  /** The answer, where a document in hand could change what is asked; null where none can. */
  readonly easable: Found | null
  /** Whom a refusal does not concern; null where it names nobody, and where nobody is refused. */
  readonly exemption: Exemption | null
  /** The waivers that ease it on any day, the easiest first. */
  waivers: readonly EasingWaiver[] | null
  /** The rules of how days add up that may hold, on any day, the first that fits before those after it. */
  stayRules: readonly Scoped<StayRule>[] | null
  /** The agreements beside the rule of the destination's zone, likewise. */
  agreements: readonly Scoped<StayRule>[] | null
  /** The rules of the border that may concern the passport. */
  readonly borders: BorderLists
  /** What has to be obtained, as it is said where nothing more is known. */
  toObtain: SaidOfPair | null
  /** What its rules depend on. */
  conditions: PairConditions | null
  /** Whether nothing but an imported table names its days. */
  isTableStay: boolean | null
  /** When anybody last looked at its answer; its day is null where none is known. */
  lastLook: { readonly day: EpochDay | null } | null
  doubtful: Doubtful | null
  /** What makes its answer doubtful on a day; on any day where that is so always. */
  doubts: { readonly day: EpochDay; readonly listed: readonly Unknown[] } | null
  /** Whether one may change there without a document: inside the international area by its rules, or as one who enters. */
  airside: TransitVerdict | null
  landside: TransitVerdict | null
  /** That more is asked of who enters it than is judged. */
  mayEnter: TransitVerdict | null
  /** What was found for other days; a list with as many entries as rules of the pair begin and end. */
  other: PairFindings | null
}

/** What was found out so far. */
export interface KnownPairs {
  /** By passport, then by destination. */
  readonly rows: ((PairFindings | null)[] | null)[]
  readonly waiverPlaces: Map<Waiver, number>
}
