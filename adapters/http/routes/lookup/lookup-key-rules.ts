/**
 * How does the lookup treat keys and limits?
 *
 * The key is a bearer token (RFC 6750), or in `x-api-key`. There are two limits: a bucket of tokens a second, which answers 429, and thirty rolling days,
 * which answer 403. Every answer to a known caller has the rest of the first.
 */
import { explainKeyRefusal } from "../../../accounts/key-limits.ts"
import type { Refusal } from "../../../quota/limits.ts"
import { describeTestRefusal, limitHeaders, retryHeaders } from "../../../quota/quota-headers.ts"
import type { KeyRules } from "../../pipeline/admission.ts"
import { answerLookupError } from "./lookup-errors.ts"

/** RFC 9110, section 15.5.2: a 401 names a way to authenticate. */
const CHALLENGE = ["www-authenticate", "Bearer"]
const BLANK = 0x20
const INVALID_TOKEN = ["www-authenticate", 'Bearer error="invalid_token"']

function describeRefusal({ reason, limit }: Refusal): string {
  switch (reason) {
    case "second":
      return "Too many requests in this second."
    case "unconfirmed":
      return "The requests of an account whose e-mail address is not confirmed are spent: confirm the address."
    case "test":
      return describeTestRefusal(limit)
    default:
      return `The quota of ${limit} lookups in thirty days is spent.`
  }
}

export const lookupKeyRules: KeyRules = {
  pool: "lookup",

  // Another scheme counts as an unknown key: it is refused as such, not as if nothing had been sent.
  findKey: request => {
    const given = (request.header("authorization") ?? "").trim()
    // As nearly every client writes it.
    if (given.startsWith("Bearer ") && given.charCodeAt(7) !== BLANK) return given.slice(7)
    const key = /^bearer(?: +([^ ].*)?)?$/i.exec(given)
    const shown = key === null ? given : (key[1] ?? "")
    return shown || request.header("x-api-key") || null
  },

  answerNoKey: ({ requestId }) =>
    answerLookupError({
      status: 401,
      code: "missing_api_key",
      message: "An API key is required: send it as Authorization: Bearer <API_KEY>.",
      requestId,
      headers: CHALLENGE,
    }),

  answerUnknownKey: ({ requestId }) =>
    answerLookupError({
      status: 401,
      code: "invalid_api_key",
      message: "This API key is not valid: it is unknown or was deactivated.",
      requestId,
      headers: INVALID_TOKEN,
    }),

  answerKeyRefused: (refusal, { requestId }) => {
    const message = explainKeyRefusal(refusal)
    switch (refusal.kind) {
      case "expired":
        return answerLookupError({ status: 401, code: "expired", message, requestId, headers: INVALID_TOKEN })
      case "address":
        return answerLookupError({ status: 403, code: "address_not_allowed", message, requestId })
      case "scope":
        return answerLookupError({ status: 403, code: "scope_missing", message, param: refusal.scope, requestId })
      case "mode":
        return answerLookupError({ status: 403, code: "wrong_key_mode", message, requestId })
      case "unconfirmed":
        return answerLookupError({ status: 403, code: "email_not_confirmed", message, requestId })
    }
  },

  answerPlanTooLow: (feature, { plan }, { requestId }) =>
    answerLookupError({
      status: 403,
      code: "plan_too_low",
      message: `The plan ${plan.id} does not include ${feature}.`,
      requestId,
    }),

  refuseLanguage: () => null,

  answerRefusal: (refusal, _, { nowMs, requestId }) => {
    const headers = limitHeaders(refusal.limits, nowMs)
    const message = describeRefusal(refusal)
    if (refusal.reason !== "second") {
      return answerLookupError({ status: 403, code: "quota_exceeded", message, requestId, headers })
    }
    headers.push(...retryHeaders(refusal))
    return answerLookupError({ status: 429, code: "rate_limited", message, requestId, headers })
  },

  listQuotaHeaders: ({ limits }, _, nowMs) => limitHeaders(limits, nowMs),
}
