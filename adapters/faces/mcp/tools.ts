/**
 * Which tools does a model find, what do they take, and what do they return?
 *
 * The names are those that published clients use. Descriptions are written for a model: when to use which tool, what a code is, and that
 * unknown is never permission. Every answer names its dataset and day.
 */
import { Context, Schema } from "effect"
import { Tool, Toolkit } from "effect/ai"
import { DECISION_ANSWER } from "../../../src/answers.ts"
import { DECISION_REQUEST, type FieldRow } from "../../../src/engine.ts"
import { fieldsOfAnswer, schemaOfAnswer, structOf } from "../../knowledge/answers/field-schemas.ts"
import { Asker, ToolRefused } from "./asker.ts"

const { optionalKey: optional } = Schema

const passport = Schema.String.annotate({
  description:
    'The passport: an ISO 3166-1 alpha-3 code such as "FRA", or the country\'s name in any language ("France", "日本"). Two-letter codes are refused.',
})
const destination = Schema.String.annotate({
  description:
    'Where the journey goes: an ISO 3166-1 alpha-3 code such as "JPN", or the country\'s name in any language. Territories have codes of their own (PYF, GRL, HKG).',
})
const date = (what: string) => Schema.String.annotate({ description: `${what}, as YYYY-MM-DD.` })
const language = optional(
  Schema.String.annotate({
    description:
      "The language of names and sentences: fr, en, es, pt, de, it, ja, ko, zh, ru, ar, hi, th, vi or tl; en when absent.",
  }),
)

const Dataset = Schema.Struct({
  version: Schema.String,
  as_of: Schema.String.annotate({ description: "The day that is answered for, YYYY-MM-DD." }),
}).annotate({ description: "What the answer rests on." })

const Requirement = Schema.NullOr(
  Schema.Literals(["visa_free", "eta", "visa_on_arrival", "e_visa", "visa_required", "no_admission"]),
).annotate({ description: "Null where nothing is recorded: unknown, and never permission to travel without a visa." })

const Status = Schema.Literals(["recorded", "unknown"])
const Statement = Schema.String.annotate({
  description: "The answer as a sentence that can be told to the traveller as it is.",
})

const pair = {
  status: Status,
  passport: Schema.String,
  passport_country: Schema.String,
  destination: Schema.String,
  destination_country: Schema.String,
  requirement: Requirement,
  visa_free_days: Schema.NullOr(Schema.Int).annotate({
    description: "Days that may be spent there; null where no number is recorded.",
  }),
  uncertain: Schema.Boolean.annotate({ description: "True where a treaty's right is in doubt." }),
  statement: Statement,
}

const PairAnswer = Schema.Struct({
  ...pair,
  record: Schema.NullOr(Schema.Record(Schema.String, Schema.Unknown)).annotate({
    description:
      "Everything that is known of the pair, under the field names of the HTTP API: documents, steps, fee, validity, transit, health, sources. Null where nothing is recorded.",
  }),
  dataset: Dataset,
})

const shared = { failure: ToolRefused, dependencies: [Asker] }

// It reads, it changes nothing, and it asks no other machine.
const READ_ONLY = Context.empty().pipe(
  Context.add(Tool.Readonly, true),
  Context.add(Tool.Destructive, false),
  Context.add(Tool.Idempotent, true),
  Context.add(Tool.OpenWorld, false),
)

export const CheckVisaRequirement = Tool.make("check_visa_requirement", {
  description:
    "Everything that is known of entering one destination with one passport: whether a visa is needed, for how long one may stay, documents, steps, fee, passport validity, health, sources and their days. Take quick_visa_check where only the requirement matters, and check_itinerary for several stops or visas that the traveller holds.",
  parameters: Schema.Struct({ passport, destination, language }),
  success: PairAnswer,
  ...shared,
}).annotateMerge(READ_ONLY)

export const QuickVisaCheck = Tool.make("quick_visa_check", {
  description:
    "Whether one passport needs a visa for one destination, and for how long one may stay. Short; check_visa_requirement says all the rest.",
  parameters: Schema.Struct({ passport, destination }),
  success: Schema.Struct({ ...pair, dataset: Dataset }),
  ...shared,
}).annotateMerge(READ_ONLY)

export const CompareDestinations = Tool.make("compare_destinations", {
  description: "What one passport needs for each of 1 to 25 destinations, the easiest first.",
  parameters: Schema.Struct({
    passport,
    destinations: Schema.Array(destination).check(Schema.isMinLength(1), Schema.isMaxLength(25)),
  }),
  success: Schema.Struct({
    passport: Schema.String,
    passport_country: Schema.String,
    destinations: Schema.Array(Schema.Struct(pair)),
    dataset: Dataset,
  }),
  ...shared,
}).annotateMerge(READ_ONLY)

export const CheckTransitVisa = Tool.make("check_transit_visa", {
  description:
    "What a country asks of travellers who only change flights there. A recorded rule is quoted. Whether this traveller may change there, with which passport and which documents, is decided by check_itinerary with `transit`.",
  parameters: Schema.Struct({
    passport,
    transit_country: Schema.String.annotate({ description: "Where the traveller changes: a code or a name." }),
    language,
  }),
  success: Schema.Struct({
    status: Schema.Literals(["rule_recorded", "unknown"]),
    passport: Schema.String,
    transit_country: Schema.String,
    rule: Schema.NullOr(Schema.Unknown).annotate({ description: "The rule as the full record has it." }),
    statement: Statement,
    dataset: Dataset,
  }),
  ...shared,
}).annotateMerge(READ_ONLY)

const GetCoverageStats = Tool.make("get_coverage_stats", {
  description:
    "How many passports, destinations and pairs are known, in how many languages, and of which day the data is.",
  success: Schema.Struct({
    passports: Schema.Int,
    destinations: Schema.Int,
    recorded_pairs: Schema.Int,
    unknown_pairs: Schema.Int,
    languages: Schema.Int,
    dataset: Dataset,
  }),
  ...shared,
}).annotateMerge(READ_ONLY)

export const GetAllDestinations = Tool.make("get_all_destinations", {
  description:
    "Every destination with its code and its name. What a passport needs for some of them: compare_destinations; for one: quick_visa_check.",
  parameters: Schema.Struct({ language }),
  success: Schema.Struct({
    count: Schema.Int,
    destinations: Schema.Array(Schema.Struct({ code: Schema.String, name: Schema.String })),
    dataset: Dataset,
  }),
  ...shared,
}).annotateMerge(READ_ONLY)

const changes = {
  description:
    "Published clients ask for a feed of recent changes. There is none here: corrections of data cannot be told from changes of law in one, so that the answer is always `unavailable`.",
  success: Schema.Struct({ status: Schema.Literal("unavailable"), statement: Statement, dataset: Dataset }),
  ...shared,
}
const GetRecentChanges = Tool.make("get_recent_changes", changes).annotateMerge(READ_ONLY)
// The name that another published server has for it.
const GetVisaChanges = Tool.make("get_visa_changes", changes).annotateMerge(READ_ONLY)

export const CheckGroup = Tool.make("check_group", {
  description:
    "Where travellers with different passports can go together, the easiest first: destinations that all of them may enter without a visa from an embassy.",
  parameters: Schema.Struct({
    passports: Schema.Array(passport).check(Schema.isMinLength(2), Schema.isMaxLength(10)),
    limit: optional(
      Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 200 })).annotate({
        description: "How many destinations to list; 20 when absent. `count` tells how many there are.",
      }),
    ),
  }),
  success: Schema.Struct({
    passports: Schema.Array(Schema.String),
    count: Schema.Int,
    destinations: Schema.Array(
      Schema.Struct({
        destination: Schema.String,
        country: Schema.String,
        hardest_requirement: Schema.String,
        shortest_days: Schema.NullOr(Schema.Int),
      }),
    ),
    dataset: Dataset,
  }),
  ...shared,
}).annotateMerge(READ_ONLY)

const Stay = Schema.Struct({
  destination,
  from: date("The first day"),
  to: date("The last day"),
  permit: optional(Schema.Literals(["residence", "national_visa"])),
})

// A model names countries in words, and lists all passports.
const { passports, ...others } = DECISION_REQUEST.fields
const alone = [...Object.keys(passports.is.of.fields), "travellers"]
/** The fields of a journey, as a model passes them. */
export const ITINERARY_FIELDS: readonly FieldRow[] = [
  { ...passports, need: "required" },
  ...Object.entries(others).flatMap(([name, row]) => (alone.includes(name) ? [] : [row])),
]
const Itinerary = structOf(ITINERARY_FIELDS, {
  code: "An ISO 3166-1 alpha-3 code, or the country's name in any language; two-letter codes are refused.",
  offersNull: false,
}) as Schema.Codec<Readonly<Record<string, unknown>>>

const Decided = fieldsOfAnswer(DECISION_ANSWER)

export const CheckItinerary = Tool.make("check_itinerary", {
  description:
    "Whether anything known blocks a whole journey of up to 12 stops in order: visas, days that add up, Schengen's 90 in any 180 days, passport validity, visas and permits that the traveller holds, transit. The outcome is blocked, obtain (`to_do` says what), unknown or clear. Blockers come with remedies; what nobody knows is listed as unknown, which does not mean permitted.",
  parameters: Itinerary,
  success: Schema.Struct({
    outcome: Decided.outcome,
    verdict: Schema.Union([Decided.verdict, Schema.Literal("unknown")]),
    statement: Statement,
    decision: Schema.NullOr(schemaOfAnswer(DECISION_ANSWER)).annotate({
      description: "The whole decision, under the field names of POST /api/v1/visa/decision.",
    }),
    dataset: Dataset,
  }),
  ...shared,
}).annotateMerge(READ_ONLY)

export const ScorePassport = Tool.make("score_passport", {
  description:
    "How much of the world one passport opens: its score from 0 to 100, its rank, and how many destinations it opens without a visa from an embassy.",
  parameters: Schema.Struct({ passport }),
  success: Schema.Struct({
    passport: Schema.String,
    country: Schema.String,
    score: Schema.Finite,
    rank: Schema.Int,
    total_ranked: Schema.Int,
    visa_free_count: Schema.Int,
    dataset: Dataset,
  }),
  ...shared,
}).annotateMerge(READ_ONLY)

export const ComparePassports = Tool.make("compare_passports", {
  description:
    "What each of two passports opens that the other does not, and what both open together: for dual nationals.",
  parameters: Schema.Struct({ passport1: passport, passport2: passport }),
  success: Schema.Struct({ comparison: Schema.Record(Schema.String, Schema.Unknown), dataset: Dataset }),
  ...shared,
}).annotateMerge(READ_ONLY)

export const StayDays = Tool.make("stay_days", {
  description:
    "How many days of Schengen's 90 in any 180 (or of another zone's allowance) a visitor has used and has left on a day, until when he may stay, and whether he has overstayed. Not for those who move freely there.",
  parameters: Schema.Struct({
    stays: Schema.Array(Stay).check(Schema.isMaxLength(100)),
    zone: optional(Schema.String.annotate({ description: '"schengen" (when absent) or "ca-4".' })),
    on: optional(date("The day of the count; the dataset's day when absent")),
    days: optional(Schema.Int.annotate({ description: "Also find the earliest entry for a stay of so many days." })),
  }),
  success: Schema.Struct({
    zone: Schema.String,
    report: Schema.Record(Schema.String, Schema.Unknown),
    dataset: Dataset,
  }),
  ...shared,
}).annotateMerge(READ_ONLY)

export const Tools = Toolkit.make(
  CheckVisaRequirement,
  QuickVisaCheck,
  CompareDestinations,
  CheckTransitVisa,
  GetCoverageStats,
  GetAllDestinations,
  GetRecentChanges,
  GetVisaChanges,
  CheckGroup,
  CheckItinerary,
  ScorePassport,
  ComparePassports,
  StayDays,
)
