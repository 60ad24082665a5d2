/**
 * What is the next number of a kind?
 *
 * One table of named counters gives the ids of rows and the revisions of tables. An id that is known before its row is written can
 * be sealed into that row, is never given twice, and needs no dialect of its own.
 */
import { Effect } from "effect"
import { SqlClient, type SqlError } from "effect/sql"

/**
 * Adds one to a counter and answers it, from 1. Inside a transaction it is undone with it.
 *
 * Fails with `SqlError`.
 */
export const bumpCounter = (name: string): Effect.Effect<number, SqlError.SqlError, SqlClient.SqlClient> =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const rows = yield* sql<{ value: number }>`INSERT INTO counters (name, value) VALUES (${name}, 1)
      ON CONFLICT (name) DO UPDATE SET value = counters.value + 1 RETURNING value`
    return rows[0]!.value
  })

/**
 * Reads a counter: 0 for one that was never bumped.
 *
 * Fails with `SqlError`.
 */
export const readCounter = (name: string): Effect.Effect<number, SqlError.SqlError, SqlClient.SqlClient> =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const rows = yield* sql<{ value: number }>`SELECT value FROM counters WHERE name = ${name}`
    return rows[0]?.value ?? 0
  })
