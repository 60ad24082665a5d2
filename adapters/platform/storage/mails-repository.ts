/**
 * Which mails are to be sent, which worker has claimed them, and what was the outcome?
 *
 * Mails are claimed for a limited time, as deliveries are: after that any worker can claim them again, and only the holder of the
 * claim writes an outcome. The content of a mail is sealed when it is ordered, and deleted as soon as it was sent or given up.
 */
import { Effect } from "effect"
import { bumpCounter } from "./counter.ts"
import type { Database } from "./database.ts"
import type { Unavailable } from "./storage-errors.ts"

export type MailState = "pending" | "sent" | "given_up"

/** A mail that this process has claimed. */
export interface ClaimedMail {
  readonly id: number
  readonly kind: string
  readonly sealed_order: string
  readonly attempt: number
}

/** The outcome of an attempt, and what follows. */
export interface SettledMail {
  readonly id: number
  readonly attempt: number
  readonly state: MailState
  readonly dueAt: number
  readonly error: string | null
}

/** The statements on mails. */
export const makeMailsRepository = (database: Database) => ({
  nextId: bumpCounter(database, "mails_id"),

  insert: (mail: {
    readonly id: number
    readonly kind: string
    readonly sealed_order: string
    readonly nowMs: number
  }): Effect.Effect<void, Unavailable> => {
    const { nowMs, ...row } = mail
    const whole = { ...row, state: "pending", attempt: 0, due_at: nowMs, lease_until: 0, created_at: nowMs }
    return Effect.asVoid(database.change(sql => sql`INSERT INTO mails ${sql.insert(whole)}`))
  },

  /** Claims mails that are due, the oldest first. */
  claim: (options: {
    readonly worker: string
    readonly nowMs: number
    readonly leaseMs: number
    readonly limit: number
  }): Effect.Effect<readonly ClaimedMail[], Unavailable> => {
    const { worker, nowMs, leaseMs, limit } = options
    return database.change(sql => {
      const due = sql`SELECT id FROM mails WHERE state = 'pending' AND due_at <= ${nowMs} AND lease_until <= ${nowMs}
        ORDER BY due_at, id LIMIT ${limit}`
      const picked = sql.onDialectOrElse({ pg: () => sql`${due} FOR UPDATE SKIP LOCKED`, orElse: () => due })
      return sql<ClaimedMail>`UPDATE mails SET lease_until = ${nowMs + leaseMs}, leased_by = ${worker}, attempt = attempt + 1
        WHERE id IN (${picked}) RETURNING id, kind, sealed_order, attempt`
    }) as Effect.Effect<readonly ClaimedMail[], Unavailable>
  },

  /**
   * Writes the outcome of an attempt; a claim that was lost meanwhile writes nothing. The content of a mail that was sent or
   * given up is deleted.
   */
  settle: (worker: string, { id, attempt, state, dueAt, error }: SettledMail): Effect.Effect<void, Unavailable> =>
    Effect.asVoid(
      database.change(
        sql => sql`UPDATE mails SET state = ${state}, due_at = ${dueAt}, last_error = ${error}, lease_until = 0, leased_by = NULL,
          sealed_order = CASE WHEN ${state} = 'pending' THEN sealed_order ELSE NULL END
          WHERE id = ${id} AND leased_by = ${worker} AND attempt = ${attempt}`,
      ),
    ),

  /** Gives up the claims of a worker that stops: those attempts do not count. */
  release: (worker: string): Effect.Effect<void, Unavailable> =>
    Effect.asVoid(
      database.change(
        sql =>
          sql`UPDATE mails SET lease_until = 0, leased_by = NULL, attempt = attempt - 1 WHERE leased_by = ${worker}`,
      ),
    ),

  /** How many mails are in each state. */
  countByState: database.ask(
    sql =>
      sql<{
        state: MailState
        count: number
      }>`SELECT state, CAST(COUNT(*) AS INTEGER) AS count FROM mails GROUP BY state`,
  ) as Effect.Effect<readonly { readonly state: MailState; readonly count: number }[], Unavailable>,

  /** Deletes mails that were ordered before an instant. */
  purge: (beforeMs: number): Effect.Effect<void, Unavailable> =>
    Effect.asVoid(database.change(sql => sql`DELETE FROM mails WHERE created_at < ${beforeMs}`)),
})

export type MailsRepository = ReturnType<typeof makeMailsRepository>
