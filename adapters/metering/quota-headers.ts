/**
 * How does an answer tell its caller what is left?
 *
 * Three headers of the visa service, and the two of the IETF draft (draft-ietf-httpapi-ratelimit-headers-10), which are structured
 * fields: a policy has a quota `q` and a window `w` in seconds, the state has `r` requests remaining and `t` seconds until they are
 * renewed. The window of a month is the real length of that month. Header lists are flat: name, value, name, value, as Node takes them.
 */
import type { PlanId } from "../accounts/plans.ts"
import type { Quota, Refusal } from "./ledger.ts"
import { secondsUntil } from "./utc-calendar.ts"

const SECONDS_PER_DAY = 86_400

function policyOf(quota: Quota): string {
  const window = quota.period === null ? "" : `;w=${(quota.period.endsAt - quota.period.startsAt) / 1_000}`
  return `"${quota.policy}";q=${quota.limit}${window}`
}

function stateOf(quota: Quota, nowMs: number): string {
  const renewal = quota.period === null ? "" : `;t=${secondsUntil(quota.period.endsAt, nowMs)}`
  return `"${quota.policy}";r=${quota.remaining}${renewal}`
}

/**
 * The headers of every answer to an authenticated caller.
 *
 * @example
 * ```ts
 * const quota = { policy: "unconfirmed", limit: 5, remaining: 4, period: null }
 * quotaHeaders(quota, "free", 0) // => ["X-RateLimit-Limit", "5", "X-RateLimit-Remaining", "4", "X-Plan", "free", "RateLimit-Policy", "\"unconfirmed\";q=5", "RateLimit", "\"unconfirmed\";r=4"]
 * ```
 */
export function quotaHeaders(quota: Quota, plan: PlanId, nowMs: number): string[] {
  return [
    "X-RateLimit-Limit",
    String(quota.limit),
    "X-RateLimit-Remaining",
    String(quota.remaining),
    "X-Plan",
    plan,
    "RateLimit-Policy",
    policyOf(quota),
    "RateLimit",
    stateOf(quota, nowMs),
  ]
}

/**
 * The headers of a 429: those of every answer, and when to come back. A spent month says when the next begins
 * (`X-RateLimit-Reset`, epoch seconds); too many destinations say how long the UTC day still lasts (`Retry-After`) and name their
 * policy too; an address that is not confirmed has nothing to wait for.
 */
export function refusalHeaders(refusal: Refusal, plan: PlanId, nowMs: number): string[] {
  const headers = quotaHeaders(refusal, plan, nowMs)
  if (refusal.reason === "anti_abuse") {
    const policies = `${policyOf(refusal)}, "destinations";q=${refusal.destinationsCap};w=${SECONDS_PER_DAY}`
    const states = `${stateOf(refusal, nowMs)}, "destinations";r=0;t=${refusal.retryAfterSeconds}`
    headers.splice(
      6,
      4,
      "RateLimit-Policy",
      policies,
      "RateLimit",
      states,
      "Retry-After",
      String(refusal.retryAfterSeconds),
    )
  } else if (refusal.period !== null) {
    headers.push("X-RateLimit-Reset", String(refusal.period.endsAt / 1_000))
  }
  return headers
}
