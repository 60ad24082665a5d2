/**
 * Is a caller asking too fast?
 *
 * Two limits that need no database: a bucket of tokens for a second, and a sliding window. Nothing is stored: each process has its own, and they begin
 * full with it.
 */
import { secondsUntil } from "../time/utc-calendar.ts"

const PARTS = 1_000

/** The tokens of one caller. Times are epoch milliseconds. Each millisecond refills a part of a token for each token a second, so parts are whole numbers. */
export class TokenBucket {
  readonly perSecond: number
  #missing = 0
  #countedAt = 0

  constructor(perSecond: number) {
    this.perSecond = perSecond
  }

  /** Takes a token and says whether there was one. */
  take(nowMs: number): boolean {
    const missing = this.#missingAt(nowMs)
    const isThere = missing + PARTS <= this.perSecond * PARTS
    this.#countedAt = nowMs
    this.#missing = isThere ? missing + PARTS : missing
    return isThere
  }

  /** How many whole tokens there are. */
  count(nowMs: number): number {
    return this.perSecond - Math.ceil(this.#missingAt(nowMs) / PARTS)
  }

  /** When there is a token, if there is none now; an epoch millisecond. */
  nextTokenAt(nowMs: number): number {
    return nowMs + this.#timeToRefillMs(this.#missingAt(nowMs) + PARTS - this.perSecond * PARTS)
  }

  /** When the bucket is full; an epoch millisecond. */
  fullAt(nowMs: number): number {
    return nowMs + this.#timeToRefillMs(this.#missingAt(nowMs))
  }

  // A clock that was set back refills nothing.
  #missingAt(nowMs: number): number {
    return Math.max(0, this.#missing - Math.max(0, nowMs - this.#countedAt) * this.perSecond)
  }

  #timeToRefillMs(parts: number): number {
    return Math.max(0, Math.ceil(parts / Math.max(1, this.perSecond)))
  }
}

/** Times of requests by key. Times are epoch milliseconds. */
export class RequestWindow {
  readonly #limit: number
  readonly #windowMs: number
  readonly #maximumKeys: number
  readonly #admitted = new Map<string, number[]>()

  constructor(options: { readonly limit: number; readonly windowMs: number; readonly maximumKeys: number }) {
    this.#limit = options.limit
    this.#windowMs = options.windowMs
    this.#maximumKeys = options.maximumKeys
  }

  /** Admits a request and returns 0, or returns the whole seconds until the next one is admitted. */
  admit(key: string, nowMs: number): number {
    const times = this.#listTimes(key, nowMs)
    if (times.length >= this.#limit) {
      return secondsUntil((times[0] ?? nowMs) + this.#windowMs, nowMs)
    }
    times.push(nowMs)
    // A map keeps the order of insertion: the key admitted last is at the end.
    this.#admitted.delete(key)
    this.#admitted.set(key, times)
    for (const [quietest, its] of this.#admitted) {
      const isOver = (its.at(-1) ?? Number.NEGATIVE_INFINITY) <= nowMs - this.#windowMs
      if (!isOver && this.#admitted.size <= this.#maximumKeys) break
      this.#admitted.delete(quietest)
    }
    return 0
  }

  /** How many requests a key still has, and when it gets one more (an epoch millisecond; null when none is spent). */
  count(key: string, nowMs: number): { readonly remaining: number; readonly renewsAt: number | null } {
    const times = this.#listTimes(key, nowMs)
    const [first] = times
    return {
      remaining: Math.max(0, this.#limit - times.length),
      renewsAt: first === undefined ? null : first + this.#windowMs,
    }
  }

  /** How many keys are remembered. */
  get size(): number {
    return this.#admitted.size
  }

  #listTimes(key: string, nowMs: number): number[] {
    const times = this.#admitted.get(key) ?? []
    while (times.length > 0 && times[0]! <= nowMs - this.#windowMs) times.shift()
    return times
  }
}
