/**
 * Which PostgreSQL database does a URL name?
 *
 * `postgres://USER:PASSWORD@HOST:PORT/DATABASE`. Unknown parameters are refused, because a misspelt `sslmode` that is ignored would
 * mean a connection in the clear.
 */
import { Effect, Redacted } from "effect"
import type { DatabaseLocation, StorageEngine } from "./database-engine.ts"

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

const open = (url: Redacted.Redacted<string>): DatabaseLocation["open"] =>
  Effect.gen(function* () {
    // Loaded here, because most deployments never need it.
    const { makePostgresClient } = yield* Effect.promise(() => import("./postgres-client.ts"))
    const client = yield* makePostgresClient(url)
    // A pool: each transaction and each question takes a connection of its own.
    return { writer: client, reader: client, migrator: makePostgresClient(url, { isLimited: false }) }
  })

function locate(text: string): DatabaseLocation | string {
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
  return { engine: "postgres", label, path: null, open: open(Redacted.make(text)) }
}

/** PostgreSQL, for several processes and machines. */
export const postgresEngine: StorageEngine = {
  schemes: ["postgres", "postgresql"],
  form: "postgres://USER:PASSWORD@HOST:PORT/DATABASE",
  example: "postgres://landfall@localhost/landfall",
  locate,
}
