/**
 * What does a decision look like?
 *
 * Every field is a finding; what blocks, what has to be obtained and what is not known is listed beside the steps, so that a reader
 * who looks at nothing else misses nothing.
 */
import type { Money } from "../dataset/conditions.ts"
import type { Found } from "../dataset/open.ts"
import type { StayRule } from "../dataset/rule-terms.ts"
import type { HeldDocument } from "../requirement/held-documents.ts"
import type { Requirement } from "../requirement/requirement.ts"
import type { RequirementFinding } from "./entry-terms.ts"
import type { Finding, Granularity, Known } from "./findings.ts"
import type { ReasonCode, ReasonParams } from "./reasons.ts"
import type { ValidityFinding, ZoneFinding } from "./rules.ts"
import type { StayCounting } from "./stay-counting.ts"
import type { TransitFindings } from "./transit.ts"
import type { HeldPassport } from "./traveller-state.ts"

/** What makes a journey impossible as planned. */
export type BlockerCode =
  | "no_admission"
  | "stay_exceeded"
  | "zone_stay_exceeded"
  | "passport_expired"
  | "passport_validity_short"
  | "passport_expires_before_exit"

/** What helps against a blocker: it holds when the journey is decided again with it applied. */
export type Remedy =
  /** Leave this stop by this day, or enter it no earlier than on this day and go on as much later. */
  | { readonly action: "leave_by" | "enter_from"; readonly step: number; readonly value: string }
  /** Stay no more than so many days at this stop. */
  | { readonly action: "shorten"; readonly step: number; readonly value: number }
  /** Use this passport at this stop. */
  | { readonly action: "use_passport"; readonly step: number; readonly value: string }
  /** Renew the passport before this day, for ten years. */
  | { readonly action: "renew_before"; readonly step: number; readonly value: string; readonly passport: string }
  /** Obtain this document, for the whole stay. */
  | { readonly action: "obtain"; readonly step: number; readonly value: HeldDocument }

/** One reason why the journey is blocked. */
export interface Blocker {
  readonly code: BlockerCode
  /** Place of the stop. */
  readonly step: number
  /** The sentence of the code and its parameters, in English. */
  readonly message: string
  readonly granularity: Granularity
  /** What the sentence is made of. */
  readonly params: ReasonParams
  /** The zone whose stay is exceeded; given with `zone_stay_exceeded` only. */
  readonly zone?: string
  /**
   * Given with `stay_exceeded`: `accumulated` where a stay is too long only because visits add up, no rule being recorded that starts
   * the count anew; `held_document` where it is longer than a held document allows.
   */
  readonly basis?: "accumulated" | "held_document"
  /** What helps against it; given by `decideWithRemedies` only. */
  readonly remedies?: readonly Remedy[]
}

/** Something that has to be obtained or checked, before travel or at the border; it blocks nothing. */
export interface Condition {
  readonly code: Exclude<Requirement, "visa_free" | "no_admission"> | "check_permitted_stay" | "check_held_document"
  readonly step: number
  readonly message: string
  readonly granularity: "pair"
  /** What the sentence is made of. */
  readonly params: ReasonParams
}

/** A gap: which field, at which stop (null for what is not of one stop), and why. */
export interface Gap {
  readonly field: string
  readonly step: number | null
  readonly reason: string
  readonly granularity: Granularity
  /** What the reason says, as a code and what its sentence is made of. */
  readonly code: ReasonCode
  readonly params: ReasonParams
}

/** Days that are held against the longest stay, and how they were counted. */
export interface CountedStay extends Known<number> {
  readonly allowanceDays: number
  /** By the kind of the destination's stay rule; `accumulated` where none is recorded; `visit` where it is the length of the visit that counts. */
  readonly counting: StayCounting | "visit"
  /** The destination's stay rule, or null where none is recorded. */
  readonly rule: StayRule | null
}

/** What was found for one stop. */
export interface Step {
  readonly index: number
  readonly destination: string
  readonly from: string
  readonly to: string
  /** Days from the first to the last, both counted. */
  readonly days: number
  /** The passport to use here. */
  readonly passport: string
  readonly requirement: RequirementFinding
  readonly maxStay: Finding<number | "unlimited">
  /** Days in this country, with the territories that follow its rules, up to the end of this stop, over all stops. */
  readonly daysAccumulated: Finding<number>
  /** Given where other days than those of this stop count too, or a stay rule is recorded; null where not. */
  readonly countedStay: CountedStay | null
  readonly passportValidity: ValidityFinding
  /** Days used under the zone's rule at the end of this stop; null where no zone's rule binds. */
  readonly zoneStay: ZoneFinding | null
}

/** What was found for one transit country. */
export interface TransitStep extends TransitFindings {
  readonly country: string
  /** Places of held documents that waive a visa that the rule demands. */
  readonly because: readonly number[]
}

/** A held document, as it was used. */
export interface HeldUse {
  readonly document: HeldDocument
  /** Stops that are entered with it. */
  readonly steps: readonly number[]
}

/** A change that is scheduled for a day before a stop ends. */
export interface ChangeAhead {
  readonly step: number
  /** First day on which it holds (`YYYY-MM-DD`). */
  readonly on: string
  readonly destination: string
  /** The passport whose answer changes; null where the destination joins or leaves a zone. */
  readonly passport: string | null
  /** The answers before and after; null where there is none. */
  readonly before: Found | null
  readonly after: Found | null
  /** The zone that the destination joins or leaves. */
  readonly zone: string | null
}

/**
 * What a decision comes to, the first that applies: `blocked`, something blocks; `obtain`, something has to be had or done before departure;
 * `unknown`, a fact that decides an entry is unknown; `clear`, none of these.
 */
export type Outcome = "blocked" | "obtain" | "unknown" | "clear"

/** When something has to be done. */
export type Due = "before_departure" | "on_arrival"

/** Something to obtain or to do. */
export interface ToDo {
  readonly code: Condition["code"]
  /** The first stop that it is for. */
  readonly step: number
  /** All stops that it is for. */
  readonly steps: readonly number[]
  /** The destination that issues it or asks for it. */
  readonly destination: string
  /** The passport that it is for. */
  readonly passport: string
  readonly due: Due
  /** Its official name; null where none is recorded. */
  readonly name: string | null
  /** The official page; null where none is recorded. */
  readonly url: string | null
  /** The latest day to apply (`YYYY-MM-DD`); null where no processing time is recorded. */
  readonly applyBy: string | null
  readonly fee: Money | null
  /** What it is, in English. */
  readonly message: string
}

/** What can be said of an itinerary. */
export interface Decision {
  readonly kind: "decided"
  readonly outcome: Outcome
  readonly verdict: "no_blocker_found" | "blocked"
  /** What has to be obtained or done, in the order of the stops that it is first for. */
  readonly toDo: readonly ToDo[]
  /** As given: one, or the several of one traveller. */
  readonly passports: readonly HeldPassport[]
  readonly steps: readonly Step[]
  readonly transit: readonly TransitStep[]
  /** In the order of stops. */
  readonly blockers: readonly Blocker[]
  readonly conditions: readonly Condition[]
  /** Every finding above that is unknown, and what is uncertain, not given, or given and not modelled. */
  readonly unknowns: readonly Gap[]
  /** The documents that were given, and the stops that are entered with them. */
  readonly held: readonly HeldUse[]
  /** Scheduled changes that touch a stop, before it or during it, in the order of stops. */
  readonly changes: readonly ChangeAhead[]
  readonly residence: string | null
  readonly purpose: string | null
  /** How many different countries of the dataset were resolved, stops and transit together. */
  readonly pairsCharged: number
  readonly datasetVersion: string
}
