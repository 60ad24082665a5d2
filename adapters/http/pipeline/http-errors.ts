/** How does the visa service report errors? `{error}` on every path, always JSON; other surfaces have their own forms. */
import { describeIssues } from "../../validation/fields.ts"
import { type Answer, answerJson, NOT_STORED } from "./http-answer.ts"
import type { Problem } from "./surface.ts"

/** The plainest error body. */
export function answerError(status: number, error: string, headers: readonly string[] = []): Answer {
  return answerJson(status, { error }, [...NOT_STORED, ...headers])
}

/** What every surface says of a problem. */
interface DescribedProblem {
  readonly status: 400 | 404 | 405 | 409 | 413 | 415 | 500 | 503
  readonly message: string
  readonly headers?: readonly string[]
}

/** Describes a problem; all mistakes of the parameters in one sentence. */
export function describeProblem(problem: Problem): DescribedProblem {
  switch (problem.kind) {
    case "bad_request":
      return { status: 400, message: describeIssues(problem.issues) }
    case "no_such_path":
      return { status: 404, message: "There is no such path." }
    case "wrong_method":
      return { status: 405, message: `This path takes ${problem.allow}.`, headers: ["allow", problem.allow] }
    case "too_large":
      return { status: 413, message: `A body may have at most ${problem.maximumBytes} bytes.` }
    case "unsupported_encoding": {
      const message = "A body with a Content-Encoding is not read: send it as it is."
      return { status: 415, message, headers: ["accept-encoding", "identity"] }
    }
    case "not_readable":
      return { status: 400, message: "The request cannot be read." }
    case "bad_idempotency_key": {
      const given = JSON.stringify(problem.given.slice(0, 80))
      return { status: 400, message: `Idempotency-Key: Expected a UUID, got ${given}` }
    }
    case "idempotency_key_reused":
      return { status: 409, message: "This Idempotency-Key was sent with another request." }
    case "idempotency_key_in_use": {
      const message = "The first request under this Idempotency-Key is still under way."
      return { status: 409, message, headers: ["retry-after", "1"] }
    }
    case "unavailable": {
      const headers = ["retry-after", String(problem.retryAfterSeconds)]
      return { status: 503, message: problem.message, headers }
    }
    case "fault":
      return { status: 500, message: "An internal error occurred." }
  }
}

/** Renders a problem as `{error}`; a fault names its request too. */
export function answerPlainProblem(problem: Problem, requestId: string): Answer {
  const { status, message, headers } = describeProblem(problem)
  if (problem.kind === "fault") return answerJson(status, { error: message, request_id: requestId }, NOT_STORED)
  return answerError(status, message, headers)
}
