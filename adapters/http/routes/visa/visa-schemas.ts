/** The bodies of the visa service's answers, for the reference. The contract tests compare real answers with them. */
import { Schema } from "effect"
import { HttpApiSchema } from "effect/http-api"
import {
  CHECK_FIELDS,
  DECISION_ANSWER,
  DECISION_COST,
  GROUP_ANSWER,
  RECORD_FIELDS,
  UPGRADE_STUB,
} from "../../../../src/answers.ts"
import { DECISION_REQUEST, EVIDENCE_LEVELS, REQUIREMENTS } from "../../../../src/engine.ts"
import { CORE_FIELDS, FIELD_NAMES, FIELDS_WITHOUT_STUB, type GatedRecord, LANGUAGES } from "../../../../src/full.ts"
import { DECISION_EXAMPLE } from "../../../answers/decision.ts"
import {
  fieldsOfAnswer,
  fieldsOfKinds,
  schemaOf,
  schemaOfAnswer,
  schemaOfKind,
} from "../../../answers/field-schemas.ts"
import { makeBody } from "../../pipeline/describe-row.ts"

const RequirementValue = schemaOfKind(RECORD_FIELDS.requirement.is)

export const Texts = Schema.Array(Schema.String)

const Meta = makeBody("Meta", "The versions of the interface and of the data.", {
  lang: Schema.String,
  api_version: Schema.String,
  dataset_version: Schema.String,
  coverage: Schema.String,
  languages: Schema.Int,
  facts_version: Schema.optionalKey(Schema.String).annotate({
    description: "The dataset of a record's facts, if it is not that of its pairs.",
  }),
  facts_as_of: Schema.optionalKey(Schema.String),
})

// The rows of the record define the order of its fields, and which of them a plan may show as a stub.

const UpgradeStub = schemaOfKind(UPGRADE_STUB)
const CORE: ReadonlySet<string> = new Set(CORE_FIELDS)
const WITHOUT_STUB: ReadonlySet<string> = new Set(FIELDS_WITHOUT_STUB)

const fields = FIELD_NAMES.map(name => {
  const { is, isRequired } = RECORD_FIELDS[name]
  const whole = schemaOfKind<unknown>(is)
  const value = CORE.has(name) || WITHOUT_STUB.has(name) ? whole : Schema.Union([whole, UpgradeStub])
  return [name, isRequired ? value : Schema.optionalKey(value)] as const
})

/** A full record as some plan shows it. */
// The compiler cannot follow the fields by name.
export const FullRecord = makeBody(
  "VisaRecord",
  "The full record of a pair; unknown fields are absent.",
  Object.fromEntries(fields),
) as unknown as Schema.Codec<GatedRecord>

/** Fields flat and once more in `data`, as `bothWays` writes them. */
const bothWays = <Of extends Schema.Struct.Fields>(identifier: string, fields: Of) => ({
  ...fields,
  data: Schema.Struct(fields).annotate({ identifier }),
  meta: Meta,
})

/** The quick check: the record flat, and once more in `data`. */
export const CheckAnswer = makeBody(
  "CheckAnswer",
  "The quick check record.",
  bothWays("CheckRecord", fieldsOfKinds(CHECK_FIELDS)),
)

const Nullable = Schema.NullOr(Schema.String)
const FirstSeen = makeBody(
  "FirstSeen",
  "The last day with another answer, null if the first list has this one, and the first day with this one.",
  { after: Nullable, by: Schema.String },
)
const pastValueFields = {
  requirement: Schema.NullOr(RequirementValue).annotate({
    description: "Null if the table's word does not name one requirement.",
  }),
  word: Schema.String.annotate({ description: "The word in the table." }),
  visa_free_days: Schema.NullOr(Schema.Int),
  reason: Nullable.annotate({ description: "`covid_ban` if nobody was admitted because of the pandemic." }),
}
const pastFields = {
  passport: Schema.String,
  destination: Schema.String,
  on: Schema.String,
  status: Schema.Literals(["imported", "published"]).annotate({
    description: "`imported` from tables, or `published` by the authority; never verified.",
  }),
  ...pastValueFields,
  later_called: Schema.NullOr(RequirementValue),
  first_seen: FirstSeen,
  last_seen: Schema.String,
  or: Schema.NullOr(Schema.Struct({ ...pastValueFields, first_seen: FirstSeen })).annotate({
    description: "For a day between two tables that differ: the later one's answer. One of the two applied on the day.",
  }),
  source: Schema.Struct({ id: Schema.String, name: Schema.String, url: Nullable }),
  last_verified: Schema.Null,
}

/** The quick check of a past day, flat and in `data`. */
export const PastCheckAnswer = makeBody(
  "PastCheckAnswer",
  "What was needed on a past day.",
  bothWays("PastCheckRecord", pastFields),
)

export const VisaAnswer = makeBody("VisaAnswer", "The full record, with the fields of the caller's plan.", {
  data: FullRecord,
  meta: Meta,
})

export const BulkAnswer = makeBody("BulkAnswer", "Records, and the destinations that have none.", {
  data: Schema.Array(FullRecord),
  meta: Schema.Struct({ count: Schema.Int, missing: Texts, pairs_charged: Schema.Int, ...Meta.fields }),
})

const statisticsFields = {
  coverage: Schema.Struct({
    visa_details: Schema.Int,
    passports: Schema.Int,
    destinations: Schema.Int,
    passport_index_pairs: Schema.Int,
    translations: Schema.Int,
    languages: Schema.Int,
  }),
  sources: Schema.Array(
    Schema.Struct({
      id: Schema.String,
      evidence: Schema.Literals(EVIDENCE_LEVELS),
      pairs: Schema.Int,
      oldest_on: Schema.NullOr(Schema.String),
      newest_on: Schema.NullOr(Schema.String),
      age_days: Schema.NullOr(Schema.Int).annotate({
        description: "Days since the oldest check; null if no day is known.",
      }),
    }),
  ).annotate({ description: "The age of each source's statements, the sources of most pairs first." }),
  supported_languages: Schema.Array(Schema.Struct({ code: Schema.Literals(LANGUAGES), name: Schema.String })),
  api_version: Schema.String,
}

/** The statistics, flat and in `data`. */
export const StatsAnswer = makeBody("StatsAnswer", "Statistics of the data.", bothWays("Statistics", statisticsFields))

const GroupMember = Schema.Struct({
  passport: Schema.String,
  requirement: RequirementValue,
  requirement_status: Schema.optionalKey(Schema.Literal("uncertain")),
  visa_free_days: Schema.NullOr(Schema.Int),
  home: Schema.optionalKey(Schema.Literal(true)),
})

export const GroupAnswer = makeBody("GroupAnswer", "Destinations that every passport can enter, easiest first.", {
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
          description: "The kind of the group's stay; `days` if group_visa_free_days is a number.",
        }),
        passports: Schema.Array(GroupMember),
      }),
    ),
  }),
  meta: Meta,
})

const RequirementCounts = Schema.Record(Schema.Literals(REQUIREMENTS), Schema.Int)

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
export const ScoreAnswer = makeBody("ScoreAnswer", "The mobility score of a passport.", bothWays("Score", scoreFields))

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
export const ComparisonAnswer = makeBody(
  "ComparisonAnswer",
  "The destinations that only one passport opens, and the combined score.",
  bothWays("Comparison", comparisonFields),
)

/** One answered question. */
export const LiveEvent = Schema.Struct({
  passport: Schema.String,
  destination: Schema.String,
  timestamp: Schema.String.annotate({ description: "ISO 8601, UTC." }),
}).annotate({ identifier: "ActivityEvent" })

export const RecentAnswer = makeBody("RecentActivity", "The last events, newest first, at most fifty.", {
  events: Schema.Array(LiveEvent),
  count: Schema.Int,
})

export const Withdrawn = makeBody("Withdrawn", "The feed is withdrawn.", {
  error: Schema.String,
  status: Schema.Literal("unavailable"),
  contact: Schema.String,
}).pipe(HttpApiSchema.status(503))

// Itineraries and decisions, for the reference. Both are made from the tables of the engine, which reads and writes them itself.

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
