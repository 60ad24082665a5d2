/**
 * How is the use of every limit counted, so that no limit is exceeded by any number of processes?
 *
 * A count is one row: its owner (`subject`), its limit (`pool`) and a UTC day. A limit covers the days from `since` on: a month, thirty days,
 * one day, or all of them. One statement adds to the row of a day if the sum over these days still fits, and locks that row. The distinct
 * items of a day (the destinations of each passport, an address's pairs) are rows of their own; how many a list has is a count like every
 * other. `holder` is the process that may still take an item back, because no request with it was answered yet; empty where none may.
 */
import { Effect } from "effect"
import type { Database } from "./database.ts"
import { asRecords, listJsonRows } from "./database.ts"
import { IsDurable } from "./database-engine.ts"
import type { Unavailable } from "./storage-errors.ts"
import { atLeast, makeTable } from "./table-statements.ts"
import type { Row } from "./tables.ts"

/**
 * Requests of one kind on one day, by the template of their path (`/webhooks/:id`), so that an account has at most as many rows a day as
 * there are routes and statuses.
 */
export type RequestDay = Row<"request_days">

const keyOf = ({ account_id, day, method, route, status }: RequestDay): string =>
  `${String(account_id).padStart(12, "0")} ${day} ${route} ${method} ${status}`

/** The statements on requests by day. */
export const makeRequestDaysRepository = (database: Database) => {
  const days = makeTable(database, "request_days")
  return {
    /** The requests of an account from a day on: the newest day first, and on each day what was asked most. */
    listOf: (account_id: number, fromDay: string, limit: number) =>
      days.list(
        { account_id, day: atLeast(fromDay) },
        { order: ["day DESC", "requests DESC", "route", "method", "status"], limit },
      ),

    /** Adds requests, each kind named once, in the order of the keys: processes add to the same rows. */
    add: (rows: readonly RequestDay[]) =>
      days.insertAll(
        [...rows].sort((one, other) => (keyOf(one) < keyOf(other) ? -1 : 1)),
        `ON CONFLICT (account_id, day, route, method, status)
          DO UPDATE SET requests = request_days.requests + excluded.requests`,
      ),
  }
}

/** Names one count; `day` is `YYYY-MM-DD`. */
type CountKey = Pick<Row<"pool_counts">, "subject" | "pool" | "day">

/** A count, and the first day that its limit covers. */
export interface CountedDays extends CountKey {
  readonly since: string
}

/** What was used on all days of a limit, and the first of them with any use; null where nothing was used. */
export interface Used {
  readonly used: number
  readonly firstDay: string | null
}

/** Names one list of distinct items. */
type ListKey = Pick<Row<"items_seen">, "subject" | "list"> & { readonly day: string }

type UsedRow = readonly [used: number, firstDay: string | null]

/** The statements on counts and items. */
export const makePoolsRepository = (database: Database) => {
  const [subject, pool, since, day, n, most] = [1, 2, 3, 4, 5, 6].map(at => {
    const type = at > 4 ? "BIGINT" : "TEXT"
    return `CAST(${database.parameter(at)} AS ${type})`
  })
  const days = `FROM pool_counts o WHERE o.subject = ${subject} AND o.pool = ${pool} AND o.day >= ${since}`
  // Also the days after: the clocks of two processes may differ at midnight.
  const others = `(SELECT CAST(COALESCE(SUM(o.used), 0) AS BIGINT) ${days} AND o.day <> ${day})`
  const take = `INSERT INTO pool_counts AS c (subject, pool, day, used)
    SELECT ${subject}, ${pool}, ${day}, ${n} WHERE ${n} + ${others} <= ${most}
    ON CONFLICT (subject, pool, day) DO UPDATE SET used = c.used + ${n} WHERE c.used + ${n} + ${others} <= ${most}
    RETURNING used + ${others}, (SELECT MIN(o.day) ${days} AND o.day <> ${day} AND o.used > 0)`
  const read = `SELECT CAST(COALESCE(SUM(o.used), 0) AS BIGINT), MIN(o.day) ${days} AND o.used > 0`

  const counts = makeTable(database, "pool_counts")
  const seen = makeTable(database, "items_seen", ["holder"])
  const inList = ({ subject, day, list }: ListKey, items: readonly string[]) => {
    const { sql } = database
    return sql`subject = ${subject} AND seen_on = ${day} AND list = ${list} AND ${sql.in("item", items)}`
  }
  return {
    /** The usage of a subject on each day from one on, the oldest first. */
    listDays: (subject: string, fromDay: string) =>
      counts.list({ subject, day: atLeast(fromDay) }, { order: ["day", "pool"] }),

    /** Adds to a count if its limit still allows it; returns what is used then, or null. */
    take: (of: CountedDays, requests: number, limit: number): Effect.Effect<Used | null, Unavailable> =>
      database
        .change(sql => sql.unsafe(take, [of.subject, of.pool, of.since, of.day, requests, limit]).values)
        .pipe(
          Effect.map(rows => {
            const [row] = rows as unknown as readonly UsedRow[]
            return row === undefined ? null : { used: row[0], firstDay: row[1] ?? of.day }
          }),
          // A power failure may forget the last blocks; waiting for the disk would cost every block some milliseconds.
          Effect.provideService(IsDurable, false),
        ),

    /** What is used of a limit. */
    readUsed: (of: CountedDays): Effect.Effect<Used, Unavailable> =>
      Effect.map(
        database.ask(sql => sql.unsafe(read, [of.subject, of.pool, of.since]).values),
        rows => {
          const [used, firstDay] = rows[0] as unknown as UsedRow
          return { used, firstDay }
        },
      ),

    /** Takes requests off some counts, in one statement, so that their rows are not locked for long. */
    giveBack: (rows: readonly (readonly [of: CountKey, requests: number])[]): Effect.Effect<void, Unavailable> =>
      rows.length === 0
        ? Effect.void
        : database.run(
            sql => sql`UPDATE pool_counts SET used = pool_counts.used - given.requests
              FROM (${listJsonRows(
                sql,
                { subject: "TEXT", pool: "TEXT", day: "TEXT", requests: "BIGINT" },
                rows.map(([of, requests]) => ({ ...of, requests })),
              )}) AS given
              WHERE pool_counts.subject = given.subject AND pool_counts.pool = given.pool AND pool_counts.day = given.day
              AND pool_counts.used >= given.requests`,
          ),

    /** Everything that a subject has used, by months, the newest first. */
    listUsed: (of: string) =>
      database.ask(
        sql => sql<{ pool: string; period: string; used: number }>`SELECT pool,
            CASE WHEN pool = 'unconfirmed' THEN 'ever' ELSE SUBSTR(day, 1, 7) END AS period,
            CAST(SUM(used) AS BIGINT) AS used
          FROM pool_counts WHERE subject = ${of} AND used > 0 AND pool NOT LIKE 'seen %'
          GROUP BY 1, 2 ORDER BY 2 DESC, 1`,
      ),

    /** Adds items to a list, in an order that all processes keep; returns those that are new. Others are no process's to take back any more. */
    addItems: (key: ListKey, items: readonly string[], holder: string): Effect.Effect<readonly string[], Unavailable> =>
      Effect.gen(function* () {
        const rows = items.map(item => ({ subject: key.subject, seen_on: key.day, list: key.list, item, holder }))
        const found = yield* database.changeSome(
          rows,
          (sql, some) => sql<{ item: string }>`INSERT INTO items_seen ${sql.insert(asRecords(some))}
            ON CONFLICT DO NOTHING RETURNING item`,
        )
        const added = new Set(found.map(({ item }) => item))
        yield* database.runSome(
          items.filter(item => !added.has(item)),
          (sql, known) =>
            sql`UPDATE items_seen SET holder = '' WHERE ${inList(key, known)} AND holder NOT IN ('', ${holder})`,
        )
        return [...added]
      }),

    /** Removes items from a list that their holder may still take back; returns their number. */
    removeItems: (key: ListKey, items: readonly string[], holder: string): Effect.Effect<number, Unavailable> =>
      Effect.map(
        database.changeSome(
          items,
          (sql, some) => sql`DELETE FROM items_seen WHERE ${inList(key, some)} AND holder = ${holder} RETURNING item`,
        ),
        removed => removed.length,
      ),

    listItems: ({ subject, day, list }: ListKey) =>
      Effect.map(seen.list({ subject, seen_on: day, list }, { order: ["item"] }), found =>
        found.map(({ item }) => item),
      ),
  }
}
