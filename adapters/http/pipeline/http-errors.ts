/**
 * How does the visa service report errors? `{error}` on every path, always JSON; other surfaces have their own forms. A client that asks for
 * `application/problem+json` gets every one of them as a problem (RFC 9457) with the same members.
 */
import { describeIssues, isFields } from "../../validation/fields.ts"
import { type Answer, answerJson, JSON_TYPE, NOT_STORED } from "./http-answer.ts"
import { PROBLEM_TYPE, type Problem, type ServiceRequest, wantsProblem } from "./request.ts"

/** The plainest error body. */
export function answerError(status: number, error: string, headers: readonly string[] = []): Answer {
  return answerJson(status, { error }, [...NOT_STORED, ...headers])
}

/** What every surface says of a problem. */
interface DescribedProblem {
  readonly status: 400 | 404 | 405 | 409 | 413 | 415 | 429 | 500 | 503
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
    case "too_often":
    case "unavailable": {
      const headers = ["retry-after", String(problem.retryAfterSeconds)]
      return { status: problem.kind === "too_often" ? 429 : 503, message: problem.message, headers }
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

/** The names of statuses (RFC 9110, section 15). */
const STATUS_NAMES: Readonly<Record<number, string>> = {
  400: "Bad Request",
  401: "Unauthorized",
  402: "Payment Required",
  403: "Forbidden",
  404: "Not Found",
  405: "Method Not Allowed",
  409: "Conflict",
  413: "Content Too Large",
  415: "Unsupported Media Type",
  429: "Too Many Requests",
  500: "Internal Server Error",
  503: "Service Unavailable",
}

/** Sends an error as a problem to a client that asks for it: its message as `detail`, and every other member as it is. */
export function answerAsAsked(request: ServiceRequest, answer: Answer): Answer {
  const { status, contentType, body } = answer
  if (status < 400 || contentType !== JSON_TYPE || typeof body !== "string") return answer
  if (!wantsProblem(request.header("accept"))) return answer
  const said: unknown = JSON.parse(body)
  // The host of an edge handler may refuse with any body.
  if (!isFields(said)) return answer
  const members = isFields(said.error) ? said.error : said
  const detail = members.message ?? members.error
  const problem = { type: "about:blank", title: STATUS_NAMES[status], status, detail, ...members }
  return { ...answer, contentType: PROBLEM_TYPE, body: JSON.stringify(problem) }
}
