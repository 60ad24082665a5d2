/**
 * How does Effect's SQL client talk to a file, with only Node's own SQLite?
 *
 * Two connections of `node:sqlite` behind `effect/sql`: one writes, and one only reads, so that a question is answered while a
 * transaction waits for another process's lock. Statements and transactions of a connection take turns (a one-permit semaphore),
 * and a transaction begins IMMEDIATE, so that it waits for other processes before its first read and never fails half-way because
 * it has read too early. The file is in WAL mode with `synchronous=FULL`: a commit survives the process and a power cut, unless
 * its transaction said that it need not. Every statement runs on the event loop, so keep transactions short. While another
 * process writes, a statement is retried: SQLite's own waiting would block the event loop.
 */
import { closeSync, existsSync, openSync, readSync, rmSync, statSync } from "node:fs"
import { DatabaseSync, type SQLInputValue, type StatementSync } from "node:sqlite"
import { Worker } from "node:worker_threads"
import { Effect, Schedule, type Scope, Semaphore, Stream } from "effect"
import { Reactivity } from "effect/reactivity"
import { SqlClient, type SqlConnection, SqlError, Statement } from "effect/sql"
import { BusyTimeoutMs, type DatabaseClients, IsDurable } from "./database-engine.ts"
import { DatabaseNotOpened, SQLITE_READONLY_DBMOVED } from "./storage-errors.ts"

/** How long opening a file waits for another process to finish writing. */
const OPEN_TIMEOUT_MS = 5_000
/** How long a statement sleeps between two tries. */
const BUSY_SLEEP_MS = 10
/** How many prepared statements are kept; when there are more, all are dropped, which costs some microseconds each. */
const PREPARED_STATEMENTS = 256

const BEGIN = "BEGIN IMMEDIATE"
const COMMIT = "COMMIT"
const LOCKED = new Set([5, 6])

function errorNumber(cause: unknown): number | undefined {
  const code = cause instanceof Error && "errcode" in cause ? cause.errcode : undefined
  return typeof code === "number" ? code : undefined
}

const isLocked = (cause: unknown): boolean => LOCKED.has((errorNumber(cause) ?? 0) & 0xff)

function openWriter(path: string): DatabaseSync {
  // The operating system explains better than SQLite why a file cannot be made, and only here can its mode be set: the file contains e-mail
  // addresses. SQLite uses the same mode for its two companion files.
  closeSync(openSync(path, "a", 0o600))
  refuseTruncated(path)
  const database = new DatabaseSync(path, { timeout: 0 })
  try {
    database.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON")
    return database
  } catch (cause) {
    database.close()
    throw cause
  }
}

/** Throws for a file that ends too early, because SQLite reads the missing end of the last page as zeros. What a log has is not missing. */
function refuseTruncated(path: string): void {
  // In this order: another process may copy its log meanwhile, and delete it then.
  const stated = readStatedBytes(path)
  if (!Number.isFinite(stated) || (statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0) > 0) return
  const { size } = statSync(path)
  if (size < stated) throw new Error(`it was truncated, and has ${size} of ${stated} bytes: restore a backup`)
}

const openReader = (path: string): DatabaseSync => new DatabaseSync(path, { timeout: 0, readOnly: true })

/** A connection that is closed with the scope. */
const openFile = (
  path: string,
  open: (path: string) => DatabaseSync,
): Effect.Effect<DatabaseSync, DatabaseNotOpened, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.try({ try: () => open(path), catch: cause => cause }).pipe(
      // Two processes that start at once on a new file conflict here.
      Effect.retry({
        while: isLocked,
        schedule: Schedule.spaced(BUSY_SLEEP_MS),
        times: OPEN_TIMEOUT_MS / BUSY_SLEEP_MS,
      }),
      Effect.mapError(cause => {
        const reason = cause instanceof Error ? cause.message : String(cause)
        return new DatabaseNotOpened({
          message: `the database file ${path} cannot be opened for writing: ${reason}`,
        })
      }),
    ),
    database => Effect.sync(() => database.close()),
  )

function failWith(cause: unknown, operation: "prepare" | "execute"): Effect.Effect<never, SqlError.SqlError> {
  // `node:sqlite` names SQLite's extended code `errcode`; the classifier reads `errno`.
  const errno = errorNumber(cause)
  if (errno !== undefined) Object.assign(cause as Error, { errno })
  const reason = SqlError.classifySqliteError(cause, { message: `the statement could not be ${operation}d`, operation })
  return Effect.fail(new SqlError.SqlError({ reason }))
}

const bind = (value: unknown): SQLInputValue => (typeof value === "boolean" ? Number(value) : (value as SQLInputValue))

/** How many bytes a database has by its own header (https://www.sqlite.org/fileformat.html, 1.3); infinite for a file that is no database. */
function readStatedBytes(path: string): number {
  const header = Buffer.alloc(100)
  const file = openSync(path, "r")
  const read = readSync(file, header, 0, header.length, 0)
  closeSync(file)
  if (read < header.length || header.toString("latin1", 0, 16) !== "SQLite format 3\0") return Number.POSITIVE_INFINITY
  const pageBytes = header.readUInt16BE(16)
  return (pageBytes === 1 ? 65_536 : pageBytes) * header.readUInt32BE(28)
}

/**
 * Makes a check of the files of a database: it returns false after one was deleted, replaced or truncated. A file may shrink if its header
 * says so, after a VACUUM. The log next to the file exists from the first transaction on, as long as the file is open.
 */
export function watchFiles(path: string): () => boolean {
  const known = new Map<string, string>()
  let bytes = 0
  let isInPlace = true
  const isSame = (name: string): number | undefined => {
    const stat = statSync(name, { throwIfNoEntry: false })
    const found = stat === undefined ? undefined : `${stat.dev}:${stat.ino}`
    if (found !== undefined && !known.has(name)) known.set(name, found)
    return found === known.get(name) ? (stat?.size ?? 0) : undefined
  }
  const look = (): boolean => {
    const size = isSame(path)
    if (size === undefined || isSame(`${path}-wal`) === undefined) return false
    if (size < bytes && size < readStatedBytes(path)) return false
    bytes = size
    return true
  }
  look()
  return () => {
    // A file that was truncated may grow again, with gaps.
    isInPlace &&= look()
    return isInPlace
  }
}

/** SQLite itself notices only with a journal that is rolled back, not with a write-ahead log. */
const FILE_MOVED = Object.assign(new Error("the file is not there any more"), { errcode: SQLITE_READONLY_DBMOVED })

/**
 * Makes a connection. What is written into a file that was deleted, replaced or truncated is lost with the end of the process, so
 * nothing is begun and nothing committed there.
 */
function makeConnection(database: DatabaseSync, isInPlace: () => boolean): SqlConnection.Connection {
  const prepared = new Map<string, StatementSync>()
  let isDurable = true

  const prepare = (sql: string): StatementSync => {
    const known = prepared.get(sql)
    if (known !== undefined) return known
    if (prepared.size >= PREPARED_STATEMENTS) prepared.clear()
    const statement = database.prepare(sql)
    prepared.set(sql, statement)
    return statement
  }

  /** How durable a commit is can only be changed between two transactions. */
  const setDurability = (wanted: boolean): void => {
    if (wanted === isDurable || database.isTransaction) return
    database.exec(`PRAGMA synchronous = ${wanted ? "FULL" : "NORMAL"}`)
    isDurable = wanted
  }

  const run = <Result>(
    sql: string,
    params: readonly unknown[],
    options: { readonly answer: "objects" | "arrays" | "raw"; readonly keepPrepared: boolean },
    triedMs = 0,
  ): Effect.Effect<Result, SqlError.SqlError> =>
    Effect.withFiber<Result, SqlError.SqlError>(fiber => {
      let operation: "prepare" | "execute" = "prepare"
      try {
        setDurability(fiber.getRef(IsDurable))
        const statement = options.keepPrepared ? prepare(sql) : database.prepare(sql)
        operation = "execute"
        // A statement of a transaction is checked with its end.
        if ((sql === COMMIT || !database.isTransaction) && !isInPlace()) return failWith(FILE_MOVED, operation)
        statement.setReadBigInts(fiber.getRef(SqlClient.SafeIntegers))
        statement.setReturnArrays(options.answer === "arrays")
        if (statement.columns().length > 0) return Effect.succeed(statement.all(...params.map(bind)) as Result)
        const changes = statement.run(...params.map(bind))
        return Effect.succeed((options.answer === "raw" ? changes : []) as Result)
      } catch (cause) {
        if (!isLocked(cause) || triedMs >= fiber.getRef(BusyTimeoutMs)) return failWith(cause, operation)
        // A statement that failed on a lock has changed nothing.
        return Effect.delay(run<Result>(sql, params, options, triedMs + BUSY_SLEEP_MS), BUSY_SLEEP_MS)
      }
    })

  return {
    execute: (sql, params) => run(sql, params, { answer: "objects", keepPrepared: true }),
    executeUnprepared: (sql, params) => run(sql, params, { answer: "objects", keepPrepared: false }),
    executeRaw: (sql, params) => run(sql, params, { answer: "raw", keepPrepared: true }),
    executeValues: (sql, params) => run(sql, params, { answer: "arrays", keepPrepared: true }),
    executeValuesUnprepared: (sql, params) => run(sql, params, { answer: "arrays", keepPrepared: false }),
    // Holds the connection for as long as its reader takes: only for a file that nobody changes.
    executeStream: (sql, params) =>
      Stream.fromIterableEffect(
        Effect.catch(
          Effect.try({ try: () => database.prepare(sql).iterate(...params.map(bind)), catch: cause => cause }),
          cause => failWith(cause, "prepare"),
        ),
      ),
  }
}

const makeClient = Effect.fnUntraced(function* (database: DatabaseSync, isInPlace: () => boolean) {
  const acquirers = SqlClient.makeSqliteAcquirers({
    connection: Effect.succeed(makeConnection(database, isInPlace)),
    semaphore: yield* Semaphore.make(1),
    isTransaction: () => database.isTransaction,
  })
  return yield* SqlClient.make({
    ...acquirers,
    compiler: Statement.makeCompilerSqlite(),
    driver: "node:sqlite",
    spanAttributes: [["db.system.name", "sqlite"]],
    prepareTransactionControls: true,
    beginTransaction: BEGIN,
    releaseSavepoint: name => `RELEASE SAVEPOINT ${name}`,
  })
}, Effect.provide(Reactivity.layer))

/** Takes a lock that ends with this process, in an empty file; returns what releases it, or null if another process has it. */
export function lockFile(path: string): (() => void) | null {
  // The operating system explains better than SQLite why a file cannot be made.
  closeSync(openSync(path, "a"))
  const lock = new DatabaseSync(path, { timeout: 0 })
  const release = () => {
    rmSync(path, { force: true })
    lock.close()
  }
  try {
    lock.exec("BEGIN EXCLUSIVE")
    // Whoever had it has deleted the file.
    if (existsSync(path)) return release
  } catch (cause) {
    if (!isLocked(cause)) throw cause
  }
  lock.close()
  return null
}

/**
 * Opens the SQLite file at a path, which is made (readable by its owner only) when there is none, until the scope ends.
 *
 * Fails with `DatabaseNotOpened`.
 */
export const openSqlite = (path: string): Effect.Effect<DatabaseClients, DatabaseNotOpened, Scope.Scope> =>
  Effect.gen(function* () {
    const opened = yield* openFile(path, openWriter)
    const writer = yield* makeClient(opened, watchFiles(path))
    const reader = yield* openSqliteReader(path)
    return { writer, reader }
  })

/** Opens an SQLite file to read what nobody changes. Fails with `DatabaseNotOpened`. */
export const openSqliteReader = (path: string) =>
  Effect.flatMap(openFile(path, openReader), database => makeClient(database, () => true))

// Who copies the log of a database file into the file? SQLite does so at the end of a transaction that leaves a thousand pages in the log,
// and then waits for the disk: a connection of the event loop keeps requests waiting. So a process that answers or delivers lets a thread
// do it, which blocks no writer, and does it itself only where the thread is far behind or has ended.

/** The thread's file beside this one: the source or the built file. */
const SCRIPT = new URL(import.meta.url.endsWith(".ts") ? "./checkpoint-thread.ts" : "./checkpoints.js", import.meta.url)
/** How many pages a writer lets the log have: 40 MB while the thread copies, SQLite's own number without it. */
const PAGES = { besideThread: 10_000, alone: 1_000 }

/** Has a thread copy the log of the file at a path, which a client writes, until the scope ends. */
export const moveCheckpoints = (path: string, writer: SqlClient.SqlClient): Effect.Effect<void, never, Scope.Scope> =>
  Effect.gen(function* () {
    // Node's permissions may forbid threads.
    if (process.permission?.has("worker") === false) return
    const run = Effect.runForkWith(yield* Effect.context<never>())
    const letLogHave = (pages: number) => Effect.ignore(writer.unsafe(`PRAGMA wal_autocheckpoint = ${pages}`))
    const start = Effect.sync(() => {
      const resourceLimits = { maxOldGenerationSizeMb: 32, maxYoungGenerationSizeMb: 1 }
      const thread = new Worker(SCRIPT, { workerData: path, execArgv: [], env: {}, resourceLimits })
      thread.unref()
      thread.once("error", cause =>
        run(
          Effect.andThen(
            letLogHave(PAGES.alone),
            Effect.logWarning("the log of the database file is copied by the event loop", cause),
          ),
        ),
      )
      return thread
    })
    yield* Effect.acquireRelease(start, thread => Effect.promise(() => thread.terminate()))
    yield* letLogHave(PAGES.besideThread)
  })
