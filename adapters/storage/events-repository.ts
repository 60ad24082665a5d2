/**
 * Which changes have to be reported, and which were?
 *
 * An event is written in the transaction that installs the dataset it comes from, and waits until it is due. A dispatcher locks it, writes
 * some of its deliveries and how far it came in one transaction, so that each goes out once, however many dispatchers try and even if one
 * crashes in between. Its pushes are written afterwards, in the same way.
 */
import { Effect } from "effect"
import type { Database } from "./database.ts"
import { listJsonRows } from "./json-rows.ts"
import type { Unavailable } from "./storage-errors.ts"

/** One event. Instants are epoch milliseconds. */
export interface EventRow {
  readonly id: string
  readonly installation_id: number
  readonly type: string
  readonly passport: string
  readonly destination: string
  readonly severity: string
  /** `YYYY-MM-DD`. */
  readonly effective_from: string
  /** 1 for a correction of data, not a change of law: it is listed and never sent. */
  readonly is_correction: number
  /** The `data` of the envelope, as JSON. */
  readonly body: string
  readonly created_at: number
  readonly due_at: number
  /** Null until its deliveries were written. */
  readonly fanned_out_at: number | null
}

/** The parts of an event for the history of a pair. */
export type ChangeRow = Pick<EventRow, "id" | "passport" | "destination" | "effective_from" | "body">

/** An event that is due, and the last subscription that has its delivery. */
export type DueEvent = EventRow & { readonly handed_to: number }

/** An event whose pushes are to be written, and the last device that was looked at. */
export type PushedEvent = EventRow & { readonly pushed_to: number }

const COLUMNS =
  "id, installation_id, type, passport, destination, severity, effective_from, is_correction, body, created_at, due_at, fanned_out_at"

/** The statements on events. */
export const makeEventsRepository = (database: Database) => {
  const columns = database.sql.literal(COLUMNS)
  const changeColumns = database.sql.literal("id, passport, destination, effective_from, body")
  const isChange = database.sql.literal("type = 'visa.policy_changed' AND is_correction = 0")
  const forUpdate = (text: string) =>
    database.sql.onDialectOrElse({ pg: () => database.sql.literal(text), orElse: () => database.sql.literal("") })
  const [lock, skipLocked] = [forUpdate("FOR UPDATE"), forUpdate("FOR UPDATE SKIP LOCKED")]
  return {
    /** Writes events; existing ones stay as they are. */
    insertAll: (rows: readonly EventRow[]) => database.insertAll("events", rows, "ON CONFLICT (id) DO NOTHING"),

    /** Deletes events that wait for a day after an instant: a new dataset announces its own. */
    deleteWaiting: (afterMs: number) =>
      database.run(sql => sql`DELETE FROM events WHERE fanned_out_at IS NULL AND due_at > ${afterMs}`),

    /** Which of some events exist. */
    listKnown: (ids: readonly string[]): Effect.Effect<ReadonlySet<string>, Unavailable> =>
      Effect.map(
        database.askAll(ids, (sql, some) => sql<{ id: string }>`SELECT id FROM events WHERE ${sql.in("id", some)}`),
        found => new Set(found.map(({ id }) => id)),
      ),

    findAll: (ids: readonly string[]) =>
      database.askAll(ids, (sql, some) => sql<EventRow>`SELECT ${columns} FROM events WHERE ${sql.in("id", some)}`),

    /** Locks due events of installations up to one, up to a number, the oldest first; those that another transaction has locked are passed over. */
    lockDue: (nowMs: number, upToInstallation: number, limit: number) =>
      database.ask(
        sql => sql<DueEvent>`SELECT ${columns}, handed_to FROM events WHERE fanned_out_at IS NULL AND due_at <= ${nowMs}
          AND installation_id <= ${upToInstallation} ORDER BY due_at, passport, destination, id LIMIT ${limit} ${skipLocked}`,
      ),

    /**
     * Writes how far locked events were distributed: to which subscription, and if that was the last one, when and whether pushes follow.
     */
    noteFannedOut: (
      rows: readonly (Pick<DueEvent, "id" | "handed_to" | "fanned_out_at"> & { readonly pushed_to: number | null })[],
    ) =>
      database.run(
        sql => sql`UPDATE events SET handed_to = r.handed_to, fanned_out_at = r.fanned_out_at, pushed_to = r.pushed_to
          FROM (${listJsonRows(
            sql,
            { id: "TEXT", handed_to: "BIGINT", fanned_out_at: "BIGINT", pushed_to: "BIGINT" },
            rows.map(({ id, handed_to, fanned_out_at, pushed_to }) => [id, handed_to, fanned_out_at, pushed_to]),
          )}) AS r WHERE events.id = r.id`,
      ),

    /** Whether pushes have to be written. */
    areToPush: Effect.map(
      database.ask(sql => sql`SELECT 1 FROM events WHERE pushed_to IS NOT NULL LIMIT 1`),
      rows => rows.length > 0,
    ),

    /** Locks events whose pushes are to be written, up to a number, those that have come least far first. Others wait for the lock. */
    lockToPush: (limit: number) =>
      database.ask(
        sql => sql<PushedEvent>`SELECT ${columns}, pushed_to FROM events WHERE pushed_to IS NOT NULL
          ORDER BY pushed_to, id LIMIT ${limit} ${lock}`,
      ),

    /** Writes how far the pushes of events have come; null where they are all written. */
    notePushed: (ids: readonly string[], pushedTo: number | null) =>
      database.run(
        sql => sql`UPDATE events SET pushed_to = ${pushedTo}
          WHERE id IN (${listJsonRows(
            sql,
            { id: "TEXT" },
            ids.map(id => [id]),
          )})`,
      ),

    /** The number of events that are due and were not distributed. */
    countDue: (nowMs: number) =>
      database.count(
        sql => sql<{ count: number }>`SELECT COUNT(*) AS count FROM events
            WHERE fanned_out_at IS NULL AND due_at <= ${nowMs}`,
      ),

    /** Changes of law that an installation made at once, in the order of ids after a given one, up to a number. */
    listChangesOf: (installationId: number, id: string, limit: number) =>
      database.ask(
        sql => sql<ChangeRow>`SELECT ${changeColumns} FROM events WHERE installation_id = ${installationId}
          AND id > ${id} AND ${isChange} AND due_at = created_at ORDER BY id LIMIT ${limit}`,
      ),

    /** Changes of law by dated rules, including those that wait for their day, in the order of ids after a given one, up to a number. */
    listDatedAfter: (id: string, limit: number) =>
      database.ask(
        sql => sql<ChangeRow>`SELECT ${changeColumns} FROM events WHERE id > ${id} AND ${isChange} AND due_at > created_at
          ORDER BY id LIMIT ${limit}`,
      ),

    /** Deletes events that were distributed and due before an instant, up to a number; returns their number. */
    purge: (beforeMs: number, limit: number) =>
      database.countChanged(
        sql => sql`DELETE FROM events WHERE id IN (
              SELECT id FROM events WHERE due_at < ${beforeMs} AND fanned_out_at IS NOT NULL ORDER BY due_at LIMIT ${limit}
            ) RETURNING id`,
      ),

    /** Events of a passport, at one destination or at all: the newest that are due, or the next that wait. Corrections are left out. */
    listOfPassport: (asked: {
      readonly passport: string
      readonly destination: string | null
      readonly nowMs: number
      readonly isAhead: boolean
      readonly limit: number
    }) =>
      database.ask(sql => {
        const { passport, destination, nowMs, isAhead, limit } = asked
        const place = destination === null ? sql.literal("") : sql`AND destination = ${destination}`
        const when = isAhead
          ? sql`due_at > ${nowMs} ORDER BY due_at, id`
          : sql`due_at <= ${nowMs} ORDER BY due_at DESC, id`
        return sql<EventRow>`SELECT ${columns} FROM events WHERE passport = ${passport} ${place}
          AND is_correction = 0 AND ${when} LIMIT ${limit}`
      }),

    /** Every past event of a pair, the oldest first. */
    listOfPair: (passport: string, destination: string, nowMs: number) =>
      database.ask(
        sql => sql<EventRow>`SELECT ${columns} FROM events WHERE passport = ${passport} AND destination = ${destination}
          AND due_at <= ${nowMs} ORDER BY effective_from, installation_id, created_at, id`,
      ),
  }
}
