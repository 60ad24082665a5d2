/**
 * Which database does a URL name?
 *
 * Its scheme chooses the engine, whose own file reads the rest (see `engine.ts`). A URL can hold a password, so that only its scheme
 * and names without secrets are ever repeated.
 */
import { Effect, Schema } from "effect"
import type { DatabaseLocation, StorageEngine } from "./database-engine.ts"
import { postgresEngine } from "./postgres-engine.ts"
import { sqliteEngine } from "./sqlite-engine.ts"

/** Every engine that the service runs on. */
const ENGINES: readonly StorageEngine[] = [sqliteEngine, postgresEngine]

/** The database URL does not name a database that this build can open. */
export class DatabaseUrlRefused extends Schema.TaggedError<DatabaseUrlRefused>()("DatabaseUrlRefused", {
  message: Schema.String,
}) {}

const joinOr = (pick: (engine: StorageEngine) => string): string => ENGINES.map(pick).join(" or ")
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
