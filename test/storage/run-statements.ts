/** Statements that no repository has: databases and schemas that a test, a bench or a soak makes for itself. */
import { PgClient } from "@effect/sql-pg"
import { Effect, Redacted } from "effect"
import { Reactivity } from "effect/reactivity"

/** Runs statements in the database that a URL names, on a connection of their own. */
export const runStatements = (url: string, statements: readonly string[]) =>
  Effect.scoped(
    Effect.gen(function* () {
      const sql = yield* PgClient.makeClient({ url: Redacted.make(url) }).pipe(Effect.provide(Reactivity.layer))
      for (const statement of statements) yield* sql.unsafe(statement)
    }),
  )
