/**
 * How much of one limit is used, and how much may this process still hand out?
 *
 * A count belongs to one subject, one limit and one stretch of time. What is used is the sum over all processes as the database last said,
 * and what this process has not saved yet. What it may hand out without asking is its lease: all leases and all that is used never come
 * to more than the limit, so that a process that stays within its lease cannot exceed it. Nothing here knows a clock or a database.
 */
import type { Period } from "../../platform/time/utc-calendar.ts"
import { startOfUtcHour, utcHourAt } from "../../platform/time/utc-calendar.ts"

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

/** What may become of a charge: it fits, it does not, or the database has to be asked. */
export type Verdict = "admitted" | "refused" | "unknown"

/** One count of one subject. */
export class PoolCount {
  /** How the database names it. */
  readonly key: { readonly subject: string; readonly pool: CountedPool; readonly period: string }
  readonly period: Period
  /** Whether the database was asked. */
  isLoaded = false
  /** What is used, of all processes, as the database last said. */
  stored = 0
  /** What this process has counted, which is being saved, not saved yet, or may still be counted. */
  saving = 0
  unsaved = 0
  reserved = 0
  /** What this process may count beyond what is stored. */
  lease = 0
  /** What the database has written down as this process's lease. */
  leased = 0
  /** The limit under which it was last asked for. */
  limit = 0
  /** The instant until which a charge beyond the lease is refused without asking again. */
  deniedUntil = Number.NEGATIVE_INFINITY
  /** Of a rolling window: what is not saved yet, by hours; null for other periods. */
  readonly unsavedHours: Map<number, number> | null
  /** Of a rolling window: the hour as of which `stored` holds, and the first hour in which something was used. */
  storedAsOfHour = Number.NEGATIVE_INFINITY
  firstHour: number | null = null

  constructor(subject: string, pool: CountedPool, period: Period) {
    this.key = { subject, pool, period: period.name }
    this.period = period
    this.unsavedHours = period === ROLLING ? new Map() : null
  }

  /** What this process has counted or may still count, and has not saved. */
  get own(): number {
    return this.saving + this.unsaved + this.reserved
  }

  /** What is left under a limit, as far as is known here. */
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

  /** Whether an hour has left a rolling window since the database was asked, and has made room. */
  isOutdated(nowMs: number): boolean {
    const { unsavedHours, renewsAt } = this
    if (unsavedHours === null || renewsAt === null) return false
    return nowMs >= renewsAt && utcHourAt(nowMs) > this.storedAsOfHour
  }

  /** Replaces a reserved charge by the real one, which may be zero; `atMs` is when it was reserved. */
  settle(reserved: number, charge: number, atMs: number): void {
    this.reserved -= reserved
    if (charge === 0) return
    this.unsaved += charge
    if (this.unsavedHours !== null) {
      const hour = utcHourAt(atMs)
      this.unsavedHours.set(hour, (this.unsavedHours.get(hour) ?? 0) + charge)
    }
  }

  /** When something is renewed: the end of the period, or when the first hour leaves a rolling window; null for never. */
  get renewsAt(): number | null {
    if (this.unsavedHours === null) return this.period.endsAt === Number.POSITIVE_INFINITY ? null : this.period.endsAt
    let first = this.firstHour ?? Number.POSITIVE_INFINITY
    for (const hour of this.unsavedHours.keys()) if (hour < first) first = hour
    return first === Number.POSITIVE_INFINITY ? null : startOfUtcHour(first + ROLLING_HOURS + 1)
  }
}
