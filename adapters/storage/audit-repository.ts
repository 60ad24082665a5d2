/**
 * Who has changed what in an account, and when?
 *
 * Lines that are only ever added, in the transaction of the change itself; the last {@link MAXIMUM_LINES} of an account are kept. No line
 * holds a key, a token or an address.
 */
import { Effect } from "effect"
import { takeId } from "./counter.ts"
import type { Database } from "./database.ts"
import type { Unavailable } from "./storage-errors.ts"

/** How many lines of an account are kept. */
export const MAXIMUM_LINES = 10_000

/** One line. */
export interface AuditRow {
  readonly id: number
  readonly account_id: number
  /** ISO 8601, UTC. */
  readonly at: string
  readonly actor: string
  readonly action: string
  readonly detail: string
}

/** The statements on the trail. */
export const makeAuditRepository = (database: Database) => {
  const nextId = takeId(database, "audit_trail_id")
  return {
    add: (row: Omit<AuditRow, "id">): Effect.Effect<void, Unavailable> =>
      Effect.gen(function* () {
        const id = yield* nextId
        yield* database.change(sql => sql`INSERT INTO audit_trail ${sql.insert({ id, ...row })}`)
        yield* database.change(
          sql => sql`DELETE FROM audit_trail WHERE account_id = ${row.account_id} AND id <= (
            SELECT id FROM audit_trail WHERE account_id = ${row.account_id} ORDER BY id DESC LIMIT 1 OFFSET ${MAXIMUM_LINES})`,
        )
      }),

    /** Lines below a number, of one account or of all, the newest first. */
    listBelow: (accountId: number | null, { beforeId, limit }: { readonly beforeId: number; readonly limit: number }) =>
      database.ask(
        sql => sql<AuditRow>`SELECT id, account_id, at, actor, action, detail FROM audit_trail WHERE id < ${beforeId}
          ${accountId === null ? sql.literal("") : sql`AND account_id = ${accountId}`} ORDER BY id DESC LIMIT ${limit}`,
      ),

    /** The lines of an account, the oldest first. */
    listOf: (accountId: number) =>
      database.ask(
        sql => sql<AuditRow>`SELECT id, account_id, at, actor, action, detail FROM audit_trail
          WHERE account_id = ${accountId} ORDER BY id`,
      ),
  }
}
