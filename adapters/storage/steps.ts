/**
 * Which program works with which tables?
 *
 * A table records the steps that were applied. Only `landfall migrate` applies them, and the first start on an empty database. A release
 * first adds (expand) and removes later (contract): after a step that adds, the programs before it work on, so that nodes are replaced one
 * by one, forwards and back. A step that removes waits until no live node is older than it needs.
 */
import { Effect, Schedule, Schema } from "effect"
import { SqlClient, SqlError } from "effect/sql"
import { KnownSteps, type Row, type Step } from "./tables.ts"

/** The tables are those of another version of the program. */
export class OtherVersion extends Schema.TaggedError<OtherVersion>()("OtherVersion", { message: Schema.String }) {}

/** The last step that was applied; 0 in an empty database. `needs`: the step that a program has to know. */
export interface AppliedSteps {
  readonly newest: number
  readonly name: string
  readonly needs: number
}

/** Any number that no other program uses for a lock. */
const STEP_LOCK = 7_305_210_118

/**
 * How long a step waits for a table that a statement of a node uses, and how often it is tried again. Meanwhile every other statement on the
 * table waits for the step, and a node's would fail after five seconds.
 */
const TABLE_WAIT = "2s"
const TABLE_TRIES = 60
const TABLE_PAUSE_MS = 1_000

const CREATE_STEPS = `CREATE TABLE steps (number INTEGER PRIMARY KEY, name TEXT NOT NULL, needs INTEGER NOT NULL,
  applied_at TEXT NOT NULL)`

/** The time of the database (epoch milliseconds): of the server, or of this machine for a file. */
export const readTime = (sql: SqlClient.SqlClient): Effect.Effect<number, SqlError.SqlError> =>
  sql.onDialectOrElse({
    pg: () =>
      Effect.map(
        sql<{ now: number }>`SELECT CAST(EXTRACT(EPOCH FROM clock_timestamp()) * 1000 AS BIGINT) AS now`,
        ([row]) => row!.now,
      ),
    orElse: () => Effect.clockWith(clock => clock.currentTimeMillis),
  })

/** Reads which steps were applied. */
export const readSteps = (sql: SqlClient.SqlClient): Effect.Effect<AppliedSteps, SqlError.SqlError> =>
  Effect.gen(function* () {
    const [found] = yield* sql.onDialectOrElse({
      pg: () => sql<{ name: string | null }>`SELECT CAST(to_regclass('steps') AS TEXT) AS name`,
      orElse: () => sql<{ name: string }>`SELECT name FROM sqlite_master WHERE name = 'steps'`,
    })
    if (found?.name == null) return { newest: 0, name: "", needs: 0 }
    const [row] = yield* sql<AppliedSteps>`SELECT number AS newest, name, (SELECT MAX(needs) FROM steps) AS needs
      FROM steps ORDER BY number DESC LIMIT 1`
    return row ?? { newest: 0, name: "", needs: 0 }
  })

/**
 * What a program that knows some steps may do with tables: `current`, also where only removals are missing; `expanded` by a newer version,
 * which a node works with; `empty`, `behind` or `outdated`, which it cannot work with.
 */
export function judgeSteps({ newest, needs }: AppliedSteps, known: readonly Step[]) {
  if (newest === 0) return "empty"
  if (needs > known.length) return "outdated"
  if (newest > known.length) return "expanded"
  return known.slice(newest).some(step => step.needs === undefined) ? "behind" : "current"
}

/** Says why a program cannot use tables. */
export function refuseSteps({ newest, name, needs }: AppliedSteps, known: readonly Step[]): OtherVersion {
  const next = known.findLastIndex(step => step.needs === undefined)
  const sentences = {
    empty: "it has no tables: run landfall migrate, or start landfall serve",
    behind: `it is older than this version of landfall (its tables are at step ${newest}, "${name}"; this version needs step ${next + 1}, "${known[next]?.name}"): run landfall migrate`,
    outdated: `it is newer than this version of landfall (its tables need step ${needs}; this version knows ${known.length}): use the newer version, or restore a backup from before it`,
    expanded: `it is newer than this version of landfall (its tables are at step ${newest}, "${name}"; this version knows ${known.length}): use the newer version`,
    current: "",
  }
  return new OtherVersion({ message: sentences[judgeSteps({ newest, name, needs }, known)] })
}

/** The live nodes that do not know a step. */
const listOlder = Effect.fnUntraced(function* (sql: SqlClient.SqlClient, needs: number) {
  const nowMs = yield* readTime(sql)
  return yield* sql<
    Pick<Row<"nodes">, "id" | "version">
  >`SELECT id, version FROM nodes WHERE step < ${needs} AND alive_until > ${nowMs} ORDER BY id`
})

/** Finds the next step, and the nodes that it waits for; undefined where none is left. Fails with `OtherVersion` in a database that is newer than this program. */
export const findNext = Effect.fnUntraced(function* (sql: SqlClient.SqlClient, known: readonly Step[]) {
  const applied = yield* readSteps(sql)
  const judged = judgeSteps(applied, known)
  if (judged === "outdated" || judged === "expanded") return yield* refuseSteps(applied, known)
  const step = known[applied.newest]
  if (step === undefined) return undefined
  const older = step.needs === undefined ? [] : yield* listOlder(sql, step.needs)
  return { number: applied.newest + 1, step, older }
})

/**
 * Applies the steps that are left, each in one transaction; returns those that were applied, and the next one if it waits for older nodes.
 * Of several processes one applies a step, and the others wait for it.
 *
 * Fails with `OtherVersion` or `SqlError`; then the step that failed has changed nothing.
 */
export const applySteps = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const known = yield* KnownSteps
  const applied: string[] = []
  const applyNext = sql
    .withTransaction(
      Effect.gen(function* () {
        // A transaction of SQLite is exclusive from its beginning.
        yield* sql.onDialectOrElse({
          pg: () =>
            Effect.andThen(
              sql`SELECT pg_advisory_xact_lock(${STEP_LOCK})`,
              Effect.asVoid(sql.unsafe(`SET LOCAL lock_timeout = '${TABLE_WAIT}'`)),
            ),
          orElse: () => Effect.void,
        })
        const next = yield* findNext(sql, known)
        if (next === undefined || next.older.length > 0) return next
        const { number, step } = next
        if (number === 1) yield* sql.unsafe(CREATE_STEPS)
        yield* step.run
        const row = {
          number,
          name: step.name,
          needs: step.needs ?? 0,
          applied_at: new Date(yield* readTime(sql)).toISOString(),
        }
        yield* sql`INSERT INTO steps ${sql.insert(row)}`
        return next
      }),
    )
    .pipe(
      Effect.retry({
        times: TABLE_TRIES,
        while: error => SqlError.isSqlError(error) && error.reason._tag === "LockTimeoutError",
        schedule: Schedule.spaced(TABLE_PAUSE_MS),
      }),
    )
  for (;;) {
    const next = yield* applyNext
    if (next === undefined || next.older.length > 0) return { applied, waiting: next ?? null }
    applied.push(next.step.name)
  }
})
