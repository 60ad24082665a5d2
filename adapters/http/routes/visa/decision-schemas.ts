/** Itineraries and decisions, for the reference. Both are made from the tables of the engine, which reads and writes them itself. */
import { Schema } from "effect"
import { HttpApiSchema } from "effect/http-api"
import { DECISION_ANSWER, DECISION_COST, GROUP_ANSWER } from "../../../../src/answers.ts"
import { DECISION_REQUEST } from "../../../../src/engine.ts"
import { DECISION_EXAMPLE } from "../../../answers/decision.ts"
import { fieldsOfAnswer, schemaOf, schemaOfAnswer } from "../../../answers/field-schemas.ts"
import { makeBody } from "../../pipeline/named-body.ts"
import { Meta } from "./shared-schemas.ts"

export const DecisionAnswer = makeBody("DecisionAnswer", "The findings for each stop, blockers, and unknowns.", {
  data: Schema.Union([
    schemaOfAnswer(DECISION_ANSWER),
    schemaOfAnswer(GROUP_ANSWER).annotate({ description: "For a request with travellers." }),
  ]),
  meta: Schema.Struct({ ...fieldsOfAnswer(DECISION_COST), ...Meta.fields }),
})

/** An itinerary; the engine reads it and names its mistakes, so that this is for the reference. */
export const DecisionRequest = schemaOf(DECISION_REQUEST, {
  code: "ISO 3166-1 alpha-3, capital letters.",
  offersNull: true,
}).annotate({ identifier: "DecisionRequest", examples: [DECISION_EXAMPLE] })

/** A request that was refused, with a valid one to start from. */
export const DecisionRefused = makeBody("DecisionRefused", "The body is not valid JSON, or not an itinerary.", {
  error: Schema.String,
  issues: Schema.Array(Schema.Struct({ path: Schema.String, message: Schema.String })).annotate({
    description: "The mistakes, at most 50; `error` says the first of them.",
  }),
  example: DecisionRequest,
}).pipe(HttpApiSchema.status(400))
