/**
 * What was each key used for, and which routes were asked, since the last save?
 *
 * These counts wait here until they are saved with those of the limits. No decision depends on them: a crash loses those of a second.
 */

import { formatUtcDay, startOfUtcHour, utcHourAt } from "../time/utc-calendar.ts"
import type { KeyUse } from "./accounts-repository.ts"
import type { RequestDay } from "./pools-repository.ts"

/** Counts that can be taken to be saved, and put back where that failed. */
export interface WaitingCounts<Row> {
  take(): { readonly rows: readonly Row[]; readonly putBack: () => void }
}

/** How many keys are remembered whose last use is saved. */
const REMEMBERED_KEYS = 100_000

/** The uses that are not saved yet. Hours are whole ones since 1970, which need no memory of their own where they are kept. */
export class KeyUses implements WaitingCounts<KeyUse> {
  #waiting = new Map<number, { used: number; lastHour: number }>()
  /** The hours that were noted, so that a key that costs nothing is written once an hour. */
  #noted = new Map<number, number>()

  /** Records a use and its charge. */
  note(keyId: number, charge: number, nowMs: number): void {
    const hour = utcHourAt(nowMs)
    const waiting = this.#waiting.get(keyId)
    if (waiting?.lastHour === hour) {
      waiting.used += charge
      return
    }
    if (this.#noted.get(keyId) !== hour) {
      if (this.#noted.size >= REMEMBERED_KEYS) this.#noted.clear()
      this.#noted.set(keyId, hour)
    } else if (charge === 0) return
    this.#add(keyId, charge, hour)
  }

  take() {
    const taken = [...this.#waiting].sort(([one], [other]) => one - other)
    this.#waiting = new Map()
    return {
      rows: taken.map(([id, { used, lastHour }]) => ({ id, used, lastUsedAt: startOfUtcHour(lastHour) })),
      putBack: () => {
        for (const [id, { used, lastHour }] of taken) this.#add(id, used, lastHour)
      },
    }
  }

  #add(keyId: number, used: number, hour: number): void {
    const waiting = this.#waiting.get(keyId)
    if (waiting === undefined) this.#waiting.set(keyId, { used, lastHour: hour })
    else {
      waiting.used += used
      waiting.lastHour = Math.max(waiting.lastHour, hour)
    }
  }
}

/** A method, a route and a status. The same object is used for the same three, so that counting builds no text. */
export type RequestKind = Readonly<Record<"method" | "route" | "status", string>>

/** How many counts wait at most; while the database is away, further kinds of requests are not counted. */
const MOST_WAITING = 50_000

/** The requests that are not saved yet. */
export class RequestDays implements WaitingCounts<RequestDay> {
  /** Counts by day, account and kind. */
  #waiting = new Map<number, Map<number, Map<RequestKind, number>>>()
  #size = 0

  /** Notes answered requests of a UTC day. */
  note(accountId: number, kind: RequestKind, day: number, count = 1): void {
    const byAccount: Map<number, Map<RequestKind, number>> = this.#waiting.get(day) ?? new Map()
    const byKind: Map<RequestKind, number> = byAccount.get(accountId) ?? new Map()
    const known = byKind.get(kind)
    if (known !== undefined) {
      byKind.set(kind, known + count)
      return
    }
    if (this.#size >= MOST_WAITING) return
    this.#size++
    byKind.set(kind, count)
    byAccount.set(accountId, byKind)
    this.#waiting.set(day, byAccount)
  }

  take() {
    const taken = this.#waiting
    this.#waiting = new Map()
    this.#size = 0
    const rows: RequestDay[] = []
    const each = (visit: (day: number, accountId: number, kind: RequestKind, count: number) => void) => {
      for (const [day, byAccount] of taken)
        for (const [accountId, byKind] of byAccount)
          for (const [kind, count] of byKind) visit(day, accountId, kind, count)
    }
    each((day, account_id, { method, route, status }, requests) =>
      rows.push({ account_id, day: formatUtcDay(day), method, route, status: Number(status), requests }),
    )
    return { rows, putBack: () => each((day, accountId, kind, count) => this.note(accountId, kind, day, count)) }
  }
}
