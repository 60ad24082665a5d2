/**
 * What has one account, or one address, used and reserved?
 *
 * Its counts by limit, its tokens of the second, and what it asked for distinctly today, list by list: an account's destinations by
 * passport, an address's pairs. A count whose period is over and a list of a day that is over stay whole while a request of theirs is under
 * way: such a request settles where it was reserved. Nothing here knows a limit, a clock or a database.
 */
import type { PoolCount } from "./pool-count.ts"
import type { TokenBucket } from "./token-bucket.ts"
import { endOfUtcDay } from "./utc-calendar.ts"

/** An item that was counted stays; one that is only asked for goes when the last of its requests gives it back. */
const COUNTED = -1

/** The items of one list on one day: how many requests hold each, or {@link COUNTED}. */
export type Items = Map<string, number>

/** The items of one list that a request holds. */
export interface Hold {
  readonly list: string
  readonly held: Items
}

/** One subject's counts, tokens and lists. */
export class Usage {
  /** How the database names it. */
  readonly subject: string
  visa: PoolCount | undefined
  lookup: PoolCount | undefined
  spots: PoolCount | undefined
  unconfirmed: PoolCount | undefined
  bucket: TokenBucket | undefined
  day: number
  dayEndsAt: number
  seen = new Map<string, Items>()
  /** Whether the database was asked for the lists of a day. */
  isSeenLoaded = false
  /** Reservations that are not settled yet. */
  openReservations = 0
  usedAt: number

  constructor(subject: string, day: number, nowMs: number) {
    this.subject = subject
    this.day = day
    this.dayEndsAt = endOfUtcDay(day)
    this.usedAt = nowMs
  }

  /** Every count that there is. */
  listCounts(): readonly PoolCount[] {
    return [this.visa, this.lookup, this.spots, this.unconfirmed].filter(count => count !== undefined)
  }

  /** Begins a new day. Its lists are empty: what other processes note will be learnt from them. */
  turnTo(day: number): void {
    this.day = day
    this.dayEndsAt = endOfUtcDay(day)
    this.seen = new Map()
  }

  /** Holds every item for every list, or nothing and answers undefined when one of them would have more than the cap. */
  holdForEach(lists: readonly string[], items: readonly string[], cap: number): Hold[] | undefined {
    const holds: Hold[] = []
    for (const list of lists) {
      const held = this.holdItems(list, items, cap)
      if (held === undefined) {
        this.releaseHolds(holds, items)
        return undefined
      }
      holds.push({ list, held })
    }
    return holds
  }

  /** Gives back what {@link holdForEach} held. */
  releaseHolds(holds: readonly Hold[], items: readonly string[]): void {
    for (const { list, held } of holds) this.releaseItems(list, held, items, items.length)
  }

  /**
   * Holds every item for a list, or none of them and answers undefined when there would be more than the cap. An item that is there
   * already is free.
   */
  holdItems(list: string, items: readonly string[], cap: number): Items | undefined {
    const held: Items = this.seen.get(list) ?? new Map()
    for (let i = 0; i < items.length; i++) {
      const item = items[i]!
      const holds = held.get(item)
      if (holds === undefined && held.size >= cap) {
        this.releaseItems(list, held, items, i)
        return undefined
      }
      if (holds !== COUNTED) held.set(item, (holds ?? 0) + 1)
    }
    if (held.size > 0) this.seen.set(list, held)
    return held
  }

  /** Gives the first so many of the items back. */
  releaseItems(list: string, held: Items, items: readonly string[], count: number): void {
    for (let i = 0; i < count; i++) {
      const item = items[i]!
      const holds = held.get(item)!
      if (holds > 1) held.set(item, holds - 1)
      else if (holds !== COUNTED) held.delete(item)
    }
    if (held.size === 0 && this.seen.get(list) === held) this.seen.delete(list)
  }

  /** Notes an item that is counted in the database. */
  noteItem(list: string, item: string): void {
    const held: Items = this.seen.get(list) ?? new Map()
    countItem(held, item)
    this.seen.set(list, held)
  }
}

/** Counts an item for good; says whether that is news. */
export function countItem(held: Items, item: string): boolean {
  if (held.get(item) === COUNTED) return false
  held.set(item, COUNTED)
  return true
}
