/**
 * `GET /api/v1/visa/check` and `GET /api/v1/visa`: the requirement in short, and the full record.
 *
 * Both are one resource with two renderings, JSON and Markdown. Each answer has the rest of a quota, so shared caches must not store it. The check
 * needs no key from the service's own site, from localhost and from browser extensions.
 */
import { formatCivilDate } from "../../../../src/engine.ts"
import type { Language, LocalisedFacts } from "../../../../src/full.ts"
import { DEFAULT_LANGUAGE } from "../../../answers/answer-languages.ts"
import { noRecord } from "../../../answers/answer-outcome.ts"
import { describeCheck, NO_PAIR_MESSAGE, renderCheck, renderRecord, writeRecord } from "../../../answers/pair.ts"
import { describe } from "../../pipeline/describe-row.ts"
import { type AnswerContext, endpoint } from "../../pipeline/endpoint.ts"
import { type Answer, answerText, MARKDOWN_TYPE, REVALIDATED } from "../../pipeline/http-answer.ts"
import { wantsMarkdown } from "../../pipeline/request.ts"
import { answerBothWays, answerOutcome, answerWritten, destination, lang, on, passport } from "./visa-endpoints.ts"
import { CheckAnswer, PastCheckAnswer, VisaAnswer } from "./visa-schemas.ts"

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

/** Is a visa needed, and how long may one stay? */
export const check = endpoint({
  name: "check",
  method: "GET",
  path: "/api/v1/visa/check",
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
export const visa = endpoint({
  name: "visa",
  method: "GET",
  path: "/api/v1/visa",
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
      : answerWritten(writeRecord(localisedFactsOf(context), pair, reader), HEADERS)
  },
})

export const pairEndpoints = /* @__PURE__ */ (() =>
  [
    describe(visa, {
      summary: "Full record of one pair",
      description:
        "All fields that the caller's plan includes, in one of fifteen languages. Unknown fields are absent. `Accept: text/markdown` returns a page for people. Costs one request.",
      success: VisaAnswer,
      sends: POWERED,
      errors: [404],
    }),
    describe(check, {
      summary: "Quick check of one pair",
      description:
        "The requirement and the length of stay; with `on` for another day, also a past one. Needs no key from the service's own site, from localhost and from browser extensions. `Accept: text/markdown` returns a page for people. Costs one request.",
      success: [CheckAnswer, PastCheckAnswer],
      sends: POWERED,
      errors: [404],
    }),
  ] as const)()
