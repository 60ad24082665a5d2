/**
 * How is a database backed up and restored, on any engine?
 *
 * A backup is a database file: everything that was committed at one moment, in the tables of the deployment's version. It is checked by
 * opening it, and restored into either engine. It appears whole or not at all, in place of an older one of its name. The secret is not in it.
 */
import { closeSync, copyFileSync, existsSync, fsyncSync, openSync, renameSync, rmSync, statSync } from "node:fs"
import { DatabaseSync } from "node:sqlite"
import { Effect, Schema, Stream } from "effect"
import { SqlClient } from "effect/sql"
import { asRecords } from "./database.ts"
import type { DatabaseLocation } from "./database-engine.ts"
import { parseDatabaseUrl } from "./database-url.ts"
import { nameDatabase, openClients, refuseMissing } from "./migrations.ts"
import { openSqlite, openSqliteReader } from "./sqlite-client.ts"
import { type AppliedSteps, applySteps, judgeSteps, readSteps, refuseSteps } from "./steps.ts"
import { KnownSteps } from "./tables.ts"

/** A file is not a backup that can be restored, or it cannot be written, or the database is not an empty one. */
export class BackupRefused extends Schema.TaggedError<BackupRefused>()("BackupRefused", { message: Schema.String }) {}

/** How many rows are written at once. */
const ROWS_AT_ONCE = 100

const FILE_TABLES = "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite%' ORDER BY name"
const SERVER_TABLES = `SELECT table_name AS name FROM information_schema.tables
  WHERE table_schema = current_schema() ORDER BY table_name`

/** Makes the tables of a database in an empty one, and copies every row. What is read must not change meanwhile. */
const copyInto = (from: SqlClient.SqlClient, to: SqlClient.SqlClient) =>
  Effect.gen(function* () {
    const [{ newest }, known] = [yield* readSteps(from), yield* KnownSteps]
    yield* applySteps.pipe(
      Effect.provideService(SqlClient.SqlClient, to),
      Effect.provideService(KnownSteps, known.slice(0, newest)),
    )
    const isServer = (sql: SqlClient.SqlClient) => sql.onDialectOrElse({ pg: () => true, orElse: () => false })
    const tables = yield* from.unsafe<{ name: string }>(isServer(from) ? SERVER_TABLES : FILE_TABLES)
    const copyTable = ({ name }: { readonly name: string }) => {
      // PostgreSQL counts these itself.
      const prepare = isServer(to) && name === "queued_work" ? withoutId : (row: object) => row
      const rows = Stream.grouped(from<object>`SELECT * FROM ${from(name)}`.stream, ROWS_AT_ONCE)
      return Effect.andThen(
        to`DELETE FROM ${to(name)}`,
        Stream.runForEach(rows, some => to`INSERT INTO ${to(name)} ${to.insert(asRecords(some.map(prepare)))}`),
      )
    }
    yield* to.withTransaction(Effect.forEach(tables, copyTable, { discard: true }))
  })

const withoutId = ({ id: _, ...rest }: { readonly id?: unknown }): object => rest

const listTables = (database: DatabaseSync): readonly string[] =>
  database
    .prepare(FILE_TABLES)
    .all()
    .map(({ name }) => String(name))

const messageOf = (cause: unknown): string => (cause instanceof Error ? cause.message : String(cause))

/** Opens a backup, proves that it is whole, and counts what is in it. */
const inspect = (path: string) =>
  Effect.try({
    try: () => {
      using database = new DatabaseSync(path, { readOnly: true })
      const one = (sql: string) => Object.values(database.prepare(sql).get() ?? {})[0]
      const found = one("PRAGMA integrity_check")
      if (found !== "ok") throw new Error(String(found))
      const wrong = one("PRAGMA foreign_key_check")
      if (wrong !== undefined) throw new Error(`a row of ${wrong} names another one that is missing`)
      const counts = listTables(database).map(name => Number(one(`SELECT COUNT(*) FROM "${name}"`)))
      const rows = counts.reduce((sum, count) => sum + count, 0)
      return { bytes: statSync(path).size, accounts: Number(one("SELECT COUNT(*) FROM accounts")), rows }
    },
    catch: cause => new BackupRefused({ message: `${path} is not a backup: ${messageOf(cause)}` }),
  })

const onFile = <A>(path: string, work: () => A): Effect.Effect<A, BackupRefused> =>
  Effect.try({
    try: work,
    catch: cause => new BackupRefused({ message: `${path} cannot be written: ${messageOf(cause)}` }),
  })

const removeFiles = (path: string, endings: readonly string[]) =>
  Effect.sync(() => {
    for (const ending of endings) rmSync(path + ending, { force: true })
  })

const LOGS = ["-wal", "-shm", "-journal"] as const

/** Whether there is no file, or one without tables. */
function isEmptyFile(path: string): boolean {
  if (!existsSync(path)) return true
  try {
    using database = new DatabaseSync(path, { readOnly: true })
    return listTables(database).length === 0
  } catch {
    // Another file.
    return false
  }
}

/** Refuses tables that this program cannot copy; it need not be able to work with them. */
const refuseOthers = (applied: AppliedSteps) =>
  Effect.flatMap(KnownSteps, known =>
    ["empty", "outdated", "expanded"].includes(judgeSteps(applied, known)) ? refuseSteps(applied, known) : Effect.void,
  )

/** Copies a database into an empty file, as it is at one moment. */
const copyToFile = Effect.fnUntraced(function* (location: DatabaseLocation, file: string) {
  const clients = yield* openClients(location)
  const copied = Effect.gen(function* () {
    yield* refuseOthers(yield* readSteps(clients.reader))
    if (location.path !== null) return yield* Effect.asVoid(clients.reader`VACUUM INTO ${file}`)
    const from = yield* clients.migrator ?? Effect.succeed(clients.reader)
    const to = (yield* openSqlite(file)).writer
    const atOneMoment = from`SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY`
    yield* from.withTransaction(Effect.andThen(atOneMoment, copyInto(from, to)))
    // Without a log beside it.
    yield* to`PRAGMA journal_mode = DELETE`
  })
  yield* nameDatabase(location)(copied)
})

/**
 * Backs up the database that a URL names into a file, while services run.
 *
 * Fails with `BackupRefused`, or like `layerStorage`; then an older backup is as it was.
 */
export const backUp = Effect.fnUntraced(function* (url: string, file: string) {
  const location = yield* parseDatabaseUrl(url)
  yield* refuseMissing(location)
  const part = `${file}.part`
  const made = Effect.gen(function* () {
    yield* removeFiles(part, ["", ...LOGS])
    // Only its owner may read it, from the beginning.
    yield* onFile(file, () => closeSync(openSync(part, "wx", 0o600)))
    yield* Effect.scoped(copyToFile(location, part))
    const contents = yield* inspect(part)
    yield* onFile(file, () => {
      const written = openSync(part, "r+")
      fsyncSync(written)
      closeSync(written)
      renameSync(part, file)
    })
    return { label: location.label, ...contents }
  })
  return yield* Effect.onExit(made, () => removeFiles(part, ["", ...LOGS]))
})

/**
 * Restores a backup into the database that a URL names, which must have no tables: a file that is missing or empty, or an empty schema.
 *
 * Fails with `BackupRefused`, or like `layerStorage`; then nothing was restored.
 */
export const restore = Effect.fnUntraced(function* (file: string, url: string) {
  if (!existsSync(file)) return yield* new BackupRefused({ message: `there is no file ${file}` })
  const contents = yield* inspect(file)
  const location = yield* parseDatabaseUrl(url)
  const source = yield* openSqliteReader(file)
  yield* nameDatabase({ ...location, label: file })(Effect.flatMap(readSteps(source), refuseOthers))
  const { path, label } = location
  const notEmpty = new BackupRefused({ message: `the database (${label}) is not empty: nothing was restored` })
  if (path !== null) {
    if (!isEmptyFile(path)) return yield* notEmpty
    yield* removeFiles(path, LOGS)
    yield* onFile(path, () => {
      closeSync(openSync(`${path}.part`, "w", 0o600))
      copyFileSync(file, `${path}.part`)
      renameSync(`${path}.part`, path)
    })
    return { label, ...contents }
  }
  const clients = yield* openClients(location)
  const work = Effect.gen(function* () {
    if ((yield* readSteps(clients.reader)).newest > 0) return yield* notEmpty
    return yield* copyInto(source, yield* clients.migrator ?? Effect.succeed(clients.writer))
  })
  yield* nameDatabase(location)(work)
  return { label, ...contents }
}, Effect.scoped)
