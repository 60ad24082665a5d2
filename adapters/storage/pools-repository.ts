/**
 * How is written down what was used of each limit, and what each process may still hand out?
 *
 * A count is one row: whose it is (`subject`), of which limit (`pool`), in which stretch of time (`period`), how much was used, and how much
 * of the rest is leased to processes. Used amounts are added to what is there, so that several processes can count for one subject. A
 * limit over a rolling window has, beside that row, one for each hour in which something was used. What may be leased is decided
 * elsewhere; a row is locked from the first statement that touches it until the transaction ends, in the order of the keys.
 */
import { Effect } from "effect"
import { asRecords, inChunks } from "./chunks.ts"
import type { Database } from "./database.ts"
import type { Unavailable } from "./storage-errors.ts"

/** Names one count. */
export interface PoolKey {
  readonly subject: string
  readonly pool: string
  readonly period: string
}

/** What a count came to, after adding. */
export interface PoolTotal extends PoolKey {
  readonly used: number
  readonly leased: number
}

/** A process's part of a count: the change that makes it, and what it comes to. */
export interface LeaseChange extends PoolKey {
  readonly change: number
  readonly amount: number
}

/** Use of one hour (whole hours since 1970). */
export interface HourUse {
  readonly subject: string
  readonly pool: string
  readonly hour: number
  readonly used: number
}

const nameKey = ({ subject, pool, period }: PoolKey): string => `${subject} ${pool} ${period}`

const keyOf = ({ subject, pool, period }: PoolKey): PoolKey => ({ subject, pool, period })

/** Puts counts into the order in which every process takes their locks. */
export function compareKeys(a: PoolKey, b: PoolKey): number {
  const [left, right] = [nameKey(a), nameKey(b)]
  return left < right ? -1 : left > right ? 1 : 0
}

/** The statements on counts, hours and leases. */
export const makePoolsRepository = (database: Database) => ({
  /**
   * Adds to counts, each of which is named once, in the order of {@link compareKeys}; answers what they came to, in the order given. Those that
   * are not there are made.
   */
  addUsed: (rows: readonly (PoolKey & { readonly used: number })[]): Effect.Effect<readonly PoolTotal[], Unavailable> =>
    Effect.gen(function* () {
      const totals = new Map<string, PoolTotal>()
      for (const chunk of inChunks(rows)) {
        const written = yield* database.change(
          sql => sql<PoolTotal>`INSERT INTO pool_counts ${sql.insert(asRecords(chunk))}
            ON CONFLICT (subject, pool, period) DO UPDATE SET used = pool_counts.used + excluded.used
            RETURNING subject, pool, period, used, leased`,
        )
        for (const row of written) totals.set(nameKey(row), row)
      }
      return rows.map(row => totals.get(nameKey(row))!)
    }),

  /** Changes what is leased of counts to one process. */
  changeLeases: (nodeId: number, changes: readonly LeaseChange[]): Effect.Effect<void, Unavailable> =>
    Effect.gen(function* () {
      for (const chunk of inChunks(changes)) {
        const counts = chunk.map(row => ({ ...keyOf(row), used: 0, leased: row.change }))
        yield* database.change(
          sql => sql`INSERT INTO pool_counts ${sql.insert(asRecords(counts))}
            ON CONFLICT (subject, pool, period) DO UPDATE SET leased = pool_counts.leased + excluded.leased`,
        )
        const leases = chunk.map(row => ({ node_id: nodeId, ...keyOf(row), amount: row.amount }))
        yield* database.change(
          sql => sql`INSERT INTO pool_leases ${sql.insert(asRecords(leases))}
            ON CONFLICT (node_id, subject, pool, period) DO UPDATE SET amount = excluded.amount`,
        )
      }
      if (changes.some(({ amount }) => amount === 0)) {
        yield* database.change(sql => sql`DELETE FROM pool_leases WHERE node_id = ${nodeId} AND amount = 0`)
      }
    }),

  /** Notes that a process could not get enough of these counts because others hold leases. */
  markWanted: (keys: readonly PoolKey[], atMs: number): Effect.Effect<void, Unavailable> =>
    Effect.forEach(
      keys,
      ({ subject, pool, period }) =>
        database.change(
          sql => sql`UPDATE pool_counts SET wanted_at = ${atMs}
            WHERE subject = ${subject} AND pool = ${pool} AND period = ${period}`,
        ),
      { discard: true },
    ),

  /** The counts of which a process holds leases and others have wanted some since an instant. */
  listWanted: (nodeId: number, sinceMs: number): Effect.Effect<readonly PoolKey[], Unavailable> =>
    database.ask(
      sql => sql<PoolKey>`SELECT c.subject, c.pool, c.period FROM pool_counts c
        JOIN pool_leases l ON l.subject = c.subject AND l.pool = c.pool AND l.period = c.period
        WHERE c.wanted_at > ${sinceMs} AND c.wanted_at > 0 AND l.node_id = ${nodeId}`,
    ),

  /** Adds to hours of counts over a rolling window, each named once. */
  addHours: (rows: readonly HourUse[]): Effect.Effect<void, Unavailable> =>
    Effect.forEach(
      inChunks(rows),
      chunk =>
        database.change(
          sql => sql`INSERT INTO pool_hours ${sql.insert(asRecords(chunk))}
            ON CONFLICT (subject, pool, hour) DO UPDATE SET used = pool_hours.used + excluded.used`,
        ),
      { discard: true },
    ),

  /** Forgets the hours of subjects before one, and answers what was used in each. */
  forgetHours: (
    pool: string,
    subjects: readonly string[],
    beforeHour: number,
  ): Effect.Effect<readonly { readonly subject: string; readonly used: number }[], Unavailable> =>
    Effect.map(
      Effect.forEach(inChunks(subjects), chunk =>
        database.change(
          sql => sql<{ subject: string; used: number }>`DELETE FROM pool_hours
            WHERE pool = ${pool} AND hour < ${beforeHour} AND ${sql.in("subject", chunk)} RETURNING subject, used`,
        ),
      ),
      chunks => chunks.flat(),
    ),

  /** The first hour of each of these subjects in which something was used. */
  listFirstHours: (
    pool: string,
    subjects: readonly string[],
  ): Effect.Effect<readonly { readonly subject: string; readonly hour: number }[], Unavailable> =>
    Effect.map(
      Effect.forEach(inChunks(subjects), chunk =>
        database.ask(
          sql => sql<{ subject: string; hour: number }>`SELECT subject, MIN(hour) AS hour FROM pool_hours
            WHERE pool = ${pool} AND ${sql.in("subject", chunk)} GROUP BY subject`,
        ),
      ),
      chunks => chunks.flat(),
    ),

  /** Forgets the counts and leases of a limit whose periods, in the order of text, lie between two names. */
  forgetPeriods: (
    pool: string,
    range: { readonly from: string; readonly before: string },
  ): Effect.Effect<void, Unavailable> =>
    database.transact(
      Effect.forEach(["pool_leases", "pool_counts"], table =>
        database.change(
          sql => sql`DELETE FROM ${sql(table)}
            WHERE pool = ${pool} AND period >= ${range.from} AND period < ${range.before}`,
        ),
      ),
    ),
})

export type PoolsRepository = ReturnType<typeof makePoolsRepository>
