/**
 * What does a database engine bring to the storage?
 *
 * How a database of it is opened (`sqlite-client.ts`, `postgres-client.ts`), and one entry of the list in `database-url.ts`. The repositories need no change for an engine whose client speaks the SQL of SQLite or
 * of PostgreSQL: they ask the client for its dialect where the two differ.
 */
import { Context, type Effect, type Scope } from "effect"
import type { SqlClient, SqlError } from "effect/sql"
import type { DatabaseNotOpened } from "./storage-errors.ts"

/**
 * The clients of one database. They may not share a connection on which a transaction can be open: queries read committed data while a
 * transaction is under way.
 */
export interface DatabaseClients {
  /** Transactions, and all changes. */
  readonly writer: SqlClient.SqlClient
  /** Questions, which never wait for a lock. */
  readonly reader: SqlClient.SqlClient
  /** Upgrades the tables, without a time limit; the writer if it has no limits. */
  readonly migrator?: Effect.Effect<SqlClient.SqlClient, SqlError.SqlError, Scope.Scope>
}

/** Where a database is; no part of it shows a secret. */
export interface DatabaseLocation {
  /** The engine's name, as metrics show it. */
  readonly engine: string
  /** The name of the database for people, without secrets. */
  readonly label: string
  /** The path of a database file, next to which its secret is; null for a server that several machines share. */
  readonly path: string | null
  /** Opens the database until the scope ends; a new one is empty. */
  readonly open: Effect.Effect<DatabaseClients, DatabaseNotOpened | SqlError.SqlError, Scope.Scope>
}

const BUSY_TIMEOUT_MS = 5_000

/** How long statements of a fiber wait for another process to finish writing, in milliseconds. An engine without such waits ignores it. */
export const BusyTimeoutMs = Context.Reference<number>("landfall/storage/BusyTimeoutMs", {
  defaultValue: () => BUSY_TIMEOUT_MS,
})

/** Whether a fiber's changes must survive a power failure; for others an engine need not wait for the disk. */
export const IsDurable = Context.Reference<boolean>("landfall/storage/IsDurable", { defaultValue: () => true })
