/**
 * What has one account, or one address, used and reserved?
 *
 * Its counts by limit, its tokens a second, and the distinct items that it asked for today, list by list: an account's
 * destinations by passport, an address's pairs. A count or a list whose period is over is kept while one of its requests is under
 * way, because a request settles where it was reserved. Nothing here knows a limit, a clock or a database.
 */

import { endOfUtcDay } from "../time/utc-calendar.ts"
import type { PoolCount } from "./pool-count.ts"
import type { TokenBucket } from "./token-bucket.ts"

/** A counted item stays; an item that is only held is removed when the last of its requests releases it. */
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
  test: PoolCount | undefined
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

  listCounts(): readonly PoolCount[] {
    return [this.visa, this.lookup, this.spots, this.unconfirmed, this.test].filter(count => count !== undefined)
  }

  /** Begins a new day with empty lists; what other processes have noted is read from the database. */
  turnTo(day: number): void {
    this.day = day
    this.dayEndsAt = endOfUtcDay(day)
    this.seen = new Map()
  }

  /** Holds every item for every list; holds nothing and returns undefined if a list would exceed the cap. */
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

  /** Releases the items that {@link holdForEach} held. */
  releaseHolds(holds: readonly Hold[], items: readonly string[]): void {
    for (const { list, held } of holds) this.releaseItems(list, held, items, items.length)
  }

  /**
   * Holds every item for a list; holds nothing and returns undefined if it would exceed the cap. An item that is in the list already is
   * free.
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

  /** Releases a number of the items, from the first on. */
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

/** Counts an item for good; says whether it is new. */
export function countItem(held: Items, item: string): boolean {
  if (held.get(item) === COUNTED) return false
  held.set(item, COUNTED)
  return true
}
