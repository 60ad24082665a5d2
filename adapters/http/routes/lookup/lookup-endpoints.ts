/**
 * `GET /visa`: the requirement of one pair, in a version that a caller can rely on.
 *
 * It has no side effects and is made for caches: an answer has a validator, and the caller may keep it for an hour. Each answer costs one
 * lookup; a 304 costs none.
 */

import { Effect, Schema } from "effect"
import { lookupRequirement } from "../../../../src/engine.ts"
import type { LocalisedFacts } from "../../../../src/full.ts"
import { matchLanguage } from "../../../answers/answer-languages.ts"
import { fieldsOfKinds, schemaOfKind } from "../../../answers/field-schemas.ts"
import {
  countries,
  describeDestinations,
  describeLookup,
  describePassports,
  describeZones,
  HISTORY_FIELDS,
  isLookupVersion,
  LOOKUP_FIELDS,
  LOOKUP_VERSIONS,
  type LookupQuestion,
  type LookupVersion,
  PRESENT_VERSION,
  PURPOSES,
  source,
  writeLookup,
  zones,
} from "../../../answers/lookup-answer.ts"
import { describeHistory, type HistoryPage } from "../../../events/policy-history.ts"
import { limitHeaders } from "../../../quota/limits.ts"
import { Storage } from "../../../storage/storage.ts"
import { makeBody } from "../../pipeline/describe-row.ts"
import {
  type AnswerContext,
  choice,
  endpoint,
  optional,
  type Parameter,
  pattern,
  type ReadQuestion,
  textThat,
  whole,
} from "../../pipeline/endpoint.ts"
import { type Answer, answerText, JSON_TYPE } from "../../pipeline/http-message.ts"
import type { Exchange } from "../../pipeline/pipeline.ts"
import { LONGEST_PAGE, WHOLE_PAGE } from "../pages.ts"
import { localisedFactsOf } from "../visa/visa-endpoints.ts"
import { answerLookupError } from "./lookup-errors.ts"

// The parameters of the lookup. Codes may be in any case and are answered in capital letters.

// Which version of the answer does a caller get? The one of the request, of the account, or the current one. Every answer names it.

/** The version of an account; one that is no longer answered is replaced by the present one. */
function versionOf({ caller }: Pick<AnswerContext, "caller">): LookupVersion {
  const pinned = caller?.apiVersion ?? PRESENT_VERSION
  return isLookupVersion(pinned) ? pinned : PRESENT_VERSION
}

/** Reads the version of a request, or refuses an unknown one. */
function readVersion({ caller, request, requestId }: AnswerContext): ReadQuestion<LookupVersion> {
  const asked = request.header("svc-version")
  if (asked === undefined) return { ok: true, question: versionOf({ caller }) }
  if (isLookupVersion(asked)) return { ok: true, question: asked }
  const message = `Expected one of ${LOOKUP_VERSIONS.join(", ")}, got ${JSON.stringify(asked.slice(0, 80))}`
  const answer = answerLookupError({ code: "invalid_version", message, param: "Svc-Version", requestId })
  return { ok: false, answer }
}

const NO_SECOND = { policy: "second", limit: 0, remaining: 0, windowSeconds: 1 } as const

/** The headers that each answer of the lookup has, errors too: its version, and the limit a second, which is 0 without a valid key. */
export function listLookupHeaders(exchange: Exchange, { status }: Answer): readonly string[] {
  const { added, caller, nowMs, request } = exchange
  if (request.method === "OPTIONS") return []
  const asked = request.header("svc-version") ?? ""
  const version = isLookupVersion(asked) ? asked : versionOf(exchange)
  const isLimited = caller || status >= 500 || added.includes("x-ratelimit-limit")
  return ["svc-version", version, ...(isLimited ? [] : limitHeaders([{ ...NO_SECOND, renewsAt: nowMs }], nowMs))]
}

/** The longest stay in a question, in days: ten years. */
const LONGEST_STAY = 3_650

const code = (description: string, example: string): Parameter<string> => ({
  ...pattern("an ISO 3166-1 alpha-3 code, such as FRA", /^[A-Za-z]{3}$/, { description, example }),
  isCode: true,
  read: text => (/^[A-Za-z]{3}$/.test(text) ? text.toUpperCase() : undefined),
})

export const passport = code("The traveller's nationality.", "FRA")
const destination = code("The country or territory to enter.", "JPN")

const purpose = optional(
  choice(PURPOSES, {
    description: "The purpose of the journey. Rules are recorded for tourism; for any other purpose `notes` says so.",
    example: "tourism",
    default: "tourism",
  }),
)

const stayDays = optional(
  whole(1, LONGEST_STAY, {
    description:
      "The intended stay in days; if it is longer than the longest known stay, the answer is `visa_required`.",
    example: 30,
  }),
)

const TAG = /^[A-Za-z]{1,8}(?:-[A-Za-z0-9]{1,8})*$/
const LONGEST_TAG = 35

const locale = optional(
  textThat("a BCP 47 tag, such as pt-BR", text => text.length <= LONGEST_TAG && TAG.test(text), {
    pattern: TAG,
    maxLength: LONGEST_TAG,
    description: "The language of sentences and names, a BCP 47 tag; English if it is not one of the fifteen.",
    example: "pt-BR",
    default: "en",
  }),
)

const MS_PER_DAY = 86_400_000

const VARY = "Authorization, X-Api-Key, Svc-Version, Accept-Encoding"
/** Not shared between callers: the version may be the account's. */
const KEPT_BY_CALLER = ["cache-control", "private, max-age=3600", "vary", VARY]

export interface Question extends LookupQuestion {
  readonly version: LookupVersion
}

/** Sends a record that a caller may keep. */
function answerKept(record: unknown): Answer {
  return answerText(JSON_TYPE, JSON.stringify(record), KEPT_BY_CALLER)
}

/** Refuses a pair of which one code is unknown. */
function refuseUnknownPair(
  { passport, destination }: { readonly passport: string; readonly destination: string },
  { dataset, requestId }: AnswerContext,
): Answer | null {
  const answer = lookupRequirement(dataset, passport, destination)
  const refuse = (param: "passport" | "destination", code: string): Answer => {
    const message = `Nothing is recorded under the code ${code}.`
    return answerLookupError({ code: `invalid_${param}`, message, param, requestId })
  }
  if (answer.kind !== "no_record") return null
  if (answer.reason === "unknown_passport") return refuse("passport", passport)
  return answer.reason === "unknown_destination" ? refuse("destination", destination) : null
}

/** The requirement of a pair. An answer of version 2026-03-01 has no `trust`, and its `sources` are addresses. */
const lookupVisa = endpoint("GET /visa", {
  name: "lookupVisa",
  surface: "lookup",
  access: { kind: "key" },
  isRepeatable: true,
  parameters: { passport, destination, purpose, stay_days: stayDays, locale },
  language: ({ locale }) => matchLanguage(locale ?? ""),
  read: ({ query }, context): ReadQuestion<Question> => {
    const { passport, destination, purpose = "tourism", stay_days: stayDays = null } = query
    const read = readVersion(context)
    if (!read.ok) return read
    const refusal = refuseUnknownPair(query, context)
    if (refusal !== null) return { ok: false, answer: refusal }
    return { ok: true, question: { passport, destination, purpose, stayDays, version: read.question } }
  },
  cost: () => ({ charge: 1 }),
  keepAs: ({ passport, destination, purpose, stayDays, version }, context) =>
    purpose === "tourism" && stayDays === null
      ? `${passport} ${destination} ${version} ${localisedFactsOf(context).locale.language} ${dayOf(context)}`
      : undefined,
  answer: (question, context) => {
    const outcome = describeLookup(localisedFactsOf(context), question, dayOf(context))
    if (outcome.kind === "found") {
      return answerKept(writeLookup(outcome.body, question.version))
    }
    const { message } = outcome
    return answerLookupError({ code: "not_found", message, requestId: context.requestId })
  },
  summary: "What is needed to enter",
  description:
    "The requirement of one pair, with its sources and a trust score. Costs one lookup. `Svc-Version` pins a version: 2026-10-01, or 2026-03-01, which has no `trust` and whose `sources` are addresses.",
  headers: { "Svc-Version": { description: "The version of the answer.", type: "string", example: "2026-10-01" } },
  success: makeBody("LookupAnswer", "What is needed to enter.", {
    ...fieldsOfKinds({ ...LOOKUP_FIELDS, trust: { ...LOOKUP_FIELDS.trust, isRequired: false } }),
    sources: Schema.Array(Schema.Union([schemaOfKind(source), Schema.String])),
  }),
  errors: [404],
})

const dayOf = ({ nowMs }: AnswerContext): number => Math.floor(nowMs / MS_PER_DAY)

export const lookupEndpoints = [lookupVisa] as const

// `GET /passports`, `/destinations`, `/zones` and `/policies/history`: further data for clients of the lookup.
// Lists of codes with names, the zones that share an allowance of days, and the changes of a pair. They take a token of the second. Lists
// cost no lookup; a history costs one, because its last line says what a lookup says.

const keyed = { surface: "lookup", access: { kind: "key" } } as const
const shared = { ...keyed, cost: () => ({ charge: 0 }) }

/** A list of countries, with names in the requested language. */
const listCountries = (
  one: "passport" | "destination",
  name: string,
  describeCountries: (localised: LocalisedFacts) => unknown,
) =>
  endpoint(`GET /${one}s`, {
    ...shared,
    name,
    parameters: { locale },
    language: ({ locale }) => matchLanguage(locale ?? ""),
    keepAs: (_, context) => localisedFactsOf(context).locale.language,
    answer: (_, context) => answerKept(describeCountries(localisedFactsOf(context))),
    summary: `Every ${one}`,
    description: "Codes, names in the requested language, and the number of pairs with a record.",
    success: makeBody(`${name.replace("list", "")}Answer`, `Every ${one}, by code.`, {
      count: Schema.Int,
      [`${one}s`]: schemaOfKind(countries),
    }),
  })

const listPassports = listCountries("passport", "listPassports", describePassports)
const listDestinations = listCountries("destination", "listDestinations", describeDestinations)

const listZones = endpoint("GET /zones", {
  ...shared,
  name: "listZones",
  keepAs: () => "",
  answer: (_, { dataset }) => answerKept(describeZones(dataset)),
  summary: "Zones that share an allowance of days",
  description: "With their members by date, the rule, and its law.",
  success: makeBody("ZonesAnswer", "Zones whose members share one allowance of days.", {
    count: Schema.Int,
    zones: schemaOfKind(zones),
  }),
})

/** A pair, and which part of its history. */
export interface HistoryQuestion extends HistoryPage {
  readonly passport: string
  readonly destination: string
}

/** The changes of a pair. */
const listPolicyHistory = endpoint("GET /policies/history", {
  ...keyed,
  cost: () => ({ charge: 1 }),
  name: "listPolicyHistory",
  needs: { storage: Storage },
  parameters: { passport, destination, locale, ...WHOLE_PAGE },
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
      return answerLookupError({ code: "not_found", message, requestId: context.requestId })
    })
  },
  summary: "How a pair has changed",
  description:
    "Requirements in dated tables, at the date of the first table with them, and all changes by installed datasets, with the event that was sent; oldest first. Corrections of data are marked; nobody was notified of them.",
  success: makeBody("HistoryAnswer", "How the policy of a pair has changed.", fieldsOfKinds(HISTORY_FIELDS)),
  errors: [404],
})

export const countryEndpoints = [listPassports, listDestinations, listZones, listPolicyHistory] as const
