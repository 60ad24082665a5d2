/** The parameters of the lookup. Codes may be in any case and are answered in capital letters. */
import { PURPOSES } from "../../../answers/lookup-answer.ts"
import {
  isLookupVersion,
  LOOKUP_VERSIONS,
  type LookupVersion,
  PRESENT_VERSION,
} from "../../../answers/lookup-versions.ts"
import { limitHeaders } from "../../../quota/quota-headers.ts"
import type { AnswerContext, ReadQuestion } from "../../pipeline/endpoint.ts"
import type { Answer } from "../../pipeline/http-answer.ts"
import { choice, optional, type Parameter, whole } from "../../pipeline/parameters.ts"
import type { Exchange } from "../../pipeline/pipeline.ts"
import { answerLookupError } from "./lookup-errors.ts"

// Which version of the answer does a caller get? The one of the request, of the account, or the current one. Every answer names it.

/** The version of an account; one that is no longer answered is replaced by the present one. */
function versionOf({ caller }: Pick<AnswerContext, "caller">): LookupVersion {
  const pinned = caller?.apiVersion ?? PRESENT_VERSION
  return isLookupVersion(pinned) ? pinned : PRESENT_VERSION
}

/** Reads the version of a request, or refuses an unknown one. */
export function readVersion({ caller, request, requestId }: AnswerContext): ReadQuestion<LookupVersion> {
  const asked = request.header("svc-version")
  if (asked === undefined) return { ok: true, question: versionOf({ caller }) }
  if (isLookupVersion(asked)) return { ok: true, question: asked }
  const message = `Expected one of ${LOOKUP_VERSIONS.join(", ")}, got ${JSON.stringify(asked.slice(0, 80))}`
  const answer = answerLookupError({ status: 400, code: "invalid_version", message, param: "Svc-Version", requestId })
  return { ok: false, answer }
}

const NO_SECOND = { policy: "second", limit: 0, remaining: 0, windowSeconds: 1 } as const

/** The headers that each answer of the lookup has, errors too: its version, and the limit a second, which is 0 without a valid key. */
export function listLookupHeaders(exchange: Exchange, { status }: Answer): readonly string[] {
  const { added, caller, known, nowMs, request } = exchange
  if (known?.surface !== "lookup" || request.method === "OPTIONS") return []
  const asked = request.header("svc-version") ?? ""
  const version = isLookupVersion(asked) ? asked : versionOf(exchange)
  const isLimited = caller || status >= 500 || added.includes("x-ratelimit-limit")
  return ["svc-version", version, ...(isLimited ? [] : limitHeaders([{ ...NO_SECOND, renewsAt: nowMs }], nowMs))]
}

/** The longest stay in a question, in days: ten years. */
const LONGEST_STAY = 3_650

const code = (description: string, example: string): Parameter<string> => ({
  expected: "an ISO 3166-1 alpha-3 code, such as FRA",
  isRequired: true,
  isCode: true,
  document: { type: "string", pattern: "^[A-Za-z]{3}$", description, example },
  read: text => (/^[A-Za-z]{3}$/.test(text) ? text.toUpperCase() : undefined),
})

export const passport = code("The traveller's nationality.", "FRA")
export const destination = code("The country or territory to enter.", "JPN")

export const purpose = optional(
  choice(PURPOSES, {
    description: "The purpose of the journey. Rules are recorded for tourism; for any other purpose `notes` says so.",
    example: "tourism",
    default: "tourism",
  }),
)

export const stayDays = optional(
  whole(1, LONGEST_STAY, {
    description:
      "The intended stay in days; if it is longer than the longest known stay, the answer is `visa_required`.",
    example: 30,
  }),
)

const TAG = /^[A-Za-z]{1,8}(?:-[A-Za-z0-9]{1,8})*$/
const LONGEST_TAG = 35

export const locale: Parameter<string | undefined> = {
  expected: "a BCP 47 tag, such as pt-BR",
  isRequired: false,
  document: {
    type: "string",
    pattern: TAG.source,
    maxLength: LONGEST_TAG,
    description: "The language of sentences and names, a BCP 47 tag; English if it is not one of the fifteen.",
    example: "pt-BR",
    default: "en",
  },
  read: text => (text.length <= LONGEST_TAG && TAG.test(text) ? text : undefined),
}
