/**
 * Which tools does a model find, what do they take, and what do they return?
 *
 * The names are those that published clients use. Descriptions are written for a model: when to use which tool, what a code is, and that
 * unknown is never permission. Every answer names its dataset and day.
 */
import { Context, Effect, Schema, SchemaIssue } from "effect"
import { Tool, Toolkit } from "effect/ai"
import { DECISION_ANSWER } from "../../src/answers.ts"
import { DECISION_REQUEST, type FieldRow } from "../../src/engine.ts"
import { fieldsOfAnswer, schemaOfAnswer, structOf } from "../answers/field-schemas.ts"
import type { Reader } from "../answers/visa-answers.ts"

// Who calls a tool, what may they see, and which limit is charged?
// On the user's own machine nothing is counted. Over HTTP a call is charged before it is answered: with a key like at the endpoints, and
// without one from an address's number of distinct pairs a day.

/** A tool cannot do what was asked; the message says what to do instead, to a model and to people. */
export class ToolRefused extends Schema.TaggedError<ToolRefused>()("ToolRefused", { message: Schema.String }) {}

/** The cost of a call: distinct pairs, and requests of a key. */
export interface ToolCost {
  readonly pairs: readonly (readonly [passport: string, destination: string])[]
  readonly charge: number
}

export interface AskerShape {
  /** Which parts of a record are shown. */
  readonly reader: Reader
  /** Lets others run before the next piece of work, if this one took long. */
  readonly giveWay: () => void | Promise<void>
  /** Charges, then answers; a refused call costs nothing. */
  readonly pay: <A>(cost: ToolCost, answer: () => A) => Effect.Effect<A, ToolRefused>
}

/** The caller of a tool. */
export class Asker extends Context.Service<Asker, AskerShape>()("landfall/mcp/Asker") {}

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

// It reads, it changes nothing, and it asks no other machine.
const READ_ONLY = Context.empty().pipe(
  Context.add(Tool.Readonly, true),
  Context.add(Tool.Destructive, false),
  Context.add(Tool.Idempotent, true),
  Context.add(Tool.OpenWorld, false),
)

/**
 * Declares a tool by the schema of its arguments and the fields of its answer, which also names its dataset.
 *
 * The framework passes the arguments on as they are, and {@link takes} reads them: the framework itself would ignore misspelt names, and list every
 * mistake of a call, however many there are.
 */
function declareTool<
  const Name extends string,
  Given extends Schema.Codec<unknown>,
  Answer extends Schema.Struct.Fields,
>(name: Name, { description, parameters, answer }: { description: string; parameters: Given; answer: Answer }) {
  const { schema } = Schema.toJsonSchemaDocument(parameters, { onExcessProperty: "error" })
  const success = Schema.Struct({ ...answer, dataset: Dataset })
  const tool = Tool.dynamic(name, { description, parameters: schema, success, failure: ToolRefused })
  return Object.assign(tool.addDependency(Asker).annotateMerge(READ_ONLY), { parameters })
}

/** Makes the handler of a tool: reads the arguments, and refuses them by their first mistake. */
export function takes<Given extends Schema.Codec<unknown>, Answered, Failure, Needs>(
  { parameters }: { readonly parameters: Given },
  answer: (asked: Given["Type"]) => Effect.Effect<Answered, Failure, Needs>,
) {
  const read = Schema.decodeUnknownEffect(parameters as Schema.Codec<Given["Type"]>, { onExcessProperty: "error" })
  return (given: unknown): Effect.Effect<Answered, Failure | ToolRefused, Needs> =>
    Effect.flatMap(
      Effect.mapError(read(given), ({ issue }) => new ToolRefused({ message: describeMistake(issue) })),
      answer,
    )
}

const listMistakes = SchemaIssue.makeFormatterStandardSchemaV1({
  leafHook: issue => {
    if (issue._tag === "MissingKey") return "It is required"
    return issue._tag === "UnexpectedKey" ? "There is no such field" : SchemaIssue.defaultLeafHook(issue)
  },
})

/** Writes the first mistake with its path, as `stays[2].from: It is required.` */
function describeMistake(issue: SchemaIssue.Issue): string {
  const [{ path = [], message } = { message: "They cannot be read" }] = listMistakes(issue).issues
  const steps = path.map(step => (typeof step === "number" ? `[${step}]` : `.${String(step).slice(0, 40)}`))
  return `${steps.join("").replace(/^\./, "") || "arguments"}: ${message}.`
}

const NOTHING = Tool.EmptyParams

export const CheckVisaRequirement = declareTool("check_visa_requirement", {
  description:
    "Everything that is known of entering one destination with one passport: whether a visa is needed, for how long one may stay, documents, steps, fee, passport validity, health, sources and their days. Take quick_visa_check where only the requirement matters, and check_itinerary for several stops or visas that the traveller holds.",
  parameters: Schema.Struct({ passport, destination, language }),
  answer: {
    ...pair,
    record: Schema.NullOr(Schema.Record(Schema.String, Schema.Unknown)).annotate({
      description:
        "Everything that is known of the pair, under the field names of the HTTP API: documents, steps, fee, validity, transit, health, sources. Null where nothing is recorded.",
    }),
  },
})

export const QuickVisaCheck = declareTool("quick_visa_check", {
  description:
    "Whether one passport needs a visa for one destination, and for how long one may stay. Short; check_visa_requirement says all the rest.",
  parameters: Schema.Struct({ passport, destination }),
  answer: pair,
})

export const CompareDestinations = declareTool("compare_destinations", {
  description: "What one passport needs for each of 1 to 25 destinations, the easiest first.",
  parameters: Schema.Struct({
    passport,
    destinations: Schema.Array(destination).check(Schema.isMinLength(1), Schema.isMaxLength(25)),
  }),
  answer: {
    passport: Schema.String,
    passport_country: Schema.String,
    destinations: Schema.Array(Schema.Struct(pair)),
  },
})

export const CheckTransitVisa = declareTool("check_transit_visa", {
  description:
    "What a country asks of travellers who only change flights there. A recorded rule is quoted. Whether this traveller may change there, with which passport and which documents, is decided by check_itinerary with `transit`.",
  parameters: Schema.Struct({
    passport,
    transit_country: Schema.String.annotate({ description: "Where the traveller changes: a code or a name." }),
    language,
  }),
  answer: {
    status: Schema.Literals(["rule_recorded", "unknown"]),
    passport: Schema.String,
    transit_country: Schema.String,
    rule: Schema.NullOr(Schema.Unknown).annotate({ description: "The rule as the full record has it." }),
    statement: Statement,
  },
})

const GetCoverageStats = declareTool("get_coverage_stats", {
  description:
    "How many passports, destinations and pairs are known, in how many languages, and of which day the data is.",
  parameters: NOTHING,
  answer: {
    passports: Schema.Int,
    destinations: Schema.Int,
    recorded_pairs: Schema.Int,
    unknown_pairs: Schema.Int,
    languages: Schema.Int,
  },
})

export const GetAllDestinations = declareTool("get_all_destinations", {
  description:
    "Every destination with its code and its name. What a passport needs for some of them: compare_destinations; for one: quick_visa_check.",
  parameters: Schema.Struct({ language }),
  answer: {
    count: Schema.Int,
    destinations: Schema.Array(Schema.Struct({ code: Schema.String, name: Schema.String })),
  },
})

const changes = {
  description:
    "Published clients ask for a feed of recent changes. There is none here: corrections of data cannot be told from changes of law in one, so that the answer is always `unavailable`.",
  parameters: NOTHING,
  answer: { status: Schema.Literal("unavailable"), statement: Statement },
}
const GetRecentChanges = declareTool("get_recent_changes", changes)
// The name that another published server has for it.
const GetVisaChanges = declareTool("get_visa_changes", changes)

export const CheckGroup = declareTool("check_group", {
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
  answer: {
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
  },
})

const Stay = Schema.Struct({
  destination,
  from: date("The first day"),
  to: date("The last day"),
  permit: optional(Schema.Literals(["residence", "national_visa"])),
})

const { travellers, ...ofOne } = DECISION_REQUEST.fields
/** The fields of a journey, as a model passes them. */
export const ITINERARY_FIELDS: readonly FieldRow[] = Object.values(ofOne)
const Itinerary = structOf(ITINERARY_FIELDS, {
  code: "An ISO 3166-1 alpha-3 code, or the country's name in any language; two-letter codes are refused.",
  offersNull: false,
}) as Schema.Codec<Readonly<Record<string, unknown>>>

const Decided = fieldsOfAnswer(DECISION_ANSWER)

const CheckItinerary = declareTool("check_itinerary", {
  description:
    "Whether anything known blocks a whole journey of up to 12 stops in order: visas, days that add up, Schengen's 90 in any 180 days, passport validity, visas and permits that the traveller holds, transit. The outcome is blocked, obtain (`to_do` says what), unknown or clear. Blockers come with remedies; what nobody knows is listed as unknown, which does not mean permitted.",
  parameters: Itinerary,
  answer: {
    outcome: Decided.outcome,
    verdict: Schema.Union([Decided.verdict, Schema.Literal("unknown")]),
    statement: Statement,
    decision: Schema.NullOr(schemaOfAnswer(DECISION_ANSWER)).annotate({
      description: "The whole decision, under the field names of POST /api/v1/visa/decision.",
    }),
  },
})

export const ScorePassport = declareTool("score_passport", {
  description:
    "How much of the world one passport opens: its score from 0 to 1000 with one decimal, its rank among all passports, and how many other destinations ask its holder for no visa and no authorisation.",
  parameters: Schema.Struct({ passport }),
  answer: {
    passport: Schema.String,
    country: Schema.String,
    score: Schema.Finite.annotate({ description: "0 to 1000, one decimal." }),
    rank: Schema.Int,
    total_ranked: Schema.Int,
    visa_free_count: Schema.Int,
  },
})

export const ComparePassports = declareTool("compare_passports", {
  description:
    "What each of two passports opens that the other does not, how much both open together, and their scores from 0 to 1000: for dual nationals. A destination is open if it asks for no visa from an embassy.",
  parameters: Schema.Struct({ passport1: passport, passport2: passport }),
  answer: { comparison: Schema.Record(Schema.String, Schema.Unknown) },
})

export const StayDays = declareTool("stay_days", {
  description:
    "How many days of Schengen's 90 in any 180 (or of another zone's allowance) a visitor has used and has left on a day, until when he may stay, and whether he has overstayed. `not_counted` lists the stays that do not count, with the reason. Not for those who move freely there.",
  parameters: Schema.Struct({
    stays: Schema.Array(Stay).check(Schema.isMaxLength(100)),
    zone: optional(Schema.String.annotate({ description: '"schengen" (when absent) or "ca-4".' })),
    on: optional(date("The day of the count; the dataset's day when absent")),
    days: optional(Schema.Int.annotate({ description: "Also find the earliest entry for a stay of so many days." })),
  }),
  answer: {
    zone: Schema.String,
    report: Schema.Record(Schema.String, Schema.Unknown),
  },
})

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
