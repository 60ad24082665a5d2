/**
 * Which processes hold leases, and are they still alive?
 *
 * Each process with leases has a row that it renews. A row that was not renewed in time belongs to a process that was killed or cut off:
 * another process retires it and returns its leases, some at a time. If it comes back, it learns this and starts again. The row also stores
 * the number of the last batch that its process has saved, so that a process whose connection broke during a commit can find out whether it
 * succeeded.
 */
import { Effect } from "effect"
import { bumpCounter } from "./counter.ts"
import type { Database } from "./database.ts"
import { ADD_LEASED, compareKeys, type PoolKey } from "./pools-repository.ts"
import type { Unavailable } from "./storage-errors.ts"

/** How many leases one transaction returns. */
const LEASES_AT_ONCE = 500

/** A process that holds leases. Instants are epoch milliseconds. */
export interface NodeRow {
  readonly id: number
  readonly alive_until: number
  readonly last_batch: number
  /** 1 when it was taken for dead. */
  readonly is_retired: number
}

type Lease = PoolKey & { readonly amount: number }

/** The statements on processes. */
export const makeNodesRepository = (database: Database) => {
  /**
   * Returns some of a process's leases to the limit, and their number. If two processes do this at the same time, each lease is returned by
   * one of them.
   */
  const returnLeases = (nodeId: number): Effect.Effect<number, Unavailable> =>
    Effect.gen(function* () {
      const returned = yield* database.change(
        sql => sql<Lease>`DELETE FROM pool_leases WHERE node_id = ${nodeId} AND (subject, pool, period) IN (
            SELECT subject, pool, period FROM pool_leases WHERE node_id = ${nodeId} LIMIT ${LEASES_AT_ONCE}
          ) RETURNING subject, pool, period, amount`,
      )
      const changes = returned
        .map(({ subject, pool, period, amount }) => ({ subject, pool, period, used: 0, leased: -amount }))
        .sort(compareKeys)
      yield* database.insertAll("pool_counts", changes, ADD_LEASED)
      return returned.length
    })

  return {
    nextNodeId: bumpCounter(database, "nodes_id"),

    insert: (node: NodeRow) => database.run(sql => sql`INSERT INTO nodes ${sql.insert({ ...node })}`),

    /** Renews a process's row and notes its batch; false where it was taken for dead. */
    renew: (node: Omit<NodeRow, "is_retired">) =>
      database.hasChanged(
        sql => sql`UPDATE nodes SET alive_until = ${node.alive_until}, last_batch = ${node.last_batch}
            WHERE id = ${node.id} AND is_retired = 0 RETURNING id`,
      ),

    /**
     * The number of the last batch that a process has saved; undefined where there is no such row. Waits for a transaction of
     * that process that is still under way.
     */
    findLastBatch: (id: number) =>
      Effect.map(
        database.changeOne(
          sql => sql<{ last_batch: number }>`UPDATE nodes SET last_batch = last_batch
            WHERE id = ${id} AND is_retired = 0 RETURNING last_batch`,
        ),
        row => row?.last_batch,
      ),

    /** Every process, retired ones too. */
    list: database.ask(sql => sql<NodeRow>`SELECT id, alive_until, last_batch, is_retired FROM nodes ORDER BY id`),

    /** Takes a process for dead, unless it was renewed since. */
    retire: (id: number, silentSinceMs: number) =>
      database.run(sql => sql`UPDATE nodes SET is_retired = 1 WHERE id = ${id} AND alive_until < ${silentSinceMs}`),

    /** Returns every lease of a process and deletes its row. The process must not take new ones during this. */
    forget: (id: number): Effect.Effect<void, Unavailable> =>
      Effect.gen(function* () {
        while ((yield* database.transact(returnLeases(id))) === LEASES_AT_ONCE);
        yield* database.change(sql => sql`DELETE FROM nodes WHERE id = ${id}`)
      }),
  }
}
