/**
 * What did a decision find about an entry, a transit or the whole journey?
 *
 * An issue is a code with parameters; its weight and its sentence stand in one catalogue (`trip/reasons.ts`). The outcome of a journey is
 * read off the weights alone. What blocks, what has to be obtained or checked, and what is not known are made by one function each, which take
 * only codes of such weights: a gap is unknown or written down as harmless, and never a blocker.
 */
import { NOTHING } from "../collections.ts"
import { isRequirement, opensOnArrival, REQUIREMENTS } from "../dataset/requirement.ts"
import { EFFORT_OF_REQUIREMENT } from "../requirement/pair-entry.ts"
import type { ConditionKind } from "../rules/condition-words.ts"
import type { ConditionTerms } from "../rules/provision-kinds.ts"
import type { Blocker } from "./answer-fields.ts"
import type { Passport, Stay } from "./journey.ts"
import {
  type CodeOf,
  type Granularity,
  isOf,
  NO_PARAMS,
  type ParamsOf,
  type ReasonCode,
  type ReasonParams,
  type Unknown,
  type Weight,
  weigh,
  writeReason,
} from "./reasons.ts"

/** Says whether a gap leaves an entry undecided. */
export function leavesOpen(code: ReasonCode): boolean {
  return weigh(code) === "unknown"
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
  /** Further fields of a blocker, and of what a transit needs. */
  readonly more: MoreOfBlocker
}

/** What can be obtained, checked or told. */
type Asked = CodeOf<"obtain" | "check" | "info">
/** Why a field is not known. */
type Missing = CodeOf<"unknown" | "info">

type MoreOfBlocker = Pick<Blocker, "zone" | "basis" | "transit"> | null

/** Who enters where. */
export interface Entrant {
  readonly passport: Passport
  readonly stop: Stay
}

/** An issue with the index of its stop; null if it concerns no single stop. */
export interface PlacedIssue {
  readonly issue: Issue
  readonly step: number | null
  /** Given for what has to be obtained for a transit. */
  readonly entrant?: Entrant | undefined
}

/** Makes an issue that blocks; its granularity is the pair, unless another one is given. */
export function block<C extends CodeOf<"blocks">>(
  code: C,
  params: ParamsOf<C>,
  more: MoreOfBlocker = null,
  granularity: Granularity = "pair",
): Issue {
  return { code, weight: "blocks", field: null, granularity, params: params as ReasonParams, message: null, more }
}

/** Makes an issue about something to obtain or to check, with the weight of its code unless it decides nothing here. */
export function ask<C extends Asked>(
  code: C,
  params: ParamsOf<C>,
  weight: Weight = weigh(code),
  message: string | null = null,
): Issue {
  return { code, weight, field: null, granularity: "pair", params: params as ReasonParams, message, more: null }
}

/** Makes an issue with its sentence, to be shared by decisions. */
export function askEverybody<C extends Asked | "no_admission">(code: C, params: ParamsOf<C>): Issue {
  return ask(code as Asked, Object.freeze(params) as never, weigh(code), writeReason(code, params))
}

/** Makes an issue about a field that is not known. */
export function miss<C extends Missing>(
  field: string,
  code: C,
  params: ParamsOf<C>,
  granularity: Granularity = "pair",
  message: string | null = null,
): Issue {
  return { code, weight: weigh(code), field, granularity, params: params as ReasonParams, message, more: null }
}

/** Makes an issue about a field from its finding. */
export function missing(field: string, { code, params, granularity, reason }: Unknown): Issue {
  return miss(field, code as Missing, params as never, granularity, reason)
}

/** Makes an issue about a field whose code has no parameters. */
export function missPlain(field: string, code: Missing, granularity: Granularity = "pair"): Issue {
  return miss(field, code, NO_PARAMS as never, granularity)
}

/** Returns the sentence of an issue, in English. */
export function sayIssue({ message, code, params }: Issue): string {
  return message ?? writeReason(code, params as never)
}

/** No issues. */
export const NO_ISSUES: readonly Issue[] = NOTHING

// Costs are numbers with the order of the choice among ways: blockers, unknowns, what has to be obtained, what has to be checked, effort. So a way that
// is clear costs less than any other. A journey has at most 12 stops, with some 60 unknowns, 60 things to do and 60 to check.
export const GAP_COST = 6e11
export const BLOCKER_COST = 4e13
/** The cost of something to check: more than the efforts of entries for which nothing is obtained before. */
const CHECK_COST = 3e7
const TO_DO_COST = 2e9
/** The least cost of an authorisation or a visa: more than those of all other things to do at a stop. */
const REQUIREMENT_COST = 1.2e10

/** Returns what an issue costs in the choice among ways. The requirement itself is in the effort of a way. */
export function costOf({ weight, field, code }: Issue): number {
  if (weight === "blocks") return BLOCKER_COST
  // The holder of a visa whose days are not known enters on it rather than on what leaves the entry open or has to be obtained. A dispute is judged by
  // both answers, so it leaves nothing open by itself.
  if (field !== null && isOf("harmless", code)) return weight === "info" ? 0 : CHECK_COST
  if (field !== null) return code === "disputed" && weight === "info" ? CHECK_COST : GAP_COST
  if (weight === "info" || isRequirement(code)) return 0
  return weight === "check" ? CHECK_COST : TO_DO_COST
}

/**
 * Returns what the effort of an entry costs: more where what is asked has to be obtained before, the harder it is, and most where nothing can be obtained
 * or what is asked is not known.
 */
export function costOfEffort(effort: number): number {
  const rank = Math.floor(effort / EFFORT_OF_REQUIREMENT)
  const asked = REQUIREMENTS[rank]
  if (opensOnArrival(asked)) return effort
  return effort + REQUIREMENT_COST * (asked === undefined || asked === "no_admission" ? 2 : 1 + rank / 20)
}

// ---- Conditions of rules

// By kind: the parameters of its sentence, `=` before the field of the condition where its name is another. A field that is not given is null, or an
// empty list where `*` stands.
const PARAMS_OF: Readonly<Record<Exclude<ConditionKind, "held_document">, string>> = {
  registration: "name url hours=hoursBefore amount currency",
  gateway_visa: "states entries",
  border_control: "states",
  sponsor: "by",
  special_document: "name",
  not_enforced: "borders*",
  exempt: "who* before=issuedBefore",
  suspension: "visas",
  bond: "least=leastAmount most=mostAmount currency",
  entry_points: "names* borders*",
  asked_at: "borders elsewhere",
  purpose: "purposes",
  group: "least",
  bring: "proofs",
  passport_kind: "features",
  age: "least most",
  also: "requirement remark",
  other: "text",
}

/** Returns the parameters of a condition, by the names of its sentence. */
export function describeCondition(condition: ConditionTerms): ReasonParams {
  if (condition.kind === "held_document") {
    return { documents: condition.held.map(({ kind, issuers }) => `${kind} ${issuers.join(" ")}`) }
  }
  const terms: Readonly<Record<string, unknown>> = { ...condition, ...("fee" in condition ? condition.fee : null) }
  const params = PARAMS_OF[condition.kind].split(" ").map(each => {
    const [name = "", field = name] = each.replace("*", "").split("=")
    return [name, terms[field] ?? (each.endsWith("*") ? [] : null)]
  })
  return Object.fromEntries(params)
}
