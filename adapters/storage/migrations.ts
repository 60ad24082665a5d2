/**
 * Which tables are there, and how did they come to be?
 *
 * Every start runs the steps that the database has not seen, in one transaction. Steps are only ever added: a released one is
 * history. The SQL is the part that SQLite and PostgreSQL share: TEXT and INTEGER columns, ids given by {@link bumpCounter},
 * instants as ISO 8601 text in UTC, calendar dates and months as text, claims as 0 and 1.
 */
import { Effect, Layer } from "effect"
import { Migrator, SqlClient, type SqlError } from "effect/sql"
import { type DatabaseUrlRefused, parseDatabaseUrl } from "./database-url.ts"
import { type DatabaseNotOpened, layerSqliteClient } from "./sqlite-client.ts"

const createCounters = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`CREATE TABLE counters (name TEXT PRIMARY KEY, value INTEGER NOT NULL)`
  yield* sql`CREATE TABLE deployment (name TEXT PRIMARY KEY, value TEXT NOT NULL)`
})

const createAccounts = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  // `email_folded` is the address as it is compared; `email` is the address as it was given.
  yield* sql`CREATE TABLE accounts (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL,
    email TEXT NOT NULL,
    email_folded TEXT NOT NULL UNIQUE,
    plan TEXT NOT NULL,
    is_confirmed INTEGER NOT NULL,
    created_at TEXT NOT NULL
  )`
  yield* sql`CREATE TABLE api_keys (
    id INTEGER PRIMARY KEY,
    account_id INTEGER NOT NULL REFERENCES accounts (id),
    kind TEXT NOT NULL,
    name TEXT NOT NULL,
    key_hash TEXT NOT NULL UNIQUE,
    sealed_key TEXT NOT NULL,
    is_active INTEGER NOT NULL,
    created_at TEXT NOT NULL
  )`
  yield* sql`CREATE INDEX api_keys_by_account ON api_keys (account_id, kind)`
})

// No foreign keys here: an account that an operator removed by hand must not stop the counting of all the others.
const createUsage = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`CREATE TABLE monthly_usage (
    account_id INTEGER NOT NULL,
    month TEXT NOT NULL,
    used INTEGER NOT NULL,
    PRIMARY KEY (account_id, month)
  )`
  yield* sql`CREATE TABLE destinations_seen (
    account_id INTEGER NOT NULL,
    seen_on TEXT NOT NULL,
    passport TEXT NOT NULL,
    destination TEXT NOT NULL,
    PRIMARY KEY (account_id, seen_on, passport, destination)
  )`
  yield* sql`CREATE INDEX destinations_seen_by_day ON destinations_seen (seen_on)`
})

/** Every step, by number and name. */
export const MIGRATIONS = {
  "0001_counters": createCounters,
  "0002_accounts": createAccounts,
  "0003_usage": createUsage,
}

/**
 * Brings the tables up to date, and answers the steps that were run: none the second time.
 *
 * Fails with `MigrationError` or `SqlError`; then nothing was changed.
 */
export const migrate = Migrator.make({})({ loader: Migrator.fromRecord(MIGRATIONS), table: "migrations" })

/** Everything that can stop the storage from starting. */
export type StorageError = DatabaseUrlRefused | DatabaseNotOpened | Migrator.MigrationError | SqlError.SqlError

/**
 * A `SqlClient` on the database that a URL names, with its tables up to date.
 *
 * Fails with `DatabaseUrlRefused`, `DatabaseNotOpened`, `MigrationError` or `SqlError`.
 */
export const layerStorage = (url: string): Layer.Layer<SqlClient.SqlClient, StorageError> =>
  Layer.unwrap(
    Effect.map(parseDatabaseUrl(url), path =>
      Layer.effectDiscard(migrate).pipe(Layer.provideMerge(layerSqliteClient(path))),
    ),
  )
