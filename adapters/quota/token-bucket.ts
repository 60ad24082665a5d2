/**
 * Is a caller asking too fast?
 *
 * A bucket holds as many tokens as are allowed in a second and is refilled evenly at that rate; each request takes one. Tokens are kept in
 * thousandths, and times in whole milliseconds, so that nothing is rounded. Nothing is stored: a bucket begins full with its process, and
 * each process has its own.
 */

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
