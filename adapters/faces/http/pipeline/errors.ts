/** How does the visa service report errors? `{error}` on every path, always JSON; other surfaces have their own forms. */
import { type Answer, answerJson, NOT_STORED } from "./answer.ts"
import { describeIssues } from "./parameters.ts"
import type { Problem } from "./surface.ts"

/** The plainest error body. */
export function answerError(status: number, error: string, headers: readonly string[] = []): Answer {
  return answerJson(status, { error }, [...NOT_STORED, ...headers])
}

/** Describes a malformed `Idempotency-Key`, with the same words on every surface. */
export const describeBadKey = (given: string): string =>
  `Idempotency-Key: Expected a UUID, got ${JSON.stringify(given.slice(0, 80))}`
export const KEY_REUSED = "This Idempotency-Key was sent with another request."
export const KEY_IN_USE = "The first request under this Idempotency-Key is still under way."

export const ENCODED_BODY = "A body with a Content-Encoding is not read: send it as it is."

/** Renders a problem as `{error}`. */
export function answerPlainProblem(problem: Problem, requestId: string): Answer {
  switch (problem.kind) {
    case "bad_request":
      return answerError(400, describeIssues(problem.issues))
    case "no_such_path":
      return answerError(404, "There is no such path.")
    case "wrong_method":
      return answerError(405, `This path takes ${problem.allow}.`, ["allow", problem.allow])
    case "too_large":
      return answerError(413, `A body may have at most ${problem.maximumBytes} bytes.`)
    case "unsupported_encoding":
      return answerError(415, ENCODED_BODY, ["accept-encoding", "identity"])
    case "not_readable":
      return answerError(400, "The request cannot be read.")
    case "bad_idempotency_key":
      return answerError(400, describeBadKey(problem.given))
    case "idempotency_key_reused":
      return answerError(409, KEY_REUSED)
    case "idempotency_key_in_use":
      return answerError(409, KEY_IN_USE, ["retry-after", "1"])
    case "unavailable":
      return answerError(503, problem.message, ["retry-after", String(problem.retryAfterSeconds)])
    case "fault":
      return answerJson(500, { error: "Something went wrong inside.", request_id: requestId }, NOT_STORED)
  }
}
