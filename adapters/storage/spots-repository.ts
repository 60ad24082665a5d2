/**
 * Which spots has the operator imported instead of those that ship with the package?
 *
 * One row a spot, its fields as JSON, because a set is always read whole. A counter says when the set was last changed, so that
 * every process sees by one cheap question whether there is something new. A set that was never changed, or was reset, has no
 * rows.
 */
import { Effect } from "effect"
import { bumpCounter, readCounter } from "./counter.ts"
import type { Database } from "./database.ts"
import { inChunks } from "./json-rows.ts"
import type { Unavailable } from "./storage-errors.ts"

/** A spot as it is stored; `body` is JSON. */
export interface SpotRow {
  readonly id: string
  readonly body: string
}

/** The statements on spots. */
export const makeSpotsRepository = (database: Database) => ({
  /** Announces a change of the set; the second of two simultaneous changes waits here for the first. */
  nextRevision: bumpCounter(database, "spots_revision"),
  /** The number of the set's last change: 0 where it never was. */
  readRevision: readCounter(database, "spots_revision"),

  /** Rows in the order of their ids, after one of them. */
  listAfter: (id: string, limit: number) =>
    database.ask(sql => sql<SpotRow>`SELECT id, body FROM spots WHERE id > ${id} ORDER BY id LIMIT ${limit}`),

  /** Writes spots, replacing those with the same ids. */
  put: (rows: readonly SpotRow[]) =>
    database.insertAll("spots", rows, "ON CONFLICT (id) DO UPDATE SET body = excluded.body"),

  remove: (ids: readonly string[]): Effect.Effect<void, Unavailable> =>
    Effect.forEach(inChunks(ids), some => database.change(sql => sql`DELETE FROM spots WHERE ${sql.in("id", some)}`), {
      discard: true,
    }),
})
