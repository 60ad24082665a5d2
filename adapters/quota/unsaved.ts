/**
 * Which counts and items still have to be saved?
 *
 * Counts and items wait here until a batch takes them. A batch also asks for leases, and returns some. Only one batch is under way at a
 * time. When it is saved its counts get the totals of the database; when it fails everything goes back to where it was.
 */

import type { Usage } from "./caller-usage.ts"
import { KeyUses } from "./key-uses.ts"
import type { PoolCount } from "./pool-count.ts"
import { RequestDays } from "./request-days.ts"

/** An item that was counted for the first time. */
export interface NewItem {
  readonly usage: Usage
  readonly day: number
  readonly list: string
  readonly item: string
}

/** The question for the database before a request can be judged. */
export interface Demand {
  /** The charges that do not fit into what this process may hand out, nought for a count that is only read. */
  readonly wants: Map<PoolCount, number>
  /** Subjects whose lists of the day are not known. */
  readonly lists: Set<Usage>
}

export interface Entry {
  readonly count: PoolCount
  readonly add: number
  /** The addition by hours; null for a count without hours. */
  readonly hours: ReadonlyMap<number, number> | null
  /** What the lease must cover, and how much of that is new. */
  readonly need: number
  readonly want: number
  readonly isReleased: boolean
}

/** The contents of one transaction. */
export interface Batch {
  readonly entries: readonly Entry[]
  readonly items: readonly NewItem[]
  readonly lists: readonly Usage[]
}

/** The result for one count of a batch. */
export interface Outcome {
  readonly used: number
  readonly lease: number
  /** For a rolling window: the hour as of which `used` holds, and the first hour in which something was used. */
  readonly asOfHour?: number
  readonly firstHour?: number | null
}

/** The contents that a batch takes. */
export interface BatchOptions {
  readonly demand?: Demand
  /** Counts whose leases are given back as far as they are not needed. */
  readonly releases?: Iterable<PoolCount>
  /** Whether it takes everything that waits, or only the items of the demand. */
  readonly isWhole: boolean
}

/** Makes a demand for nothing. */
export const makeDemand = (): Demand => ({ wants: new Map(), lists: new Set() })

/** The counts and items that wait to be saved. */
export class Unsaved {
  #counts = new Set<PoolCount>()
  #items: NewItem[] = []
  #underWay: Batch | null = null
  /** Counts whose period is over and whose leases are no longer needed. */
  #past = new Set<PoolCount>()
  readonly keys = new KeyUses()
  readonly requests = new RequestDays()
  /** How much this process has leased, over all counts. */
  leased = 0
  /** How many counts it has leased something of. */
  leasedCounts = 0

  /** Called when a count has something to save, and had nothing. */
  noteCount(count: PoolCount): void {
    this.#counts.add(count)
  }

  /** Called when an item was counted for the first time. */
  noteItem(item: NewItem): void {
    this.#items.push(item)
  }

  /** Called when a count's period is over. */
  notePast(count: PoolCount): void {
    if (count.leased > 0) this.#past.add(count)
  }

  /** How many requests and items wait, or are being saved. */
  count(): { readonly requests: number; readonly items: number } {
    let requests = 0
    for (const { unsaved } of this.#counts) requests += unsaved
    for (const { add } of this.#underWay?.entries ?? []) requests += add
    return { requests, items: this.#items.length + (this.#underWay?.items.length ?? 0) }
  }

  /** The subjects whose lists have something to be saved. */
  listUsagesWithItems(): Set<Usage> {
    return new Set([...this.#items, ...(this.#underWay?.items ?? [])].map(({ usage }) => usage))
  }

  /** Takes what is to be saved; follow with {@link confirm} or {@link putBack}, one batch at a time. */
  take({ demand = makeDemand(), releases = [], isWhole }: BatchOptions): Batch {
    const released = new Set(releases)
    const chosen = new Set<PoolCount>([...demand.wants.keys(), ...released])
    if (isWhole) {
      for (const count of this.#counts) chosen.add(count)
      for (const count of this.#past) {
        released.add(count)
        chosen.add(count)
      }
    }
    const entries = [...chosen].map(count => {
      this.#counts.delete(count)
      return takeEntry(count, demand.wants.get(count) ?? 0, released.has(count))
    })
    const items = isWhole ? this.#items : []
    if (isWhole) this.#items = []
    this.#underWay = { entries, items, lists: [...demand.lists] }
    return this.#underWay
  }

  /** Notes that a batch is saved; `outcomes` are what became of each of its counts. */
  confirm(batch: Batch, outcomes: ReadonlyMap<PoolCount, Outcome>): void {
    for (const { count, hours } of batch.entries) {
      const { used, lease, asOfHour, firstHour } = outcomes.get(count) as Outcome
      this.leased += lease - count.leased
      this.leasedCounts += Number(lease > 0) - Number(count.leased > 0)
      count.saving = 0
      count.stored = used
      count.lease = lease
      count.leased = lease
      count.isLoaded = true
      if (asOfHour !== undefined) count.storedAsOfHour = asOfHour
      if (firstHour !== undefined) count.firstHour = firstHour
      else if (hours !== null && hours.size > 0) count.firstHour ??= Math.min(...hours.keys())
      if (lease === 0) this.#past.delete(count)
    }
    this.#underWay = null
  }

  putBack(batch: Batch): void {
    for (const { count, add, hours } of batch.entries) {
      count.saving -= add
      count.unsaved += add
      count.lease = count.leased
      for (const [hour, used] of hours ?? []) {
        count.unsavedHours?.set(hour, (count.unsavedHours.get(hour) ?? 0) + used)
      }
      if (count.unsaved > 0) this.#counts.add(count)
    }
    this.#items = [...batch.items, ...this.#items]
    this.#underWay = null
  }

  /** Notes that others have taken every lease of this process for themselves. */
  loseLeases(counts: Iterable<PoolCount>): void {
    for (const count of counts) {
      count.lease = 0
      count.leased = 0
    }
    this.#past = new Set()
    this.leased = 0
    this.leasedCounts = 0
  }
}

function takeEntry(count: PoolCount, want: number, isReleased: boolean): Entry {
  const add = count.unsaved
  count.saving += add
  count.unsaved = 0
  const hours = count.unsavedHours === null ? null : new Map(count.unsavedHours)
  count.unsavedHours?.clear()
  // The returned part is not used while the transaction is under way.
  if (isReleased) count.lease = Math.min(count.lease, count.saving + count.reserved)
  return { count, add, hours, need: count.reserved + want, want, isReleased }
}
