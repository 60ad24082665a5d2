/**
 * Which work waits of kinds that need no columns of their own?
 *
 * Queued work is claimed work (see `work-table.ts`). One table holds all its kinds; the rows of each are numbered from 1, and no number is
 * used twice. What an attempt needs is a text, which is deleted as soon as the work is done or given up. A kind seals it if it holds
 * secrets.
 */
import { Effect } from "effect"
import { bumpCounter } from "./counter.ts"
import type { Database } from "./database.ts"
import type { Unavailable } from "./storage-errors.ts"
import { makeWorkTable, OPEN, type Ticket } from "./work-table.ts"

/** Queued work that this process has claimed. */
export type QueuedRow = Ticket & { readonly lane: string; readonly number: number; readonly payload: string }

/** The stored result of an attempt. */
export interface QueuedNote {
  readonly last_error: string | null
}

const NUMBERS = "queued_work/"
/** The kinds that were ever ordered, as SQL. */
export const QUEUED_KINDS = `SELECT substr(name, ${NUMBERS.length + 1}) AS kind FROM counters WHERE name LIKE '${NUMBERS}%'`

/** The statements on queued work of a kind, which is a word. */
export const makeQueuedWork = (database: Database) => (kind: string) => {
  const nextNumber = bumpCounter(database, NUMBERS + kind)
  return {
    ...makeWorkTable<QueuedRow, QueuedNote>(database, {
      table: "queued_work",
      kind,
      idType: "BIGINT",
      lane: { column: "lane", type: "TEXT" },
      states: { done: "done", givenUp: "given_up" },
      columns: { number: "number", payload: "payload" },
      notes: { last_error: "TEXT" },
      empties: "payload",
      countsLostClaims: true,
    }),

    /** Orders work; inside a transaction it is ordered only if that commits. `write` makes the payload of the row with a number. */
    order: (
      write: (number: number) => string,
      { nowMs, lane = "" }: { readonly nowMs: number; readonly lane?: string },
    ): Effect.Effect<void, Unavailable> =>
      database.transact(
        Effect.flatMap(nextNumber, number => {
          const times = { due_at: nowMs, lease_until: 0, created_at: nowMs }
          const row = { kind, number, lane, payload: write(number), state: OPEN, attempt: 0, ...times }
          return database.run(sql => sql`INSERT INTO queued_work ${sql.insert(row)}`)
        }),
      ),
  }
}
