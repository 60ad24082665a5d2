/**
 * How many requests has an account made to each route on each day, and with which status?
 *
 * Counts wait here until they are saved with the counts of the limits. A route is the template of a path, so no query, address or key is
 * stored. No decision depends on them: a crash loses those of a second.
 */
import type { RequestDay } from "../storage/request-days-repository.ts"
import { formatUtcDay, utcDayAt } from "../time/utc-calendar.ts"

/** A method, a route and a status. The same object is used for the same three, so that counting builds no text. */
export type RequestKind = Readonly<Record<"method" | "route" | "status", string>>

/** How many counts wait at most; while the database is away, further kinds of requests are not counted. */
const MOST_WAITING = 50_000

/** The requests that are not saved yet. */
export class RequestDays {
  /** Counts by day, account and kind. */
  #waiting = new Map<number, Map<number, Map<RequestKind, number>>>()
  #size = 0

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

  /** Notes an answered request at an instant. */
  noteAt(accountId: number, kind: RequestKind, nowMs: number): void {
    this.note(accountId, kind, utcDayAt(nowMs))
  }

  /** Takes what is to be saved, and a function that puts it back where it could not be. */
  take(): { readonly rows: readonly RequestDay[]; readonly putBack: () => void } {
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
