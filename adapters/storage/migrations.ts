/**
 * How is a database opened, and who may change its tables?
 *
 * `landfall migrate` may, and the first start of a service on an empty database. Every other program uses the tables that it knows, or
 * refuses them. Then it proves that it can write. Any failure stops the start with one sentence without passwords.
 */
import { existsSync } from "node:fs"
import { Clock, Context, Effect, Layer, Semaphore } from "effect"
import { SqlClient, SqlError } from "effect/sql"
import { Database, withDeadline } from "./database.ts"
import { BusyTimeoutMs, type DatabaseClients, type DatabaseLocation } from "./database-engine.ts"
import { type DatabaseUrlRefused, parseDatabaseUrl } from "./database-url.ts"
import { moveCheckpoints, watchFiles } from "./sqlite-client.ts"
import { applySteps, findNext, judgeSteps, OtherVersion, readSteps, refuseSteps } from "./steps.ts"
import { makeStorage, Storage } from "./storage.ts"
import { DatabaseNotOpened, describeCause, makeUnavailable, type Unavailable } from "./storage-errors.ts"
import { AreIdsCounted, makeTable } from "./table-statements.ts"
import { KnownSteps } from "./tables.ts"

/** How long a process waits for another one that changes the tables of a file. */
const STEP_WAIT_MS = 60_000

/** Everything that can stop the storage from starting; each has a `message` of one sentence. */
type StorageError = DatabaseUrlRefused | DatabaseNotOpened | OtherVersion

/**
 * Who opens a database: a service makes the tables of an empty one, and works with tables that a newer version has added to, as a worker
 * does; a command works with those of its own version only.
 */
export type Opener = "service" | "worker" | "command"

/** Applies the steps that are left, without the limits of a session. */
const applyTo = ({ writer, migrator }: DatabaseClients) =>
  Effect.flatMap(migrator ?? Effect.succeed(writer), client =>
    Effect.provideService(applySteps, SqlClient.SqlClient, client),
  ).pipe(Effect.scoped, Effect.provideService(BusyTimeoutMs, STEP_WAIT_MS))

/** Only a service and `landfall migrate` make a file: a misspelt path would otherwise be an empty deployment. */
export const refuseMissing = ({ path }: DatabaseLocation) =>
  path === null || existsSync(path)
    ? Effect.void
    : Effect.fail(
        new DatabaseNotOpened({
          message: `there is no database file ${path}; LANDFALL_DATABASE_URL names the one to use, and landfall migrate makes one`,
        }),
      )

/** A file that is empty or missing beside its secret was a database: it was truncated, or deleted. A first start writes the secret after the file. */
const refuseLost = ({ path }: DatabaseLocation, found: "empty" | "missing") =>
  path !== null && existsSync(`${path}.secret`) && (found === "empty" || !existsSync(path))
    ? Effect.fail(
        new DatabaseNotOpened({
          message: `it is ${found}, but there is ${path}.secret: the database was lost or truncated. Restore a backup; or remove the secret, and begin with an empty database`,
        }),
      )
    : Effect.void

const checkSteps = (clients: DatabaseClients, location: DatabaseLocation, opener: Opener) =>
  Effect.gen(function* () {
    const { reader } = clients
    const isReadOnly = reader.onDialectOrElse({
      pg: () =>
        Effect.map(
          reader<{ access: string }>`SELECT current_setting('transaction_read_only') AS access`,
          ([row]) => row?.access === "on",
        ),
      // A file is proved to be writable when it is opened.
      orElse: () => Effect.succeed(false),
    })
    if (yield* isReadOnly) return yield* new DatabaseNotOpened({ message: "it is read-only" })
    const known = yield* KnownSteps
    let applied = yield* readSteps(reader)
    if (judgeSteps(applied, known) === "empty") {
      yield* refuseLost(location, "empty")
      if (opener === "service") {
        yield* applyTo(clients)
        applied = yield* readSteps(reader)
      }
    }
    const judged = judgeSteps(applied, known)
    if (judged === "current" || (judged === "expanded" && opener !== "command")) return applied
    return yield* refuseSteps(applied, known)
  })

/** Names the database in the failures of its statements and tables. */
export const nameDatabase =
  ({ label }: DatabaseLocation) =>
  <A, E, R>(
    work: Effect.Effect<A, E | SqlError.SqlError | DatabaseNotOpened | OtherVersion, R>,
  ): Effect.Effect<A, Exclude<E, SqlError.SqlError> | DatabaseNotOpened | OtherVersion, R> =>
    Effect.mapError(work, error => {
      const name = (message: string) => `the database (${label}) cannot be used: ${message}`
      if (error instanceof OtherVersion) return new OtherVersion({ message: name(error.message) })
      if (error instanceof DatabaseNotOpened) return new DatabaseNotOpened({ message: name(error.message) })
      if (SqlError.isSqlError(error)) return new DatabaseNotOpened({ message: name(describeCause(error)) })
      return error as Exclude<E, SqlError.SqlError>
    })

/** Opens the database at a location; its failures name it. */
export const openClients = (location: DatabaseLocation) =>
  Effect.catchTag(location.open, "SqlError", error =>
    Effect.fail(
      new DatabaseNotOpened({ message: `the database (${location.label}) cannot be used: ${describeCause(error)}` }),
    ),
  )

// Can the database do its work right now?
// Reading proves too little: only writing finds a full disk, a file that was deleted or truncated under the service and a read-only server. So
// a small row is rewritten, at most once a second however often this is asked, the file has to be the one that was opened, and the tables
// must not need a newer program. The answer is a sentence that an operator can act on.

/** How long an answer is reused. */
const FRESH_MS = 1_000
/** How long the database may take to answer. */
const LIVENESS_TIMEOUT_MS = 1_000
/** Longer than the free space of a page, so that a full disk is noticed. */
const PROBE_CHARACTERS = 4_096

/** The name of the value that is rewritten: when it was. */
const LIVENESS = "liveness"

/** Makes the check: it succeeds when the database works, and fails with the reason otherwise. */
const makeLiveness = (
  database: Database,
  location: DatabaseLocation,
): Effect.Effect<Effect.Effect<void, Unavailable>> =>
  Effect.gen(function* () {
    const isInPlace = location.path === null ? () => true : watchFiles(location.path)
    const asking = yield* Semaphore.make(1)
    let last: { readonly askedAt: number; readonly result: Effect.Effect<void, Unavailable> } | undefined

    const probe = Effect.gen(function* () {
      if (!isInPlace()) return yield* makeUnavailable("missing", database.label)
      const nowMs = yield* Clock.currentTimeMillis
      const value = String(nowMs).padEnd(PROBE_CHARACTERS)
      yield* database.transact(makeTable(database, "deployment").put([{ name: LIVENESS, value }], "name"), {
        isDurable: false,
        lockTimeoutMs: LIVENESS_TIMEOUT_MS,
      })
      const applied = yield* database.readSteps
      if (judgeSteps(applied, database.knownSteps) === "outdated") {
        return yield* makeUnavailable("outdated", database.label)
      }
      database.applied = applied
    }).pipe(
      // Elsewhere a missing table is a fault; here it is the answer.
      Effect.catchDefect(() => Effect.fail(makeUnavailable("broken", database.label))),
      withDeadline(LIVENESS_TIMEOUT_MS, Effect.fail(makeUnavailable("busy", database.label))),
    )

    return asking.withPermit(
      Effect.gen(function* () {
        const askedAt = yield* Clock.currentTimeMillis
        if (last === undefined || askedAt - last.askedAt >= FRESH_MS || askedAt < last.askedAt) {
          const exit = yield* Effect.exit(probe)
          last = { askedAt, result: exit }
        }
        return yield* last.result
      }),
    )
  })

/** Opens the database at a location, checks its tables, and proves that it can be written to. */
const openStorage = Effect.fnUntraced(function* (location: DatabaseLocation, opener: Opener) {
  yield* opener === "service" ? nameDatabase(location)(refuseLost(location, "missing")) : refuseMissing(location)
  const clients = yield* openClients(location)
  const applied = yield* nameDatabase(location)(checkSteps(clients, location, opener))
  const { engine, label } = location
  const areIdsCounted = yield* AreIdsCounted
  const database = new Database({ engine, label, knownSteps: yield* KnownSteps, areIdsCounted, ...clients })
  database.applied = applied
  const named = Effect.mapError(
    makeTable(database, "deployment").find({ name: LIVENESS }),
    ({ message }) => new DatabaseNotOpened({ message }),
  )
  const storage = makeStorage(database, {
    lastSeenMs: Number((yield* named)?.value ?? 0),
    liveness: yield* makeLiveness(database, location),
    moveCheckpoints: location.path === null ? Effect.void : moveCheckpoints(location.path, clients.writer),
  })
  // Another process may be writing for longer than a request waits.
  const isLive = Effect.andThen(storage.transact(Effect.void), storage.liveness)
  yield* Effect.mapError(isLive, ({ message }) => new DatabaseNotOpened({ message }))
  return Context.make(Storage, storage).pipe(Context.add(SqlClient.SqlClient, clients.writer))
})

/**
 * The storage in the database that a URL names.
 *
 * Fails with `DatabaseUrlRefused`, `DatabaseNotOpened` or `OtherVersion`.
 */
export const layerStorage = (
  url: string,
  opener: Opener = "service",
): Layer.Layer<Storage | SqlClient.SqlClient, StorageError> =>
  Layer.effectContext(Effect.flatMap(parseDatabaseUrl(url), location => openStorage(location, opener)))

/**
 * Applies the steps that are left to the database that a URL names; with `isCheck` it only finds them.
 *
 * Fails like {@link layerStorage}.
 */
export const migrateDatabase = Effect.fnUntraced(function* (url: string, { isCheck }: { readonly isCheck: boolean }) {
  const location = yield* parseDatabaseUrl(url)
  yield* isCheck ? refuseMissing(location) : nameDatabase(location)(refuseLost(location, "missing"))
  const work = Effect.flatMap(openClients(location), clients =>
    Effect.gen(function* () {
      const known = yield* KnownSteps
      if (judgeSteps(yield* readSteps(clients.reader), known) === "empty") yield* refuseLost(location, "empty")
      const applied = isCheck ? [] : (yield* applyTo(clients)).applied
      const next = yield* findNext(clients.reader, known)
      const state = judgeSteps(yield* readSteps(clients.reader), known)
      return { applied, next, state, label: location.label }
    }).pipe(nameDatabase(location)),
  )
  return yield* Effect.scoped(work)
})
