/**
 * How are the use of each limit and the leases of each process stored?
 *
 * A count is one row: its owner (`subject`), its limit (`pool`), its time (`period`), the used amount, and how much of the rest is leased
 * to processes. Used amounts are added to the stored ones, so that several processes can count for one subject. A limit over a rolling
 * window also has a row for each hour with usage. The size of leases is decided elsewhere. A row is locked from the first statement that
 * touches it until the transaction ends, in the order of the keys.
 */
import { Effect } from "effect"
import { inChunks, listRows } from "./chunks.ts"
import type { Database } from "./database.ts"
import type { Unavailable } from "./storage-errors.ts"

/** Names one count. */
export interface PoolKey {
  readonly subject: string
  readonly pool: string
  readonly period: string
}

/** A count after adding: its usage, and its leases. */
export interface PoolTotal {
  readonly used: number
  readonly leased: number
}

/** A process's lease of a count: the change, and the new lease. */
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

const keyOf = ({ subject, pool, period }: PoolKey): PoolKey => ({ subject, pool, period })

const compareTexts = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)

/** Puts counts into the order in which every process takes their locks. */
export const compareKeys = (a: PoolKey, b: PoolKey): number =>
  compareTexts(a.pool, b.pool) || compareTexts(a.period, b.period) || compareTexts(a.subject, b.subject)

/** Totals in the order of the question; the database may answer in any order. */
function inOrder(asked: readonly { readonly subject: string }[], found: readonly TotalRow[]): PoolTotal[] {
  const isOrdered = found.every(([subject], at) => subject === asked[at]?.subject)
  const bySubject = isOrdered ? null : new Map(found.map(row => [row[0], row]))
  return asked.map(({ subject }, at) => {
    const [, used, leased] = (bySubject === null ? found[at] : bySubject.get(subject)) as TotalRow
    return { used, leased }
  })
}

type TotalRow = readonly [subject: string, used: number, leased: number]

/** The change of an existing count when its leases change. */
export const ADD_LEASED =
  "ON CONFLICT (subject, pool, period) DO UPDATE SET leased = pool_counts.leased + excluded.leased"

/** The statements on counts, hours and leases. */
export const makePoolsRepository = (database: Database) => {
  // Run at every save, so the text of the statement is made once for each number of rows.
  const addUsedTexts: string[] = []
  const addUsedText = (rows: number): string => {
    addUsedTexts[rows] ??= `INSERT INTO pool_counts (subject, pool, period, used)
      SELECT added.column1, ${database.parameter(1)}, ${database.parameter(2)}, added.column2
      FROM (VALUES ${listRows(rows, 2, at => database.parameter(at + 2))}) AS added WHERE true
      ON CONFLICT (subject, pool, period) DO UPDATE SET used = pool_counts.used + excluded.used
      RETURNING subject, used, leased`
    return addUsedTexts[rows]
  }
  return {
    /**
     * Adds to counts of one limit and period, each subject named once, in the order of their names; returns their totals in that order.
     * Missing rows are made.
     */
    addUsed: (
      { pool, period }: Pick<PoolKey, "pool" | "period">,
      rows: readonly { readonly subject: string; readonly used: number }[],
    ): Effect.Effect<readonly PoolTotal[], Unavailable> =>
      Effect.map(
        Effect.forEach(inChunks(rows), chunk =>
          Effect.map(
            database.change(
              sql =>
                sql.unsafe(addUsedText(chunk.length), [
                  pool,
                  period,
                  ...chunk.flatMap(({ subject, used }) => [subject, used]),
                ]).values,
            ),
            found => inOrder(chunk, found as unknown as readonly TotalRow[]),
          ),
        ),
        totals => totals.flat(),
      ),

    /** Everything that a subject has used, newest periods first. */
    listUsed: (subject: string) =>
      database.ask(
        sql => sql<{ pool: string; period: string; used: number }>`SELECT pool, period, used FROM pool_counts
          WHERE subject = ${subject} AND used > 0 ORDER BY period DESC, pool`,
      ),

    /** Changes what is leased of counts to one process. */
    changeLeases: (nodeId: number, changes: readonly LeaseChange[]): Effect.Effect<void, Unavailable> =>
      Effect.gen(function* () {
        const counts = changes.map(row => ({ ...keyOf(row), used: 0, leased: row.change }))
        yield* database.insertAll("pool_counts", counts, ADD_LEASED)
        const leases = changes.map(row => ({ node_id: nodeId, ...keyOf(row), amount: row.amount }))
        yield* database.insertAll(
          "pool_leases",
          leases,
          "ON CONFLICT (node_id, subject, pool, period) DO UPDATE SET amount = excluded.amount",
        )
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
    listWanted: (nodeId: number, sinceMs: number) =>
      database.ask(
        sql => sql<PoolKey>`SELECT c.subject, c.pool, c.period FROM pool_counts c
        JOIN pool_leases l ON l.subject = c.subject AND l.pool = c.pool AND l.period = c.period
        WHERE c.wanted_at > ${sinceMs} AND c.wanted_at > 0 AND l.node_id = ${nodeId}`,
      ),

    /** Adds to hours of counts over a rolling window, each named once. */
    addHours: (rows: readonly HourUse[]) =>
      database.insertAll(
        "pool_hours",
        rows,
        "ON CONFLICT (subject, pool, hour) DO UPDATE SET used = pool_hours.used + excluded.used",
      ),

    /** Deletes the hours of subjects before a given one, and returns the usage in each. */
    forgetHours: (pool: string, subjects: readonly string[], beforeHour: number) =>
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
    listFirstHours: (pool: string, subjects: readonly string[]) =>
      database.askAll(
        subjects,
        (sql, some) => sql<{ subject: string; hour: number }>`SELECT subject, MIN(hour) AS hour FROM pool_hours
          WHERE pool = ${pool} AND ${sql.in("subject", some)} GROUP BY subject`,
      ),

    /** Adds what was used on a day, each subject and pool named once. */
    addDays: (rows: readonly (Pick<PoolKey, "subject" | "pool"> & { readonly day: string; readonly used: number })[]) =>
      database.insertAll(
        "pool_days",
        rows,
        "ON CONFLICT (subject, pool, day) DO UPDATE SET used = pool_days.used + excluded.used",
      ),

    /** The usage of a subject on each day from one on, the oldest first. */
    listDays: (subject: string, fromDay: string) =>
      database.ask(
        sql => sql<{ pool: string; day: string; used: number }>`SELECT pool, day, used FROM pool_days
          WHERE subject = ${subject} AND day >= ${fromDay} ORDER BY day, pool`,
      ),

    /** The usage of a subject in each hour from one on, of limits that are counted by hours. */
    listHours: (subject: string, fromHour: number) =>
      database.ask(
        sql => sql<{ pool: string; hour: number; used: number }>`SELECT pool, hour, used FROM pool_hours
          WHERE subject = ${subject} AND hour >= ${fromHour} ORDER BY hour, pool`,
      ),

    forgetDaysBefore: (day: string) => database.run(sql => sql`DELETE FROM pool_days WHERE day < ${day}`),

    /** Deletes what addresses without a key and test keys have used on days before a given one, and the leases of it. */
    forgetCountedDaysBefore: (day: string): Effect.Effect<void, Unavailable> =>
      database.transact(
        Effect.forEach(
          // Each by itself: the indexes are of one pool each.
          [database.sql.literal("'keyless'"), database.sql.literal("'test'")],
          pool =>
            Effect.andThen(
              database.change(sql => sql`DELETE FROM pool_leases WHERE pool = ${pool} AND period < ${day}`),
              database.change(sql => sql`DELETE FROM pool_counts WHERE pool = ${pool} AND period < ${day}`),
            ),
          { discard: true },
        ),
      ),
  }
}
