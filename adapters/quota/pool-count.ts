/**
 * How much of one limit is used, and how much may this process still use?
 *
 * A count belongs to one subject, one limit and one period. The usage is the sum over all processes as the database last reported, and what
 * this process has not saved yet. The lease is what this process may use without asking: all leases and the usage never exceed the limit,
 * so a process within its lease cannot exceed it. Nothing here knows a clock or a database.
 */
import { type Period, startOfUtcHour, utcHourAt } from "../time/utc-calendar.ts"

/**
 * The limits that are counted in the database. `unconfirmed`: all requests of an account whose address is not confirmed; `keyless`: the spots
 * that an address asks for without a key; `test`: all requests by the test keys of an account.
 */
export type CountedPool = "visa" | "lookup" | "spots" | "unconfirmed" | "keyless" | "test"

/** A stretch of time that does not end. */
export const EVER: Period = { name: "ever", startsAt: Number.NEGATIVE_INFINITY, endsAt: Number.POSITIVE_INFINITY }

/** The last thirty days, which move on with every hour. */
export const ROLLING: Period = { name: "rolling", startsAt: Number.NEGATIVE_INFINITY, endsAt: Number.POSITIVE_INFINITY }

/** The length of the rolling window. */
export const ROLLING_DAYS = 30
export const ROLLING_HOURS = ROLLING_DAYS * 24

/** The possible results for a charge: it fits, it does not, or the database must be asked. */
export type Verdict = "admitted" | "refused" | "unknown"

export class PoolCount {
  /** How the database names it. */
  readonly key: { readonly subject: string; readonly pool: CountedPool; readonly period: string }
  readonly period: Period
  /** Whether the database was asked. */
  isLoaded = false
  /** The usage of all processes, as the database last reported. */
  stored = 0
  /** What this process has counted: being saved, not saved yet, or reserved. */
  saving = 0
  unsaved = 0
  reserved = 0
  /** What this process may count beyond the stored usage. */
  lease = 0
  /** The lease of this process in the database. */
  leased = 0
  /** The limit under which it was last asked for. */
  limit = 0
  /** The instant until which a charge beyond the lease is refused without asking again. */
  deniedUntil = Number.NEGATIVE_INFINITY
  /** For a rolling window: the unsaved usage by hours; null for other periods. */
  readonly unsavedHours: Map<number, number> | null
  /** For a rolling window: the hour of `stored`, and the first hour with usage. */
  storedAsOfHour = Number.NEGATIVE_INFINITY
  firstHour: number | null = null

  constructor(subject: string, pool: CountedPool, period: Period) {
    this.key = { subject, pool, period: period.name }
    this.period = period
    this.unsavedHours = period === ROLLING ? new Map() : null
  }

  /** What this process has counted or reserved, and has not saved. */
  get own(): number {
    return this.saving + this.unsaved + this.reserved
  }

  /** Returns the rest of a limit, as far as this process knows. */
  remaining(limit: number): number {
    return Math.max(0, limit - this.stored - this.own)
  }

  /** Says whether a charge can be reserved at an instant. */
  judge(charge: number, limit: number, nowMs: number): Verdict {
    this.limit = limit
    if (charge <= 0) return "admitted"
    const own = this.saving + this.unsaved + this.reserved
    if (charge > limit - this.stored - own) {
      return this.isOutdated(nowMs) ? "unknown" : "refused"
    }
    if (own + charge <= this.lease) return "admitted"
    return nowMs < this.deniedUntil ? "refused" : "unknown"
  }

  /** Says whether an hour has left a rolling window since the database was asked, and has freed some of the limit. */
  isOutdated(nowMs: number): boolean {
    const { unsavedHours, renewsAt } = this
    if (unsavedHours === null || renewsAt === null) return false
    return nowMs >= renewsAt && utcHourAt(nowMs) > this.storedAsOfHour
  }

  /**
   * Replaces a reserved charge by the real one, which may be zero; `atMs` is when it was reserved. Says whether the count has something to
   * save now and had nothing before.
   */
  settle(reserved: number, charge: number, atMs: number): boolean {
    this.reserved -= reserved
    if (charge === 0) return false
    const isFirst = this.unsaved === 0
    this.unsaved += charge
    if (this.unsavedHours !== null) {
      const hour = utcHourAt(atMs)
      this.unsavedHours.set(hour, (this.unsavedHours.get(hour) ?? 0) + charge)
    }
    return isFirst
  }

  /** When something is renewed: the end of the period, or when the first hour leaves a rolling window; null for never. */
  get renewsAt(): number | null {
    if (this.unsavedHours === null) return this.period.endsAt === Number.POSITIVE_INFINITY ? null : this.period.endsAt
    let first = this.firstHour ?? Number.POSITIVE_INFINITY
    for (const hour of this.unsavedHours.keys()) if (hour < first) first = hour
    return first === Number.POSITIVE_INFINITY ? null : startOfUtcHour(first + ROLLING_HOURS + 1)
  }
}
