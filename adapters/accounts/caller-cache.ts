/**
 * Which caller has this key, if it was seen before?
 *
 * A bounded map from whole keys to callers, in memory only, so that a request is identified without SQL. It holds two
 * generations: when the young one is full it becomes the old one, and callers that are still in use move over. Its entries are
 * valid only as long as {@link CallerCache.confirm} says that the database has not changed.
 */
import type { Caller } from "./account.ts"

/** Callers by key. Times are epoch milliseconds. */
export class CallerCache {
  #young = new Map<string, Caller>()
  #old = new Map<string, Caller>()
  /** The accounts of keys that paid when they were last found. They survive a change: to be served first is no right. */
  readonly #payers = new Map<string, number>()
  #clearings = 0
  #confirmedAt = Number.NEGATIVE_INFINITY
  readonly #maximumAge: number
  readonly #capacity: number

  constructor(options: { readonly maximumAgeMs: number; readonly capacity: number }) {
    this.#maximumAge = options.maximumAgeMs
    this.#capacity = options.capacity / 2
  }

  /** The caller of a key, or undefined when the database has to be asked. */
  find(key: string, nowMs: number): Caller | undefined {
    if (nowMs - this.#confirmedAt > this.#maximumAge) return undefined
    const caller = this.#young.get(key)
    if (caller !== undefined) return caller
    const older = this.#old.get(key)
    if (older !== undefined) this.#keep(key, older)
    return older
  }

  /** The account of a key that was seen to pay, without waiting. */
  findPayer(key: string): number | undefined {
    return this.#payers.get(key)
  }

  /** Notes whether the key that was looked up pays; null for one that is unknown. */
  notePayer(key: string, caller: Caller | null): void {
    this.#payers.delete(key)
    if (caller === null || caller.plan.id === "free") return
    if (this.#payers.size >= this.#capacity) this.#payers.clear()
    this.#payers.set(key, caller.accountId)
  }

  /** How often the cache was cleared so far: read it before asking the database, and hand it to {@link remember}. */
  get clearings(): number {
    return this.#clearings
  }

  /** Remembers a caller, unless the cache was cleared since the database was asked: then the answer may be outdated. */
  remember(key: string, caller: Caller, clearingsBefore: number): void {
    if (clearingsBefore === this.#clearings) this.#keep(key, caller)
  }

  #keep(key: string, caller: Caller): void {
    if (this.#young.size >= this.#capacity) {
      this.#old = this.#young
      this.#young = new Map()
    }
    this.#young.set(key, caller)
  }

  /** Forgets all callers. */
  clear(): void {
    this.#clearings++
    this.#young = new Map()
    this.#old = new Map()
  }

  /** Notes that what is remembered agreed with the database at this moment. */
  confirm(nowMs: number): void {
    this.#confirmedAt = nowMs
  }

  /** How many callers are held, those of the old generation included. */
  get size(): number {
    return this.#young.size + this.#old.size
  }
}
