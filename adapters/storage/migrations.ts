/**
 * How is a database opened and upgraded?
 *
 * Every start runs the steps that the database has not had yet, in one transaction of one process at a time, and then proves that it can
 * write. Any failure stops the start with one sentence without passwords.
 */
import { Context, Effect, Layer } from "effect"
import { Migrator, SqlClient, type SqlError } from "effect/sql"
import { Database } from "./database.ts"
import { BusyTimeoutMs, type DatabaseClients, type DatabaseLocation } from "./database-engine.ts"
import { type DatabaseUrlRefused, parseDatabaseUrl } from "./database-url.ts"
import { makeLiveness } from "./liveness.ts"
import { makeRepositories } from "./repositories.ts"
import { Storage, type StorageShape } from "./storage.ts"
import { DatabaseNotOpened, DatabaseTooNew, describeCause } from "./storage-errors.ts"
import { MIGRATIONS } from "./tables.ts"

const NEWEST = Math.max(...Object.keys(MIGRATIONS).map(name => Number(name.slice(0, 4))))

/** Any number that no other program uses for a lock. */
const MIGRATION_LOCK = 7_305_210_118

const runMigrations = Migrator.make({})({ loader: Migrator.fromRecord(MIGRATIONS), table: "migrations" })

/**
 * Upgrades the tables, and returns the steps that were run: none the second time. If several processes start at the same time, one runs
 * them, and the others wait.
 *
 * Fails with `DatabaseTooNew`, `DatabaseNotOpened`, `MigrationError` or `SqlError`; then nothing was changed.
 */
export const migrate = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const run = Effect.gen(function* () {
    yield* sql.onDialectOrElse({
      pg: () =>
        Effect.flatMap(
          sql<{ access: string }>`SELECT current_setting('transaction_read_only') AS access,
            pg_advisory_xact_lock(${MIGRATION_LOCK})`,
          ([row]) => (row?.access === "on" ? new DatabaseNotOpened({ message: "it is read-only" }) : Effect.void),
        ),
      // A transaction of SQLite is exclusive from its beginning, and fails by itself if it may not write.
      orElse: () => Effect.void,
    })
    const ran = yield* runMigrations
    const [newest] = yield* sql<{ migration_id: number; name: string }>`SELECT migration_id, name FROM migrations
      ORDER BY migration_id DESC LIMIT 1`
    if (newest !== undefined && newest.migration_id > NEWEST) {
      return yield* new DatabaseTooNew({
        message: `it was written by a newer version of landfall (its tables are at step ${newest.migration_id}, "${newest.name}"; this version knows ${NEWEST}): start that version, or restore a backup from before it`,
      })
    }
    return ran
  })
  return yield* sql.withTransaction(run)
})

/** How long a process waits for another one that upgrades the tables of a file. */
const MIGRATION_WAIT_MS = 60_000

/** Upgrades the tables, without the limits of a session; if there is something to do, it waits for another process that does it. */
const bringUpToDate = ({ writer, migrator }: DatabaseClients) =>
  writer<{ newest: number }>`SELECT MAX(migration_id) AS newest FROM migrations`.pipe(
    Effect.map(([row]) => row?.newest === NEWEST),
    // A new database has no such table; any other failure is repeated, and explained there.
    Effect.orElseSucceed(() => false),
    Effect.flatMap(isNewest => {
      const migrateOn = (client: SqlClient.SqlClient) => Effect.provideService(migrate, SqlClient.SqlClient, client)
      return isNewest
        ? migrateOn(writer)
        : Effect.provideService(
            Effect.flatMap(migrator ?? Effect.succeed(writer), migrateOn),
            BusyTimeoutMs,
            MIGRATION_WAIT_MS,
          )
    }),
  )

/** Everything that can stop the storage from starting; each has a `message` of one sentence. */
export type StorageError = DatabaseUrlRefused | DatabaseNotOpened | DatabaseTooNew

/** Opens the database at a location, upgrades its tables, and proves that it can be written to. */
const openStorage = Effect.fnUntraced(function* (location: DatabaseLocation) {
  const refuse = (what: string, error: SqlError.SqlError) =>
    new DatabaseNotOpened({ message: `the database (${location.label}) ${what}: ${describeCause(error)}` })
  const clients = yield* Effect.catchTag(location.open, "SqlError", error => refuse("cannot be used", error))
  yield* bringUpToDate(clients).pipe(
    Effect.scoped,
    Effect.catchTags({
      SqlError: error => refuse("cannot be used", error),
      MigrationError: ({ cause, message }) =>
        new DatabaseNotOpened({
          message: `the database (${location.label}) cannot be brought up to date: ${message}: ${cause instanceof Error ? cause.message : cause}`,
        }),
      DatabaseNotOpened: ({ message }) =>
        new DatabaseNotOpened({ message: `the database (${location.label}) cannot be used: ${message}` }),
      DatabaseTooNew: ({ message }) =>
        new DatabaseTooNew({ message: `the database (${location.label}) cannot be used: ${message}` }),
    }),
  )
  const database = new Database({ engine: location.engine, label: location.label, ...clients })
  const storage: StorageShape = {
    engine: database.engine,
    label: database.label,
    transact: (effect, options) => database.transact(effect, options),
    ...makeRepositories(database),
    liveness: yield* makeLiveness(database, location),
    readState: () => ({
      engine: database.engine,
      latencies: { statement: database.times.statement.read(), transaction: database.times.transaction.read() },
      unavailable: database.unavailable,
    }),
    countChanges: () => database.changes,
  }
  yield* Effect.mapError(storage.liveness, ({ message }) => new DatabaseNotOpened({ message }))
  return Context.make(Storage, storage).pipe(Context.add(SqlClient.SqlClient, clients.writer))
})

/**
 * The storage in the database that a URL names, with its tables up to date.
 *
 * Fails with `DatabaseUrlRefused`, `DatabaseNotOpened` or `DatabaseTooNew`.
 */
export const layerStorage = (url: string): Layer.Layer<Storage | SqlClient.SqlClient, StorageError> =>
  Layer.effectContext(Effect.flatMap(parseDatabaseUrl(url), openStorage))
