/** When does a condition have to be met or checked? */
import { isRequirement } from "../dataset/requirement.ts"
import type { Condition, Due } from "./answer-fields.ts"
import type { ReasonParams } from "./reasons.ts"

/** When a condition has to be met. `check`: a person has to find out whether it is met, so the entry stays open. */
export type ConditionDue = Due | "check" | "nothing"

/** By code: when a condition has to be met. A person has to check every other one. */
const DUE: Readonly<Partial<Record<Condition["code"], ConditionDue>>> = {
  eta: "before_departure",
  e_visa: "before_departure",
  visa_required: "before_departure",
  visa_on_arrival: "on_arrival",
  held_document: "before_departure",
  registration: "before_departure",
  gateway_visa: "before_departure",
  sponsor: "before_departure",
  special_document: "before_departure",
  bond: "before_departure",
  bring: "before_departure",
  visa_instead: "nothing",
  border_control: "nothing",
  not_enforced: "nothing",
  exempt: "nothing",
  also: "nothing",
  asked_at: "nothing",
}

/** Returns when a condition has to be met. */
export function dueOf(code: Condition["code"]): ConditionDue {
  return DUE[code] ?? "check"
}

/** A condition as it is reported, shared by all decisions if it depends only on the pair. */
export interface SaidCondition {
  readonly code: Condition["code"]
  readonly params: ReasonParams
  /** Null until its sentence is made. */
  message: string | null
  readonly due: ConditionDue
  /** Whether it is the requirement of an entry. */
  readonly isRequirement: boolean
}

/** Makes a condition without its sentence. */
export function sayCondition(code: Condition["code"], params: ReasonParams, due = dueOf(code)): SaidCondition {
  return { code, params, message: null, due, isRequirement: isRequirement(code) }
}
