/**
 * May a request without a key be served, and what is left after it?
 *
 * Requests without a key have limits by client address: quick checks by a sliding minute, spots by a number a UTC day, pairs by the number
 * of distinct ones a UTC day (repeats are free). An address is in memory while it is used, and in the database only as a hash that differs
 * every day. If there are too many at the same time, later ones share one allowance, so a flood of addresses needs no more memory than the
 * limit.
 */

import { formatUtcDay, secondsUntil, utcDayAt, utcDayPeriod } from "../time/utc-calendar.ts"
import { Usage } from "./caller-usage.ts"
import type { Refusals } from "./count-refusals.ts"
import { describeDay, type KeylessPool, type Limit } from "./limits.ts"
import { PoolCount } from "./pool-count.ts"
import { RequestWindow } from "./request-window.ts"
import { type Asked, type LimitSource, NOTHING_ASKED, type Refusal, Reservation } from "./reservation.ts"
import { type Demand, makeDemand, type Unsaved } from "./unsaved.ts"

/** The cost of a request without a key. */
export interface KeylessCharge {
  readonly pool: KeylessPool
  /** Requests; 1 by default. */
  readonly charge?: number
  /** The distinct pairs that are asked for. */
  readonly pairs?: readonly string[]
}

/** The refusal of a request without a key. */
export type KeylessRefusal = Refusal<"daily" | "pairs" | "keyless">

/** How much is answered without a key, for each address. */
export interface KeylessLimits {
  readonly checksPerMinute: number
  readonly spotsPerDay: number
  readonly pairsPerDay: number
}

const CHECK_WINDOW_SECONDS = 60
/** How many addresses are kept in memory at once. */
export const MAXIMUM_ADDRESSES = 100_000
/** The one client that further addresses share when there are too many. */
const CROWD = ""
const PAIRS_LIST = "pairs"

/** The usage of every address that was seen lately. Times are epoch milliseconds. */
export class KeylessLedger implements LimitSource {
  readonly #usages = new Map<string, Usage>()
  readonly #checks: RequestWindow
  readonly #limits: KeylessLimits
  readonly #maximum: number
  readonly #unsaved: Unsaved
  readonly #refusals: Refusals
  readonly #nameSubject: (client: string, day: string) => string
  /** For requests without any cost that is counted here. */
  readonly #uncounted = new Usage("", 0, 0)

  constructor(options: {
    readonly limits: KeylessLimits
    readonly unsaved: Unsaved
    readonly refusals: Refusals
    /** How the database names an address on a day. */
    readonly nameSubject: (client: string, day: string) => string
    readonly maximumAddresses?: number
  }) {
    this.#limits = options.limits
    this.#unsaved = options.unsaved
    this.#refusals = options.refusals
    this.#nameSubject = options.nameSubject
    this.#maximum = options.maximumAddresses ?? MAXIMUM_ADDRESSES
    this.#checks = new RequestWindow({
      limit: options.limits.checksPerMinute,
      windowMs: CHECK_WINDOW_SECONDS * 1_000,
      maximumKeys: this.#maximum,
    })
  }

  /** How many addresses are in memory. */
  get size(): number {
    return this.#usages.size
  }

  /** All of them. */
  listUsages(): Iterable<Usage> {
    return this.#usages.values()
  }

  /** Reserves what a request costs, or says why not; null when the database has to be asked: see {@link demand}. */
  reserve(client: string, request: KeylessCharge, nowMs: number): Reservation | KeylessRefusal | null {
    if (request.pool === "checks") return this.#reserveCheck(client, nowMs)
    const usage = this.#find(client, nowMs)
    if (usage === undefined) return null
    usage.usedAt = nowMs
    return request.pool === "spots"
      ? this.#reserveSpots(client, usage, request.charge ?? 1, nowMs)
      : this.#reservePairs(client, usage, request.pairs ?? [], nowMs)
  }

  /** Returns what an address has left, without reserving anything; null if the database must be asked. */
  read(client: string, pool: KeylessPool, nowMs: number): Limit | null {
    if (pool === "checks") return this.#describeChecks(client, nowMs)
    const usage = this.#find(client, nowMs)
    const isLoaded = pool === "spots" ? usage?.spots?.isLoaded : usage?.isSeenLoaded
    return usage === undefined || isLoaded !== true ? null : this.#describe(usage, pool)
  }

  /** Returns what to ask the database before a request can be judged. */
  demand(client: string, request: KeylessCharge, nowMs: number): Demand {
    const demand = makeDemand()
    if (request.pool === "checks") return demand
    const usage = this.#open(client, nowMs)
    if (request.pool === "pairs") {
      if (!usage.isSeenLoaded) demand.lists.add(usage)
      return demand
    }
    const charge = request.charge ?? 1
    usage.spots ??= new PoolCount(usage.subject, "keyless", utcDayPeriod(usage.day))
    const verdict = usage.spots.judge(charge, this.#limits.spotsPerDay, nowMs)
    if (!usage.spots.isLoaded || verdict === "unknown") demand.wants.set(usage.spots, charge)
    return demand
  }

  /** Drops addresses that are no longer used. */
  forget(isIdle: (usage: Usage) => boolean): void {
    for (const [client, usage] of this.#usages) if (isIdle(usage)) this.#usages.delete(client)
  }

  listLimits(usage: Usage, who: unknown, pool: string, nowMs: number): readonly Limit[] {
    return [pool === "checks" ? this.#describeChecks(who as string, nowMs) : this.#describe(usage, pool as KeylessPool)]
  }

  /** The name under which a client is counted. */
  #nameOf(client: string): string {
    return this.#usages.has(client) || this.#usages.size < this.#maximum ? client : CROWD
  }

  #find(client: string, nowMs: number): Usage | undefined {
    const usage = this.#usages.get(this.#nameOf(client))
    return usage === undefined || nowMs >= usage.dayEndsAt ? undefined : usage
  }

  #open(client: string, nowMs: number): Usage {
    const known = this.#find(client, nowMs)
    if (known !== undefined) return known
    const name = this.#nameOf(client)
    const past = this.#usages.get(name)?.spots
    if (past !== undefined) this.#unsaved.notePast(past)
    const day = utcDayAt(nowMs)
    const usage = new Usage(this.#nameSubject(name, formatUtcDay(day)), day, nowMs)
    this.#usages.set(name, usage)
    return usage
  }

  #reserveCheck(client: string, nowMs: number): Reservation | KeylessRefusal {
    const waitSeconds = this.#checks.admit(client, nowMs)
    const limit = this.#describeChecks(client, nowMs)
    if (waitSeconds > 0) return this.#refuse(limit, "keyless", "checks", waitSeconds)
    return this.#hold(client, this.#uncounted, "checks", limit, { nowMs })
  }

  #reserveSpots(client: string, usage: Usage, charge: number, nowMs: number): Reservation | KeylessRefusal | null {
    const count = usage.spots
    if (count?.isLoaded !== true) return null
    const verdict = count.judge(charge, this.#limits.spotsPerDay, nowMs)
    if (verdict === "unknown") return null
    const limit = this.#describe(usage, "spots")
    if (verdict === "refused") return this.#refuse(limit, "daily", "spots", secondsUntil(usage.dayEndsAt, nowMs))
    return this.#hold(client, usage, "spots", limit, { nowMs, count, charge })
  }

  #reservePairs(
    client: string,
    usage: Usage,
    pairs: readonly string[],
    nowMs: number,
  ): Reservation | KeylessRefusal | null {
    if (!usage.isSeenLoaded) return null
    const holds = usage.holdForEach([PAIRS_LIST], pairs, this.#limits.pairsPerDay)
    const limit = this.#describe(usage, "pairs")
    if (holds === undefined) return this.#refuse(limit, "pairs", "pairs", secondsUntil(usage.dayEndsAt, nowMs))
    return this.#hold(client, usage, "pairs", limit, { nowMs, asked: { items: pairs, holds } })
  }

  #hold(
    client: string,
    usage: Usage,
    pool: KeylessPool,
    { policy, limit, remaining }: Limit,
    held: { readonly nowMs: number; readonly count?: PoolCount; readonly charge?: number; readonly asked?: Asked },
  ): Reservation {
    return new Reservation({
      limitSource: this,
      unsaved: this.#unsaved,
      usage,
      who: client,
      pool,
      policy,
      limit,
      remaining,
      count: held.count ?? null,
      trial: null,
      charge: held.charge ?? 0,
      atMs: held.nowMs,
      asked: held.asked ?? NOTHING_ASKED,
    })
  }

  #refuse(
    limit: Limit,
    reason: KeylessRefusal["reason"],
    pool: KeylessPool,
    retryAfterSeconds: number,
  ): KeylessRefusal {
    this.#refusals.note(pool, reason, "none")
    return {
      ok: false,
      policy: limit.policy,
      limit: limit.limit,
      remaining: limit.remaining,
      period: null,
      limits: [limit],
      reason,
      retryAfterSeconds,
      destinationsCap: reason === "pairs" ? limit.limit : null,
    }
  }

  #describe(usage: Usage, pool: KeylessPool): Limit {
    const { spotsPerDay, pairsPerDay } = this.#limits
    if (pool === "spots") {
      return describeDay("daily", spotsPerDay, usage.spots?.remaining(spotsPerDay) ?? spotsPerDay, usage.dayEndsAt)
    }
    const seen = usage.seen.get(PAIRS_LIST)?.size ?? 0
    return describeDay("pairs", pairsPerDay, Math.max(0, pairsPerDay - seen), usage.dayEndsAt)
  }

  #describeChecks(client: string, nowMs: number): Limit {
    const { remaining, renewsAt } = this.#checks.count(client, nowMs)
    return {
      policy: "keyless",
      limit: this.#limits.checksPerMinute,
      remaining,
      windowSeconds: CHECK_WINDOW_SECONDS,
      renewsAt,
    }
  }
}
