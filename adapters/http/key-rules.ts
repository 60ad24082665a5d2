/**
 * Where do the callers of a surface put their key, and how is it said that they may not, or what is left?
 *
 * One value a surface; the stages that ask for keys and count are the same for all of them.
 */
import type { Caller } from "../accounts/account.ts"
import type { Feature } from "../accounts/plans.ts"
import type { CallerRefusal, Quota } from "../metering/ledger.ts"
import type { Answer } from "./answer.ts"
import type { RawQuery } from "./query.ts"
import type { ServiceRequest } from "./request.ts"

/** How one surface treats keys and limits. */
export interface KeyRules {
  /** The key of a request, or null. */
  readonly findKey: (request: ServiceRequest, query: RawQuery) => string | null
  readonly answerNoKey: () => Answer
  readonly answerUnknownKey: () => Answer
  readonly answerPlanTooLow: (feature: Feature, caller: Caller) => Answer
  /** Refuses a language that the caller's plan does not have; null where it has it. */
  readonly refuseLanguage: (language: string, caller: Caller) => Answer | null
  /** What is answered where a limit is reached; its headers say what is left. */
  readonly answerRefusal: (refusal: CallerRefusal, caller: Caller, nowMs: number) => Answer
  /** What is left, for every answer to a known caller. */
  readonly listQuotaHeaders: (quota: Quota, caller: Caller, nowMs: number) => readonly string[]
}
