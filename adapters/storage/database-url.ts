/**
 * Which file does a database URL name?
 *
 * `file:PATH` is the only kind that is served so far: `file:./landfall.db` is relative to the working directory, `file:/var/lib/landfall.db`
 * and `file:///var/lib/landfall.db` are absolute. Anything else is refused with what was found and what is expected. A URL can hold a
 * password, so that only its scheme is ever repeated in a message.
 */
import { resolve } from "node:path"
import { fileURLToPath } from "node:url"
import { Effect, Schema } from "effect"

/** The database URL names no database that this build can open. */
export class DatabaseUrlRefused extends Schema.TaggedError<DatabaseUrlRefused>()("DatabaseUrlRefused", {
  message: Schema.String,
}) {}

const EXPECTED = "expected file:PATH, for example file:./landfall.db"

const refuse = (found: string) =>
  Effect.fail(new DatabaseUrlRefused({ message: `database URL: ${found}; ${EXPECTED}` }))

/**
 * Reads a database URL as the absolute path of an SQLite file.
 *
 * Fails with `DatabaseUrlRefused`.
 */
export function parseDatabaseUrl(url: string): Effect.Effect<string, DatabaseUrlRefused> {
  const scheme = /^([a-z][a-z0-9+.-]*):/i.exec(url)?.[1]?.toLowerCase()
  if (scheme === undefined) return refuse("there is no scheme")
  if (scheme !== "file") return refuse(`the scheme "${scheme}:" is not supported`)
  const path = url.slice("file:".length)
  if (path === "" || path.endsWith("/")) return refuse("no file is named")
  if (/[?#\0]/.test(path)) return refuse('"?", "#" and NUL may not stand in it')
  if (!path.startsWith("//")) return Effect.succeed(resolve(path))
  return Effect.try({ try: () => fileURLToPath(url), catch: () => undefined }).pipe(
    Effect.catch(() => refuse("the path cannot be read")),
  )
}
