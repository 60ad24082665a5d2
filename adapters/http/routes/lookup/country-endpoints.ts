/**
 * `GET /passports`, `/destinations`, `/zones` and `/policies/history`: further data for clients of the lookup.
 *
 * Lists of codes with names, the zones that share an allowance of days, and the changes of a pair. They take a token of the second. Lists
 * cost no lookup; a history costs one, because its last line says what a lookup says.
 */

import { Effect } from "effect"
import type { LocalisedFacts } from "../../../../src/full.ts"
import { matchLanguage } from "../../../answers/answer-languages.ts"
import { describeDestinations, describePassports, describeZones } from "../../../answers/countries.ts"
import { describeHistory, type HistoryPage } from "../../../events/policy-history.ts"
import { Storage } from "../../../storage/storage.ts"
import { type AnswerContext, endpoint, type ReadQuestion } from "../../pipeline/endpoint.ts"
import { optional, whole } from "../../pipeline/parameters.ts"
import { localisedFactsOf } from "../visa/pair-endpoints.ts"
import { answerKept, refuseUnknownPair } from "./lookup-endpoints.ts"
import { answerLookupError } from "./lookup-errors.ts"
import { destination, locale, passport } from "./lookup-parameters.ts"
import { DestinationsAnswer, HistoryAnswer, PassportsAnswer, ZonesAnswer } from "./lookup-schemas.ts"

const keyed = { method: "GET", surface: "lookup", access: { kind: "key" } } as const
const shared = { ...keyed, cost: () => ({ charge: 0 }) }

/** A list of countries, with names in the requested language. */
const listCountries = (describeCountries: (localised: LocalisedFacts) => unknown) => ({
  ...shared,
  parameters: { locale },
  language: ({ locale }: { readonly locale?: string | undefined }) => matchLanguage(locale ?? ""),
  keepAs: (_: unknown, context: AnswerContext) => localisedFactsOf(context).locale.language,
  answer: (_: unknown, context: AnswerContext) => answerKept(describeCountries(localisedFactsOf(context))),
})

const listPassports = endpoint({
  ...listCountries(describePassports),
  name: "listPassports",
  path: "/passports",
  summary: "Every passport",
  description: "Codes, names in the requested language, and the number of pairs with a record.",
  success: PassportsAnswer,
})

const listDestinations = endpoint({
  ...listCountries(describeDestinations),
  name: "listDestinations",
  path: "/destinations",
  summary: "Every destination",
  description: "Codes, names in the requested language, and the number of pairs with a record.",
  success: DestinationsAnswer,
})

const listZones = endpoint({
  ...shared,
  name: "listZones",
  path: "/zones",
  parameters: {},
  keepAs: () => "",
  answer: (_, { dataset }) => answerKept(describeZones(dataset)),
  summary: "Zones that share an allowance of days",
  description: "With their members by date, the rule, and its law.",
  success: ZonesAnswer,
})

/** A pair, and which part of its history. */
interface HistoryQuestion extends HistoryPage {
  readonly passport: string
  readonly destination: string
}

const LONGEST_PAGE = 100
const LONGEST_HISTORY = 999_999
const limit = optional(
  whole(1, LONGEST_PAGE, { description: "How many.", example: LONGEST_PAGE, default: LONGEST_PAGE }),
)
const cursor = optional(
  whole(1, LONGEST_HISTORY, { description: "The `next_cursor` of the previous page.", example: LONGEST_PAGE }),
)

/** The changes of a pair. */
const listPolicyHistory = endpoint({
  ...keyed,
  cost: () => ({ charge: 1 }),
  name: "listPolicyHistory",
  path: "/policies/history",
  needs: { storage: Storage },
  parameters: { passport, destination, locale, limit, cursor },
  language: ({ locale }) => matchLanguage(locale ?? ""),
  read: ({ query }, context): ReadQuestion<HistoryQuestion> => {
    const refusal = refuseUnknownPair(query, context)
    if (refusal !== null) return { ok: false, answer: refusal }
    const { passport, destination, limit = LONGEST_PAGE, cursor = 0 } = query
    return { ok: true, question: { passport, destination, from: cursor, limit } }
  },
  answer: (question, context) => {
    const { passport, destination } = question
    const { events, datasets } = context.storage
    const asked = Effect.all([events.listOfPair(passport, destination, context.nowMs), datasets.listRepairs])
    return Effect.map(asked, ([events, repairs]) => {
      const outcome = describeHistory(localisedFactsOf(context), question, events, question)
      if (outcome.kind === "found")
        return answerKept(repairs.length === 0 ? outcome.body : { ...outcome.body, gaps: repairs })
      const { message } = outcome
      return answerLookupError({ status: 404, code: "not_found", message, requestId: context.requestId })
    })
  },
  summary: "How a pair has changed",
  description:
    "Requirements in dated tables, at the date of the first table with them, and all changes by installed datasets, with the event that was sent; oldest first. Corrections of data are marked; nobody was notified of them.",
  success: HistoryAnswer,
  errors: [404],
})

export const countryEndpoints = [listPassports, listDestinations, listZones, listPolicyHistory] as const
