/**
 * `GET /passports`, `/destinations`, `/zones` and `/policies/history`: what a client of the lookup needs beside it.
 *
 * Lists of codes with names, the zones that share an allowance of days, and how a pair has changed. They take a token of the second and cost
 * no lookup.
 */
import { HttpApiEndpoint } from "effect/http-api"
import type { RecordBook } from "../../../src/full.ts"
import { describeDestinations, describePassports, describeZones } from "../../answers/countries.ts"
import { matchLanguage } from "../../answers/languages.ts"
import { describeHistory } from "../../answers/lookup.ts"
import { describe, querySchema } from "../describe.ts"
import { type AnswerContext, endpoint, type ReadQuestion } from "../endpoint.ts"
import { bookOf } from "../visa/pair.ts"
import { answerLookupError } from "./errors.ts"
import { answerKept, refuseUnknownPair } from "./lookup.ts"
import { destination, locale, passport } from "./parameters.ts"
import {
  DestinationsAnswer,
  HistoryAnswer,
  lookupError,
  PassportsAnswer,
  PIPELINE_ERRORS,
  ZonesAnswer,
} from "./schemas.ts"

/** What every row here has: it takes a key, and no lookup is paid for it. */
const shared = { method: "GET", surface: "lookup", access: { kind: "key" }, cost: () => ({ charge: 0 }) } as const

/** A list of countries, named in the language that is asked for. */
const listCountries = (describeCountries: (book: RecordBook) => unknown) => ({
  ...shared,
  parameters: { locale },
  language: ({ locale }: { readonly locale?: string | undefined }) => matchLanguage(locale ?? ""),
  keepAs: (_: unknown, context: AnswerContext) => bookOf(context).locale.language,
  answer: (_: unknown, context: AnswerContext) => answerKept(describeCountries(bookOf(context))),
})

/** Every passport. */
export const listPassports = endpoint({
  ...listCountries(describePassports),
  name: "listPassports",
  path: "/passports",
})

/** Every destination. */
export const listDestinations = endpoint({
  ...listCountries(describeDestinations),
  name: "listDestinations",
  path: "/destinations",
})

/** Zones that share an allowance. */
export const listZones = endpoint({
  ...shared,
  name: "listZones",
  path: "/zones",
  parameters: {},
  keepAs: () => "",
  answer: (_, { dataset }) => answerKept(describeZones(dataset)),
})

interface Pair {
  readonly passport: string
  readonly destination: string
}

/** How a pair has changed. */
export const listPolicyHistory = endpoint({
  ...shared,
  name: "listPolicyHistory",
  path: "/policies/history",
  parameters: { passport, destination, locale },
  language: ({ locale }) => matchLanguage(locale ?? ""),
  read: ({ query }, context): ReadQuestion<Pair> => {
    const refusal = refuseUnknownPair(query, context)
    return refusal === null ? { ok: true, question: query } : { ok: false, answer: refusal }
  },
  answer: (pair, context) => {
    const outcome = describeHistory(bookOf(context), pair)
    return outcome.kind === "found"
      ? answerKept(outcome.body)
      : answerLookupError({
          status: 404,
          code: "not_found",
          message: outcome.message,
          requestId: context.requestId,
        })
  },
})

export const countryEndpoints = /* @__PURE__ */ (() =>
  [
    describe(listPassports, {
      summary: "Every passport",
      description: "Codes, names in the language asked for, and how many pairs have a record.",
      declare: () =>
        HttpApiEndpoint.get(listPassports.name, listPassports.path, {
          query: querySchema(listPassports.parameters),
          success: PassportsAnswer,
          error: [lookupError(400), ...PIPELINE_ERRORS],
        }),
    }),
    describe(listDestinations, {
      summary: "Every destination",
      description: "Codes, names in the language asked for, and how many pairs have a record.",
      declare: () =>
        HttpApiEndpoint.get(listDestinations.name, listDestinations.path, {
          query: querySchema(listDestinations.parameters),
          success: DestinationsAnswer,
          error: [lookupError(400), ...PIPELINE_ERRORS],
        }),
    }),
    describe(listZones, {
      summary: "Zones that share an allowance of days",
      description: "With their members by date, the rule, and the law that says so.",
      declare: () =>
        HttpApiEndpoint.get(listZones.name, listZones.path, {
          success: ZonesAnswer,
          error: PIPELINE_ERRORS,
        }),
    }),
    describe(listPolicyHistory, {
      summary: "How a pair has changed",
      description:
        "Recorded changes of the requirement, oldest first. Dates are those of the first table that shows a change.",
      declare: () =>
        HttpApiEndpoint.get(listPolicyHistory.name, listPolicyHistory.path, {
          query: querySchema(listPolicyHistory.parameters),
          success: HistoryAnswer,
          error: [lookupError(400), ...PIPELINE_ERRORS, lookupError(404)],
        }),
    }),
  ] as const)()
