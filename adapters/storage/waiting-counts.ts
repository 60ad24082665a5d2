/**
 * What was each key used for, and which routes were asked, since the last save?
 *
 * These counts wait here until they are saved with those of the limits. No decision depends on them: a crash loses those of a second.
 */

import { formatUtcDay, startOfUtcHour, utcHourAt } from "../time/utc-calendar.ts"
import type { KeyUse } from "./accounts-repository.ts"
import type { RequestDay } from "./pools-repository.ts"

/** Counts that can be taken to be saved, and put back where that failed. */
export abstract class WaitingCounts<Row> {
  #waiting = new Map<string, Row>()
  readonly #most: number

  constructor(most = Number.POSITIVE_INFINITY) {
    this.#most = most
  }

  /** One count of what two rows with the same key count. */
  protected abstract join(one: Row, other: Row): Row

  /** Counts a row; the first of its key only while there is room for it. */
  protected add(key: string, row: Row): void {
    const known = this.#waiting.get(key)
    if (known !== undefined) this.#waiting.set(key, this.join(known, row))
    else if (this.#waiting.size < this.#most) this.#waiting.set(key, row)
  }

  take(): { readonly rows: readonly Row[]; readonly putBack: () => void } {
    const taken = this.#waiting
    this.#waiting = new Map()
    const putBack = () => {
      for (const [key, row] of taken) this.add(key, row)
    }
    return { rows: [...taken.values()], putBack }
  }
}

/** How many keys are remembered whose last use is saved. */
const REMEMBERED_KEYS = 100_000

/** The uses that are not saved yet. */
export class KeyUses extends WaitingCounts<KeyUse> {
  /** The hours that were noted, so that a key that costs nothing is written once an hour. */
  readonly #noted = new Map<number, number>()

  protected join(one: KeyUse, other: KeyUse): KeyUse {
    return { id: one.id, used: one.used + other.used, lastUsedAt: Math.max(one.lastUsedAt, other.lastUsedAt) }
  }

  /** Records a use and its charge. */
  note(id: number, used: number, nowMs: number): void {
    const lastUsedAt = startOfUtcHour(utcHourAt(nowMs))
    if (used === 0 && this.#noted.get(id) === lastUsedAt) return
    if (this.#noted.size >= REMEMBERED_KEYS) this.#noted.clear()
    this.#noted.set(id, lastUsedAt)
    this.add(String(id), { id, used, lastUsedAt })
  }
}

/** A method, a route and a status. */
export type RequestKind = Readonly<Record<"method" | "route" | "status", string>>

/** How many counts wait at most; while the database is away, further kinds of requests are not counted. */
const MOST_WAITING = 50_000

/** The requests that are not saved yet. */
export class RequestDays extends WaitingCounts<RequestDay> {
  constructor() {
    super(MOST_WAITING)
  }

  protected join(one: RequestDay, other: RequestDay): RequestDay {
    return { ...one, requests: one.requests + other.requests }
  }

  /** Notes an answered request of a UTC day. */
  note(account_id: number, kind: RequestKind, utcDay: number): void {
    const { method, route, status } = kind
    const row = { account_id, day: formatUtcDay(utcDay), method, route, status: Number(status), requests: 1 }
    this.add(`${account_id} ${utcDay} ${method} ${route} ${status}`, row)
  }
}
