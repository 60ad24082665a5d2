/**
 * How much of the server may callers without a key, or with a free one, use?
 *
 * Each address has a number of calls a minute. All of them together have a share of the time: they are answered in order, and the time of
 * each answer is taken from a budget that grows at {@link SHARE}. So a crowd of addresses delays only other such callers.
 */
import { RequestWindow } from "../quota/request-window.ts"
import { RequestQueues } from "./request-queues.ts"

/** How many calls of an address are answered in a minute. */
export const CALLS_A_MINUTE = 120
/** Which part of the time is spent on calls without a key. */
const SHARE = 0.25
/** How much of it can be saved up. */
const SAVED_MS = 2_000
/** How many requests wait for their turn, behind the one that is answered. */
const MAXIMUM_WAITING = 99
export const MAXIMUM_WAITING_AT_ADDRESS = 10

const MAXIMUM_ADDRESSES = 100_000

/** Why a call without a key is not answered now. */
export interface Turned {
  readonly reason: "rate" | "share"
  readonly retryAfterSeconds: number
}

/** The calls without a key or with a free one. */
export class FreeCalls {
  readonly #readClockMs: () => number
  readonly #window = new RequestWindow({ limit: CALLS_A_MINUTE, windowMs: 60_000, maximumKeys: MAXIMUM_ADDRESSES })
  readonly #waitingAt = new Map<string, number>()
  readonly #queue = new RequestQueues(MAXIMUM_WAITING)
  #savedMs = SAVED_MS
  #filledAt: number

  /** `readClockMs` reads a clock that only goes forward. */
  constructor(readClockMs: () => number) {
    this.#readClockMs = readClockMs
    this.#filledAt = readClockMs()
  }

  /** Counts calls of an address; null where they are admitted. */
  count(client: string, calls: number): Turned | null {
    const nowMs = this.#readClockMs()
    const { remaining, renewsAt } = this.#window.count(client, nowMs)
    if (remaining < calls) {
      return { reason: "rate", retryAfterSeconds: Math.max(1, Math.ceil(((renewsAt ?? nowMs) - nowMs) / 1_000)) }
    }
    for (let at = 0; at < calls; at++) this.#window.admit(client, nowMs)
    return null
  }

  /** Does some work in its turn, or says that the share is used up. */
  async takeTurn<Value extends {}>(client: string, work: () => Promise<Value>): Promise<Value | Turned> {
    const waitingHere = this.#waitingAt.get(client) ?? 0
    if (waitingHere >= MAXIMUM_WAITING_AT_ADDRESS) return this.#turn()
    this.#waitingAt.set(client, waitingHere + 1)
    try {
      return (await this.#queue.take("", () => this.#pay(work))) ?? this.#turn()
    } finally {
      const left = (this.#waitingAt.get(client) ?? 1) - 1
      if (left === 0) this.#waitingAt.delete(client)
      else this.#waitingAt.set(client, left)
    }
  }

  async #pay<Value>(work: () => Promise<Value>): Promise<Value | Turned> {
    if (this.#fill() <= 0) return this.#turn()
    const startedAt = this.#readClockMs()
    try {
      return await work()
    } finally {
      this.#savedMs -= this.#readClockMs() - startedAt
    }
  }

  /** How much time there is now. */
  #fill(): number {
    const nowMs = this.#readClockMs()
    this.#savedMs = Math.min(SAVED_MS, this.#savedMs + (nowMs - this.#filledAt) * SHARE)
    this.#filledAt = nowMs
    return this.#savedMs
  }

  #turn(): Turned {
    return { reason: "share", retryAfterSeconds: Math.max(1, Math.ceil(-this.#savedMs / SHARE / 1_000)) }
  }
}
