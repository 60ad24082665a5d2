/** A request that does not fit its schema is answered 400, with the fields that are wrong. */
import { Effect, Schema } from "effect"
import { HttpApiMiddleware, HttpApiSchema } from "effect/http-api"
import { answerError, toResponse } from "./answer.ts"
import { describeIssues, listIssues } from "./validation.ts"

/** The body of most errors. */
const errorBody = (description: string) =>
  Schema.Struct({ error: Schema.String }).annotate({ identifier: "Error", description })

export const BadRequest = errorBody("A parameter is missing or not valid.").pipe(HttpApiSchema.status(400))
export const NotFound = errorBody("The codes are valid and nothing is recorded for them.").pipe(
  HttpApiSchema.status(404),
)
export const TooManyRequests = errorBody("A quota or a limit is reached.").pipe(HttpApiSchema.status(429))
export const TooLarge = errorBody("The body is larger than what is read.").pipe(HttpApiSchema.status(413))

/** Answers 400 where decoding fails. */
export class SchemaErrors extends HttpApiMiddleware.Service<SchemaErrors>()("landfall/http/SchemaErrors", {
  error: BadRequest,
}) {
  static readonly layer = HttpApiMiddleware.layerSchemaErrorTransform(SchemaErrors, error =>
    // What the service itself has built wrongly is its own fault: a 500, not the caller's 400.
    error.kind === "Body" || error.kind === "ResponseHeaders"
      ? Effect.die(error)
      : Effect.succeed(toResponse(answerError(400, describeIssues(listIssues(error))))),
  )
}
