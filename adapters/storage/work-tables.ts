/**
 * Which steps give the tables of claimed work the same columns, ids 64 bits, and several kinds one table?
 *
 * Steps of `tables.ts` in a separate file. `work-table.ts` describes the common parts of the tables. Rows that wait for a later attempt are
 * in a separate index, so that a look at ready rows does not pass over them.
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/** The two indexes of a table of claimed work, which begin with some columns. */
const indexWork = (table: string, lane: string, beginning = "") =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const [named, first] = [(name: string) => sql.literal(`${table}_${name}`), sql.literal(beginning)]
    yield* sql`CREATE INDEX ${named("ready")} ON ${sql.literal(table)} (${first}${sql.literal(lane)}, due_at, id)
      WHERE state = 'pending' AND is_deferred = 0`
    yield* sql`CREATE INDEX ${named("deferred")} ON ${sql.literal(table)} (${first}due_at)
      WHERE state = 'pending' AND is_deferred = 1`
  })

/** One shape for deliveries, mails, pushes and the chunks of jobs. */
export const unifyWork = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  for (const [table, lane, dueIndex] of [
    ["deliveries", "webhook_id", "deliveries_due"],
    ["mails", "lane", "mails_due"],
    ["pushes", "platform", "pushes_due"],
  ] as const) {
    const at = sql.literal(table)
    yield* sql`DROP INDEX ${sql.literal(dueIndex)}`
    yield* sql`ALTER TABLE ${at} ADD COLUMN is_deferred INTEGER NOT NULL DEFAULT 0`
    if (table === "mails") yield* sql`ALTER TABLE mails ADD COLUMN lane INTEGER NOT NULL DEFAULT 0`
    if (table === "pushes") {
      yield* sql`ALTER TABLE pushes ADD COLUMN state TEXT NOT NULL DEFAULT 'pending'`
      yield* sql`ALTER TABLE pushes ADD COLUMN platform TEXT NOT NULL DEFAULT ''`
      yield* sql`DELETE FROM pushes WHERE device_id NOT IN (SELECT id FROM devices)`
      yield* sql`UPDATE pushes SET platform = (SELECT d.platform FROM devices d WHERE d.id = pushes.device_id)`
    }
    // An attempt has failed if its number is not 0 and no worker holds it.
    yield* sql`UPDATE ${at} SET is_deferred = 1 WHERE state = 'pending' AND attempt > 0 AND leased_by IS NULL`
    yield* indexWork(table, lane)
  }
  const [name, order] = sql.onDialectOrElse({
    pg: () => [sql`job_id || ':' || lpad(CAST(seq AS TEXT), 9, '0')`, sql``],
    orElse: () => [sql`job_id || ':' || printf('%09d', seq)`, sql.literal("WITHOUT ROWID")],
  })
  yield* sql`CREATE TABLE new_chunks (
    id TEXT PRIMARY KEY,
    job_id TEXT NOT NULL,
    seq INTEGER NOT NULL,
    first_line INTEGER NOT NULL,
    state TEXT NOT NULL,
    attempt INTEGER NOT NULL,
    due_at BIGINT NOT NULL,
    is_deferred INTEGER NOT NULL DEFAULT 0,
    lease_until BIGINT NOT NULL,
    leased_by TEXT,
    result_bytes BIGINT NOT NULL
  ) ${order}`
  yield* sql`INSERT INTO new_chunks
    (id, job_id, seq, first_line, state, attempt, due_at, lease_until, leased_by, result_bytes)
    SELECT ${name}, job_id, seq, first_line, CASE WHEN state = 'open' THEN 'pending' ELSE state END, tries, 0,
      lease_until, leased_by, result_bytes FROM job_chunks`
  yield* sql`DROP TABLE job_chunks`
  yield* sql`ALTER TABLE new_chunks RENAME TO job_chunks`
  yield* sql`CREATE INDEX job_chunks_by_job ON job_chunks (job_id, seq)`
  yield* indexWork("job_chunks", "job_id")
})

/** One table for kinds of work without columns of their own; mails are the first, and keep their numbers. */
export const createQueuedWork = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const ids = sql.onDialectOrElse({
    pg: () => sql.literal("BIGINT GENERATED ALWAYS AS IDENTITY"),
    orElse: () => sql.literal("INTEGER"),
  })
  // First, so that no older process orders a mail between copying and dropping.
  yield* sql`ALTER TABLE mails RENAME TO old_mails`
  yield* sql`CREATE TABLE queued_work (
    id ${ids} PRIMARY KEY,
    kind TEXT NOT NULL,
    number BIGINT NOT NULL,
    lane TEXT NOT NULL,
    payload TEXT,
    state TEXT NOT NULL,
    attempt INTEGER NOT NULL,
    due_at BIGINT NOT NULL,
    is_deferred INTEGER NOT NULL DEFAULT 0,
    lease_until BIGINT NOT NULL,
    leased_by TEXT,
    created_at BIGINT NOT NULL,
    last_error TEXT
  )`
  yield* indexWork("queued_work", "lane", "kind, ")
  // The kind last: PostgreSQL would also look for ready rows in an index that begins with it, and pass over all that are kept.
  yield* sql`CREATE INDEX queued_work_by_age ON queued_work (created_at, kind)`
  yield* sql`INSERT INTO queued_work (kind, number, lane, payload, state, attempt, due_at, is_deferred, lease_until, leased_by,
      created_at, last_error)
    SELECT 'mails', id, '', sealed_order, CASE WHEN state = 'sent' THEN 'done' ELSE state END, attempt, due_at, is_deferred,
      lease_until, leased_by, created_at, last_error FROM old_mails ORDER BY id`
  yield* sql`DROP TABLE old_mails`
  yield* sql`INSERT INTO counters (name, value)
    SELECT 'queued_work/mails', COALESCE(MAX(value), 0) FROM counters WHERE name = 'mails_id'`
  yield* sql`DELETE FROM counters WHERE name = 'mails_id'`
})

/** Ids and counters of 64 bits in PostgreSQL; a file has them already. */
export const widenIds = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const columns = yield* sql.onDialectOrElse({
    pg: () => sql<{ of: string; change: string }>`SELECT table_name AS of,
        string_agg(format('ALTER COLUMN %I TYPE BIGINT', column_name), ', ') AS change
      FROM information_schema.columns
      WHERE table_schema = current_schema() AND data_type = 'integer' AND table_name <> 'migrations'
        AND (column_name = 'id' OR column_name LIKE '%\\_id' OR (table_name = 'counters' AND column_name = 'value'))
      GROUP BY table_name ORDER BY table_name`,
    orElse: () => Effect.succeed([]),
  })
  for (const { of, change } of columns) yield* sql.unsafe(`ALTER TABLE "${of}" ${change}`)
})
