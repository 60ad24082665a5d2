/** Itineraries and decisions, for the reference. Both are made from the tables of the engine, which reads and writes them itself. */
import { Schema } from "effect"
import { HttpApiSchema } from "effect/http-api"
import { DECISION_ANSWER, DECISION_COST, GROUP_ANSWER } from "../../../../src/answers.ts"
import { DECISION_REQUEST } from "../../../../src/engine.ts"
import { DECISION_EXAMPLE } from "../../../answers/decision.ts"
import { fieldsOfAnswer, schemaOf, schemaOfAnswer } from "../../../answers/field-schemas.ts"
import { makeBody } from "../../pipeline/describe-row.ts"
import { Meta } from "./shared-schemas.ts"

export const DecisionAnswer = makeBody("DecisionAnswer", "The findings for each stop, blockers, and unknowns.", {
  data: Schema.Union([
    schemaOfAnswer(DECISION_ANSWER),
    schemaOfAnswer(GROUP_ANSWER).annotate({ description: "For a request with travellers." }),
  ]),
  meta: Schema.Struct({ ...fieldsOfAnswer(DECISION_COST), ...Meta.fields }),
})

const [OUTCOME, VERDICT] = [fieldsOfAnswer(DECISION_ANSWER).outcome, fieldsOfAnswer(DECISION_ANSWER).verdict]

const { coverage: _coverage, languages: _languages, ...COMPACT_META } = Meta.fields

/** The compact form. Its fields are those of the whole answer, where there is something to say. */
export const CompactDecision = makeBody(
  "CompactDecision",
  "With `view=compact`: the same facts, each once. A known finding is its value; what is unknown is in `unknowns` only, with all its stops; what has to be done is not repeated in `conditions`; deciding rules are in `rules`, under the ids that findings name.",
  {
    data: Schema.StructWithRest(
      Schema.Struct({
        view: Schema.Literal("compact"),
        outcome: OUTCOME,
        verdict: VERDICT,
        rules: Schema.optionalKey(Schema.Record(Schema.String, Schema.Record(Schema.String, Schema.Unknown))),
      }),
      [Schema.Record(Schema.String, Schema.Unknown)],
    ),
    meta: Schema.Struct({ ...fieldsOfAnswer(DECISION_COST), ...COMPACT_META }),
  },
)

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
