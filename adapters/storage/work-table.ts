/**
 * Which work waits, which worker has claimed it, and what was the outcome?
 *
 * These are the statements on claimed work, written once for every kind: deliveries, pushes, chunks of jobs and queued work. A worker claims
 * rows for a limited time. When the claim expires, any worker can claim them again, and only the holder of a claim writes an outcome. Rows
 * belong to lanes (a subscription, a platform, a job), and a claim names its lanes. A row that waits for a later attempt is deferred: it is
 * in another index until its time, so a look at ready rows does not pass over it. Every table has these columns: `id`, the lane, `state`,
 * `attempt`, `due_at`, `is_deferred`, `lease_until` and `leased_by`, and `created_at` if rows are kept for a time. A kind has a table to
 * itself, or it is one of several in a table with the column `kind`. Rows are written many at a time, as one parameter of JSON
 * (`listJsonRows`).
 */
import { Effect } from "effect"
import type { Statement } from "effect/sql"
import type { Database } from "./database.ts"
import { type ColumnType, listJsonRows } from "./database.ts"
import type { Unavailable } from "./storage-errors.ts"
import { bumpCounter } from "./table-statements.ts"

/** The tables of one kind of work each. */
export const WORK_TABLES = ["deliveries", "pushes", "job_chunks"] as const

export type WorkId = number | string

/** A row that this process has claimed. */
export interface Ticket {
  readonly id: WorkId
  readonly lane: WorkId
  /** The number of this attempt, from 1. */
  readonly attempt: number
  /** When the claim expires (epoch milliseconds). With the worker's name it is what only the holder of the claim knows. */
  readonly lease_until: number
}

/** Lanes with rows that can be claimed, and when the first of them was due (epoch milliseconds). */
export type ReadyLanes = ReadonlyMap<WorkId, number>

/** The written result of a finished attempt. `note`: the kind's own columns. */
export interface Settled<Note> {
  readonly ticket: Ticket
  readonly state: "open" | "done" | "given_up"
  /** Whether the attempt counts. */
  readonly counts: boolean
  readonly dueMs: number
  readonly note: Note
}

/** The properties of one kind's table. `kind`: which rows are its own, in a table of several kinds. */
interface WorkTableOptions<Row, Note> {
  readonly table: (typeof WORK_TABLES)[number] | "queued_work"
  readonly kind?: string
  readonly idType: ColumnType
  /** The column of lanes. `isOpen`: the SQL of whether lane `l.lane` may be claimed from now. */
  readonly lane: { readonly column: string; readonly type: ColumnType; readonly isOpen?: string }
  /** The words of its states; an open row is `pending`. Rows that are done are deleted where there is no word. */
  readonly states: { readonly done: string | null; readonly givenUp: string | null }
  /** Its own columns in a claim, each with its SQL. */
  readonly columns: { readonly [Name in Exclude<keyof Row, keyof Ticket>]: string }
  /** Its own columns that an outcome writes. */
  readonly notes: { readonly [Name in keyof Note]: ColumnType }
  /** A column that is emptied when the row is no longer open. */
  readonly empties?: string
  /** Whether a claim that was never settled, because its process died, was an attempt. */
  readonly countsLostClaims: boolean
}

/** The state of a row that still has to be worked on. */
export const OPEN = "pending"
/** How many rows are claimed at most in one turn: from a file within a few milliseconds of the event loop, from a server with few round trips. */
const CLAIMED_AT_ONCE = { file: 256, server: 1_024 }
/** How many deferred rows become ready in one statement. */
const RECALL_LIMIT = 1_000

/** The statements on the table of one kind of work. */
export const makeWorkTable = <Row extends Ticket, Note extends object>(
  database: Database,
  { table, kind, idType, lane, states, columns, notes, empties, countsLostClaims }: WorkTableOptions<Row, Note>,
) => {
  const { sql, isPostgres, skipLocked } = database
  const text = (fragment: string) => sql.literal(fragment)
  const [from, laneColumn] = [text(table), text(lane.column)]
  const own = kind === undefined ? "" : `kind = '${kind}' AND `
  const ready = text(`${own}state = '${OPEN}' AND is_deferred = 0`)
  const isOpen = text(lane.isOpen ?? "TRUE")
  const claimed = text(
    [
      `id, ${lane.column} AS lane, attempt${countsLostClaims ? "" : " + 1"} AS attempt, lease_until`,
      ...Object.entries(columns).map(([name, from]) => (from === name ? name : `${from} AS ${name}`)),
    ].join(", "),
  )
  const counted = text(countsLostClaims ? ", attempt = attempt + 1" : "")
  const uncounted = text(countsLostClaims ? ", attempt = attempt - 1" : "")

  const listTickets = (tickets: readonly Ticket[]) => listJsonRows(sql, { id: idType, lease_until: "BIGINT" }, tickets)
  const listLanes = (lanes: Iterable<readonly [lane: WorkId, dueMs: number]>) => {
    const rows = [...lanes].map(([lane, due_at]) => ({ lane, due_at }))
    return listJsonRows(sql, { lane: lane.type, due_at: "BIGINT" }, rows)
  }
  const noteNames = Object.keys(notes) as (keyof Note & string)[]
  const settledTypes = {
    id: idType,
    lease_until: "BIGINT",
    state: "TEXT",
    attempt: "BIGINT",
    due_at: "BIGINT",
    is_deferred: "INTEGER",
    ...notes,
  } as const
  const settledColumns = text(
    [
      "state = s.state, attempt = s.attempt, due_at = s.due_at, is_deferred = s.is_deferred, lease_until = 0, leased_by = NULL",
      ...noteNames.map(name => `${name} = s.${name}`),
      ...(empties === undefined ? [] : [`${empties} = CASE WHEN s.state = '${OPEN}' THEN ${empties} END`]),
    ].join(", "),
  )
  const wordOf = (state: Settled<Note>["state"]) =>
    state === "open" ? OPEN : state === "done" ? states.done : states.givenUp

  const compare = (a: Ticket, b: Ticket) => (a.id < b.id ? -1 : a.id > b.id ? 1 : 0)

  return {
    claimedAtOnce: isPostgres ? CLAIMED_AT_ONCE.server : CLAIMED_AT_ONCE.file,

    /** Makes deferred rows ready whose time has come. */
    recall: (nowMs: number): Effect.Effect<void, Unavailable> =>
      Effect.gen(function* () {
        const due = sql`SELECT id FROM ${from} WHERE ${text(`${own}state = '${OPEN}'`)} AND is_deferred = 1 AND due_at <= ${nowMs}`
        // A question first: in a file it waits for no other writer.
        if ((yield* database.ask(sql => sql`${due} LIMIT 1`)).length === 0) return
        yield* database.change(
          sql => sql`UPDATE ${from} SET is_deferred = 0
            WHERE id IN (${due} ORDER BY due_at LIMIT ${RECALL_LIMIT} ${skipLocked})`,
        )
      }),

    /**
     * Lanes with ready rows above a lane, in order, up to a limit. `only`: what a look before has found is enough: in the lanes that it knows, rows from
     * when it saw the first; in all others, rows that have become due since an instant.
     */
    listReady: (options: {
      readonly nowMs: number
      readonly after: WorkId | null
      readonly limit: number
      readonly only?: { readonly known: ReadyLanes; readonly sinceMs: number }
    }): Effect.Effect<ReadyLanes, Unavailable> =>
      Effect.gen(function* () {
        const { nowMs, after = null, limit, only } = options
        const above = after === null ? text("") : sql`AND ${laneColumn} > ${after}`
        const since = only?.sinceMs ?? 0
        const first = (least: Statement.Fragment | number) =>
          sql`SELECT due_at FROM ${from} WHERE ${laneColumn} = l.lane AND ${ready} AND due_at >= ${least} AND due_at <= ${nowMs}
            AND lease_until <= ${nowMs} ORDER BY due_at LIMIT 1`
        // Walks the index from one lane with ready rows to the next, so all others cost nothing. Sorted like the index of ready rows:
        // sorted by the lane only, PostgreSQL may walk an index of all rows.
        const next = (beyond: Statement.Fragment) =>
          sql`SELECT ${laneColumn} FROM ${from} WHERE ${ready} AND due_at >= ${since} ${beyond}
            ORDER BY ${laneColumn}, due_at, id LIMIT 1`
        const found = yield* database.ask(
          sql => sql<{ lane: WorkId; due_at: number }>`WITH RECURSIVE l (lane) AS (
              SELECT (${next(above)})
              UNION ALL
              SELECT (${next(sql`AND ${laneColumn} > l.lane`)}) FROM l WHERE l.lane IS NOT NULL
            ), looked AS ${database.onlyPostgres("MATERIALIZED")} (
              SELECT lane, (${first(since)}) AS due_at FROM l WHERE lane IS NOT NULL AND ${isOpen}
            )
            SELECT lane, due_at FROM looked WHERE due_at IS NOT NULL LIMIT ${limit}`,
        )
        const lanes = new Map(found.map(({ lane, due_at }) => [lane, due_at]))
        const asked = [...(only?.known ?? [])].filter(([lane]) => after === null || lane > after)
        if (asked.length === 0) return lanes
        const known = yield* database.ask(
          sql => sql<{ lane: WorkId; due_at: number }>`WITH looked AS ${database.onlyPostgres("MATERIALIZED")} (
              SELECT lane, (${first(text("l.due_at"))}) AS due_at FROM (${listLanes(asked)}) AS l WHERE ${isOpen}
            )
            SELECT lane, due_at FROM looked WHERE due_at IS NOT NULL`,
        )
        for (const { lane, due_at } of known) lanes.set(lane, due_at)
        return new Map([...lanes].sort(([a], [b]) => (a < b ? -1 : 1)).slice(0, limit))
      }),

    /**
     * Claims ready rows of some lanes, from each up to a number, the longest due first; returns them in the order of their ids. `from`:
     * rows of a lane that were due before its instant there are not read.
     */
    claim: (options: {
      readonly worker: string
      readonly nowMs: number
      readonly leaseMs: number
      readonly lanes: readonly WorkId[]
      readonly from?: ReadyLanes
      readonly each: number
    }): Effect.Effect<readonly Row[], Unavailable> => {
      const { worker, nowMs, leaseMs, each } = options
      const lanes = listLanes(options.lanes.map(lane => [lane, options.from?.get(lane) ?? 0]))
      const due = sql`SELECT id FROM ${from} WHERE ${laneColumn} = l.lane AND ${ready} AND due_at >= l.due_at
        AND due_at <= ${nowMs} AND lease_until <= ${nowMs} ORDER BY due_at, id LIMIT ${each}`
      const picked = isPostgres
        ? sql`SELECT d.id FROM (${lanes}) AS l CROSS JOIN LATERAL (${due} ${skipLocked}) AS d WHERE ${isOpen}`
        : sql`SELECT d.id FROM (${lanes}) AS l JOIN ${from} AS d ON d.id IN (${due}) WHERE ${isOpen}`
      return Effect.map(
        database.change(
          sql => sql<Row>`UPDATE ${from} SET lease_until = ${nowMs + leaseMs}, leased_by = ${worker} ${counted}
            WHERE id IN (${picked}) RETURNING ${claimed}`,
        ),
        rows => [...rows].sort(compare),
      )
    },

    /** Writes the outcomes of a worker's attempts, and returns the ids of those whose claim was still valid; the others write nothing. */
    settle: (worker: string, outcomes: readonly Settled<Note>[]): Effect.Effect<ReadonlySet<WorkId>, Unavailable> =>
      Effect.gen(function* () {
        const held = new Set<WorkId>()
        const isOver = (one: Settled<Note>) => wordOf(one.state) === null
        const hold = (settled: readonly { readonly id: WorkId }[]) => {
          for (const { id } of settled) held.add(id)
        }
        yield* database.inSteps(
          outcomes.filter(one => !isOver(one)),
          some => {
            const rows = some.map(({ ticket: { id, lease_until, attempt }, state, counts, dueMs, note }) => ({
              ...note,
              id,
              lease_until,
              state: wordOf(state),
              attempt: attempt - (counts ? 0 : 1),
              due_at: dueMs,
              is_deferred: state === "open" ? 1 : 0,
            }))
            const settled = database.change(
              sql => sql<{
                id: WorkId
              }>`UPDATE ${from} SET ${settledColumns} FROM (${listJsonRows(sql, settledTypes, rows)}) AS s
                WHERE ${from}.id = s.id AND ${from}.leased_by = ${worker} AND ${from}.lease_until = s.lease_until
                RETURNING ${from}.id AS id`,
            )
            return Effect.map(settled, hold)
          },
        )
        yield* database.inSteps(outcomes.filter(isOver), some => {
          const those = listTickets(some.map(({ ticket }) => ticket))
          const deleted = database.change(
            sql => sql<{ id: WorkId }>`DELETE FROM ${from}
              WHERE (id, lease_until) IN (${those}) AND leased_by = ${worker} RETURNING id`,
          )
          return Effect.map(deleted, hold)
        })
        return held
      }),

    /** Releases claims of a worker: those attempts do not count. */
    release: (worker: string, tickets: readonly Ticket[]): Effect.Effect<void, Unavailable> =>
      tickets.length === 0
        ? Effect.void
        : database.run(
            sql => sql`UPDATE ${from} SET lease_until = 0, leased_by = NULL ${uncounted}
                WHERE (id, lease_until) IN (${listTickets(tickets)}) AND leased_by = ${worker}`,
          ),

    /** Deletes rows that were created before an instant, up to a number; returns their number. */
    purge: (beforeMs: number, limit: number) =>
      database.countChanged(
        sql => sql`DELETE FROM ${from} WHERE id IN (
              SELECT id FROM ${from} WHERE ${text(own)}created_at < ${beforeMs} ORDER BY created_at LIMIT ${limit}
            ) RETURNING id`,
      ),
  }
}

/** The statements of one kind of work. */
export type WorkTable<Row extends Ticket, Note extends object> = ReturnType<typeof makeWorkTable<Row, Note>>

// Which work waits of kinds that need no columns of their own? One table holds all these kinds; the rows of each are numbered from 1, and no
// number is used twice. What an attempt needs is a text, which is deleted as soon as the work is done or given up. A kind seals it if it
// holds secrets.

/** Queued work that this process has claimed. */
export type QueuedRow = Ticket & { readonly lane: string; readonly number: number; readonly payload: string }

/** The stored result of an attempt. */
export interface QueuedNote {
  readonly last_error: string | null
}

const NUMBERS = "queued_work/"
/** The kinds that were ever ordered, as SQL. */
export const QUEUED_KINDS = `SELECT substr(name, ${NUMBERS.length + 1}) AS kind FROM counters WHERE name LIKE '${NUMBERS}%'`

/** The statements on queued work of a kind, which is a word. */
export const makeQueuedWork = (database: Database) => (kind: string) => {
  const nextNumber = bumpCounter(database, NUMBERS + kind)
  return {
    ...makeWorkTable<QueuedRow, QueuedNote>(database, {
      table: "queued_work",
      kind,
      idType: "BIGINT",
      lane: { column: "lane", type: "TEXT" },
      states: { done: "done", givenUp: "given_up" },
      columns: { number: "number", payload: "payload" },
      notes: { last_error: "TEXT" },
      empties: "payload",
      countsLostClaims: true,
    }),

    /** Orders work; inside a transaction it is ordered only if that commits. `write` makes the payload of the row with a number. */
    order: (
      write: (number: number) => string,
      { nowMs, lane = "" }: { readonly nowMs: number; readonly lane?: string },
    ): Effect.Effect<void, Unavailable> =>
      database.transact(
        Effect.flatMap(nextNumber, number => {
          const times = { due_at: nowMs, lease_until: 0, created_at: nowMs }
          const row = { kind, number, lane, payload: write(number), state: OPEN, attempt: 0, ...times }
          return database.run(sql => sql`INSERT INTO queued_work ${sql.insert(row)}`)
        }),
      ),
  }
}
