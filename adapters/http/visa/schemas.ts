/** The bodies of the visa service's answers, for the reference. The contract tests hold real answers against them. */
import { Schema } from "effect"
import { HttpApiSchema } from "effect/http-api"
import { REQUIREMENTS } from "../../../src/index.ts"
import { DECISION_EXAMPLE } from "./decision.ts"
import { LANGUAGES } from "./languages.ts"

const RequirementValue = Schema.Literals(REQUIREMENTS).annotate({ identifier: "Requirement" })

/** The same resource for people. */
export const Markdown = Schema.String.annotate({ description: "The record for people." }).pipe(
  HttpApiSchema.asText({ contentType: "text/markdown" }),
)

const Meta = Schema.Struct({
  lang: Schema.String,
  api_version: Schema.String,
  dataset_version: Schema.String,
  coverage: Schema.String,
  languages: Schema.Int,
}).annotate({ identifier: "Meta", description: "Which interface and which data." })

const checkFields = {
  passport: Schema.String,
  destination: Schema.String,
  requirement: RequirementValue,
  requirement_status: Schema.optionalKey(Schema.Literal("uncertain")),
  visa_free_days: Schema.NullOr(Schema.Int).annotate({
    description: "Allowed stay in days; null when it is no fixed number.",
  }),
  visa_required: Schema.Boolean.annotate({ description: "False exactly for visa_free and eta." }),
  home: Schema.optionalKey(Schema.Literal(true)),
  source_url: Schema.NullOr(Schema.String),
  last_verified: Schema.NullOr(Schema.String),
}

/** The quick check: the record flat, and once more in `data`. */
export const CheckAnswer = Schema.Struct({
  ...checkFields,
  data: Schema.Struct(checkFields).annotate({ identifier: "CheckRecord" }),
  meta: Meta,
}).annotate({ identifier: "CheckAnswer", description: "The quick check record." })

const statisticsFields = {
  coverage: Schema.Struct({
    visa_details: Schema.Int,
    passports: Schema.Int,
    destinations: Schema.Int,
    passport_index_pairs: Schema.Int,
    translations: Schema.Int,
    languages: Schema.Int,
  }),
  supported_languages: Schema.Array(
    Schema.Struct({ code: Schema.Literals(LANGUAGES.map(language => language.code)), name: Schema.String }),
  ),
  api_version: Schema.String,
}

/** The statistics, flat and in `data`. */
export const StatsAnswer = Schema.Struct({
  ...statisticsFields,
  data: Schema.Struct(statisticsFields).annotate({ identifier: "Statistics" }),
  meta: Meta,
}).annotate({ identifier: "StatsAnswer", description: "How much the service knows." })

const GroupMember = Schema.Struct({
  passport: Schema.String,
  requirement: RequirementValue,
  requirement_status: Schema.optionalKey(Schema.Literal("uncertain")),
  visa_free_days: Schema.NullOr(Schema.Int),
  home: Schema.optionalKey(Schema.Literal(true)),
})

/** Where a group can go. */
export const GroupAnswer = Schema.Struct({
  data: Schema.Struct({
    passports: Schema.Array(Schema.String),
    allow: Schema.Array(RequirementValue),
    count: Schema.Int,
    destinations: Schema.Array(
      Schema.Struct({
        destination: Schema.String,
        worst_requirement: RequirementValue,
        group_visa_free_days: Schema.NullOr(Schema.Int),
        group_stay: Schema.Literals(["days", "unlimited", "freedom_of_movement", "unknown"]).annotate({
          description: "What is known of the group's stay; `days` where group_visa_free_days is a number.",
        }),
        passports: Schema.Array(GroupMember),
      }),
    ),
  }),
  meta: Meta,
}).annotate({ identifier: "GroupAnswer", description: "Destinations that every passport can enter, easiest first." })

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
  .annotate({ identifier: "DecisionRefused", description: "The body is no JSON, or no itinerary." })
  .pipe(HttpApiSchema.status(400))

const RequirementCounts = Schema.Record(RequirementValue, Schema.Int)

const scoreFields = {
  passport: Schema.String,
  score: Schema.Finite.annotate({ description: "0 to 1000, one decimal." }),
  rank: Schema.Int,
  total_ranked: Schema.Int,
  percentile: Schema.Finite,
  visa_free_count: Schema.Int,
  breakdown: Schema.Struct({
    access: Schema.Struct({ score: Schema.Finite, detail: RequirementCounts }),
    diversity: Schema.Struct({
      score: Schema.Finite,
      regions: Schema.Array(Schema.Struct({ region: Schema.String, destinations: Schema.Int, unlocked: Schema.Int })),
    }),
    economy: Schema.Struct({ score: Schema.Finite, gdp_share: Schema.Finite }),
  }),
}

/** A passport's mobility score, flat and in `data`. */
export const ScoreAnswer = Schema.Struct({
  ...scoreFields,
  data: Schema.Struct(scoreFields).annotate({ identifier: "Score" }),
  meta: Meta,
}).annotate({ identifier: "ScoreAnswer", description: "The mobility score of a passport." })

const ComparedPassport = Schema.Struct({ code: Schema.String, score: Schema.Finite, rank: Schema.Int })

const comparisonFields = {
  passport1: ComparedPassport,
  passport2: ComparedPassport,
  combined: Schema.Struct({
    score: Schema.Finite,
    total_accessible: Schema.Int,
    only_passport1_count: Schema.Int,
    only_passport2_count: Schema.Int,
    both_count: Schema.Int,
    neither_count: Schema.Int,
  }),
  only_passport1: Schema.Array(Schema.String),
  only_passport2: Schema.Array(Schema.String),
}

/** Two passports side by side, flat and in `data`. */
export const ComparisonAnswer = Schema.Struct({
  ...comparisonFields,
  data: Schema.Struct(comparisonFields).annotate({ identifier: "Comparison" }),
  meta: Meta,
}).annotate({ identifier: "ComparisonAnswer", description: "What one passport opens that the other does not." })

/** One answered question. */
export const LiveEvent = Schema.Struct({
  passport: Schema.String,
  destination: Schema.String,
  timestamp: Schema.String.annotate({ description: "ISO 8601, UTC." }),
}).annotate({ identifier: "ActivityEvent" })

/** The last events. */
export const RecentAnswer = Schema.Struct({ events: Schema.Array(LiveEvent), count: Schema.Int }).annotate({
  identifier: "RecentActivity",
  description: "The last events, newest first, at most fifty.",
})

export const TooManyListeners = Schema.Struct({ error: Schema.String })
  .annotate({ description: "Too many clients listen already." })
  .pipe(HttpApiSchema.status(503))

export const Withdrawn = Schema.Struct({
  error: Schema.String,
  status: Schema.Literal("unavailable"),
  contact: Schema.String,
})
  .annotate({ identifier: "Withdrawn", description: "The feed is withdrawn." })
  .pipe(HttpApiSchema.status(503))
