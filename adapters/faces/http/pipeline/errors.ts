/** How does the visa service report errors? `{error}` on every path, always JSON; other surfaces have their own forms. */
import { type Answer, answerJson, NOT_STORED } from "./answer.ts"
import { describeIssues } from "./parameters.ts"
import type { Problem } from "./surface.ts"

/** The plainest error body. */
export function answerError(status: number, error: string, headers: readonly string[] = []): Answer {
  return answerJson(status, { error }, [...NOT_STORED, ...headers])
}

/** What every surface says of a problem. */
interface DescribedProblem<Status extends number> {
  readonly status: Status
  readonly message: string
  /** The header of the request that is meant, where one is. */
  readonly param?: string
  readonly headers?: readonly string[]
}

const RETRY_AT_ONCE = ["retry-after", "1"]

/** Describes a problem; all mistakes of the parameters in one sentence. */
export function describeProblem(problem: Problem) {
  const describe = <const Status extends number>(described: DescribedProblem<Status>) => described
  switch (problem.kind) {
    case "bad_request":
      return describe({ status: 400, message: describeIssues(problem.issues) })
    case "no_such_path":
      return describe({ status: 404, message: "There is no such path." })
    case "wrong_method":
      return describe({ status: 405, message: `This path takes ${problem.allow}.`, headers: ["allow", problem.allow] })
    case "too_large":
      return describe({ status: 413, message: `A body may have at most ${problem.maximumBytes} bytes.` })
    case "unsupported_encoding": {
      const message = "A body with a Content-Encoding is not read: send it as it is."
      return describe({ status: 415, message, param: "Content-Encoding", headers: ["accept-encoding", "identity"] })
    }
    case "not_readable":
      return describe({ status: 400, message: "The request cannot be read." })
    case "bad_idempotency_key": {
      const given = JSON.stringify(problem.given.slice(0, 80))
      return describe({
        status: 400,
        message: `Idempotency-Key: Expected a UUID, got ${given}`,
        param: "Idempotency-Key",
      })
    }
    case "idempotency_key_reused":
      return describe({ status: 409, message: "This Idempotency-Key was sent with another request." })
    case "idempotency_key_in_use": {
      const message = "The first request under this Idempotency-Key is still under way."
      return describe({ status: 409, message, headers: RETRY_AT_ONCE })
    }
    case "unavailable": {
      const headers = ["retry-after", String(problem.retryAfterSeconds)]
      return describe({ status: 503, message: problem.message, headers })
    }
    case "fault":
      return describe({ status: 500, message: "Something went wrong inside." })
  }
}

/** Renders a problem as `{error}`; a fault names its request too. */
export function answerPlainProblem(problem: Problem, requestId: string): Answer {
  const { status, message, headers } = describeProblem(problem)
  if (problem.kind === "fault") return answerJson(status, { error: message, request_id: requestId }, NOT_STORED)
  return answerError(status, message, headers)
}
