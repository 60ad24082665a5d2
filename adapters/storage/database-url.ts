/**
 * Which database does a URL name?
 *
 * Its scheme chooses the engine, which reads the rest: SQLite in a file, for one machine, or PostgreSQL, for several processes and machines.
 * A URL can hold a password, so that only its scheme and names without secrets are ever repeated.
 */
import { resolve } from "node:path"
import { fileURLToPath } from "node:url"
import { Effect, Redacted, Schema } from "effect"
import type { DatabaseLocation } from "./database-engine.ts"
import { openSqlite } from "./sqlite-client.ts"

/** `file:./landfall.db` is relative to the working directory, `file:/var/lib/landfall.db` and `file:///var/lib/landfall.db` are absolute. */
function locateFile(url: string): DatabaseLocation | string {
  const path = url.slice("file:".length)
  if (path === "" || path.endsWith("/")) return "no file is named"
  if (/[?#\0]/.test(path)) return '"?", "#" and NUL are not allowed in it'
  try {
    const whole = path.startsWith("//") ? fileURLToPath(url) : resolve(path)
    return { engine: "sqlite", label: whole, path: whole, open: openSqlite(whole) }
  } catch {
    return "the path cannot be read"
  }
}

const PARAMETERS = ["application_name", "connect_timeout", "host", "options", "sslmode"]
const SSL_MODES = ["disable", "prefer", "require", "verify-ca", "verify-full"]
const PORT = 5_432

function decodes(text: string): boolean {
  try {
    decodeURIComponent(text)
    return true
  } catch {
    return false
  }
}

const openServer = (url: Redacted.Redacted<string>): DatabaseLocation["open"] =>
  Effect.gen(function* () {
    // Loaded here, because most deployments never need it.
    const { makePostgresClient } = yield* Effect.promise(() => import("./postgres-client.ts"))
    const client = yield* makePostgresClient(url)
    // A pool: each transaction and each question takes a connection of its own.
    return { writer: client, reader: client, migrator: makePostgresClient(url, { isLimited: false }) }
  })

/** `postgres://USER:PASSWORD@HOST:PORT/DATABASE`. Unknown parameters are refused: a misspelt `sslmode` would mean a connection in the clear. */
function locateServer(text: string): DatabaseLocation | string {
  if (text.includes("#")) return '"#" is not allowed in it; in a password it is written %23'
  const url = URL.parse(text)
  if (url === null) return "the URL cannot be read"
  const host = url.searchParams.get("host") ?? url.hostname
  if (host === "") return "no host is named"
  const database = url.pathname.slice(1)
  if (database === "" || database.includes("/")) return "no database is named"
  if (![url.username, url.password, database].every(decodes)) {
    return 'a "%" in the user, the password or the database is not followed by two hexadecimal digits'
  }
  for (const [name, value] of url.searchParams) {
    if (!PARAMETERS.includes(name)) return `the parameter "${name}" is not known; known: ${PARAMETERS.join(", ")}`
    if (name === "sslmode" && !SSL_MODES.includes(value)) return `the sslmode is not one of ${SSL_MODES.join(", ")}`
    if (name === "connect_timeout" && !/^\d{1,4}$/.test(value)) {
      return "the connect_timeout is not a whole number of seconds"
    }
  }
  const place = host.startsWith("/") ? host : `${host}:${url.port || PORT}`
  const label = `PostgreSQL at ${place}, database ${decodeURIComponent(database)}`
  return { engine: "postgres", label, path: null, open: openServer(Redacted.make(text)) }
}

/** Every engine that the service runs on: how its URLs are formed, one of them, and how they are read, or what is wrong with one. */
const ENGINES = [
  { schemes: ["file"], form: "file:PATH", example: "file:./landfall.db", locate: locateFile },
  {
    schemes: ["postgres", "postgresql"],
    form: "postgres://USER:PASSWORD@HOST:PORT/DATABASE",
    example: "postgres://landfall@localhost/landfall",
    locate: locateServer,
  },
]

/** The database URL does not name a database that this build can open. */
export class DatabaseUrlRefused extends Schema.TaggedError<DatabaseUrlRefused>()("DatabaseUrlRefused", {
  message: Schema.String,
}) {}

const joinOr = (pick: (engine: (typeof ENGINES)[number]) => string): string => ENGINES.map(pick).join(" or ")
const EXPECTED = `expected ${joinOr(({ form }) => form)}, for example ${joinOr(({ example }) => example)}`

const refuse = (found: string) =>
  Effect.fail(new DatabaseUrlRefused({ message: `LANDFALL_DATABASE_URL: ${found}; ${EXPECTED}` }))

/**
 * Reads a database URL.
 *
 * Fails with `DatabaseUrlRefused`.
 */
export function parseDatabaseUrl(url: string): Effect.Effect<DatabaseLocation, DatabaseUrlRefused> {
  const scheme = /^([a-z][a-z0-9+.-]*):/i.exec(url)?.[1]?.toLowerCase()
  if (scheme === undefined) return refuse("there is no scheme")
  const engine = ENGINES.find(({ schemes }) => schemes.includes(scheme))
  if (engine === undefined) return refuse(`the scheme "${scheme}:" is not supported`)
  const location = engine.locate(url)
  return typeof location === "string" ? refuse(location) : Effect.succeed(location)
}
