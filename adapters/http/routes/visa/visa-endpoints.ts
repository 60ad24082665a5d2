/**
 * The endpoints of the visa service that need no service, and so run at the edge too, with the parameters of the whole service: scores,
 * groups, statistics and itineraries need only a dataset, the two records of a pair also the facts of a language.
 *
 * They are described apart, so that an edge needs no schemas.
 */
import {
  costOfRequest,
  type Dataset,
  formatCivilDate,
  parseCivilDate,
  REQUIREMENTS,
  type ReadRequest,
  type RequestCost,
  type Requirement,
} from "../../../../src/engine.ts"
import { type FullFacts, LANGUAGES, type Language, type LocalisedFacts } from "../../../../src/full.ts"
import { DEFAULT_LANGUAGE } from "../../../answers/answer-languages.ts"
import {
  DECISION_EXAMPLE,
  DECISION_VIEWS,
  type DecisionRefusal,
  type DecisionView,
  datasetFor,
  helpRefusal,
  judgeInPieces,
  makeExample,
  readItineraryText,
} from "../../../answers/decision.ts"
import {
  describeCheck,
  describeComparison,
  describeGroup,
  describeRecord,
  describeScore,
  describeStats,
  found,
  NO_PAIR_MESSAGE,
  noRecord,
  type Outcome,
  renderCheck,
  renderRecord,
  writeBothWays,
} from "../../../answers/visa-answers.ts"
import { writeDecision } from "../../../answers/write-decision.ts"
import { findSampleDay } from "../../../time/utc-calendar.ts"
import { workInPieces } from "../../../time/work-in-pieces.ts"
import { describe } from "../../pipeline/describe-row.ts"
import {
  type AnswerContext,
  choice,
  endpoint,
  list,
  type MeteredAnswer,
  optional,
  type Parameter,
  pattern,
  textThat,
} from "../../pipeline/endpoint.ts"
import {
  type Answer,
  after,
  answerError,
  answerJson,
  answerText,
  JSON_TYPE,
  MARKDOWN_TYPE,
  NOT_STORED,
  REVALIDATED,
  wantsMarkdown,
} from "../../pipeline/http-message.ts"
import {
  CheckAnswer,
  CompactDecision,
  ComparisonAnswer,
  DecisionAnswer,
  DecisionRefused,
  DecisionRequest,
  GroupAnswer,
  PastCheckAnswer,
  ScoreAnswer,
  StatsAnswer,
  VisaAnswer,
} from "./visa-schemas.ts"

/** The code of a country; the description says what the country is of. */
const code = (description: string, example: string): Parameter<string> => ({
  ...pattern("an ISO 3166-1 alpha-3 code in capital letters, such as FRA", /^[A-Z]{3}$/, { description, example }),
  isCode: true,
})

export const passport = code("The country that issued the passport.", "FRA")
export const destination = code("The country or territory to enter.", "JPN")

/** The day to answer for. */
export const on = optional(
  textThat("a calendar date YYYY-MM-DD from 1900 to 2199", text => parseCivilDate(text) !== null, {
    pattern: /^\d{4}-\d{2}-\d{2}$/,
    description:
      "The day of the answer, YYYY-MM-DD; today by default. Answers for past days come from dated tables and are not verified.",
    example: "2023-06-01",
  }),
)

/** The language of sentences, names and headings; English when absent. */
export const lang: Parameter<Language | undefined> = optional(
  choice(LANGUAGES, { description: "The language of the answer.", example: "fr", default: "en" }),
)

export const passports: Parameter<readonly string[]> = {
  ...list("2 to 10 distinct ISO 3166-1 alpha-3 codes, separated by commas", /^[A-Z]{3}(,[A-Z]{3}){1,9}$/, {
    description: "The passports of the group: 2 to 10 distinct codes, separated by commas.",
    example: "FRA,IND",
    isDistinct: true,
  }),
  isCode: true,
}

/** A list of destinations, at most 25. */
export const destinations: Parameter<readonly string[] | undefined> = optional({
  ...list("at most 25 ISO 3166-1 alpha-3 codes, separated by commas", /^[A-Z]{3}(,[A-Z]{3}){0,24}$/, {
    description: "At most 25 codes, separated by commas; every destination by default.",
    example: "JPN,DEU,THA",
  }),
  isCode: true,
})

const allow = optional(
  list<Requirement>(
    `requirements out of ${REQUIREMENTS.join(", ")}, separated by commas`,
    new RegExp(`^(${REQUIREMENTS.join("|")})(,(${REQUIREMENTS.join("|")}))*$`),
    {
      description: "The requirements that qualify, separated by commas.",
      example: "visa_free,eta",
      default: "visa_free,eta,visa_on_arrival,e_visa",
    },
  ),
)

// How does the visa service send the outcome of a question? 200 with the body, 404 where nothing is recorded, 400 where it cannot be asked.

/** Says why there is no answer. */
export const answerWithout = ({ kind, message }: Exclude<Outcome<never>, { kind: "found" }>): Answer =>
  answerError(kind === "refused" ? 400 : 404, message)

export function answerOutcome(outcome: Outcome<unknown>, headers: readonly string[]): Answer {
  return outcome.kind === "found" ? answerJson(200, outcome.body, headers) : answerWithout(outcome)
}

/** The same for a body that has its record twice. */
function answerBothWays<Record extends object>(
  outcome: Outcome<Record & { readonly data: Record; readonly meta: object }>,
  headers: readonly string[],
): Answer {
  return outcome.kind === "found" ? answerText(JSON_TYPE, writeBothWays(outcome.body), headers) : answerWithout(outcome)
}

/** Scores change when the dataset or the day does. */
const CACHED = ["cache-control", "public, max-age=300"]

/** A passport's mobility score. */
export const score = endpoint("GET /api/v1/visa/score", {
  name: "score",
  surface: "visa",
  access: { kind: "public" },
  parameters: { passport },
  keepAs: ({ passport }) => passport,
  answer: ({ passport }, { dataset }) => answerBothWays(describeScore(dataset, passport), CACHED),
})

/** Two passports side by side. */
export const compare = endpoint("GET /api/v1/visa/score/compare", {
  name: "compare",
  surface: "visa",
  access: { kind: "public" },
  parameters: {
    passport1: code("The country of one passport.", "JPN"),
    passport2: code("The country of the other.", "IND"),
  },
  keepAs: ({ passport1, passport2 }) => passport1 + passport2,
  answer: (passports, { dataset }) => answerBothWays(describeComparison(dataset, passports), CACHED),
})

export const scoreEndpoints = [
  /* @__PURE__ */ describe(score, {
    summary: "Mobility score of a passport",
    description: "The score, its parts, and the rank among all passports.",
    success: ScoreAnswer,
    errors: [404],
  }),
  /* @__PURE__ */ describe(compare, {
    summary: "Two passports side by side",
    description: "Their scores, the destinations that only one of them opens, and the score of both together.",
    success: ComparisonAnswer,
    errors: [404],
  }),
] as const

/** Every destination that all of a group can enter, easiest first. */
export const group = endpoint("GET /api/v1/visa/group", {
  name: "group",
  surface: "visa",
  access: { kind: "key", feature: "group" },
  parameters: { passports, allow },
  cost: () => ({ charge: 1 }),
  keepAs: ({ passports, allow }) => `${passports}/${allow ?? ""}`,
  answer: (question, { dataset }) => answerOutcome(describeGroup(dataset, question), REVALIDATED),
})

export const groupEndpoints = [
  /* @__PURE__ */ describe(group, {
    summary: "Where a group can go",
    description:
      "Every destination that all of 2 to 10 distinct passports can enter, easiest first. `allow` names the requirements that qualify; visa_free, eta, visa_on_arrival and e_visa by default. Costs one request.",
    success: GroupAnswer,
    errors: [404],
  }),
] as const

/** How long the statistics may be cached. */
const STATS_MAX_AGE_SECONDS = 3_600

export const stats = endpoint("GET /api/v1/visa/stats", {
  name: "stats",
  surface: "visa",
  access: { kind: "public" },
  keepAs: () => "",
  answer: (_, { dataset }) =>
    answerBothWays(found(describeStats(dataset)), ["cache-control", `public, max-age=${STATS_MAX_AGE_SECONDS}`]),
})

export const coverageEndpoints = [
  /* @__PURE__ */ describe(stats, {
    summary: "Coverage statistics",
    description: "May be cached for an hour.",
    success: StatsAnswer,
  }),
] as const

export interface Question {
  readonly request: ReadRequest
  readonly cost: RequestCost
  readonly view: DecisionView
}

const view = optional(
  choice(DECISION_VIEWS, {
    description: "`compact`: each fact once, and nothing that is null or empty. `full` by default.",
  }),
)

/** A whole itinerary. */
export const decision = endpoint("POST /api/v1/visa/decision", {
  name: "decision",
  surface: "visa",
  access: { kind: "key" },
  parameters: { view },
  takesBody: true,
  // For the names and pages of tasks.
  language: () => DEFAULT_LANGUAGE,
  read: ({ body, query }, { dataset, nowMs }) => {
    const read = readItineraryText(body, dataset)
    const { view = "full" } = query
    return read.ok
      ? { ok: true, question: { request: read.request, cost: costOfRequest(dataset, read.request), view } }
      : { ok: false, answer: answerRefusal(read.refusal, nowMs) }
  },
  // At least one request has to be left, so that a spent quota is noticed before anything is judged.
  cost: ({ cost: { pairsCharged, passports, destinations } }: Question) => ({
    charge: Math.max(1, pairsCharged),
    passport: passports,
    destinations,
  }),
  answer: (question, context) =>
    after(datasetFor(context.dataset, question.request), known =>
      after(findWriter(question.view), write => {
        const pieces = answerInPieces(known, question, { facts: context.localised?.facts ?? null, write })
        return workInPieces(pieces, () => context.giveWay())
      }),
    ),
})

// Loaded when a request is refused: the edge loads as little as possible before its first request.
const answerRefusal = (refusal: DecisionRefusal, nowMs: number) =>
  import("../../../answers/code-help.ts").then(({ helpWithIssue }) => {
    const example = makeExample(findSampleDay(nowMs))
    return answerJson(400, { ...helpRefusal(refusal, helpWithIssue), example }, NOT_STORED)
  })

type Writer = typeof writeDecision

// Loaded when it is asked for, for the same reason.
const findWriter = (view: DecisionView): Writer | Promise<Writer> =>
  view === "full" ? writeDecision : import("../../../answers/compact-decision.ts").then(part => part.writeCompact)

function* answerInPieces(
  dataset: Dataset,
  { request, cost }: Question,
  { facts, write }: { readonly facts: FullFacts | null; readonly write: Writer },
): Generator<void, MeteredAnswer, void> {
  const judged = yield* judgeInPieces(dataset, request, facts)
  yield
  const answer =
    judged.kind === "found" ? answerText(JSON_TYPE, write(dataset, judged.body), NOT_STORED) : answerWithout(judged)
  yield
  return { ...answer, charge: cost.pairsCharged }
}

export const decisionEndpoints = [
  /* @__PURE__ */ describe(decision, {
    summary: "Does anything block this itinerary?",
    description:
      "The `outcome`, what has to be obtained or done (`to_do`), the findings for each stop, and every blocker. Past days are judged by dated tables. Costs one request for each distinct country, stops and transit together (`meta.pairs_charged`).",
    payload: DecisionRequest,
    example: DECISION_EXAMPLE,
    success: [DecisionAnswer, CompactDecision],
    errors: [DecisionRefused, 404],
  }),
] as const

// `GET /api/v1/visa/check` and `GET /api/v1/visa`: the requirement in short, and the full record.
// Both are one resource with two renderings, JSON and Markdown. Each answer has the rest of a quota, so shared caches must not store it. The
// check needs no key from the service's own site, from localhost and from browser extensions.

const HEADERS = [...REVALIDATED, "vary", "Accept, Accept-Encoding", "x-powered-by", "Landfall"]

const POWERED = { 200: { "X-Powered-By": "Landfall." }, 304: { "X-Powered-By": "Landfall." } }

interface Pair {
  readonly passport: string
  readonly destination: string
  readonly on?: string | undefined
}

const costOfPair = ({ passport, destination }: Pair) => ({ charge: 1, passport, destinations: destination })

const asksForMarkdown = ({ request }: AnswerContext): boolean => wantsMarkdown(request.header("accept"))

const answerMarkdown = (text: string | null): Answer =>
  text === null ? answerOutcome(noRecord(NO_PAIR_MESSAGE), []) : answerText(MARKDOWN_TYPE, text, HEADERS)

/** The facts for a row that names a language. */
export function localisedFactsOf({ localised }: AnswerContext): LocalisedFacts {
  if (localised === null) throw new Error("the language of the question was not opened")
  return localised
}

/** Is a visa needed, and how long may one stay? Bundlers leave the two rows of records out of an edge that has none. */
export const check = /* @__PURE__ */ endpoint("GET /api/v1/visa/check", {
  name: "check",
  surface: "visa",
  access: { kind: "keyless" },
  parameters: { passport, destination, on },
  language: () => DEFAULT_LANGUAGE,
  cost: pair => costOfPair(pair),
  tells: pair => pair,
  keepAs: ({ passport, destination, on }, context) =>
    asksForMarkdown(context) || on !== undefined ? undefined : passport + destination,
  answer: (pair, context) => {
    const { on } = pair
    if (on !== undefined && on < formatCivilDate(context.dataset.sinceDay)) return answerPast({ ...pair, on }, context)
    const options = { upgradeUrl: context.upgradeUrl, on }
    return asksForMarkdown(context)
      ? answerMarkdown(renderCheck(localisedFactsOf(context), pair, options))
      : answerBothWays(describeCheck(localisedFactsOf(context), pair, options), HEADERS)
  },
})

// A day before the dataset's first: from its history, which is loaded now.
function answerPast(question: Required<Pair> & { readonly on: string }, context: AnswerContext): Promise<Answer> {
  const localised = localisedFactsOf(context)
  return import("../../../answers/past-pair.ts").then(({ describePastCheck, renderPastCheck }) => {
    const described = describePastCheck(localised, question)
    return asksForMarkdown(context) && described.kind === "found"
      ? answerMarkdown(renderPastCheck(localised, question))
      : answerBothWays(described, HEADERS)
  })
}

/** Everything that is known of a pair, as the caller's plan shows it. */
export const visa = /* @__PURE__ */ endpoint("GET /api/v1/visa", {
  name: "visa",
  surface: "visa",
  access: { kind: "key" },
  parameters: { passport, destination, lang },
  language: ({ lang }): Language => lang ?? DEFAULT_LANGUAGE,
  cost: question => costOfPair(question),
  tells: question => question,
  keepAs: ({ passport, destination, lang = DEFAULT_LANGUAGE }, context) =>
    asksForMarkdown(context) ? undefined : `${passport}${destination}${lang}${context.plan}`,
  answer: (pair, context) => {
    const { plan, upgradeUrl } = context
    const reader = { plan: plan ?? "free", upgradeUrl }
    return asksForMarkdown(context)
      ? answerMarkdown(renderRecord(localisedFactsOf(context), pair, reader))
      : answerOutcome(describeRecord(localisedFactsOf(context), pair, reader), HEADERS)
  },
})

export const pairEndpoints = [
  /* @__PURE__ */ describe(visa, {
    summary: "Full record of one pair",
    description:
      "All fields that the caller's plan includes, in one of fifteen languages. Unknown fields are absent. `Accept: text/markdown` returns a page for people. Costs one request.",
    success: VisaAnswer,
    sends: POWERED,
    errors: [404],
  }),
  /* @__PURE__ */ describe(check, {
    summary: "Quick check of one pair",
    description:
      "The requirement and the length of stay; with `on` for another day, also a past one. Needs no key from the service's own site, from localhost and from browser extensions. `Accept: text/markdown` returns a page for people. Costs one request.",
    success: [CheckAnswer, PastCheckAnswer],
    sends: POWERED,
    errors: [404],
  }),
] as const
