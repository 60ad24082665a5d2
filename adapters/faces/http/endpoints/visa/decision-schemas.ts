/** Itineraries and what is found for them, for the reference. The engine reads the request itself and names every mistake. */
import { Schema } from "effect"
import { HttpApiSchema } from "effect/http-api"
import { DECISION_REQUEST } from "../../../../../src/engine.ts"
import { DECISION_EXAMPLE } from "../../../../knowledge/answers/decision.ts"
import { schemaOf } from "../../../../knowledge/answers/field-schemas.ts"
import { Meta, RequirementValue } from "./shared-schemas.ts"

/** What a sentence says, as a code (listed in the reference) and what the sentence is made of. */
const Params = Schema.Record(Schema.String, Schema.Unknown).annotate({ description: "What the sentence is made of." })
const coded = {
  code: Schema.String.annotate({ description: "What the reason says, as a code." }),
  params: Params,
}

const granularity = { granularity: Schema.Literals(["pair", "destination"]) }

/** A finding: a value, or the reason why there is none. */
const findingOf = <Value extends Schema.Top, More extends Schema.Struct.Fields>(value: Value, more: More) =>
  Schema.Union([
    Schema.Struct({ ...granularity, status: Schema.Literal("known"), value, ...more }),
    Schema.Struct({ ...granularity, status: Schema.Literal("unknown"), reason: Schema.String, ...coded, ...more }),
  ])

const Provenance = {
  source_url: Schema.optionalKey(Schema.NullOr(Schema.String)),
  last_verified: Schema.optionalKey(Schema.NullOr(Schema.String)),
}

/** A held document that changes what is asked. */
const Because = Schema.Struct({
  document: Schema.NullOr(Schema.Int).annotate({ description: "Its place in held; null for the residence." }),
  kind: Schema.Literals(["visa", "residence_permit"]),
  issuer: Schema.String,
  rule: Schema.NullOr(
    Schema.Struct({
      requirement: RequirementValue,
      days: Schema.NullOr(Schema.Int),
      conditions: Schema.Array(Schema.Record(Schema.String, Schema.Unknown)),
      note: Schema.NullOr(Schema.String),
      source_url: Schema.NullOr(Schema.String),
      last_verified: Schema.NullOr(Schema.String),
    }),
  ).annotate({ description: "The rule that names it; null for a document of the destination itself." }),
})

const DecisionStep = Schema.Struct({
  index: Schema.Int,
  destination: Schema.String,
  from: Schema.String,
  to: Schema.String,
  days: Schema.Int.annotate({ description: "Both ends counted." }),
  passport: Schema.String.annotate({ description: "The passport to use here." }),
  requirement: findingOf(RequirementValue, { ...Provenance, because: Schema.optionalKey(Schema.Array(Because)) }),
  max_stay: findingOf(Schema.Union([Schema.Int, Schema.Literal("unlimited")]), {}),
  days_accumulated: findingOf(Schema.Int, {}),
  passport_validity: findingOf(Schema.Literals(["met", "not_met"]), {
    rule: Schema.NullOr(Schema.Record(Schema.String, Schema.Unknown)),
  }),
  counted_stay: Schema.optionalKey(
    findingOf(Schema.Int, {
      allowance_days: Schema.Int,
      counting: Schema.Literals(["visit", "accumulated", "per_entry", "rolling", "calendar_year", "per_year_of_entry"]),
      rule: Schema.NullOr(Schema.Record(Schema.String, Schema.Unknown)),
    }),
  ).annotate({
    description: "Days held against the longest stay, where other days count too or a stay rule is recorded.",
  }),
  zone_stay: Schema.optionalKey(findingOf(Schema.Int, { zone: Schema.String, allowance_days: Schema.Int })),
}).annotate({ identifier: "DecisionStep" })

const Notice = { step: Schema.NullOr(Schema.Int), ...granularity }

const Remedy = Schema.Struct({
  action: Schema.Literals(["leave_by", "enter_from", "use_passport", "renew_before", "obtain", "shorten"]),
  step: Schema.Int,
  value: Schema.Union([Schema.String, Schema.Int, Schema.Record(Schema.String, Schema.Unknown)]).annotate({
    description: "A date, a passport, a number of days (shorten) or a document (obtain).",
  }),
  passport: Schema.optionalKey(Schema.String),
}).annotate({ description: "What helps: decided again with it applied, the blocker is gone." })

const blocker = {
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
  basis: Schema.optionalKey(Schema.Literals(["accumulated", "held_document"])),
  params: Params,
  remedies: Schema.optionalKey(Schema.Array(Remedy)),
  ...Notice,
}
const condition = {
  code: Schema.Union([RequirementValue, Schema.Literals(["check_permitted_stay", "check_held_document"])]),
  message: Schema.String,
  params: Params,
  ...Notice,
}
const gap = { field: Schema.String, reason: Schema.String, ...coded, ...Notice }

const ChangedAnswer = Schema.NullOr(
  Schema.Struct({ requirement: RequirementValue, days: Schema.NullOr(Schema.Int), ...Provenance }),
)

const start = {
  outcome: Schema.Literals(["blocked", "obtain", "unknown", "clear"]).annotate({
    description:
      "The first that applies: `blocked`, something blocks; `obtain`, something has to be had or done before departure; `unknown`, a fact that decides an entry is unknown; `clear`, none of these.",
  }),
  verdict: Schema.Literals(["no_blocker_found", "blocked"]),
}

const toDo = {
  code: condition.code,
  step: Schema.Int.annotate({ description: "The first stop that it is for." }),
  steps: Schema.Array(Schema.Int),
  destination: Schema.String.annotate({ description: "Who issues it or asks for it." }),
  passport: Schema.String,
  due: Schema.Literals(["before_departure", "on_arrival"]),
  name: Schema.NullOr(Schema.String).annotate({ description: "Its official name." }),
  url: Schema.NullOr(Schema.String).annotate({ description: "The official page." }),
  apply_by: Schema.NullOr(Schema.String).annotate({
    description: "The latest day to apply; null where no processing time is recorded.",
  }),
  fee: Schema.NullOr(Schema.Struct({ amount: Schema.Finite, currency: Schema.String })),
  message: Schema.String,
}

/** What was found for one traveller. */
const OneDecision = Schema.Struct({
  ...start,
  to_do: Schema.Array(Schema.Struct(toDo)).annotate({ description: "What has to be obtained or done, in order." }),
  passport: Schema.String,
  passport_expiry: Schema.NullOr(Schema.String),
  passports: Schema.optionalKey(Schema.Array(Schema.Record(Schema.String, Schema.NullOr(Schema.String)))),
  steps: Schema.Array(DecisionStep),
  transit: Schema.Array(
    Schema.Struct({
      country: Schema.String,
      rule: findingOf(Schema.Array(Schema.Record(Schema.String, Schema.Unknown)), {}),
      permitted: findingOf(Schema.Never, {}),
      because: Schema.optionalKey(Schema.Array(Schema.Int)).annotate({
        description: "Places of held documents that waive a visa that the rule demands.",
      }),
    }),
  ),
  blockers: Schema.Array(Schema.Struct(blocker)),
  conditions: Schema.Array(Schema.Struct(condition)),
  unknowns: Schema.Array(Schema.Struct(gap)),
  held: Schema.optionalKey(Schema.Array(Schema.Record(Schema.String, Schema.Unknown))).annotate({
    description: "The documents as given, each with the stops that are entered with it.",
  }),
  changes: Schema.optionalKey(
    Schema.Array(
      Schema.Struct({
        step: Schema.Int,
        on: Schema.String,
        destination: Schema.String,
        passport: Schema.NullOr(Schema.String),
        before: ChangedAnswer,
        after: ChangedAnswer,
        zone: Schema.NullOr(Schema.String),
      }),
    ),
  ).annotate({ description: "Scheduled changes before a stop or during it." }),
  residence: Schema.NullOr(Schema.String),
  purpose: Schema.NullOr(Schema.String),
}).annotate({ identifier: "OneDecision" })

const traveller = { traveller: Schema.Int.annotate({ description: "Place among the travellers." }) }

/** What was found for an itinerary. */
export const DecisionAnswer = Schema.Struct({
  data: Schema.Union([
    OneDecision,
    Schema.Struct({
      ...start,
      to_do: Schema.Array(Schema.Struct({ ...traveller, ...toDo })),
      travellers: Schema.Array(OneDecision),
      blockers: Schema.Array(Schema.Struct({ ...traveller, ...blocker })),
      conditions: Schema.Array(Schema.Struct({ ...traveller, ...condition })),
      unknowns: Schema.Array(Schema.Struct({ ...traveller, ...gap })),
    }).annotate({ identifier: "GroupDecision", description: "For a request with travellers." }),
  ]),
  meta: Schema.Struct({ pairs_charged: Schema.Int, ...Meta.fields }),
}).annotate({ identifier: "DecisionAnswer", description: "Every step, what blocks, and what is not known." })

/** An itinerary; the engine reads it and names every mistake, so that this is for the reference. */
export const DecisionRequest = schemaOf(DECISION_REQUEST, {
  code: "ISO 3166-1 alpha-3, capital letters.",
  offersNull: true,
  offersBare: true,
}).annotate({ identifier: "DecisionRequest", examples: [DECISION_EXAMPLE] })

/** A request that was refused, with a valid one to start from. */
export const DecisionRefused = Schema.Struct({
  error: Schema.String,
  issues: Schema.Array(Schema.Struct({ path: Schema.String, message: Schema.String })),
  example: DecisionRequest,
})
  .annotate({ identifier: "DecisionRefused", description: "The body is not valid JSON, or not an itinerary." })
  .pipe(HttpApiSchema.status(400))
