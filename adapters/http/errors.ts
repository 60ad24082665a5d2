/** How does the visa service say what is wrong? `{error}` on every path, always JSON; every other surface has its own words. */
import { type Answer, answerJson, NOT_STORED } from "./answer.ts"
import { describeIssues } from "./parameters.ts"
import type { Problem } from "./surface.ts"

/** The plainest of all error bodies. */
export function answerError(status: number, error: string, headers: readonly string[] = []): Answer {
  return answerJson(status, { error }, [...NOT_STORED, ...headers])
}

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
    case "not_readable":
      return answerError(400, "The request cannot be read.")
    case "unavailable":
      return answerError(503, problem.message, ["retry-after", String(problem.retryAfterSeconds)])
    case "fault":
      return answerJson(500, { error: "Something went wrong inside.", request_id: requestId }, NOT_STORED)
  }
}
