/** How does the lookup report errors? `{error: {code, message, param?, request_id}}`, with codes of its own for programs to branch on. */

import { explainKeyRefusal } from "../../../accounts/key-limits.ts"
import { explainSpent, limitHeaders, type Refusal, retryHeaders } from "../../../quota/limits.ts"
import type { RequestIssue } from "../../../validation/fields.ts"
import type { KeyRules } from "../../pipeline/admission.ts"
import { type Answer, answerJson, describeProblem, NOT_STORED } from "../../pipeline/http-answer.ts"
import type { AnswerProblem } from "../../pipeline/pipeline.ts"
import type { Problem } from "../../pipeline/request.ts"

export const LOOKUP_ERROR_CODES = {
  400: [
    "invalid_passport",
    "invalid_destination",
    "invalid_parameter",
    "invalid_version",
    "invalid_request",
    "idempotency_key_invalid",
  ],
  401: ["missing_api_key", "invalid_api_key", "expired"],
  403: [
    "quota_exceeded",
    "plan_too_low",
    "scope_missing",
    "address_not_allowed",
    "wrong_key_mode",
    "email_not_confirmed",
  ],
  404: ["not_found"],
  405: ["method_not_allowed"],
  409: ["idempotency_key_reused", "idempotency_key_in_use"],
  413: ["body_too_large"],
  415: ["unsupported_encoding"],
  429: ["rate_limited"],
  500: ["internal_error"],
  503: ["unavailable"],
} as const

export type LookupErrorStatus = keyof typeof LOOKUP_ERROR_CODES
export type LookupErrorCode<Status extends LookupErrorStatus = LookupErrorStatus> =
  (typeof LOOKUP_ERROR_CODES)[Status][number]

export interface LookupErrorShape<Status extends LookupErrorStatus> {
  readonly status: Status
  readonly code: LookupErrorCode<Status>
  readonly message: string
  /** The parameter or header with the mistake, if there is one. */
  readonly param?: string | undefined
  readonly requestId: string
  readonly headers?: readonly string[]
}

export function answerLookupError<const Status extends LookupErrorStatus>(error: LookupErrorShape<Status>): Answer {
  const { status, code, message, param, requestId, headers = [] } = error
  const body = { error: { code, message, ...(param === undefined ? {} : { param }), request_id: requestId } }
  return answerJson(status, body, [...NOT_STORED, ...headers])
}

const CODES_OF_PARAMETERS: Readonly<Record<string, LookupErrorCode<400>>> = {
  passport: "invalid_passport",
  destination: "invalid_destination",
}

/** The codes of problems that any request may have. */
const CODES_OF_PROBLEMS = {
  bad_request: "invalid_parameter",
  no_such_path: "not_found",
  wrong_method: "method_not_allowed",
  too_large: "body_too_large",
  unsupported_encoding: "unsupported_encoding",
  not_readable: "invalid_request",
  bad_idempotency_key: "idempotency_key_invalid",
  idempotency_key_reused: "idempotency_key_reused",
  idempotency_key_in_use: "idempotency_key_in_use",
  too_often: "rate_limited",
  unavailable: "unavailable",
  fault: "internal_error",
} as const satisfies Readonly<Record<Problem["kind"], LookupErrorCode>>

/** The headers of a request that some of them are about. */
const HEADERS_OF_PROBLEMS: Readonly<Partial<Record<Problem["kind"], string>>> = {
  unsupported_encoding: "Content-Encoding",
  bad_idempotency_key: "Idempotency-Key",
}

/** Renders a problem of any request to this surface; of several mistakes the first is named. */
export const answerLookupProblem: AnswerProblem = (problem, requestId) => {
  const { kind } = problem
  const described = { ...describeProblem(problem), code: CODES_OF_PROBLEMS[kind], requestId }
  if (kind !== "bad_request") return answerLookupError({ ...described, param: HEADERS_OF_PROBLEMS[kind] })
  const { path: param, message } = problem.issues[0] as RequestIssue
  return answerLookupError({ ...described, code: CODES_OF_PARAMETERS[param] ?? described.code, message, param })
}

// How does the lookup treat keys and limits?
// The key is a bearer token (RFC 6750), or in `x-api-key`. There are two limits: a bucket of tokens a second, which answers 429, and thirty
// rolling days, which answer 403. Every answer to a known caller has the rest of the first.

/** RFC 9110, section 15.5.2: a 401 names a way to authenticate. */
const CHALLENGE = ["www-authenticate", "Bearer"]
const BLANK = 0x20
const INVALID_TOKEN = ["www-authenticate", 'Bearer error="invalid_token"']

const describeRefusal = (refusal: Refusal): string =>
  refusal.reason === "second"
    ? "Too many requests in this second."
    : (explainSpent(refusal) ?? `The quota of ${refusal.limit} lookups in thirty days is spent.`)

export const lookupKeyRules: KeyRules = {
  pool: "lookup",

  // Another scheme counts as an unknown key: it is refused as such, not as if nothing had been sent.
  findKey: request => {
    const given = (request.header("authorization") ?? "").trim()
    // As nearly every client writes it.
    if (given.startsWith("Bearer ") && given.charCodeAt(7) !== BLANK) return given.slice(7)
    const key = /^bearer(?: +([^ ].*)?)?$/i.exec(given)
    const shown = key === null ? given : (key[1] ?? "")
    return shown || request.header("x-api-key") || null
  },

  answerNoKey: ({ requestId }) =>
    answerLookupError({
      status: 401,
      code: "missing_api_key",
      message: "An API key is required: send it as Authorization: Bearer <API_KEY>.",
      requestId,
      headers: CHALLENGE,
    }),

  answerUnknownKey: ({ requestId }) =>
    answerLookupError({
      status: 401,
      code: "invalid_api_key",
      message: "This API key is not valid: it is unknown or was deactivated.",
      requestId,
      headers: INVALID_TOKEN,
    }),

  answerKeyRefused: (refusal, { requestId }) => {
    const message = explainKeyRefusal(refusal)
    switch (refusal.kind) {
      case "expired":
        return answerLookupError({ status: 401, code: "expired", message, requestId, headers: INVALID_TOKEN })
      case "address":
        return answerLookupError({ status: 403, code: "address_not_allowed", message, requestId })
      case "scope":
        return answerLookupError({ status: 403, code: "scope_missing", message, param: refusal.scope, requestId })
      case "mode":
        return answerLookupError({ status: 403, code: "wrong_key_mode", message, requestId })
      case "unconfirmed":
        return answerLookupError({ status: 403, code: "email_not_confirmed", message, requestId })
    }
  },

  answerPlanTooLow: (feature, { plan }, { requestId }) =>
    answerLookupError({
      status: 403,
      code: "plan_too_low",
      message: `The plan ${plan.id} does not include ${feature}.`,
      requestId,
    }),

  refuseLanguage: () => null,

  answerRefusal: (refusal, _, { nowMs, requestId }) => {
    const headers = limitHeaders(refusal.limits, nowMs)
    const message = describeRefusal(refusal)
    if (refusal.reason !== "second") {
      return answerLookupError({ status: 403, code: "quota_exceeded", message, requestId, headers })
    }
    headers.push(...retryHeaders(refusal))
    return answerLookupError({ status: 429, code: "rate_limited", message, requestId, headers })
  },

  listQuotaHeaders: ({ limits }, _, nowMs) => limitHeaders(limits, nowMs),
}
