/**
 * How is usage written and read?
 *
 * Counts are added to what is there, so that several processes can count for one account; a month is `YYYY-MM`, a day `YYYY-MM-DD`,
 * both UTC.
 */
import { Effect } from "effect"
import { SqlClient, type SqlError } from "effect/sql"

/** How many rows one statement writes: far below every database's limit on parameters. */
const ROWS_A_STATEMENT = 100

interface UsageRow {
  readonly account_id: number
  readonly month: string
  readonly used: number
}

interface SeenRow {
  readonly account_id: number
  readonly seen_on: string
  readonly passport: string
  readonly destination: string
}

function inChunks<Row>(rows: readonly Row[]): readonly (readonly Row[])[] {
  const chunks: Row[][] = []
  for (let i = 0; i < rows.length; i += ROWS_A_STATEMENT) chunks.push(rows.slice(i, i + ROWS_A_STATEMENT))
  return chunks
}

const asRecords = (rows: readonly object[]) => rows as readonly Record<string, unknown>[] as [Record<string, unknown>]

/** The statements on usage, bound to the client in scope. */
export const makeUsageRepository = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  return {
    /** Adds to the counts of accounts and months, each at most once, and answers their totals in the order given. */
    addUsage: (rows: readonly UsageRow[]): Effect.Effect<readonly number[], SqlError.SqlError> =>
      Effect.gen(function* () {
        const totals = new Map<string, number>()
        for (const chunk of inChunks(rows)) {
          const written = yield* sql<UsageRow>`INSERT INTO monthly_usage ${sql.insert(asRecords(chunk))}
            ON CONFLICT (account_id, month) DO UPDATE SET used = monthly_usage.used + excluded.used
            RETURNING account_id, month, used`
          for (const row of written) totals.set(`${row.account_id} ${row.month}`, row.used)
        }
        return rows.map(row => totals.get(`${row.account_id} ${row.month}`)!)
      }),

    /** Every month of an account in which something was counted. */
    listUsage: (accountId: number) =>
      sql<{ month: string; used: number }>`SELECT month, used FROM monthly_usage WHERE account_id = ${accountId}`,

    /** Notes destinations; those that are there already stay. */
    addSeen: (rows: readonly SeenRow[]): Effect.Effect<void, SqlError.SqlError> =>
      Effect.forEach(
        inChunks(rows),
        chunk => sql`INSERT INTO destinations_seen ${sql.insert(asRecords(chunk))} ON CONFLICT DO NOTHING`,
        { discard: true },
      ),

    /** What an account asked for on a day. */
    listSeen: (accountId: number, day: string) =>
      sql<{ passport: string; destination: string }>`SELECT passport, destination FROM destinations_seen
        WHERE account_id = ${accountId} AND seen_on = ${day}`,

    /** Forgets the destinations of all days before one. */
    forgetSeenBefore: (day: string) => Effect.asVoid(sql`DELETE FROM destinations_seen WHERE seen_on < ${day}`),
  }
})
