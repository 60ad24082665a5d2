/**
 * Has a client without a key asked too often lately?
 *
 * A sliding window per key (a client address, for example), exact: never more than the limit in any stretch of the window's
 * length. A refused request is not counted. A key is dropped when its window is over and another key asks. The number of keys is
 * bounded too; when there are too many, the one without requests for longest is dropped, so that a flood of addresses costs no more
 * memory than the bound. Nothing is stored: it starts empty with the process.
 */
import { secondsUntil } from "../time/utc-calendar.ts"

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
