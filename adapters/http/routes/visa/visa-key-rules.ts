/**
 * How does the visa service treat keys and limits?
 *
 * The key is in `x-api-key` or in the query's `api_key`; a key that is given twice counts as unknown. The limits have three headers of
 * their own and those of the IETF draft.
 */

import type { Caller } from "../../../accounts/account.ts"
import { lowestPlanWith, type Plan, type PlanTable } from "../../../plans/plans.ts"
import { explainSpent, quotaHeaders, type Refusal, refusalHeaders } from "../../../quota/limits.ts"
import { PLAN_IDS, type PlanId } from "../../../settings/feature-options.ts"
import { type Site, signupUrl, upgradeUrl } from "../../../settings/site-links.ts"
import { answerKeyRefused, findApiKey, KEY_CHALLENGE, type KeyRules, UNKNOWN_KEY } from "../../pipeline/admission.ts"
import { type Answer, answerError, answerJson, NOT_STORED } from "../../pipeline/http-message.ts"

function describeRefusal(refusal: Refusal): string {
  const { reason, limit, destinationsCap } = refusal
  if (reason === "anti_abuse")
    return `More than ${destinationsCap} destinations for one passport on one day are not answered on this plan.`
  return explainSpent(refusal) ?? `The monthly quota of ${limit} requests does not cover this request.`
}

/** The answer to a request that a limit refuses; `explanation` follows the reason. */
export function answerVisaRefusal(
  refusal: Refusal,
  { plan }: Pick<Caller, "plan">,
  nowMs: number,
  explanation = "",
): Answer {
  const headers = refusalHeaders(refusal, plan.id, nowMs)
  const wait = refusal.reason === "monthly" || refusal.reason === "test" ? refusal.retryAfterSeconds : null
  if (wait !== null) headers.push("retry-after", String(wait))
  return answerError(429, describeRefusal(refusal) + explanation, headers)
}

const speaks = ({ languages }: Plan, language: string): boolean => languages === "all" || languages.includes(language)

export function makeVisaKeyRules(site: Site, plans: PlanTable): KeyRules {
  /** Refuses what a plan lacks, and names the lowest one that has it; null if none has. */
  const answerUpgrade = (what: string, required: PlanId | null, { id }: Plan, orAbove = ""): Answer => {
    const message =
      required === null ? "No plan of this service has it." : `It needs the plan ${required}${orAbove}; yours is ${id}.`
    const body = {
      error: `Your plan does not include this ${what}.`,
      message,
      required_plan: required,
      upgrade_url: upgradeUrl(site, required),
    }
    return answerJson(403, body, NOT_STORED)
  }

  return {
    pool: "visa",

    findKey: findApiKey,

    answerNoKey: () => {
      const body = {
        error: "An API key is required.",
        message: "Send your key in the x-api-key header.",
        signup_url: signupUrl(site),
        free_tier: `${plans.byId.free.requestsPerMonth} requests a month`,
      }
      return answerJson(401, body, [...NOT_STORED, ...KEY_CHALLENGE])
    },

    answerUnknownKey: () => UNKNOWN_KEY,
    answerKeyRefused,

    answerPlanTooLow: (feature, { plan }) =>
      answerUpgrade("endpoint", lowestPlanWith(feature, plans), plan, " or above"),

    refuseLanguage: (language, { plan }) => {
      if (speaks(plan, language)) return null
      return answerUpgrade("language", PLAN_IDS.find(id => speaks(plans.byId[id], language)) ?? null, plan)
    },

    answerRefusal: (refusal, caller, { nowMs }) => answerVisaRefusal(refusal, caller, nowMs),

    listQuotaHeaders: (quota, { plan }, nowMs) => quotaHeaders(quota, plan.id, nowMs),

    keyless: {
      pool: "checks",
      answerRefusal: ({ limit, retryAfterSeconds, limits: [checks] }) =>
        answerError(
          429,
          `Without a key ${limit} checks a minute are answered; try again in ${retryAfterSeconds} seconds.`,
          [
            "retry-after",
            String(retryAfterSeconds),
            "ratelimit-policy",
            `"keyless";q=${limit};w=${checks?.windowSeconds}`,
            "ratelimit",
            `"keyless";r=0;t=${retryAfterSeconds}`,
          ],
        ),
    },
  }
}
