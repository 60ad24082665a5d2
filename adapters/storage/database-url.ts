/**
 * Which database does a URL name?
 *
 * `file:PATH` is an SQLite file: `file:./landfall.db` is relative to the working directory, `file:/var/lib/landfall.db` and
 * `file:///var/lib/landfall.db` are absolute. `postgres://USER:PASSWORD@HOST:PORT/DATABASE` is PostgreSQL; unknown parameters are
 * refused, because a misspelt `sslmode` that is ignored would mean a connection in the clear. A URL can hold a password, so that
 * only its scheme and names without secrets are ever repeated.
 */
import { resolve } from "node:path"
import { fileURLToPath } from "node:url"
import { Effect, Redacted, Schema } from "effect"

/** What is used where nothing is set. */
export const DEFAULT_DATABASE_URL = "file:./landfall.db"

/** The database URL does not name a database that this build can open. */
export class DatabaseUrlRefused extends Schema.TaggedError<DatabaseUrlRefused>()("DatabaseUrlRefused", {
  message: Schema.String,
}) {}

/** Where a database is; `label` names it for people, without a secret. */
export type DatabaseLocation =
  | { readonly engine: "sqlite"; readonly label: string; readonly path: string }
  | { readonly engine: "postgres"; readonly label: string; readonly url: Redacted.Redacted<string> }

const EXPECTED =
  "expected file:PATH or postgres://USER:PASSWORD@HOST:PORT/DATABASE, for example file:./landfall.db or postgres://landfall@localhost/landfall"

const POSTGRES_PARAMETERS = ["application_name", "connect_timeout", "host", "options", "sslmode"]
const SSL_MODES = ["disable", "prefer", "require", "verify-ca", "verify-full"]
const POSTGRES_PORT = 5_432

const refuse = (found: string) =>
  Effect.fail(new DatabaseUrlRefused({ message: `LANDFALL_DATABASE_URL: ${found}; ${EXPECTED}` }))

/**
 * Reads a database URL.
 *
 * Fails with `DatabaseUrlRefused`.
 */
export function parseDatabaseUrl(url: string): Effect.Effect<DatabaseLocation, DatabaseUrlRefused> {
  const scheme = /^([a-z][a-z0-9+.-]*):/i.exec(url)?.[1]?.toLowerCase()
  switch (scheme) {
    case undefined:
      return refuse("there is no scheme")
    case "file":
      return parseFileUrl(url)
    case "postgres":
    case "postgresql":
      return parsePostgresUrl(url)
    default:
      return refuse(`the scheme "${scheme}:" is not supported`)
  }
}

function parseFileUrl(url: string): Effect.Effect<DatabaseLocation, DatabaseUrlRefused> {
  const path = url.slice("file:".length)
  if (path === "" || path.endsWith("/")) return refuse("no file is named")
  if (/[?#\0]/.test(path)) return refuse('"?", "#" and NUL are not allowed in it')
  const toLocation = (file: string): DatabaseLocation => ({ engine: "sqlite", label: file, path: file })
  if (!path.startsWith("//")) return Effect.succeed(toLocation(resolve(path)))
  return Effect.try({ try: () => toLocation(fileURLToPath(url)), catch: () => undefined }).pipe(
    Effect.catch(() => refuse("the path cannot be read")),
  )
}

function decodes(text: string): boolean {
  try {
    decodeURIComponent(text)
    return true
  } catch {
    return false
  }
}

function parsePostgresUrl(text: string): Effect.Effect<DatabaseLocation, DatabaseUrlRefused> {
  if (text.includes("#")) return refuse('"#" is not allowed in it; in a password it is written %23')
  const url = URL.parse(text)
  if (url === null) return refuse("the URL cannot be read")
  const host = url.searchParams.get("host") ?? url.hostname
  if (host === "") return refuse("no host is named")
  const database = url.pathname.slice(1)
  if (database === "" || database.includes("/")) return refuse("no database is named")
  if (![url.username, url.password, database].every(decodes)) {
    return refuse('a "%" in the user, the password or the database is not followed by two hexadecimal digits')
  }
  for (const [name, value] of url.searchParams) {
    if (!POSTGRES_PARAMETERS.includes(name)) {
      return refuse(`the parameter "${name}" is not known; known are ${POSTGRES_PARAMETERS.join(", ")}`)
    }
    if (name === "sslmode" && !SSL_MODES.includes(value)) {
      return refuse(`the sslmode is not one of ${SSL_MODES.join(", ")}`)
    }
    if (name === "connect_timeout" && !/^\d{1,4}$/.test(value)) {
      return refuse("the connect_timeout is not a whole number of seconds")
    }
  }
  const place = host.startsWith("/") ? host : `${host}:${url.port || POSTGRES_PORT}`
  const label = `PostgreSQL at ${place}, database ${decodeURIComponent(database)}`
  return Effect.succeed({ engine: "postgres", label, url: Redacted.make(text) })
}
