/**
 * How does an answer report the rest of a limit?
 *
 * The visa service has three headers of its own. The other surfaces report the deciding limit as `X-RateLimit-Limit`, `-Remaining` and
 * `-Reset` (epoch seconds). All of them add the two of the IETF draft (draft-ietf-httpapi-ratelimit-headers-10), which are structured
 * fields: a policy has a quota `q` and a window `w` in seconds, the state has `r` requests remaining and `t` seconds until more are
 * available. The window of a month is the real length of that month. Header lists are flat, with names in lower case: name, value, name,
 * value, as an answer has them.
 */

import type { PlanId } from "../settings/feature-options.ts"
import { secondsUntil } from "../time/utc-calendar.ts"
import type { Limit, Quota, Refusal } from "./limits.ts"

const SECONDS_PER_DAY = 86_400

type Monthly = Pick<Quota, "policy" | "limit" | "remaining" | "period">

function policyOf(quota: Monthly): string {
  const window = quota.period === null ? "" : `;w=${(quota.period.endsAt - quota.period.startsAt) / 1_000}`
  return `"${quota.policy}";q=${quota.limit}${window}`
}

function stateOf(quota: Monthly, nowMs: number): string {
  const renewal = quota.period === null ? "" : `;t=${secondsUntil(quota.period.endsAt, nowMs)}`
  return `"${quota.policy}";r=${quota.remaining}${renewal}`
}

/**
 * The headers of every answer of the visa service to an authenticated caller.
 *
 * @example
 * ```ts
 * const quota = { policy: "unconfirmed", limit: 5, remaining: 4, period: null }
 * quotaHeaders(quota, "free", 0) // => ["x-ratelimit-limit", "5", "x-ratelimit-remaining", "4", "x-plan", "free", "ratelimit-policy", "\"unconfirmed\";q=5", "ratelimit", "\"unconfirmed\";r=4"]
 * ```
 */
export function quotaHeaders(quota: Monthly, plan: PlanId, nowMs: number): string[] {
  return [
    "x-ratelimit-limit",
    String(quota.limit),
    "x-ratelimit-remaining",
    String(quota.remaining),
    "x-plan",
    plan,
    "ratelimit-policy",
    policyOf(quota),
    "ratelimit",
    stateOf(quota, nowMs),
  ]
}

/**
 * The headers of a 429 of the visa service: those of every answer, and when to come back. A spent month says when the next begins
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
      "ratelimit-policy",
      policies,
      "ratelimit",
      states,
      "retry-after",
      String(refusal.retryAfterSeconds),
    )
  } else if (refusal.period !== null) {
    headers.push("x-ratelimit-reset", String(refusal.period.endsAt / 1_000))
  }
  return headers
}

/**
 * The headers of an answer of any other surface: the first limit is the one that is shown for clients that know no others.
 *
 * @example
 * ```ts
 * const daily = { policy: "daily", limit: 30, remaining: 29, windowSeconds: 86400, renewsAt: 86400000 }
 * limitHeaders([daily], 86340000) // => ["x-ratelimit-limit", "30", "x-ratelimit-remaining", "29", "x-ratelimit-reset", "86400", "ratelimit-policy", "\"daily\";q=30;w=86400", "ratelimit", "\"daily\";r=29;t=60"]
 * ```
 */
export function limitHeaders(limits: readonly Limit[], nowMs: number): string[] {
  const [shown] = limits
  if (shown === undefined) return []
  let policies = ""
  let states = ""
  for (const { policy, limit, remaining, windowSeconds, renewsAt } of limits) {
    const start = policies === "" ? `"${policy}";` : `, "${policy}";`
    policies += `${start}q=${limit}${windowSeconds === null ? "" : `;w=${windowSeconds}`}`
    const renewal = renewsAt === null || renewsAt <= nowMs ? "" : `;t=${secondsUntil(renewsAt, nowMs)}`
    states += `${start}r=${remaining}${renewal}`
  }
  const headers = ["x-ratelimit-limit", String(shown.limit), "x-ratelimit-remaining", String(shown.remaining)]
  if (shown.renewsAt !== null) headers.push("x-ratelimit-reset", String(Math.ceil(shown.renewsAt / 1_000)))
  headers.push("ratelimit-policy", policies, "ratelimit", states)
  return headers
}

/** Explains that the account's test requests of the day are used up. */
export const describeTestRefusal = (limit: number): string =>
  `The ${limit} requests that the test keys of an account have on a UTC day are spent.`

/** When to come back after a refusal: `Retry-After` in whole seconds, or nothing where waiting does not help. */
export function retryHeaders({ retryAfterSeconds }: { readonly retryAfterSeconds: number | null }): string[] {
  return retryAfterSeconds === null ? [] : ["retry-after", String(retryAfterSeconds)]
}
