/**
 * What can a decision find, and what does each finding weigh?
 *
 * An issue is a code with parameters; its sentence is made in `reasons.ts`. The weight of every code stands in one catalogue, so none can be
 * forgotten: a code without a row does not compile. The outcome of a journey is read off the weights alone.
 */
import { NOTHING } from "../dataset/copy-frozen.ts"
import { isRequirement } from "../dataset/requirement.ts"
import type { Blocker } from "../itinerary/answer-fields.ts"
import { type Granularity, isHarmless, type Unknown } from "../itinerary/findings.ts"
import { NO_PARAMS, type ParamsOf, type ReasonCode, type ReasonParams, writeReason } from "../itinerary/reasons.ts"

/**
 * `blocks`: nobody enters so. `obtain`: it has to be had or done before departure. `check`: it decides, and only a person can see it.
 * `unknown`: no rule says what it depends on. `info`: it decides nothing.
 */
export type Weight = "blocks" | "obtain" | "check" | "unknown" | "info"

/** By code: its weight. */
const WEIGHTS: Readonly<Record<ReasonCode, Weight>> = {
  no_admission: "blocks",
  visa_suspended: "blocks",
  purpose_not_covered: "blocks",
  entry_point_closed: "blocks",
  own_passport_needed: "blocks",
  stay_exceeded: "blocks",
  zone_stay_exceeded: "blocks",
  passport_expired: "blocks",
  passport_validity_short: "blocks",
  passport_expires_before_exit: "blocks",
  transit_not_permitted: "blocks",
  eta: "obtain",
  e_visa: "obtain",
  visa_required: "obtain",
  held_document: "obtain",
  registration: "obtain",
  gateway_visa: "obtain",
  sponsor: "obtain",
  special_document: "obtain",
  bond: "obtain",
  bring: "obtain",
  check_permitted_stay: "check",
  check_held_document: "check",
  check_exemption: "check",
  earlier_overstay: "check",
  entry_points: "check",
  purpose: "check",
  group: "check",
  passport_kind: "check",
  age: "check",
  other: "check",
  suspension: "check",
  // It is to do, and nothing has to be had before departure.
  visa_on_arrival: "info",
  visa_instead: "info",
  border_control: "info",
  not_enforced: "info",
  exempt: "info",
  also: "info",
  asked_at: "info",
  // The document sets the stay, no rule for visitors binds, or the given field decides nothing.
  stay_moves_freely: "info",
  stay_set_by_permit: "info",
  stay_set_by_document: "info",
  validity_for_visitors: "info",
  todays_rule: "info",
  not_modelled: "info",
  stay_not_recorded: "unknown",
  stay_refused: "unknown",
  end_not_given: "unknown",
  stay_counted_nowhere: "unknown",
  treaty_left: "unknown",
  disputed: "unknown",
  answer_ended: "unknown",
  answer_changed_since: "unknown",
  zone_no_fixed_stay: "unknown",
  zone_other_stays: "unknown",
  zone_unclear_visa: "unknown",
  zone_own_stay: "unknown",
  agreement_may_exceed_zone: "unknown",
  agreement_exempts: "unknown",
  agreement_beside_zone: "unknown",
  zone_nationals: "unknown",
  no_validity_rule: "unknown",
  validity_not_named: "unknown",
  permitted_stay_not_known: "unknown",
  expiry_not_given: "unknown",
  issue_date_not_given: "unknown",
  no_transit_rule: "unknown",
  transit_not_named: "unknown",
  transit_area_not_given: "unknown",
  transit_day_not_given: "unknown",
  transit_conditional: "unknown",
  transit_limits: "unknown",
  transit_document_to_check: "unknown",
  transit_visa_to_obtain: "unknown",
  transit_needs_entry: "unknown",
  no_passport_record: "unknown",
  passport_kind_not_recorded: "unknown",
  imported_past: "unknown",
  rule_seen_between: "unknown",
  stay_seen_between: "unknown",
  past_word: "unknown",
  no_rule_of_that_day: "unknown",
  stay_rule_of_today: "unknown",
  no_rule: "unknown",
  unknown_passport: "unknown",
  unknown_destination: "unknown",
  before_dataset: "unknown",
  before_history: "unknown",
  after_history: "unknown",
}

/** Returns what a code weighs. */
export function weigh(code: ReasonCode): Weight {
  return WEIGHTS[code]
}

/** Says whether a gap leaves an entry undecided. */
export function leavesOpen(code: ReasonCode): boolean {
  return WEIGHTS[code] === "unknown"
}

/** What was found about an entry, a transit or the whole journey. */
export interface Issue {
  readonly code: ReasonCode
  readonly weight: Weight
  /** The field that is not known; null for what blocks, and for what has to be obtained or checked. */
  readonly field: string | null
  readonly granularity: Granularity
  readonly params: ReasonParams
  /** The sentence, if the issue is shared by many decisions; null if it is made when it is told. */
  readonly message: string | null
  /** Further fields of a blocker. */
  readonly more: MoreOfBlocker
}

type MoreOfBlocker = Pick<Blocker, "zone" | "basis" | "transit"> | null

/** An issue with the index of its stop; null if it concerns no single stop. */
export interface PlacedIssue {
  readonly issue: Issue
  readonly step: number | null
}

/** Makes an issue that blocks; its granularity is the pair, unless another one is given. */
export function block<C extends ReasonCode>(
  code: C,
  params: ParamsOf<C>,
  more: MoreOfBlocker = null,
  granularity: Granularity = "pair",
): Issue {
  return { code, weight: "blocks", field: null, granularity, params: params as ReasonParams, message: null, more }
}

/** Makes an issue about something to obtain or to check, with the weight of its code unless another one is given. */
export function ask<C extends ReasonCode>(code: C, params: ParamsOf<C>, weight: Weight = weigh(code)): Issue {
  return { code, weight, field: null, granularity: "pair", params: params as ReasonParams, message: null, more: null }
}

/** Makes an issue with its sentence, to be shared by decisions. */
export function askEverybody<C extends ReasonCode>(code: C, params: ParamsOf<C>): Issue {
  Object.freeze(params)
  return { ...ask(code, params), message: writeReason(code, params) }
}

/** Makes an issue about a field that is not known. */
export function miss<C extends ReasonCode>(
  field: string,
  code: C,
  params: ParamsOf<C>,
  granularity: Granularity = "pair",
): Issue {
  return { code, weight: weigh(code), field, granularity, params: params as ReasonParams, message: null, more: null }
}

/** Makes an issue about a field from its finding. */
export function missing(field: string, { code, params, granularity, reason }: Unknown): Issue {
  return { code, weight: weigh(code), field, granularity, params, message: reason, more: null }
}

/** Makes an issue about a field whose code has no parameters. */
export function missPlain(field: string, code: ReasonCode, granularity: Granularity = "pair"): Issue {
  return miss(field, code, NO_PARAMS as never, granularity)
}

/** Returns the sentence of an issue, in English. */
export function sayIssue({ message, code, params }: Issue): string {
  return message ?? writeReason(code, params as never)
}

/** No issues. */
export const NO_ISSUES: readonly Issue[] = NOTHING

// Costs are numbers with the order of the choice among ways: blockers, unknowns, effort. A journey has at most 12 stops with some 60 unknowns,
// and its efforts add up to less than 1e8.
export const GAP_COST = 1e8
export const BLOCKER_COST = 1e11
/** The cost of something to check: more than that of any stay, less than that of a requirement. */
export const CHECK_COST = 20_000
/** The cost of something to obtain or do beside the requirement: more than any stay's, less than a requirement's. */
const TO_DO_COST = 50_000

/** Returns what an issue costs in the choice among ways. The requirement itself is in the effort of a way. */
export function costOf({ weight, field, code }: Issue): number {
  if (weight === "blocks") return BLOCKER_COST
  if (field !== null) return isHarmless(code) ? 0 : GAP_COST
  if (weight === "info" || isRequirement(code)) return 0
  return weight === "check" ? CHECK_COST : TO_DO_COST
}
