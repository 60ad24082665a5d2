/**
 * How does Effect's SQL client talk to a file, with nothing but Node?
 *
 * One connection of `node:sqlite` behind `effect/sql`. Statements and transactions take turns on it (a one-permit semaphore), and a
 * transaction begins IMMEDIATE, so that it waits for other processes before its first read and never fails half-way for having read
 * too early. The file is in WAL mode with `synchronous=FULL`: what was committed survives the process and the power. Every statement
 * runs on the event loop, so keep transactions short; a statement outside of a transaction waits until the transaction has ended.
 * While another process writes, a statement is tried again and again: SQLite's own waiting would hold up the event loop.
 */
import { closeSync, openSync } from "node:fs"
import { DatabaseSync, type SQLInputValue, type StatementSync } from "node:sqlite"
import { Effect, Layer, Schedule, Schema, Semaphore, Stream } from "effect"
import { Reactivity } from "effect/reactivity"
import { SqlClient, type SqlConnection, SqlError, Statement } from "effect/sql"

/** The database file could not be opened for reading and writing. */
export class DatabaseNotOpened extends Schema.TaggedError<DatabaseNotOpened>()("DatabaseNotOpened", {
  path: Schema.String,
  message: Schema.String,
}) {}

/** How long a statement waits for another process to finish writing, and how long it sleeps between two tries. */
const BUSY_TIMEOUT_MS = 5_000
const BUSY_SLEEP_MS = 10
const BUSY_TRIES = BUSY_TIMEOUT_MS / BUSY_SLEEP_MS
/** How many prepared statements are kept; when there are more, all are forgotten, which costs some microseconds each. */
const PREPARED_STATEMENTS = 256

const PRAGMAS = "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON"

const LOCKED = new Set([5, 6])

function errorNumber(cause: unknown): number | undefined {
  const code = cause instanceof Error && "errcode" in cause ? cause.errcode : undefined
  return typeof code === "number" ? code : undefined
}

const isLocked = (cause: unknown): boolean => LOCKED.has((errorNumber(cause) ?? 0) & 0xff)

function connectToFile(path: string): DatabaseSync {
  // The operating system explains better than SQLite why a file cannot be made, and only here can its mode be given: the file
  // holds e-mail addresses. SQLite gives its two companion files the same mode.
  closeSync(openSync(path, "a", 0o600))
  const database = new DatabaseSync(path, { timeout: 0 })
  try {
    database.exec(PRAGMAS)
    return database
  } catch (cause) {
    database.close()
    throw cause
  }
}

const openDatabase = (path: string): Effect.Effect<DatabaseSync, DatabaseNotOpened> =>
  Effect.try({ try: () => connectToFile(path), catch: cause => cause }).pipe(
    // Two processes that start at once on a new file meet here.
    Effect.retry({ while: isLocked, schedule: Schedule.spaced(BUSY_SLEEP_MS), times: BUSY_TRIES }),
    Effect.mapError(cause => {
      const reason = cause instanceof Error ? cause.message : String(cause)
      return new DatabaseNotOpened({
        path,
        message: `the database file ${path} cannot be opened for writing: ${reason}`,
      })
    }),
  )

function failWith(cause: unknown, operation: "prepare" | "execute"): Effect.Effect<never, SqlError.SqlError> {
  // `node:sqlite` names SQLite's extended code `errcode`; the classifier reads `errno`.
  const errno = errorNumber(cause)
  if (errno !== undefined) Object.assign(cause as Error, { errno })
  const reason = SqlError.classifySqliteError(cause, { message: `the statement could not be ${operation}d`, operation })
  return Effect.fail(new SqlError.SqlError({ reason }))
}

const bind = (value: unknown): SQLInputValue => (typeof value === "boolean" ? Number(value) : (value as SQLInputValue))

function makeConnection(database: DatabaseSync): SqlConnection.Connection {
  const prepared = new Map<string, StatementSync>()

  const prepare = (sql: string): StatementSync => {
    const known = prepared.get(sql)
    if (known !== undefined) return known
    if (prepared.size >= PREPARED_STATEMENTS) prepared.clear()
    const statement = database.prepare(sql)
    prepared.set(sql, statement)
    return statement
  }

  const run = <Result>(
    sql: string,
    params: readonly unknown[],
    options: { readonly answer: "objects" | "arrays" | "raw"; readonly keepPrepared: boolean },
    triesLeft = BUSY_TRIES,
  ): Effect.Effect<Result, SqlError.SqlError> =>
    Effect.withFiber<Result, SqlError.SqlError>(fiber => {
      let operation: "prepare" | "execute" = "prepare"
      try {
        const statement = options.keepPrepared ? prepare(sql) : database.prepare(sql)
        operation = "execute"
        statement.setReadBigInts(fiber.getRef(SqlClient.SafeIntegers))
        statement.setReturnArrays(options.answer === "arrays")
        if (statement.columns().length > 0) return Effect.succeed(statement.all(...params.map(bind)) as Result)
        const changes = statement.run(...params.map(bind))
        return Effect.succeed((options.answer === "raw" ? changes : []) as Result)
      } catch (cause) {
        if (!isLocked(cause) || triesLeft === 0) return failWith(cause, operation)
        // A statement that met a lock has changed nothing.
        return Effect.delay(run<Result>(sql, params, options, triesLeft - 1), BUSY_SLEEP_MS)
      }
    })

  type Transform = Parameters<SqlConnection.Connection["execute"]>[2]
  const runForRows = (sql: string, params: readonly unknown[], transform: Transform, keepPrepared: boolean) => {
    const rows = run<readonly object[]>(sql, params, { answer: "objects", keepPrepared })
    return transform === undefined ? rows : Effect.map(rows, transform)
  }

  return {
    execute: (sql, params, transform) => runForRows(sql, params, transform, true),
    executeUnprepared: (sql, params, transform) => runForRows(sql, params, transform, false),
    executeRaw: (sql, params) => run(sql, params, { answer: "raw", keepPrepared: true }),
    executeValues: (sql, params) => run(sql, params, { answer: "arrays", keepPrepared: true }),
    executeValuesUnprepared: (sql, params) => run(sql, params, { answer: "arrays", keepPrepared: false }),
    // A cursor left open would hold the one connection for as long as its reader likes.
    executeStream: (sql, params, transform) => Stream.fromIterableEffect(runForRows(sql, params, transform, true)),
  }
}

/**
 * A scoped `SqlClient` over the SQLite file at a path, which is made (readable by its owner only) when there is none.
 *
 * Fails with `DatabaseNotOpened`. The file is closed with the scope.
 */
export const layerSqliteClient = (path: string): Layer.Layer<SqlClient.SqlClient, DatabaseNotOpened> =>
  Layer.effect(
    SqlClient.SqlClient,
    Effect.gen(function* () {
      const database = yield* Effect.acquireRelease(openDatabase(path), opened => Effect.sync(() => opened.close()))
      const acquirers = SqlClient.makeSqliteAcquirers({
        connection: Effect.succeed(makeConnection(database)),
        semaphore: yield* Semaphore.make(1),
        isTransaction: () => database.isTransaction,
      })
      return yield* SqlClient.make({
        ...acquirers,
        compiler: Statement.makeCompilerSqlite(),
        driver: "node:sqlite",
        spanAttributes: [["db.system.name", "sqlite"]],
        prepareTransactionControls: true,
        beginTransaction: "BEGIN IMMEDIATE",
        releaseSavepoint: name => `RELEASE SAVEPOINT ${name}`,
      })
    }),
  ).pipe(Layer.provide(Reactivity.layer))
