/**
 * What does a request reserve until it is answered, and why may it be refused?
 *
 * A reservation covers all limits of its request and is all or nothing: a count or two, a token of the second, items of lists. It is
 * committed for a 2xx answer and released for any other. A token is used up in either case, because it limits the rate, not the amount.
 */

import type { Caller } from "../accounts/account.ts"
import type { Period } from "../time/utc-calendar.ts"
import { countItem, type Hold, type Usage } from "./caller-usage.ts"
import type { CallerPool, KeylessPool, Limit, PolicyName } from "./limits.ts"
import type { PoolCount } from "./pool-count.ts"
import type { Unsaved } from "./unsaved.ts"

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

/** Why a request of the visa service may not be served. */
export type VisaRefusalReason = "monthly" | "unconfirmed" | "anti_abuse" | "test"
export type RefusalReason = VisaRefusalReason | "rolling" | "second" | "daily" | "pairs" | "keyless"

/** Why a request may not be served; it has cost nothing. */
export interface Refusal<Reason extends RefusalReason = VisaRefusalReason> extends Quota {
  readonly ok: false
  /**
   * `monthly`, `rolling`, `daily`, `test` and `unconfirmed`: the quota does not cover the charge. `anti_abuse` and `pairs`: too many distinct
   * ones today. `second` and `keyless`: too fast.
   */
  readonly reason: Reason
  /** Whole seconds until it is worth trying again; null where only confirming the address helps. */
  readonly retryAfterSeconds: number | null
  /** The cap on distinct items a day, if that is the reason. */
  readonly destinationsCap: number | null
}

/** The distinctly counted items of a request. */
export interface Asked {
  readonly items: readonly string[]
  readonly holds: readonly Hold[]
}

/** No distinctly counted items. */
export const NOTHING_ASKED: Asked = Object.freeze({ items: [], holds: [] })

/** Describes what is left of the limits of a reservation. */
export interface LimitSource {
  readonly listLimits: (
    usage: Usage,
    who: Caller | string,
    pool: CallerPool | KeylessPool,
    nowMs: number,
  ) => readonly Limit[]
}

/** Everything that a request holds. */
export interface Held {
  readonly limitSource: LimitSource
  readonly unsaved: Unsaved
  readonly usage: Usage
  /** A caller with a key, or a client without one. */
  readonly who: Caller | string
  readonly pool: CallerPool | KeylessPool
  readonly policy: PolicyName
  readonly limit: number
  readonly remaining: number
  readonly count: PoolCount | null
  /** The second count that pays: all requests of an account whose address is not confirmed. */
  readonly trial: PoolCount | null
  readonly charge: number
  readonly atMs: number
  readonly asked: Asked
}

/** A charge that is held for one request. The first call of commit or release counts; later ones do nothing. */
export class Reservation implements Quota {
  readonly ok = true
  readonly policy: PolicyName
  readonly limit: number
  remaining: number
  readonly #held: Held
  readonly #day: number
  #isOpen = true

  constructor(held: Held) {
    this.policy = held.policy
    this.limit = held.limit
    this.remaining = held.remaining - held.charge
    this.#held = held
    const { count, trial, charge, usage } = held
    this.#day = usage.day
    if (count !== null) count.reserved += charge
    if (trial !== null) trial.reserved += charge
    usage.openReservations++
  }

  get period(): Period | null {
    const { count, trial } = this.#held
    return count === null || trial !== null || count.unsavedHours !== null ? null : count.period
  }

  get limits(): readonly Limit[] {
    const { limitSource, usage, who, pool, atMs } = this.#held
    return limitSource
      .listLimits(usage, who, pool, atMs)
      .map(limit => (limit.policy === this.policy ? { ...limit, remaining: this.remaining } : limit))
  }

  /** Counts the request; `charge` is what it cost, at most what was reserved. */
  commit(charge: number = this.#held.charge): void {
    if (!this.#isOpen) return
    const charged = Math.min(charge, this.#held.charge)
    this.#close(charged)
    const { usage, unsaved, who, atMs } = this.#held
    if (typeof who !== "string") unsaved.keys.note(who.keyId, charged, atMs)
    const { items, holds } = this.#held.asked
    for (const { list, held } of holds) {
      for (const item of items) {
        if (countItem(held, item)) unsaved.noteItem({ usage, day: this.#day, list, item })
      }
    }
  }

  /** Releases everything: the request was not answered with a 2xx. */
  release(): void {
    if (!this.#isOpen) return
    this.#close(0)
    const { items, holds } = this.#held.asked
    if (holds.length > 0) this.#held.usage.releaseHolds(holds, items)
  }

  #close(charge: number): void {
    this.#isOpen = false
    const { count, trial, charge: reserved, usage, unsaved, atMs } = this.#held
    this.remaining += reserved - charge
    usage.openReservations--
    if (count?.settle(reserved, charge, atMs)) unsaved.noteCount(count)
    if (trial?.settle(reserved, charge, atMs)) unsaved.noteCount(trial)
  }
}
