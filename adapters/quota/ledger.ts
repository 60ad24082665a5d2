/**
 * May this caller's request be served, and what is left after it?
 *
 * The ledger is exact and synchronous: a request reserves its charge before it is answered, and commits it (for a 2xx answer) or releases
 * it (for any other), so that of many parallel requests no more succeed than the limit has left. A team key charges its owner's account. An
 * account without a confirmed address has a few requests in all. The guard against harvesting counts distinct destinations for one passport
 * on one UTC day. If this process's lease is not enough, the result is null: the database must be asked. The ledger itself knows no
 * database.
 */

import type { Caller } from "../accounts/account.ts"
import type { Plan } from "../plans/plans.ts"
import { type Period, secondsUntil, type UtcMonth, utcDayAt, utcDayPeriod, utcMonthAt } from "../time/utc-calendar.ts"
import {
  bucketOf,
  describeCount,
  findRenewal,
  isUsable,
  limitOf,
  type PayingPool,
  payingPool,
} from "./caller-limits.ts"
import { Usage } from "./caller-usage.ts"
import type { Refusals } from "./count-refusals.ts"
import { type CallerPool, describeDay, type Limit } from "./limits.ts"
import { EVER, PoolCount, ROLLING } from "./pool-count.ts"
import { type Asked, type LimitSource, NOTHING_ASKED, type Quota, type Refusal, Reservation } from "./reservation.ts"
import { type Demand, makeDemand, type Unsaved } from "./unsaved.ts"

interface Costs {
  readonly charge: number
  readonly passport?: string | readonly string[]
  readonly destinations?: string | readonly string[]
}

/** The cost of a request to the visa service: requests, and the destinations (one, or a list) for each passport (one, or a list). */
export interface Charge extends Costs {
  readonly pool?: "visa"
}

/** The cost of a request, and the surface whose limits are charged. */
export interface PoolCharge extends Costs {
  readonly pool: CallerPool
}

/** A caller's refusal, by any limit. */
export type CallerRefusal = Refusal<"monthly" | "unconfirmed" | "anti_abuse" | "rolling" | "second" | "test">

/** Which limit of a surface's pays. */
const POLICIES = { visa: "monthly", lookup: "rolling", spots: "monthly", test: "test" } as const

const asList = (given: string | readonly string[]): readonly string[] => (typeof given === "string" ? [given] : given)

export type { Quota, Refusal, Reservation } from "./reservation.ts"

/** The usage of every account that was seen lately. Times are epoch milliseconds. */
export class Ledger implements LimitSource {
  readonly #accounts = new Map<number, Usage>()
  readonly #unconfirmedRequests: number
  readonly #unsaved: Unsaved
  readonly #refusals: Refusals
  #month: UtcMonth = utcMonthAt(0)

  constructor(options: {
    readonly unconfirmedRequests: number
    readonly unsaved: Unsaved
    readonly refusals: Refusals
  }) {
    this.#unconfirmedRequests = options.unconfirmedRequests
    this.#unsaved = options.unsaved
    this.#refusals = options.refusals
  }

  /** How many accounts are in memory. */
  get size(): number {
    return this.#accounts.size
  }

  /** All of them. */
  listUsages(): Iterable<Usage> {
    return this.#accounts.values()
  }

  /** Reserves a charge for a request, or says why not; null when the database has to be asked: see {@link demand}. */
  reserve(caller: Caller, request: Charge | PoolCharge, nowMs: number): Reservation | CallerRefusal | null {
    const usage = this.#accounts.get(caller.accountId)
    if (usage === undefined) return null
    const { charge, pool: asks = "visa" } = request
    const pool = payingPool(caller, asks)
    const count = usage[pool]
    const trial = caller.isConfirmed ? null : usage.unconfirmed
    if (!isUsable(count, nowMs) || (trial !== null && !isUsable(trial, nowMs))) return null
    usage.usedAt = nowMs
    const limit = limitOf(pool, caller.plan)
    const verdict = count.judge(charge, limit, nowMs)
    const trialVerdict = trial === null ? "admitted" : trial.judge(charge, this.#unconfirmedRequests, nowMs)
    if (verdict === "unknown" || trialVerdict === "unknown") return null
    if (trialVerdict === "refused") return this.#refuse(usage, caller, asks, "unconfirmed", nowMs)
    if (verdict === "refused") {
      return this.#refuse(usage, caller, asks, POLICIES[pool], nowMs)
    }
    let asked = NOTHING_ASKED
    // Also with a test key: all keys of an account share its list of destinations.
    if (asks === "visa") {
      const found = holdAsked(usage, caller.plan, request, nowMs)
      if (found === null) return null
      if (found === undefined) return this.#refuse(usage, caller, asks, "anti_abuse", nowMs)
      asked = found
    }
    if (pool === "lookup" && !bucketOf(usage, caller.plan, nowMs).take(nowMs)) {
      return this.#refuse(usage, caller, asks, "second", nowMs)
    }
    return new Reservation({
      limitSource: this,
      unsaved: this.#unsaved,
      usage,
      who: caller,
      pool: asks,
      policy: trial !== null ? "unconfirmed" : POLICIES[pool],
      limit: trial !== null ? this.#unconfirmedRequests : limit,
      remaining: trial !== null ? trial.remaining(this.#unconfirmedRequests) : count.remaining(limit),
      count,
      trial,
      charge,
      atMs: nowMs,
      asked,
    })
  }

  /** Returns what a caller has left, without reserving anything; null if the database must be asked. */
  readQuota(caller: Caller, nowMs: number, asks: CallerPool = "visa"): Quota | null {
    const usage = this.#accounts.get(caller.accountId)
    if (usage === undefined) return null
    const pool = payingPool(caller, asks)
    const count = usage[pool]
    const trial = caller.isConfirmed ? null : usage.unconfirmed
    if (!isUsable(count, nowMs) || (trial !== null && !isUsable(trial, nowMs))) return null
    if (count.isOutdated(nowMs)) return null
    usage.usedAt = nowMs
    return this.#quotaOf(usage, caller, asks, nowMs)
  }

  /** Returns what to ask the database before a request can be judged; for a request without cost, only the rest. */
  demand(caller: Caller, request: Charge | PoolCharge, nowMs: number): Demand {
    const demand = makeDemand()
    const usage = this.#usageOf(caller.accountId, nowMs)
    const { charge, pool: asks = "visa" } = request
    const pool = payingPool(caller, asks)
    const want = (count: PoolCount, limit: number) => {
      const verdict = count.judge(charge, limit, nowMs)
      if (!count.isLoaded || verdict === "unknown" || count.isOutdated(nowMs)) demand.wants.set(count, charge)
    }
    if (nowMs >= usage.dayEndsAt) usage.turnTo(utcDayAt(nowMs))
    want(this.#countOf(usage, pool, nowMs), limitOf(pool, caller.plan))
    if (!caller.isConfirmed) want(this.#countOf(usage, "unconfirmed", nowMs), this.#unconfirmedRequests)
    if (asks === "visa" && caller.plan.destinationsPerPassportAndDay !== null && !usage.isSeenLoaded) {
      demand.lists.add(usage)
    }
    return demand
  }

  /** Drops accounts that are no longer used. */
  forget(isIdle: (usage: Usage) => boolean): void {
    for (const [accountId, usage] of this.#accounts) if (isIdle(usage)) this.#accounts.delete(accountId)
  }

  /** Every limit that a caller is held to, the deciding one first. */
  listLimits(usage: Usage, who: Caller | string, pool: string, nowMs: number): readonly Limit[] {
    const caller = who as Caller
    const limits: Limit[] = []
    if (!caller.isConfirmed && usage.unconfirmed !== undefined) {
      const limit = this.#unconfirmedRequests
      const remaining = usage.unconfirmed.remaining(limit)
      limits.push({ policy: "unconfirmed", limit, remaining, windowSeconds: null, renewsAt: null })
    }
    const callerPool = payingPool(caller, pool as CallerPool)
    const count = usage[callerPool]
    if (count !== undefined) limits.push(describeCount(count, limitOf(callerPool, caller.plan)))
    if (callerPool === "lookup") {
      const bucket = bucketOf(usage, caller.plan, nowMs)
      limits.unshift({
        policy: "second",
        limit: bucket.perSecond,
        remaining: bucket.count(nowMs),
        windowSeconds: 1,
        renewsAt: bucket.fullAt(nowMs),
      })
    }
    return limits
  }

  #usageOf(accountId: number, nowMs: number): Usage {
    const known = this.#accounts.get(accountId)
    if (known !== undefined) return known
    const usage = new Usage(String(accountId), utcDayAt(nowMs), nowMs)
    this.#accounts.set(accountId, usage)
    return usage
  }

  /** The count of the present period; a clock that is set back must not restart an old one. */
  #countOf(usage: Usage, pool: PayingPool | "unconfirmed", nowMs: number): PoolCount {
    const known = usage[pool]
    if (known !== undefined && nowMs < known.period.endsAt) return known
    if (known !== undefined) this.#unsaved.notePast(known)
    const count = new PoolCount(usage.subject, pool, this.#periodOf(pool, nowMs))
    usage[pool] = count
    return count
  }

  #periodOf(pool: PayingPool | "unconfirmed", nowMs: number): Period {
    switch (pool) {
      case "test":
        return utcDayPeriod(utcDayAt(nowMs))
      case "unconfirmed":
        return EVER
      case "lookup":
        return ROLLING
      default:
        if (nowMs < this.#month.startsAt || nowMs >= this.#month.endsAt) this.#month = utcMonthAt(nowMs)
        return this.#month
    }
  }

  #quotaOf(usage: Usage, caller: Caller, pool: CallerPool, nowMs: number): Quota {
    const limits = this.listLimits(usage, caller, pool, nowMs)
    const paying = payingPool(caller, pool)
    const period = caller.isConfirmed && paying !== "lookup" ? (usage[paying]?.period ?? null) : null
    const deciding = limits.find(({ policy }) => policy !== "second") as Limit
    return { policy: deciding.policy, limit: deciding.limit, remaining: deciding.remaining, period, limits }
  }

  #refuse(
    usage: Usage,
    caller: Caller,
    asks: CallerPool,
    reason: CallerRefusal["reason"],
    nowMs: number,
  ): CallerRefusal {
    this.#refusals.note(asks, reason, caller.plan.id)
    const quota = this.#quotaOf(usage, caller, asks, nowMs)
    const cap = reason === "anti_abuse" ? caller.plan.destinationsPerPassportAndDay : null
    const limits = cap === null ? quota.limits : [...quota.limits, describeDay("destinations", cap, 0, usage.dayEndsAt)]
    const renewsAt = findRenewal(usage, payingPool(caller, asks), reason, nowMs)
    return {
      ...quota,
      limits,
      ok: false,
      reason,
      retryAfterSeconds: renewsAt === null ? null : secondsUntil(renewsAt, nowMs),
      destinationsCap: cap,
    }
  }
}

/** Holds the distinct items of a request: undefined when there are too many, null when it is unknown what was asked before. */
function holdAsked(usage: Usage, plan: Plan, request: Costs, nowMs: number): Asked | undefined | null {
  const cap = plan.destinationsPerPassportAndDay
  const { passport, destinations } = request
  if (cap === null || passport === undefined || destinations === undefined) return NOTHING_ASKED
  if (!usage.isSeenLoaded) return null
  if (nowMs >= usage.dayEndsAt) usage.turnTo(utcDayAt(nowMs))
  const items = asList(destinations)
  const holds = usage.holdForEach(asList(passport), items, cap)
  return holds === undefined ? undefined : { items, holds }
}
