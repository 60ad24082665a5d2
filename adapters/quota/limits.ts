/**
 * Which limits are there, over which days does each count, and how is one described to the callers that it binds?
 *
 * An endpoint names the limits that pay for it by one word ({@link CallerPool} for those who have a key, {@link KeylessPool} for those who
 * have none). A limit covers whole UTC days: those of a calendar month, the last thirty, one, or all. What is left of a limit is described in
 * the same words for every surface, which turns them into its own headers.
 */
import type { Caller } from "../accounts/account.ts"
import type { Plan, PlanTable } from "../plans/plans.ts"
import { endOfUtcDay, formatUtcDay, type Period, utcDayAt, utcDayPeriod, utcMonthAt } from "../time/utc-calendar.ts"

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
export interface Quota {
  readonly policy: PolicyName
  readonly limit: number
  /** Requests left, without those under way. */
  readonly remaining: number
  /** The stretch of time that is counted, or null where it does not restart on a certain day. */
  readonly period: Period | null
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

/** The first day that a limit covers. */
export function firstDayOf(pool: CountedPool, { day, month, rollingFrom }: Today): string {
  switch (pool) {
    case "visa":
    case "spots":
      return `${month.name}-01`
    case "lookup":
      return rollingFrom
    case "unconfirmed":
      return ""
    default:
      return day.name
  }
}

/** The stretch of time that a limit counts, where it restarts on a certain day. */
export function periodOf(pool: CountedPool, { day, month }: Today): Period | null {
  if (pool === "lookup" || pool === "unconfirmed") return null
  return pool === "visa" || pool === "spots" ? month : day
}

export const POLICIES = {
  visa: "monthly",
  spots: "monthly",
  lookup: "rolling",
  unconfirmed: "unconfirmed",
  test: "test",
  keyless: "daily",
} as const satisfies Readonly<Record<CountedPool, PolicyName>>

/** Returns the limit that a request of a caller to a surface is charged to. */
export const payingPool = ({ isTest }: Pick<Caller, "isTest">, pool: CallerPool): CallerPool | "test" =>
  isTest ? "test" : pool

/** How much of a limit an account of a plan has; of `keyless` any address. */
export function mostOf(pool: CountedPool, plan: Plan, plans: PlanTable): number {
  switch (pool) {
    case "visa":
      return plan.requestsPerMonth
    case "lookup":
      return plan.lookup.per30Days
    case "spots":
      return plan.spotsPerMonth
    case "unconfirmed":
      return plans.unconfirmedRequests
    case "test":
      return TEST_REQUESTS_PER_DAY
    case "keyless":
      return plans.keylessSpotsPerDay
  }
}

/** Describes a count; `firstDay` is the first day with any use in it. */
export function describeCount(
  pool: CountedPool,
  today: Today,
  of: { readonly limit: number; readonly remaining: number; readonly firstDay: string | null },
): Limit {
  const { limit, firstDay } = of
  const remaining = Math.max(0, of.remaining)
  const period = periodOf(pool, today)
  const policy = POLICIES[pool]
  if (period !== null) {
    const windowSeconds = (period.endsAt - period.startsAt) / 1_000
    return { policy, limit, remaining, windowSeconds, renewsAt: period.endsAt }
  }
  if (pool === "unconfirmed") return { policy, limit, remaining, windowSeconds: null, renewsAt: null }
  const renewsAt = firstDay === null ? null : endOfUtcDay(utcDayAt(Date.parse(firstDay)) + ROLLING_DAYS - 1)
  return { policy, limit, remaining, windowSeconds: ROLLING_DAYS * SECONDS_PER_DAY, renewsAt }
}

/** Describes a limit on the distinct items of a UTC day. */
export const describeDistinct = (
  policy: "destinations" | "pairs",
  limit: number,
  remaining: number,
  { day }: Today,
): Limit => ({ policy, limit, remaining: Math.max(0, remaining), windowSeconds: SECONDS_PER_DAY, renewsAt: day.endsAt })
