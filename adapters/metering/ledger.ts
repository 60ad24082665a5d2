/**
 * May this request be served, and what is left after it?
 *
 * Exact and synchronous: a request reserves its charge before it is answered, and commits it (a 2xx answer) or releases it (any
 * other), so that of many requests at once no more succeed than the quota has left. A team key charges its owner's account. An
 * account whose address is not confirmed has a few requests in all. The guard against harvesting counts distinct destinations for
 * one passport on one UTC day. What has changed waits to be saved; the ledger knows no database.
 */
import type { Caller } from "../accounts/account.ts"
import { AccountBook, countDestination, type Hold, type MonthCount } from "./account-book.ts"
import { endOfUtcDay, secondsUntil, type UtcMonth, utcDayAt, utcMonthAt } from "./utc-calendar.ts"

/** What a request costs: requests, and the destinations (one, or a list) that it asks for each passport (one, or a list). */
export interface Charge {
  readonly charge: number
  readonly passport?: string | readonly string[]
  readonly destinations?: string | readonly string[]
}

/** What a request asks that the guard against harvesting counts. */
interface Asked {
  readonly destinations: readonly string[]
  readonly holds: readonly Hold[]
}

/** What a caller has left under the policy that applies to it. */
export interface Quota {
  readonly policy: "monthly" | "unconfirmed"
  readonly limit: number
  /** Requests left, those under way taken off. */
  readonly remaining: number
  /** The month that is counted, or null where the quota never begins anew. */
  readonly period: UtcMonth | null
}

/** Why a request may not be served; it has cost nothing. */
export interface Refusal extends Quota {
  readonly ok: false
  /** `monthly` and `unconfirmed`: the quota does not cover the charge. `anti_abuse`: too many destinations today. */
  readonly reason: "monthly" | "unconfirmed" | "anti_abuse"
  /** Whole seconds until it is worth trying again; null where only confirming the address helps. */
  readonly retryAfterSeconds: number | null
  /** The cap on destinations for one passport and day, if that is the reason. */
  readonly destinationsCap: number | null
}

/** Destinations of one account that were counted and wait to be saved. */
export interface SeenDestination {
  readonly accountId: number
  readonly day: number
  readonly passport: string
  readonly destination: string
}

/** What the database knows of an account. */
export interface StoredUsage {
  readonly months: readonly { readonly month: string; readonly used: number }[]
  /** Destinations of the day on which it was read. */
  readonly seen: readonly { readonly passport: string; readonly destination: string }[]
}

/** What has changed since the last time it was taken. */
export interface Unsaved {
  readonly counts: readonly MonthCount[]
  readonly seen: readonly SeenDestination[]
}

/** A charge that is held for one request. The first of commit and release counts, whatever follows does nothing. */
export class Reservation implements Quota {
  readonly ok = true
  readonly policy: Quota["policy"]
  readonly limit: number
  remaining: number
  readonly #ledger: Ledger
  readonly #count: MonthCount
  readonly #day: number
  readonly #charge: number
  readonly #asked: Asked
  #isOpen = true

  constructor(ledger: Ledger, quota: Quota, count: MonthCount, charge: number, asked: Asked) {
    this.policy = quota.policy
    this.limit = quota.limit
    this.remaining = quota.remaining - charge
    this.#ledger = ledger
    this.#count = count
    this.#day = count.book.day
    this.#charge = charge
    this.#asked = asked
    count.reserved += charge
    count.book.openReservations++
  }

  get period(): UtcMonth | null {
    return this.policy === "monthly" ? this.#count.month : null
  }

  /** Counts the request; `charge` is what it came to, at most what was reserved. */
  commit(charge: number = this.#charge): void {
    if (!this.#isOpen) return
    this.#close(Math.min(charge, this.#charge))
    const { destinations, holds } = this.#asked
    for (const { passport, held } of holds) {
      for (const destination of destinations) {
        if (countDestination(held, destination))
          this.#ledger.noteSeen(this.#count.book, this.#day, passport, destination)
      }
    }
  }

  /** Gives everything back: the request was not answered with a 2xx. */
  release(): void {
    if (!this.#isOpen) return
    this.#close(0)
    this.#count.book.releaseHolds(this.#asked.holds, this.#asked.destinations)
  }

  #close(charge: number): void {
    this.#isOpen = false
    this.remaining += this.#charge - charge
    this.#count.settle(this.#charge, charge)
    this.#count.book.openReservations--
    if (charge > 0) this.#ledger.noteCount(this.#count)
  }
}

const NOTHING_ASKED: Asked = Object.freeze({ destinations: [], holds: [] })

const asList = (given: string | readonly string[]): readonly string[] => (typeof given === "string" ? [given] : given)

/** The books of all accounts that were seen lately. Times are epoch milliseconds. */
export class Ledger {
  readonly #books = new Map<number, AccountBook>()
  readonly #unconfirmedRequests: number
  #month: UtcMonth = utcMonthAt(0)
  #counts = new Set<MonthCount>()
  #seen: SeenDestination[] = []

  constructor(options: { readonly unconfirmedRequests: number }) {
    this.#unconfirmedRequests = options.unconfirmedRequests
  }

  /** How many accounts have an open book. */
  get size(): number {
    return this.#books.size
  }

  hasBook(accountId: number): boolean {
    return this.#books.has(accountId)
  }

  /** Opens an account's book with what the database has; a book that is open already knows better and stays. */
  openBook(accountId: number, stored: StoredUsage, nowMs: number): void {
    if (this.#books.has(accountId)) return
    const month = this.#monthAt(nowMs)
    const book = new AccountBook(accountId, { month, day: utcDayAt(nowMs), at: nowMs })
    for (const { month: name, used } of stored.months) {
      if (name === month.name) book.count.stored = used
      else book.takenBefore += used
    }
    for (const { passport, destination } of stored.seen) {
      countDestination(book.holdDestinations(passport, [destination], Number.POSITIVE_INFINITY)!, destination)
    }
    this.#books.set(accountId, book)
  }

  /** Reserves a charge for a request, or says why not; null when the account's book has to be opened first. */
  reserve(caller: Caller, request: Charge, nowMs: number): Reservation | Refusal | null {
    const book = this.#bookOf(caller, nowMs)
    if (book === undefined) return null
    const quota = this.#quotaOf(book, caller)
    if (request.charge > quota.remaining && request.charge > 0) {
      const retryAfterSeconds = quota.period === null ? null : secondsUntil(quota.period.endsAt, nowMs)
      return { ...quota, ok: false, reason: quota.policy, retryAfterSeconds, destinationsCap: null }
    }
    const cap = caller.plan.destinationsPerPassportAndDay
    const { passport, destinations } = request
    if (cap === null || passport === undefined || destinations === undefined) {
      return new Reservation(this, quota, book.count, request.charge, NOTHING_ASKED)
    }
    const list = asList(destinations)
    const holds = book.holdForEach(asList(passport), list, cap)
    if (holds === undefined) {
      const retryAfterSeconds = secondsUntil(endOfUtcDay(book.day), nowMs)
      return { ...quota, ok: false, reason: "anti_abuse", retryAfterSeconds, destinationsCap: cap }
    }
    return new Reservation(this, quota, book.count, request.charge, { destinations: list, holds })
  }

  /** What a caller has left, without reserving anything; null when the account's book has to be opened first. */
  readQuota(caller: Caller, nowMs: number): Quota | null {
    const book = this.#bookOf(caller, nowMs)
    return book === undefined ? null : this.#quotaOf(book, caller)
  }

  #bookOf(caller: Caller, nowMs: number): AccountBook | undefined {
    const book = this.#books.get(caller.accountId)
    if (book === undefined) return undefined
    book.turnTo(this.#monthAt(nowMs), utcDayAt(nowMs))
    book.usedAt = nowMs
    return book
  }

  #quotaOf(book: AccountBook, caller: Caller): Quota {
    const count = book.count
    if (caller.isConfirmed) {
      const limit = caller.plan.requestsPerMonth
      return { policy: "monthly", limit, remaining: Math.max(0, limit - count.taken), period: count.month }
    }
    const limit = this.#unconfirmedRequests
    const remaining = Math.max(0, limit - book.takenBefore - count.taken)
    return { policy: "unconfirmed", limit, remaining, period: null }
  }

  #monthAt(nowMs: number): UtcMonth {
    if (nowMs < this.#month.startsAt || nowMs >= this.#month.endsAt) this.#month = utcMonthAt(nowMs)
    return this.#month
  }

  /** Called by a reservation that has counted something. */
  noteCount(count: MonthCount): void {
    this.#counts.add(count)
  }

  /** Called by a reservation that has counted a destination for the first time. */
  noteSeen(book: AccountBook, day: number, passport: string, destination: string): void {
    this.#seen.push({ accountId: book.accountId, day, passport, destination })
  }

  /** Takes everything that waits to be saved; follow with {@link confirmSaved} or {@link returnUnsaved}, one batch at a time. */
  takeUnsaved(): Unsaved {
    const counts = [...this.#counts].sort((a, b) => a.book.accountId - b.book.accountId)
    const seen = this.#seen
    this.#counts = new Set()
    this.#seen = []
    for (const count of counts) {
      count.saving = count.unsaved
      count.unsaved = 0
    }
    return { counts, seen }
  }

  /** Notes that a batch is saved; `totals` are what the database then had for each of its counts. */
  confirmSaved(batch: Unsaved, totals: readonly number[]): void {
    batch.counts.forEach((count, i) => {
      count.confirmSaved(totals[i]!)
    })
  }

  /** Puts a batch back that could not be saved. */
  returnUnsaved(batch: Unsaved): void {
    for (const count of batch.counts) {
      count.unsaved += count.saving
      count.saving = 0
      this.#counts.add(count)
    }
    this.#seen = [...batch.seen, ...this.#seen]
  }

  /** Closes the books that nobody has used since an instant and that have nothing left to save; they can be opened again. */
  closeIdleBooks(idleSince: number): void {
    const busy = new Set<number>()
    for (const count of this.#counts) busy.add(count.book.accountId)
    for (const seen of this.#seen) busy.add(seen.accountId)
    for (const book of this.#books.values()) {
      if (book.usedAt < idleSince && book.openReservations === 0 && !busy.has(book.accountId)) {
        this.#books.delete(book.accountId)
      }
    }
  }
}
