/**
 * What is the next number of a kind, and the next id?
 *
 * One table of named counters provides the ids of rows and the revisions of tables. An id that is known before its row is written can be
 * sealed into that row, and is never used twice.
 *
 * Numbers count. Ids that customers see do not: an id is the time in steps of a quarter of a microsecond, and a random number of steps
 * more, so it does not tell how many rows others have made. Ids of one kind grow, so lists keep their order.
 */
import { randomInt } from "node:crypto"
import { Clock, Context, Effect } from "effect"
import type { Statement } from "effect/sql"
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

/** So many ids belong to a millisecond: ids stay whole numbers that JSON holds until 2095. */
const IDS_A_MS = 4_096
const FIRST_MS = Date.UTC(2026, 0, 1)

/** Whether ids count from 1 on: for a test that names them. */
export const AreIdsCounted = Context.Reference("landfall/storage/AreIdsCounted", { defaultValue: () => false })

/** The statement that takes some ids in a row at a moment, none of which is before the moment; returns the last one. */
export const takeIds = (
  { sql, areIdsCounted, isPostgres }: Database,
  { name, count, nowMs }: { readonly name: string; readonly count: number; readonly nowMs: number },
): Statement.Statement<{ value: number }> => {
  const before = areIdsCounted ? 0 : Math.max(0, (nowMs - FIRST_MS) * IDS_A_MS)
  const greater = sql.literal(isPostgres ? "GREATEST" : "MAX")
  return sql<{ value: number }>`INSERT INTO counters (name, value) VALUES (${name}, ${before + count})
    ON CONFLICT (name) DO UPDATE SET value = ${greater}(counters.value + ${count}, ${before + count}) RETURNING value`
}

/** Takes the next id of a kind. Inside a transaction it is given back with it. */
export const takeId = (database: Database, name: string): Effect.Effect<number, Unavailable> =>
  Effect.gen(function* () {
    const nowMs = yield* Clock.currentTimeMillis
    const rows = yield* database.change(() =>
      takeIds(database, { name, count: database.areIdsCounted ? 1 : randomInt(1, IDS_A_MS), nowMs }),
    )
    return rows[0]!.value
  })
