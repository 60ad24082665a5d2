/**
 * How does the spots surface treat keys and limits?
 *
 * No key is required: requests with one use the plan's monthly quota of spots, all others a daily allowance of the client's address. An
 * unknown key is refused rather than ignored, so that its sender notices.
 */

import type { PlanTable } from "../../../plans/plans.ts"
import type { Refusal } from "../../../quota/limits.ts"
import { describeTestRefusal, limitHeaders, retryHeaders } from "../../../quota/quota-headers.ts"
import { answerKeyRefused, findApiKey, type KeyRules, UNKNOWN_KEY } from "../../pipeline/admission.ts"
import { answerError } from "../../pipeline/http-errors.ts"

/** No row of this surface requires a key, a plan or a language. */
const cannotHappen = (what: string): never => {
  throw new Error(`a row of the spots ${what}`)
}

const describeRefusal = ({ reason, limit }: Refusal): string =>
  reason === "unconfirmed"
    ? `The ${limit} requests of an account whose e-mail address is not confirmed are spent: confirm the address.`
    : reason === "test"
      ? describeTestRefusal(limit)
      : `The monthly quota of ${limit} requests for spots is spent.`

/** The rules of the spots, for the plans of a service. */
export function makeSpotsKeyRules(plans: PlanTable): KeyRules {
  return {
    pool: "spots",
    findKey: findApiKey,
    answerNoKey: () => cannotHappen("asked for a key"),
    answerUnknownKey: () => UNKNOWN_KEY,
    answerKeyRefused,
    answerPlanTooLow: () => cannotHappen("asked for a plan"),
    refuseLanguage: () => null,
    answerRefusal: (refusal, _, { nowMs }) => {
      const headers = [...limitHeaders(refusal.limits, nowMs), ...retryHeaders(refusal)]
      return answerError(429, describeRefusal(refusal), headers)
    },
    listQuotaHeaders: ({ limits }, _, nowMs) => limitHeaders(limits, nowMs),
    keyless: {
      pool: "spots",
      answerRefusal: (refusal, nowMs) => {
        const headers = [...limitHeaders(refusal.limits, nowMs), ...retryHeaders(refusal)]
        const message = `Without a key ${plans.keylessSpotsPerDay} requests a day are answered; with a key the plan's quota applies.`
        return answerError(429, message, headers)
      },
      listLimitHeaders: limitHeaders,
    },
  }
}
