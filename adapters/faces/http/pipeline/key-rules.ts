/**
 * Where do the callers of a surface put their key, and how does the surface refuse them or say what is left?
 *
 * One value a surface; the stages that ask for keys and count are the same for all of them.
 */
import type { Caller } from "../../../customers/accounts/account.ts"
import type { CallerRefusal, Quota } from "../../../customers/metering/ledger.ts"
import type { CallerPool, Limit, VisitorPool } from "../../../customers/metering/limits.ts"
import type { VisitorRefusal } from "../../../customers/metering/visitor-ledger.ts"
import type { Feature } from "../../../customers/plans/plans.ts"
import { type Answer, answerJson, NOT_STORED } from "./answer.ts"
import type { RawQuery } from "./query.ts"
import type { ServiceRequest } from "./request.ts"

/** How one surface treats those who have no key. */
export interface VisitorRules {
  readonly pool: VisitorPool
  readonly answerRefusal: (refusal: VisitorRefusal, nowMs: number) => Answer
  readonly listLimitHeaders: (limits: readonly Limit[], nowMs: number) => readonly string[]
}

/** Which request is answered, and when. */
export interface AskedNow {
  readonly requestId: string
  readonly nowMs: number
}

/** How one surface treats keys and limits. */
export interface KeyRules {
  /** Whose limits pay for a request with a key. */
  readonly pool: CallerPool
  /** The key of a request, or null. */
  readonly findKey: (request: ServiceRequest, query: RawQuery) => string | null
  readonly answerNoKey: (asked: AskedNow) => Answer
  readonly answerUnknownKey: (asked: AskedNow) => Answer
  readonly answerPlanTooLow: (feature: Feature, caller: Caller, asked: AskedNow) => Answer
  /** Refuses a language that the caller's plan does not have; null where it has it. */
  readonly refuseLanguage: (language: string, caller: Caller) => Answer | null
  /** What is answered where a limit is reached; its headers say what is left. */
  readonly answerRefusal: (refusal: CallerRefusal, caller: Caller, asked: AskedNow) => Answer
  /** What is left, for every answer to a known caller. */
  readonly listQuotaHeaders: (quota: Quota, caller: Caller, nowMs: number) => readonly string[]
  /** The limits of a client address without a key, and how they are reported; absent where every request needs a key. */
  readonly visitors?: VisitorRules
}

/** The key of a request to a surface that reads it from `x-api-key` or the query's `api_key`; one that is given twice does not count. */
export const findApiKey: KeyRules["findKey"] = (request, query) => {
  const key = request.header("x-api-key") || query.api_key
  return key === undefined || key === "" ? null : String(key)
}

/** What such a surface answers to an unknown key. */
export const UNKNOWN_KEY = /* @__PURE__ */ answerJson(
  403,
  { error: "This API key is not valid.", message: "The key is unknown or was deactivated." },
  NOT_STORED,
)
