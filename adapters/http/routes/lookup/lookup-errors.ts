/** How does the lookup report errors? `{error: {code, message, param?, request_id}}`, with codes of its own for programs to branch on. */

import { explainKeyRefusal, type KeyRefusal } from "../../../accounts/key-limits.ts"
import { explainSpent, limitHeaders, type Refusal, retryHeaders } from "../../../quota/limits.ts"
import type { RequestIssue } from "../../../validation/fields.ts"
import type { KeyRules } from "../../pipeline/admission.ts"
import { type Answer, answerJson, describeProblem, NOT_STORED, type Problem } from "../../pipeline/http-message.ts"
import type { AnswerProblem } from "../../pipeline/pipeline.ts"

/** The status of each code. */
const STATUSES = {
  invalid_passport: 400,
  invalid_destination: 400,
  invalid_parameter: 400,
  invalid_version: 400,
  invalid_request: 400,
  idempotency_key_invalid: 400,
  missing_api_key: 401,
  invalid_api_key: 401,
  expired: 401,
  quota_exceeded: 403,
  plan_too_low: 403,
  scope_missing: 403,
  address_not_allowed: 403,
  wrong_key_mode: 403,
  email_not_confirmed: 403,
  not_found: 404,
  method_not_allowed: 405,
  idempotency_key_reused: 409,
  idempotency_key_in_use: 409,
  body_too_large: 413,
  unsupported_encoding: 415,
  rate_limited: 429,
  internal_error: 500,
  unavailable: 503,
} as const

type LookupErrorCode = keyof typeof STATUSES

/** The codes of refusals, with a status if one is given. */
export const listLookupCodes = (status?: number): readonly string[] =>
  Object.entries(STATUSES).flatMap(([code, of]) => (status === undefined || of === status ? [code] : []))

export function answerLookupError(error: {
  readonly code: LookupErrorCode
  readonly message: string
  /** The parameter or header with the mistake, if there is one. */
  readonly param?: string | undefined
  readonly requestId: string
  readonly headers?: readonly string[]
}): Answer {
  const { code, message, param, requestId, headers = [] } = error
  const body = { error: { code, message, ...(param === undefined ? {} : { param }), request_id: requestId } }
  return answerJson(STATUSES[code], body, [...NOT_STORED, ...headers])
}

const CODES_OF_PARAMETERS: Readonly<Record<string, LookupErrorCode>> = {
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

/** The codes of keys that may not be used. */
const CODES_OF_KEYS = {
  expired: "expired",
  address: "address_not_allowed",
  scope: "scope_missing",
  mode: "wrong_key_mode",
  unconfirmed: "email_not_confirmed",
} as const satisfies Readonly<Record<KeyRefusal["kind"], LookupErrorCode>>

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
      code: "missing_api_key",
      message: "An API key is required: send it as Authorization: Bearer <API_KEY>.",
      requestId,
      headers: CHALLENGE,
    }),

  answerUnknownKey: ({ requestId }) =>
    answerLookupError({
      code: "invalid_api_key",
      message: "This API key is not valid: it is unknown or was deactivated.",
      requestId,
      headers: INVALID_TOKEN,
    }),

  answerKeyRefused: (refusal, { requestId }) =>
    answerLookupError({
      code: CODES_OF_KEYS[refusal.kind],
      message: explainKeyRefusal(refusal),
      param: refusal.kind === "scope" ? refusal.scope : undefined,
      requestId,
      headers: refusal.kind === "expired" ? INVALID_TOKEN : [],
    }),

  answerPlanTooLow: (feature, { plan }, { requestId }) =>
    answerLookupError({
      code: "plan_too_low",
      message: `The plan ${plan.id} does not include ${feature}.`,
      requestId,
    }),

  refuseLanguage: () => null,

  answerRefusal: (refusal, _, { nowMs, requestId }) => {
    const isOfSecond = refusal.reason === "second"
    return answerLookupError({
      code: isOfSecond ? "rate_limited" : "quota_exceeded",
      message: describeRefusal(refusal),
      requestId,
      headers: [...limitHeaders(refusal.limits, nowMs), ...(isOfSecond ? retryHeaders(refusal) : [])],
    })
  },

  listQuotaHeaders: ({ limits }, _, nowMs) => limitHeaders(limits, nowMs),
}
