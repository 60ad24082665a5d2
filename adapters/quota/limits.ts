/**
 * Which limits are there, over which days does each count, and how is one described to the callers that it binds?
 *
 * An endpoint names the limits that pay for it by one word ({@link CallerPool} for those who have a key, {@link KeylessPool} for those who
 * have none). A limit covers whole UTC days: those of a calendar month, the last thirty, one, or all. What is left of a limit is described in
 * the same words for every surface, and each surface has its own headers for them.
 */

import type { Plan, PlanTable } from "../plans/plans.ts"
import type { PlanId } from "../settings/feature-options.ts"
import {
  endOfUtcDay,
  formatUtcDay,
  type Period,
  secondsUntil,
  utcDayAt,
  utcDayPeriod,
  utcMonthAt,
} from "../time/utc-calendar.ts"

/** The limits that a caller with a key is charged to: each surface has its own, so one never uses up another. */
export type CallerPool = "visa" | "lookup" | "spots"

/** The limits without a key: `checks` a minute, `spots` a UTC day, distinct `pairs` a UTC day; each by client address. */
export type KeylessPool = "checks" | "spots" | "pairs"

/**
 * The limits that are counted in the database. `unconfirmed`: all requests of an account whose address is not confirmed; `keyless`: the spots
 * that an address asks for without a key; `test`: all requests by the test keys of an account.
 */
export type CountedPool = CallerPool | "unconfirmed" | "test" | "keyless"

/** The requests of an account's test keys on a UTC day, over all surfaces: enough for development, useless as a free key. */
export const TEST_REQUESTS_PER_DAY = 100

/** The names that clients read. */
export type PolicyName =
  | "monthly"
  | "unconfirmed"
  | "rolling"
  | "second"
  | "destinations"
  | "keyless"
  | "daily"
  | "pairs"
  | "test"

export interface Limit {
  readonly policy: PolicyName
  readonly limit: number
  /** The rest, without requests under way. */
  readonly remaining: number
  /** The length of the stretch of time that is counted; null where it does not end. */
  readonly windowSeconds: number | null
  /** When more becomes available, in epoch milliseconds; null where waiting does not help, or all of it is available. */
  readonly renewsAt: number | null
}

/** What a caller has left under the deciding limit. */
export interface Quota extends Limit {
  /** Every limit that applies, the deciding one among them. */
  readonly limits: readonly Limit[]
}

/**
 * Why a request may not be served. `monthly`, `rolling`, `daily`, `test` and `unconfirmed`: the quota does not cover the charge. `anti_abuse` and
 * `pairs`: too many distinct ones today. `second` and `keyless`: too fast.
 */
export type RefusalReason = Exclude<PolicyName, "destinations"> | "anti_abuse"

/** A request that may not be served; it has cost nothing. */
export interface Refusal extends Quota {
  readonly ok: false
  readonly reason: RefusalReason
  /** Whole seconds until it is worth trying again; null where only confirming the address helps. */
  readonly retryAfterSeconds: number | null
  /** The cap on distinct items a day, if that is the reason. */
  readonly destinationsCap: number | null
}

const SECONDS_PER_DAY = 86_400
const ROLLING_DAYS = 30

/** The stretches of time that an instant is in. */
export interface Today {
  readonly day: Period
  readonly month: Period
  /** The first day of the last thirty. */
  readonly rollingFrom: string
}

export function todayAt(nowMs: number): Today {
  const day = utcDayAt(nowMs)
  return { day: utcDayPeriod(day), month: utcMonthAt(nowMs), rollingFrom: formatUtcDay(day - ROLLING_DAYS + 1) }
}

interface PoolRow {
  readonly policy: PolicyName
  /** The UTC days that it covers: those of a calendar month, the last thirty, one, or all. */
  readonly covers: "month" | "thirty" | "day" | "all"
  /** How much of it an account of a plan has; of `keyless` any address. */
  readonly most: (plan: Plan, plans: PlanTable) => number
}

/** The limits that are counted in the database. */
export const POOLS = {
  visa: { policy: "monthly", covers: "month", most: plan => plan.requestsPerMonth },
  spots: { policy: "monthly", covers: "month", most: plan => plan.spotsPerMonth },
  lookup: { policy: "rolling", covers: "thirty", most: plan => plan.lookup.per30Days },
  unconfirmed: { policy: "unconfirmed", covers: "all", most: (_, plans) => plans.unconfirmedRequests },
  test: { policy: "test", covers: "day", most: () => TEST_REQUESTS_PER_DAY },
  keyless: { policy: "daily", covers: "day", most: (_, plans) => plans.keylessSpotsPerDay },
} as const satisfies Readonly<Record<CountedPool, PoolRow>>

/** The first day that a limit covers. */
export const firstDayOf = (pool: CountedPool, { day, month, rollingFrom }: Today): string =>
  ({ month: `${month.name}-01`, thirty: rollingFrom, day: day.name, all: "" })[POOLS[pool].covers]

/** Describes a count; `firstDay` is the first day with any use in it. */
export function describeCount(
  pool: CountedPool,
  { day, month }: Today,
  {
    limit,
    remaining,
    firstDay,
  }: { readonly limit: number; readonly remaining: number; readonly firstDay: string | null },
): Limit {
  const { policy, covers } = POOLS[pool]
  const period = covers === "month" ? month : covers === "day" ? day : null
  const isRolling = covers === "thirty"
  const rollingSeconds = isRolling ? ROLLING_DAYS * SECONDS_PER_DAY : null
  const windowSeconds = period === null ? rollingSeconds : (period.endsAt - period.startsAt) / 1_000
  const freedAt = isRolling && firstDay !== null ? endOfUtcDay(utcDayAt(Date.parse(firstDay)) + ROLLING_DAYS - 1) : null
  return { policy, limit, remaining: Math.max(0, remaining), windowSeconds, renewsAt: period?.endsAt ?? freedAt }
}

/** Describes a limit on the distinct items of a UTC day. */
export const describeDistinct = (
  policy: "destinations" | "pairs",
  limit: number,
  remaining: number,
  { day }: Today,
): Limit => ({ policy, limit, remaining: Math.max(0, remaining), windowSeconds: SECONDS_PER_DAY, renewsAt: day.endsAt })

// How does an answer report the rest of a limit?
// The visa service has three headers of its own. The other surfaces report the deciding limit as `X-RateLimit-Limit`, `-Remaining` and
// `-Reset` (epoch seconds). All of them add the two of the IETF draft (draft-ietf-httpapi-ratelimit-headers-10), which are structured
// fields: a policy has a quota `q` and a window `w` in seconds, the state has `r` requests remaining and `t` seconds until more are
// available. The window of a month is the real length of that month. Header lists are flat, with names in lower case: name, value, name,
// value, as an answer has them.

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

/** Explains that requests are used up which are the same on every surface; null for a limit of one surface. */
export function explainSpent({ reason, limit }: Pick<Refusal, "reason" | "limit">): string | null {
  if (reason === "test") return `The ${limit} requests that the test keys of an account have on a UTC day are spent.`
  return reason === "unconfirmed"
    ? `The ${limit} requests of an account whose e-mail address is not confirmed are spent: confirm the address.`
    : null
}

/** When to come back after a refusal: `Retry-After` in whole seconds, or nothing where waiting does not help. */
export function retryHeaders({ retryAfterSeconds }: { readonly retryAfterSeconds: number | null }): string[] {
  return retryAfterSeconds === null ? [] : ["retry-after", String(retryAfterSeconds)]
}
