/** Itineraries and what is found for them, for the reference. The engine reads the request itself and names every mistake. */
import { Schema } from "effect"
import { HttpApiSchema } from "effect/http-api"
import { DECISION_EXAMPLE } from "../../answers/decision.ts"
import { Meta, RequirementValue } from "./shared-schemas.ts"

const granularity = { granularity: Schema.Literals(["pair", "destination"]) }

/** A finding: a value, or the reason why there is none. */
const findingOf = <Value extends Schema.Top, More extends Schema.Struct.Fields>(value: Value, more: More) =>
  Schema.Union([
    Schema.Struct({ ...granularity, status: Schema.Literal("known"), value, ...more }),
    Schema.Struct({ ...granularity, status: Schema.Literal("unknown"), reason: Schema.String, ...more }),
  ])

const Provenance = {
  source_url: Schema.optionalKey(Schema.NullOr(Schema.String)),
  last_verified: Schema.optionalKey(Schema.NullOr(Schema.String)),
}

const DecisionStep = Schema.Struct({
  index: Schema.Int,
  destination: Schema.String,
  from: Schema.String,
  to: Schema.String,
  days: Schema.Int.annotate({ description: "Both ends counted." }),
  passport: Schema.String.annotate({ description: "The passport to use here." }),
  requirement: findingOf(RequirementValue, Provenance),
  max_stay: findingOf(Schema.Union([Schema.Int, Schema.Literal("unlimited")]), {}),
  days_accumulated: findingOf(Schema.Int, {}),
  passport_validity: findingOf(Schema.Literals(["met", "not_met"]), {
    rule: Schema.NullOr(Schema.Record(Schema.String, Schema.Unknown)),
  }),
  zone_stay: Schema.optionalKey(findingOf(Schema.Int, { zone: Schema.String, allowance_days: Schema.Int })),
}).annotate({ identifier: "DecisionStep" })

const Notice = { step: Schema.NullOr(Schema.Int), ...granularity }

/** What was found for an itinerary. */
export const DecisionAnswer = Schema.Struct({
  data: Schema.Struct({
    verdict: Schema.Literals(["no_blocker_found", "blocked"]),
    passport: Schema.String,
    passport_expiry: Schema.NullOr(Schema.String),
    passports: Schema.optionalKey(Schema.Array(Schema.Record(Schema.String, Schema.NullOr(Schema.String)))),
    steps: Schema.Array(DecisionStep),
    transit: Schema.Array(
      Schema.Struct({
        country: Schema.String,
        rule: findingOf(Schema.Array(Schema.Record(Schema.String, Schema.Unknown)), {}),
        permitted: findingOf(Schema.Never, {}),
      }),
    ),
    blockers: Schema.Array(
      Schema.Struct({
        code: Schema.Literals([
          "no_admission",
          "stay_exceeded",
          "zone_stay_exceeded",
          "passport_expired",
          "passport_validity_short",
          "passport_expires_before_exit",
        ]),
        message: Schema.String,
        zone: Schema.optionalKey(Schema.String),
        ...Notice,
      }),
    ),
    conditions: Schema.Array(Schema.Struct({ code: RequirementValue, message: Schema.String, ...Notice })),
    unknowns: Schema.Array(Schema.Struct({ field: Schema.String, reason: Schema.String, ...Notice })),
    residence: Schema.NullOr(Schema.String),
    purpose: Schema.NullOr(Schema.String),
  }),
  meta: Schema.Struct({ pairs_charged: Schema.Int, ...Meta.fields }),
}).annotate({ identifier: "DecisionAnswer", description: "Every step, what blocks, and what is not known." })

const CodeOnWire = Schema.String.annotate({ description: "ISO 3166-1 alpha-3, capital letters." })
const DateOnWire = Schema.String.annotate({ description: "A calendar date YYYY-MM-DD." })

const heldPassport = {
  passport: CodeOnWire,
  passport_expiry: Schema.optionalKey(Schema.NullOr(DateOnWire)),
  passport_issued: Schema.optionalKey(Schema.NullOr(DateOnWire)),
}

/** An itinerary; the engine reads it and names every mistake, so that this is for the reference. */
export const DecisionRequest = Schema.Struct({
  ...heldPassport,
  passport: Schema.optionalKey(CodeOnWire),
  passports: Schema.optionalKey(
    Schema.Array(Schema.Union([CodeOnWire, Schema.Struct(heldPassport)])).annotate({
      description: "Instead of passport: 1 to 10 passports of the same traveller.",
    }),
  ),
  stops: Schema.Array(Schema.Struct({ destination: CodeOnWire, from: DateOnWire, to: DateOnWire })).annotate({
    description: "1 to 12 stays in order; both ends count; one may begin on the day on which the one before it ends.",
  }),
  transit: Schema.optionalKey(Schema.NullOr(Schema.Array(CodeOnWire))).annotate({
    description: "At most 12 countries.",
  }),
  residence: Schema.optionalKey(Schema.NullOr(CodeOnWire)).annotate({ description: "Echoed and not modelled." }),
  purpose: Schema.optionalKey(Schema.NullOr(Schema.String)).annotate({ description: "Echoed and not modelled." }),
}).annotate({ identifier: "DecisionRequest", examples: [DECISION_EXAMPLE] })

/** A request that was refused, with a valid one to start from. */
export const DecisionRefused = Schema.Struct({
  error: Schema.String,
  issues: Schema.Array(Schema.Struct({ path: Schema.String, message: Schema.String })),
  example: DecisionRequest,
})
  .annotate({ identifier: "DecisionRefused", description: "The body is not valid JSON, or not an itinerary." })
  .pipe(HttpApiSchema.status(400))
