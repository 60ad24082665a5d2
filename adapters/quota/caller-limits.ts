/**
 * What are the limits of a caller with a key, and what is left of them?
 *
 * The numbers are the plan's; the caller's usage has what is left. The limits are a calendar month for the visa service and for spots, and
 * thirty rolling days and a bucket of tokens a second for lookups.
 */
import type { Caller } from "../accounts/account.ts"
import type { Plan } from "../plans/plans.ts"
import type { Usage } from "./caller-usage.ts"
import { type CallerPool, type Limit, TEST_REQUESTS_PER_DAY } from "./limits.ts"
import { type PoolCount, ROLLING, ROLLING_DAYS } from "./pool-count.ts"
import type { RefusalReason } from "./reservation.ts"
import { TokenBucket } from "./token-bucket.ts"

const SECONDS_PER_DAY = 86_400

/** The limits that a request is charged to: those of a surface, or those of test keys, for any request. */
export type PayingPool = CallerPool | "test"

/** Returns the limits that a request to a surface is charged to. */
export const payingPool = ({ isTest }: Pick<Caller, "isTest">, pool: CallerPool): PayingPool => (isTest ? "test" : pool)

/** How much of a surface a plan has. */
export function limitOf(pool: PayingPool, plan: Plan): number {
  switch (pool) {
    case "test":
      return TEST_REQUESTS_PER_DAY
    case "visa":
      return plan.requestsPerMonth
    case "lookup":
      return plan.lookup.per30Days
    case "spots":
      return plan.spotsPerMonth
  }
}

/** The tokens of a caller; a full bucket at first, and when the plan has another rate. */
export function bucketOf(usage: Usage, { lookup }: Plan, nowMs: number): TokenBucket {
  if (usage.bucket?.perSecond !== lookup.perSecond) usage.bucket = new TokenBucket(lookup.perSecond, nowMs)
  return usage.bucket
}

/** Says whether a count is known and its period not over. */
export function isUsable(count: PoolCount | undefined, nowMs: number): count is PoolCount {
  return count?.isLoaded === true && nowMs < count.period.endsAt
}

export function describeCount(count: PoolCount, limit: number): Limit {
  const { period, renewsAt } = count
  const { pool } = count.key
  const remaining = count.remaining(limit)
  if (period === ROLLING) {
    return { policy: "rolling", limit, remaining, windowSeconds: ROLLING_DAYS * SECONDS_PER_DAY, renewsAt }
  }
  return {
    policy: pool === "test" ? "test" : "monthly",
    limit,
    remaining,
    windowSeconds: (period.endsAt - period.startsAt) / 1_000,
    renewsAt,
  }
}

/** When a refused request is worth trying again, as an epoch millisecond; null where waiting does not help. */
export function findRenewal(usage: Usage, pool: PayingPool, reason: RefusalReason, nowMs: number): number | null {
  switch (reason) {
    case "unconfirmed":
      return null
    case "anti_abuse":
      return usage.dayEndsAt
    case "second":
      return usage.bucket?.nextTokenAt(nowMs) ?? null
    default:
      // Other processes have the rest, and return it within a second if they do not need it.
      return (usage[pool]?.deniedUntil ?? nowMs) > nowMs ? nowMs + 1_000 : (usage[pool]?.renewsAt ?? null)
  }
}
