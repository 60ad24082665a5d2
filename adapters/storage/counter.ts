/**
 * What is the next number of a kind?
 *
 * One table of named counters provides the ids of rows and the revisions of tables. An id that is known before its row is written can be
 * sealed into that row, is never used twice, and needs no SQL dialect.
 */
import { Effect } from "effect"
import type { Database } from "./database.ts"
import type { Unavailable } from "./storage-errors.ts"

/** Adds one to a counter and returns the new value, from 1 on. Inside a transaction it is rolled back with it. */
export const bumpCounter = (database: Database, name: string): Effect.Effect<number, Unavailable> =>
  Effect.map(
    database.change(
      sql => sql<{ value: number }>`INSERT INTO counters (name, value) VALUES (${name}, 1)
        ON CONFLICT (name) DO UPDATE SET value = counters.value + 1 RETURNING value`,
    ),
    rows => rows[0]!.value,
  )

/** Reads a counter: 0 for one that was never bumped. */
export const readCounter = (database: Database, name: string): Effect.Effect<number, Unavailable> =>
  Effect.map(
    database.ask(sql => sql<{ value: number }>`SELECT value FROM counters WHERE name = ${name}`),
    rows => rows[0]?.value ?? 0,
  )
