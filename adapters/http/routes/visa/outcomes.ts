/** How does the visa service send the outcome of a question? 200 with the body, 404 where nothing is recorded, 400 where it cannot be asked. */
import { type Outcome, writeBothWays } from "../../../answers/answer-outcome.ts"
import { type Answer, answerJson, answerText, JSON_TYPE } from "../../pipeline/http-answer.ts"
import { answerError } from "../../pipeline/http-errors.ts"

/** Says why there is no answer. */
export const answerWithout = ({ kind, message }: Exclude<Outcome<never>, { kind: "found" }>): Answer =>
  answerError(kind === "refused" ? 400 : 404, message)

export function answerOutcome(outcome: Outcome<unknown>, headers: readonly string[]): Answer {
  return outcome.kind === "found" ? answerJson(200, outcome.body, headers) : answerWithout(outcome)
}

/** Sends a record both flat and in `data`. */
export function answerBothWays(
  outcome: Outcome<{ readonly data: object; readonly meta: unknown }>,
  headers: readonly string[],
): Answer {
  return outcome.kind === "found" ? answerText(JSON_TYPE, writeBothWays(outcome.body), headers) : answerWithout(outcome)
}

export function answerWritten(outcome: Outcome<string>, headers: readonly string[]): Answer {
  return outcome.kind === "found" ? answerText(JSON_TYPE, outcome.body, headers) : answerWithout(outcome)
}
