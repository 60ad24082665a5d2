/** The bodies of the visa service's answers, for the reference. The contract tests compare real answers with them. */
import { Schema, Struct } from "effect"
import { HttpApiSchema } from "effect/http-api"
import { DECISION_ANSWER, DECISION_COST, GROUP_ANSWER } from "../../../../src/answers.ts"
import { DECISION_REQUEST, EVIDENCE_LEVELS, REQUIREMENTS, STALE_REASONS } from "../../../../src/engine.ts"
import {
  CORE_FIELDS,
  FIELD_NAMES,
  FIELDS_WITHOUT_STUB,
  type FieldName,
  type FullRecord as FullRecordFields,
  type GatedRecord,
  LANGUAGES,
  MISSION_KINDS,
} from "../../../../src/full.ts"
import { DECISION_EXAMPLE } from "../../../answers/decision.ts"
import { fieldsOfAnswer, schemaOf, schemaOfAnswer } from "../../../answers/field-schemas.ts"
import { makeBody } from "../../pipeline/describe-row.ts"

const RequirementValue = Schema.Literals(REQUIREMENTS).annotate({ identifier: "Requirement" })

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

// The optional fields of every answer about a pair, for the reference: conditions, ends, changes, second sources.

const secondSource = {
  source: Schema.String,
  source_url: Schema.NullOr(Schema.String),
  checked_on: Schema.String,
}

const TERM_VALUES = {
  conditions: Schema.Array(
    Schema.Struct({
      kind: Schema.String.annotate({ description: "A kind of condition, or `waiver` or `note`." }),
      text: Schema.String,
      source_url: Schema.NullOr(Schema.String),
    }).annotate({ identifier: "EntryCondition" }),
  ),
  changed_since: Schema.Struct({ on: Schema.String, source_url: Schema.NullOr(Schema.String) }).annotate({
    description: "An official log names a change of the entry rules that is newer than this record.",
  }),
  stay_basis: Schema.Literal("table").annotate({
    description: "The days come from the imported table alone, and are not a maximum stay.",
  }),
  ends_on: Schema.String.annotate({ description: "The last day on which the rule is announced to hold, YYYY-MM-DD." }),
  after_expiry: Schema.Literal(true).annotate({
    description: "An earlier rule ended on `ended_on`, its last day, and nothing newer is recorded.",
  }),
  ended_on: Schema.String,
  corroborated: Schema.Struct(secondSource).annotate({
    description: "A second source with the same answer, and the day on which it was read.",
  }),
  disputed: Schema.Struct({
    ...secondSource,
    requirement: RequirementValue,
    visa_free_days: Schema.NullOr(Schema.Int),
    because: Schema.optionalKey(Schema.String),
    open: Schema.optionalKey(Schema.Literal(true)),
  }).annotate({
    description:
      "A second source with another answer. `because` says in English why ours stands or what contradicts what; `open` is true if nothing decides between the two.",
  }),
  evidence: Schema.Struct({ level: Schema.Literals(EVIDENCE_LEVELS), on: Schema.optionalKey(Schema.String) }).annotate({
    description:
      "The evidence: `read` by us on the official page, `cited` by a compiler who names the page, or taken from a `table`; `on` is the day on which the page was last read.",
  }),
  age_days: Schema.Int.annotate({
    description: "Days since the last check of the page, of the table, or by a second source with the same answer.",
  }),
  stale: Schema.Literals(STALE_REASONS).annotate({
    description:
      "Why the answer may be outdated: its announced end has passed (`ended`), an official log names a later change (`changed_since`), or the last check is too long ago (`unchecked`).",
  }),
}

/** The additive fields of the quick check. */
const termFields = Struct.map(TERM_VALUES, Schema.optionalKey)

// What is the wire form of the full record of one pair, as a schema for the reference and the tests?
// The rows of the record itself define the fields, their order, and which of them a plan may show as a stub. This file only defines the
// values. TypeScript refuses a missing field, an additional one, and one of another type.

const UpgradeStub = makeBody("UpgradeStub", "Replaces a field that the plan does not show.", {
  upgrade: Schema.String,
  upgrade_url: Schema.String,
})

const optional = Schema.optionalKey
const MaybeText = Schema.NullOr(Schema.String)
const OptionalText = optional(Schema.String)
const OptionalInt = optional(Schema.Int)
const OptionalFlag = optional(Schema.Boolean)

const money = { amount: Schema.Finite, currency: Schema.String }
const Money = Schema.Struct(money).annotate({ identifier: "Money" })
const OptionalMoney = optional(Money)

const opinion = {
  advisory: Schema.String,
  source: Schema.String,
  source_url: OptionalText,
  updated_at: OptionalText,
}

const Mission = makeBody("Mission", "A mission as of a day; unknown fields are absent.", {
  name: Schema.String,
  kind: Schema.Literals(MISSION_KINDS),
  address: OptionalText,
  city: OptionalText,
  country: Schema.String,
  phone: OptionalText,
  emergency_phone: OptionalText,
  email: OptionalText,
  website: OptionalText,
  as_of: Schema.String,
})

const VALUES: { readonly [Name in FieldName]-?: Schema.Codec<Exclude<FullRecordFields[Name], undefined>> } = {
  passport: Schema.String,
  destination: Schema.String,
  requirement: RequirementValue,
  visa_free_days: Schema.NullOr(Schema.Int),
  visa_required: Schema.Boolean,
  home: Schema.Literal(true),
  requirement_status: Schema.Literal("uncertain"),
  source_url: MaybeText,
  last_verified_at: MaybeText,
  verified: Schema.Boolean,
  description: Schema.String,
  ...TERM_VALUES,
  documents_required: Texts,
  process: Texts,
  visa_types: Schema.Array(
    Schema.Struct({ nom: Schema.String, cout: Schema.String, duree: OptionalText, description: Schema.String }),
  ),
  extension: Schema.Struct({
    possible: Schema.Boolean,
    cout: OptionalText,
    duree: OptionalText,
    lieu: OptionalText,
  }),
  tips: Texts,
  passport_validity_months: Schema.Int,
  visa_fee: Schema.Struct({
    single_entry: OptionalMoney,
    multiple_entry: OptionalMoney,
    children: optional(Schema.Array(Schema.Struct({ below_years: Schema.Int, ...money }))),
    biometrics: OptionalMoney,
  }),
  processing_days: Schema.Struct({
    standard: OptionalInt,
    express: OptionalInt,
    rush: OptionalInt,
    unit: Schema.Literals(["days", "working_days"]),
  }),
  best_apply_period: Schema.String,
  photo_specs: Schema.Struct({
    width_mm: optional(Schema.Finite),
    height_mm: optional(Schema.Finite),
    background: OptionalText,
    glasses_allowed: OptionalFlag,
    head_covering_allowed: OptionalFlag,
  }),
  insurance_required: Schema.Struct({
    required: Schema.Boolean,
    none_found: OptionalFlag,
    min_coverage: optional(Schema.Finite),
    currency: OptionalText,
  }),
  vaccinations_required: Texts,
  health_requirements: Schema.Struct({
    covid_test: Schema.NullOr(Schema.Boolean),
    vaccination_proof: Schema.NullOr(Schema.Boolean),
    health_declaration: Schema.NullOr(Schema.Boolean),
    quarantine_days: Schema.NullOr(Schema.Int),
    ebola_screening: Schema.NullOr(Schema.Boolean),
    notes: Texts,
  }),
  safety: Schema.Struct({
    level: optional(Schema.Literals([1, 2, 3, 4])),
    others: optional(Schema.Array(Schema.Struct(opinion))),
    ...opinion,
  }),
  transit_visa: Schema.Struct({
    required_for: optional(Texts),
    complete: OptionalFlag,
    max_hours: OptionalInt,
    hubs: optional(Texts),
    source_url: OptionalText,
  }),
  minor_rules: Schema.Struct({
    solo_travel_min_age: Schema.NullOr(Schema.Int),
    single_parent_letter_required: Schema.NullOr(Schema.Boolean),
    notarized_consent_required: Schema.NullOr(Schema.Boolean),
    notes: Texts,
  }),
  customs: Schema.Struct({
    declare_cash: optional(Schema.Struct(money)),
    cigarettes: OptionalInt,
    spirits_litres: optional(Schema.Finite),
  }),
  dual_nationality_warnings: Texts,
  stamp_warnings: Texts,
  overstay_penalty: Schema.Struct({
    fine_per_day: OptionalMoney,
    ban_days: OptionalInt,
    criminal: OptionalFlag,
    details: Schema.String,
  }),
  entry_by_mode: Schema.Struct({ air: OptionalText, land: OptionalText, sea: OptionalText }),
  extension_rules: Schema.Struct({
    possible: Schema.Boolean,
    max_days: OptionalInt,
    fee: OptionalMoney,
    where: OptionalText,
  }),
  country_info: Schema.Struct({
    currency: OptionalText,
    language: OptionalText,
    timezone: OptionalText,
    capital: OptionalText,
  }),
  remote_work_visa: Schema.Struct({
    available: Schema.Boolean,
    duration_months: OptionalInt,
    fee: OptionalMoney,
    requirements: optional(Texts),
  }),
  embassy: Schema.Struct({
    your_embassy_at_destination: optional(Mission),
    visa_application_embassy: optional(Mission),
  }),
  embassies: Schema.Struct({
    at_destination: optional(Schema.Array(Mission)),
    to_apply: optional(Schema.Array(Mission)),
  }),
  reciprocity_history: Schema.Array(
    Schema.Struct({
      date: Schema.String,
      seen_after: optional(Schema.String).annotate({
        description: "The day of the last table with another answer; absent if the date is not that of a table.",
      }),
      from: RequirementValue,
      to: RequirementValue,
      note: OptionalText,
      sources: optional(Schema.Array(Schema.Struct({ name: Schema.String, url: MaybeText }))).annotate({
        description: "The sources of the rule after the change; absent for a change in a table.",
      }),
    }),
  ),
  sources: Schema.Array(
    Schema.Struct({
      name: Schema.String,
      url: MaybeText,
      as_of: MaybeText,
      verified_on: MaybeText,
      cited_on: OptionalText,
      licence: OptionalText,
      recorded_in: OptionalText,
      fields: Texts,
    }),
  ),
}

const ALWAYS: ReadonlySet<FieldName> = new Set<RequiredField>([
  "passport",
  "destination",
  "requirement",
  "visa_free_days",
  "visa_required",
  "source_url",
  "last_verified_at",
  "verified",
  "description",
  "documents_required",
  "tips",
])

type RequiredField = {
  [Name in FieldName]: undefined extends FullRecordFields[Name] ? never : Name
}[FieldName]

const CORE: ReadonlySet<string> = new Set(CORE_FIELDS)
const WITHOUT_STUB: ReadonlySet<string> = new Set(FIELDS_WITHOUT_STUB)

const fields = Object.fromEntries(
  FIELD_NAMES.map(name => {
    const value = CORE.has(name) || WITHOUT_STUB.has(name) ? VALUES[name] : Schema.Union([VALUES[name], UpgradeStub])
    return [name, ALWAYS.has(name) ? value : optional(value)]
  }),
)

/** A full record as some plan shows it. */
// The fields are those of the rows, which the compiler cannot follow by name; VALUES checks the type of each.
export const FullRecord = makeBody(
  "VisaRecord",
  "The full record of a pair; unknown fields are absent.",
  fields,
) as unknown as Schema.Codec<GatedRecord>

/** Fields flat and once more in `data`, as `bothWays` writes them. */
const bothWays = <Of extends Schema.Struct.Fields>(identifier: string, fields: Of) => ({
  ...fields,
  data: Schema.Struct(fields).annotate({ identifier }),
  meta: Meta,
})

const checkFields = {
  passport: Schema.String,
  destination: Schema.String,
  requirement: RequirementValue,
  requirement_status: Schema.optionalKey(Schema.Literal("uncertain")),
  visa_free_days: Schema.NullOr(Schema.Int).annotate({
    description: "Allowed stay in days; null when it is not a fixed number.",
  }),
  visa_required: Schema.Boolean.annotate({ description: "False exactly for visa_free and eta." }),
  home: Schema.optionalKey(Schema.Literal(true)),
  ...termFields,
  last_verified: Schema.NullOr(Schema.String),
  _hint: Schema.String,
  _upgrade_preview: Schema.Struct({
    documents_required: Schema.Int,
    process_steps: Schema.Int,
    embassy_info: Schema.Boolean,
    transit_visa: Schema.Boolean,
    visa_fees: Schema.Boolean,
    vaccinations: Schema.Int,
    dual_nationality_warnings: Schema.Int,
    reciprocity_history: Schema.Int,
    best_apply_period: Schema.Boolean,
    passport_validity_months: Schema.Boolean,
    safety_advisory: Schema.optionalKey(Schema.String),
    languages: Schema.Int,
    upgrade_url: Schema.String,
  }).annotate({ description: "The contents of the full record, in numbers." }),
}

/** The quick check: the record flat, and once more in `data`. */
export const CheckAnswer = makeBody("CheckAnswer", "The quick check record.", bothWays("CheckRecord", checkFields))

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
