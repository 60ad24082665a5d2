/**
 * How does an answer tell its caller what is left?
 *
 * The visa service has three headers of its own; the other surfaces show the limit that decides as `X-RateLimit-Limit`, `-Remaining` and
 * `-Reset` (epoch seconds). All of them add the two of the IETF draft (draft-ietf-httpapi-ratelimit-headers-10), which are structured fields: a
 * policy has a quota `q` and a window `w` in seconds, the state has `r` requests remaining and `t` seconds until more are there. The window
 * of a month is the real length of that month. Header lists are flat: name, value, name, value, as Node takes them.
 */

import type { PlanId } from "../../platform/settings/feature-options.ts"
import { secondsUntil } from "../../platform/time/utc-calendar.ts"
import type { Limit } from "./limits.ts"
import type { Quota, Refusal } from "./reservation.ts"

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
 * quotaHeaders(quota, "free", 0) // => ["X-RateLimit-Limit", "5", "X-RateLimit-Remaining", "4", "X-Plan", "free", "RateLimit-Policy", "\"unconfirmed\";q=5", "RateLimit", "\"unconfirmed\";r=4"]
 * ```
 */
export function quotaHeaders(quota: Monthly, plan: PlanId, nowMs: number): string[] {
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

/**
 * The headers of an answer of any other surface: the first limit is the one that is shown for clients that know no others.
 *
 * @example
 * ```ts
 * const daily = { policy: "daily", limit: 30, remaining: 29, windowSeconds: 86400, renewsAt: 86400000 }
 * limitHeaders([daily], 86340000) // => ["X-RateLimit-Limit", "30", "X-RateLimit-Remaining", "29", "X-RateLimit-Reset", "86400", "RateLimit-Policy", "\"daily\";q=30;w=86400", "RateLimit", "\"daily\";r=29;t=60"]
 * ```
 */
export function limitHeaders(limits: readonly Limit[], nowMs: number): string[] {
  const [shown] = limits
  if (shown === undefined) return []
  const reset = shown.renewsAt === null ? [] : ["X-RateLimit-Reset", String(Math.ceil(shown.renewsAt / 1_000))]
  const policies = limits.map(({ policy, limit, windowSeconds }) => {
    const window = windowSeconds === null ? "" : `;w=${windowSeconds}`
    return `"${policy}";q=${limit}${window}`
  })
  const states = limits.map(({ policy, remaining, renewsAt }) => {
    const renewal = renewsAt === null || renewsAt <= nowMs ? "" : `;t=${secondsUntil(renewsAt, nowMs)}`
    return `"${policy}";r=${remaining}${renewal}`
  })
  return [
    ...["X-RateLimit-Limit", String(shown.limit), "X-RateLimit-Remaining", String(shown.remaining)],
    ...reset,
    ...["RateLimit-Policy", policies.join(", "), "RateLimit", states.join(", ")],
  ]
}

/** What a caller is told whose account's test requests of the day are spent. */
export const describeTestRefusal = (limit: number): string =>
  `The ${limit} requests that the test keys of an account have on a UTC day are spent.`

/** When to come back after a refusal: `Retry-After` in whole seconds, or nothing where waiting does not help. */
export function retryHeaders({ retryAfterSeconds }: { readonly retryAfterSeconds: number | null }): string[] {
  return retryAfterSeconds === null ? [] : ["Retry-After", String(retryAfterSeconds)]
}
