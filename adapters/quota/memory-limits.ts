/**
 * Is a caller asking too fast?
 *
 * Two limits that need no database: a bucket of tokens for a second, and a sliding window. Nothing is stored: each process has its own, and they begin
 * full with it.
 */
import { secondsUntil } from "../time/utc-calendar.ts"

const PARTS = 1_000

/** The tokens of one caller. Times are epoch milliseconds. */
export class TokenBucket {
  readonly perSecond: number
  #parts: number
  #filledAt: number

  constructor(perSecond: number, nowMs: number) {
    this.perSecond = perSecond
    this.#parts = perSecond * PARTS
    this.#filledAt = nowMs
  }

  /** Takes a token and says whether there was one. */
  take(nowMs: number): boolean {
    const parts = this.#partsAt(nowMs)
    this.#filledAt = nowMs
    this.#parts = parts < PARTS ? parts : parts - PARTS
    return parts >= PARTS
  }

  /** How many whole tokens there are. */
  count(nowMs: number): number {
    return Math.floor(this.#partsAt(nowMs) / PARTS)
  }

  /** When there is a token, if there is none now; an epoch millisecond. */
  nextTokenAt(nowMs: number): number {
    return nowMs + this.#timeToHaveMs(PARTS, nowMs)
  }

  /** When the bucket is full; an epoch millisecond. */
  fullAt(nowMs: number): number {
    return nowMs + this.#timeToHaveMs(this.perSecond * PARTS, nowMs)
  }

  // A part is refilled each millisecond for each token a second. A clock that was set back refills nothing.
  #partsAt(nowMs: number): number {
    return Math.min(this.perSecond * PARTS, this.#parts + Math.max(0, nowMs - this.#filledAt) * this.perSecond)
  }

  #timeToHaveMs(parts: number, nowMs: number): number {
    return Math.max(0, Math.ceil((parts - this.#partsAt(nowMs)) / Math.max(1, this.perSecond)))
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
    let expired = 0
    while (expired < times.length && times[expired]! <= nowMs - this.#windowMs) expired++
    if (expired > 0) times.splice(0, expired)
    return times
  }
}
