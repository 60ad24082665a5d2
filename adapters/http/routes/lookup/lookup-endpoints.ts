/**
 * `GET /visa`: the requirement of one pair, in a version that a caller can rely on.
 *
 * It has no side effects and is made for caches: an answer has a validator, and the caller may keep it for an hour. Each answer costs one
 * lookup; a 304 costs none.
 */
import { lookupRequirement } from "../../../../src/engine.ts"
import { matchLanguage } from "../../../answers/answer-languages.ts"
import { describeLookup, type LookupQuestion } from "../../../answers/lookup-answer.ts"
import { type LookupVersion, writeLookup } from "../../../answers/lookup-versions.ts"
import { type AnswerContext, endpoint, type ReadQuestion } from "../../pipeline/endpoint.ts"
import { type Answer, answerText, JSON_TYPE } from "../../pipeline/http-answer.ts"
import { localisedFactsOf } from "../visa/pair-endpoints.ts"
import { answerLookupError } from "./lookup-errors.ts"
import { destination, locale, passport, purpose, readVersion, stayDays } from "./lookup-parameters.ts"
import { LookupAnswer } from "./lookup-schemas.ts"

const MS_PER_DAY = 86_400_000

/** Not shared between callers: the version may be the account's. */
const KEPT_BY_CALLER = ["cache-control", "private, max-age=3600", "vary", "Authorization, Svc-Version, Accept-Encoding"]

interface Question extends LookupQuestion {
  readonly version: LookupVersion
}

/** Sends a record that a caller may keep. */
export function answerKept(record: unknown): Answer {
  return answerText(JSON_TYPE, JSON.stringify(record), KEPT_BY_CALLER)
}

/** Refuses a pair of which one code is unknown. */
export function refuseUnknownPair(
  { passport, destination }: { readonly passport: string; readonly destination: string },
  { dataset, requestId }: AnswerContext,
): Answer | null {
  const answer = lookupRequirement(dataset, passport, destination)
  const refuse = (param: "passport" | "destination", code: string): Answer => {
    const message = `Nothing is recorded under the code ${code}.`
    return answerLookupError({ status: 400, code: `invalid_${param}`, message, param, requestId })
  }
  if (answer.kind !== "no_record") return null
  if (answer.reason === "unknown_passport") return refuse("passport", passport)
  return answer.reason === "unknown_destination" ? refuse("destination", destination) : null
}

/** The requirement of a pair. */
const lookupVisa = endpoint({
  name: "lookupVisa",
  method: "GET",
  path: "/visa",
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
    return answerLookupError({ status: 404, code: "not_found", message, requestId: context.requestId })
  },
  summary: "What is needed to enter",
  description:
    "The requirement of one pair, with its sources and a trust score. Costs one lookup. `Svc-Version` pins a version: 2026-10-01, or 2026-03-01, which has no `trust` and whose `sources` are addresses.",
  headers: { "Svc-Version": { description: "The version of the answer.", type: "string", example: "2026-10-01" } },
  success: LookupAnswer,
  errors: [404],
})

const dayOf = ({ nowMs }: AnswerContext): number => Math.floor(nowMs / MS_PER_DAY)

export const lookupEndpoints = [lookupVisa] as const
