/** How do the endpoints of accounts answer requests that they cannot fulfil? */
import { Effect } from "effect"
import type { TriedTooOften } from "../../../accounts/attempts.ts"
import type { SignedIn } from "../../../accounts/sessions.ts"
import type { NoMail } from "../../../accounts/signup.ts"
import type { Unavailable } from "../../../storage/storage-errors.ts"
import type { AnswerContext } from "../../pipeline/endpoint.ts"
import type { Answer } from "../../pipeline/http-answer.ts"
import { answerError } from "../../pipeline/http-errors.ts"

/** When to retry a feature that is not set up yet. */
const NOT_SET_UP_RETRY_SECONDS = 3_600

/** The answer for a feature that this deployment does not have. It does not name the missing setting. */
export const answerNotSetUp = (feature: string): Answer =>
  answerError(503, `${feature} is not set up on this deployment.`, ["retry-after", String(NOT_SET_UP_RETRY_SECONDS)])

const answerTooOften = ({ retryAfterSeconds }: TriedTooOften): Answer =>
  answerError(429, `There were too many attempts; try again in ${retryAfterSeconds} seconds.`, [
    "retry-after",
    String(retryAfterSeconds),
  ])

/** Waits for an answer, and turns failures into answers. The pipeline answers for an unavailable database. */
export const answerLater = (
  context: Pick<AnswerContext, "run">,
  work: Effect.Effect<Answer, TriedTooOften | NoMail | Unavailable>,
): Promise<Answer> =>
  context.run(
    Effect.catchTags(work, {
      TriedTooOften: error => Effect.succeed(answerTooOften(error)),
      NoMail: () => Effect.succeed(answerNotSetUp("Mail")),
    }),
  )

/** Who is signed in, on a row that takes only signed-in users. */
export function signedInOf({ session }: AnswerContext): SignedIn {
  if (session === null) throw new Error("a row for sessions was answered without one")
  return session
}
