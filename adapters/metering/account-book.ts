/**
 * What has one account used, and what has it reserved?
 *
 * Counts of a month that is over and destinations of a day that is over stay whole while a request of theirs is under way: such a
 * request settles where it was reserved. Nothing here knows a limit, a clock or a database.
 */
import type { UtcMonth } from "./utc-calendar.ts"

/** The requests of one account in one month: what the database has, what is being saved, what is not saved yet, what is reserved. */
export class MonthCount {
  stored: number
  saving = 0
  unsaved = 0
  reserved = 0
  readonly book: AccountBook
  readonly month: UtcMonth

  constructor(book: AccountBook, month: UtcMonth, stored: number) {
    this.book = book
    this.month = month
    this.stored = stored
  }

  /** Everything that was counted or may still be. */
  get taken(): number {
    return this.stored + this.saving + this.unsaved + this.reserved
  }

  /** Turns a reserved charge into what it really was, nought for nothing. */
  settle(reserved: number, charge: number): void {
    this.reserved -= reserved
    this.unsaved += charge
    if (this !== this.book.count) this.book.takenBefore += charge - reserved
  }

  /** Notes that what was being saved is saved, and what the database then had in all: other processes count there too. */
  confirmSaved(total: number): void {
    if (this !== this.book.count) this.book.takenBefore += total - this.stored - this.saving
    this.stored = total
    this.saving = 0
  }
}

/** A destination that was counted stays; one that is only asked for goes when the last of its requests gives it back. */
const COUNTED = -1

/** The destinations that one account asked for one passport on one day: how many requests hold each, or {@link COUNTED}. */
export type Destinations = Map<string, number>

/** The destinations of one passport that a request holds. */
export interface Hold {
  readonly passport: string
  readonly held: Destinations
}

/** One account's counts, and its destinations of the day by passport. */
export class AccountBook {
  readonly accountId: number
  count: MonthCount
  /** What was taken in all earlier months together. */
  takenBefore: number
  day: number
  seen = new Map<string, Destinations>()
  /** Reservations that are not settled yet. */
  openReservations = 0
  usedAt: number

  constructor(accountId: number, opening: { readonly month: UtcMonth; readonly day: number; readonly at: number }) {
    this.accountId = accountId
    this.count = new MonthCount(this, opening.month, 0)
    this.takenBefore = 0
    this.day = opening.day
    this.usedAt = opening.at
  }

  /** Begins a new month or day when it has come. Never goes back: a clock that is set back must not empty the counts. */
  turnTo(month: UtcMonth, day: number): void {
    if (month.index > this.count.month.index) {
      this.takenBefore += this.count.taken
      this.count = new MonthCount(this, month, 0)
    }
    if (day > this.day) {
      this.day = day
      this.seen = new Map()
    }
  }

  /** Holds every destination for every passport, or nothing and answers undefined when one of them would have more than the cap. */
  holdForEach(passports: readonly string[], destinations: readonly string[], cap: number): Hold[] | undefined {
    const holds: Hold[] = []
    for (const passport of passports) {
      const held = this.holdDestinations(passport, destinations, cap)
      if (held === undefined) {
        this.releaseHolds(holds, destinations)
        return undefined
      }
      holds.push({ passport, held })
    }
    return holds
  }

  /** Gives back what {@link holdForEach} held. */
  releaseHolds(holds: readonly Hold[], destinations: readonly string[]): void {
    for (const { passport, held } of holds) {
      this.releaseDestinations(passport, held, destinations, destinations.length)
    }
  }

  /**
   * Holds every destination for a passport, or none of them and answers undefined when there would be more than the cap. A
   * destination that is there already is free.
   */
  holdDestinations(passport: string, destinations: readonly string[], cap: number): Destinations | undefined {
    const held: Destinations = this.seen.get(passport) ?? new Map()
    for (let i = 0; i < destinations.length; i++) {
      const destination = destinations[i]!
      const holds = held.get(destination)
      if (holds === undefined && held.size >= cap) {
        this.releaseDestinations(passport, held, destinations, i)
        return undefined
      }
      if (holds !== COUNTED) held.set(destination, (holds ?? 0) + 1)
    }
    if (held.size > 0) this.seen.set(passport, held)
    return held
  }

  /** Gives the first so many of the destinations back. */
  releaseDestinations(passport: string, held: Destinations, destinations: readonly string[], count: number): void {
    for (let i = 0; i < count; i++) {
      const destination = destinations[i]!
      const holds = held.get(destination)!
      if (holds > 1) held.set(destination, holds - 1)
      else if (holds !== COUNTED) held.delete(destination)
    }
    if (held.size === 0 && this.seen.get(passport) === held) this.seen.delete(passport)
  }
}

/** Counts a destination for good; says whether that is news. */
export function countDestination(held: Destinations, destination: string): boolean {
  if (held.get(destination) === COUNTED) return false
  held.set(destination, COUNTED)
  return true
}
