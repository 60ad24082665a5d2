/**
 * Which mails have to be sent, and what was the outcome?
 *
 * Mails are claimed work (see `work-table.ts`). The content of a mail is sealed when it is ordered, and deleted as soon as it was sent or
 * given up.
 */
import type { Effect } from "effect"
import { bumpCounter } from "./counter.ts"
import type { Database } from "./database.ts"
import type { Unavailable } from "./storage-errors.ts"
import { makeWorkTable, type Ticket } from "./work-table.ts"

/** A mail that this process has claimed. */
export type ClaimedMail = Ticket & { readonly id: number; readonly sealed_order: string }

/** The stored result of an attempt. */
export interface MailNote {
  readonly last_error: string | null
}

/** The statements on mails. */
export const makeMailsRepository = (database: Database) => ({
  ...makeWorkTable<ClaimedMail, MailNote>(database, {
    table: "mails",
    idType: "BIGINT",
    lane: { column: "lane", type: "INTEGER" },
    states: { done: "sent", givenUp: "given_up" },
    columns: { sealed_order: "sealed_order" },
    notes: { last_error: "TEXT" },
    empties: "sealed_order",
    countsLostClaims: true,
  }),

  nextId: bumpCounter(database, "mails_id"),

  insert: (mail: {
    readonly id: number
    readonly kind: string
    readonly sealed_order: string
    readonly nowMs: number
  }): Effect.Effect<void, Unavailable> => {
    const { nowMs, ...row } = mail
    const whole = { ...row, state: "pending", attempt: 0, due_at: nowMs, lease_until: 0, created_at: nowMs }
    return database.run(sql => sql`INSERT INTO mails ${sql.insert(whole)}`)
  },
})
