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
import type { Limit, Refusal } from "./limits.ts"

/** The two headers of the draft. */
function draftHeaders(limits: readonly Limit[], nowMs: number): readonly string[] {
  let policies = ""
  let states = ""
  for (const { policy, limit, remaining, windowSeconds, renewsAt } of limits) {
    const start = policies === "" ? `"${policy}";` : `, "${policy}";`
    policies += `${start}q=${limit}${windowSeconds === null ? "" : `;w=${windowSeconds}`}`
    const renewal = renewsAt === null || renewsAt <= nowMs ? "" : `;t=${secondsUntil(renewsAt, nowMs)}`
    states += `${start}r=${remaining}${renewal}`
  }
  return ["ratelimit-policy", policies, "ratelimit", states]
}

/**
 * The headers of every answer of the visa service to an authenticated caller: the deciding limit, and others in the two of the draft.
 *
 * @example
 * ```ts
 * const quota = { policy: "unconfirmed", limit: 5, remaining: 4, windowSeconds: null, renewsAt: null }
 * quotaHeaders(quota, "free", 0) // => ["x-ratelimit-limit", "5", "x-ratelimit-remaining", "4", "x-plan", "free", "ratelimit-policy", "\"unconfirmed\";q=5", "ratelimit", "\"unconfirmed\";r=4"]
 * ```
 */
export const quotaHeaders = (quota: Limit, plan: PlanId, nowMs: number, others: readonly Limit[] = []): string[] => [
  "x-ratelimit-limit",
  String(quota.limit),
  "x-ratelimit-remaining",
  String(quota.remaining),
  "x-plan",
  plan,
  ...draftHeaders([quota, ...others], nowMs),
]

/**
 * The headers of a 429 of the visa service: those of every answer, and when to come back. A spent month says when the next begins
 * (`X-RateLimit-Reset`, epoch seconds); too many destinations say how long the UTC day still lasts (`Retry-After`) and name their
 * policy too; an address that is not confirmed has nothing to wait for.
 */
export function refusalHeaders(refusal: Refusal, plan: PlanId, nowMs: number): string[] {
  if (refusal.reason !== "anti_abuse") {
    const headers = quotaHeaders(refusal, plan, nowMs)
    if (refusal.renewsAt !== null) headers.push("x-ratelimit-reset", String(refusal.renewsAt / 1_000))
    return headers
  }
  const destinations = refusal.limits.filter(({ policy }) => policy === "destinations")
  return [...quotaHeaders(refusal, plan, nowMs, destinations), ...retryHeaders(refusal)]
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
  const headers = ["x-ratelimit-limit", String(shown.limit), "x-ratelimit-remaining", String(shown.remaining)]
  if (shown.renewsAt !== null) headers.push("x-ratelimit-reset", String(Math.ceil(shown.renewsAt / 1_000)))
  headers.push(...draftHeaders(limits, nowMs))
  return headers
}

/** Explains that the account's test requests of the day are used up. */
export const describeTestRefusal = (limit: number): string =>
  `The ${limit} requests that the test keys of an account have on a UTC day are spent.`

/** When to come back after a refusal: `Retry-After` in whole seconds, or nothing where waiting does not help. */
export function retryHeaders({ retryAfterSeconds }: { readonly retryAfterSeconds: number | null }): string[] {
  return retryAfterSeconds === null ? [] : ["retry-after", String(retryAfterSeconds)]
}
