/** How does the lookup report errors? `{error: {code, message, param?, request_id}}`, with codes of its own for programs to branch on. */

import type { RequestIssue } from "../../../../platform/fields/fields.ts"
import { type Answer, answerJson, NOT_STORED } from "../../pipeline/answer.ts"
import { describeBadKey, ENCODED_BODY, KEY_IN_USE, KEY_REUSED } from "../../pipeline/errors.ts"
import type { AnswerProblem } from "../../pipeline/surface.ts"

/** The error codes, by status. */
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
  403: ["quota_exceeded", "plan_too_low", "scope_missing", "address_not_allowed", "wrong_key_mode"],
  404: ["not_found"],
  405: ["method_not_allowed"],
  409: ["idempotency_key_reused", "idempotency_key_in_use"],
  413: ["body_too_large"],
  415: ["unsupported_encoding"],
  429: ["rate_limited"],
  500: ["internal_error"],
  503: ["unavailable"],
} as const

/** A status of an error. */
export type LookupErrorStatus = keyof typeof LOOKUP_ERROR_CODES
/** A code of a status. */
export type LookupErrorCode<Status extends LookupErrorStatus = LookupErrorStatus> =
  (typeof LOOKUP_ERROR_CODES)[Status][number]

/** One error. */
export interface LookupErrorShape<Status extends LookupErrorStatus> {
  readonly status: Status
  readonly code: LookupErrorCode<Status>
  readonly message: string
  /** The parameter or header with the mistake, if there is one. */
  readonly param?: string
  readonly requestId: string
  readonly headers?: readonly string[]
}

/** Writes an error. */
export function answerLookupError<const Status extends LookupErrorStatus>(error: LookupErrorShape<Status>): Answer {
  const { status, code, message, param, requestId, headers = [] } = error
  const body = { error: { code, message, ...(param === undefined ? {} : { param }), request_id: requestId } }
  return answerJson(status, body, [...NOT_STORED, ...headers])
}

const CODES_OF_PARAMETERS: Readonly<Record<string, LookupErrorCode<400>>> = {
  passport: "invalid_passport",
  destination: "invalid_destination",
}

function answerIssues(issues: readonly RequestIssue[], requestId: string): Answer {
  const { path: param, message } = issues[0] as RequestIssue
  const code = CODES_OF_PARAMETERS[param] ?? "invalid_parameter"
  return answerLookupError({ status: 400, code, message, param, requestId })
}

/** Renders a problem of any request to this surface; of several mistakes the first is named. */
export const answerLookupProblem: AnswerProblem = (problem, requestId) => {
  switch (problem.kind) {
    case "bad_request":
      return answerIssues(problem.issues, requestId)
    case "no_such_path":
      return answerLookupError({ status: 404, code: "not_found", message: "There is no such path.", requestId })
    case "wrong_method":
      return answerLookupError({
        status: 405,
        code: "method_not_allowed",
        message: `This path takes ${problem.allow}.`,
        requestId,
        headers: ["allow", problem.allow],
      })
    case "too_large":
      return answerLookupError({
        status: 413,
        code: "body_too_large",
        message: `A body may have at most ${problem.maximumBytes} bytes.`,
        requestId,
      })
    case "unsupported_encoding":
      return answerLookupError({
        status: 415,
        code: "unsupported_encoding",
        message: ENCODED_BODY,
        param: "Content-Encoding",
        requestId,
        headers: ["accept-encoding", "identity"],
      })
    case "not_readable":
      return answerLookupError({
        status: 400,
        code: "invalid_request",
        message: "The request cannot be read.",
        requestId,
      })
    case "bad_idempotency_key":
      return answerLookupError({
        status: 400,
        code: "idempotency_key_invalid",
        message: describeBadKey(problem.given),
        param: "Idempotency-Key",
        requestId,
      })
    case "idempotency_key_reused":
      return answerLookupError({ status: 409, code: "idempotency_key_reused", message: KEY_REUSED, requestId })
    case "idempotency_key_in_use":
      return answerLookupError({
        status: 409,
        code: "idempotency_key_in_use",
        message: KEY_IN_USE,
        requestId,
        headers: ["retry-after", "1"],
      })
    case "unavailable":
      return answerLookupError({
        status: 503,
        code: "unavailable",
        message: problem.message,
        requestId,
        headers: ["retry-after", String(problem.retryAfterSeconds)],
      })
    case "fault":
      return answerLookupError({
        status: 500,
        code: "internal_error",
        message: "Something went wrong inside.",
        requestId,
      })
  }
}
