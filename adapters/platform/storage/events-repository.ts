/**
 * Which changes have to be reported, and which were?
 *
 * An event is written in the transaction that installs the dataset it comes from, and waits until it is due. A dispatcher takes
 * it and writes its deliveries in one transaction, so that it goes out once, however many dispatchers try and even if one crashes
 * in between.
 */
import { Effect } from "effect"
import { asRecords, inChunks } from "./chunks.ts"
import type { Database } from "./database.ts"
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

/** What the history of a pair needs of an event. */
export type ChangeRow = Pick<
  EventRow,
  "id" | "installation_id" | "passport" | "destination" | "effective_from" | "body"
>

const COLUMNS =
  "id, installation_id, type, passport, destination, severity, effective_from, is_correction, body, created_at, due_at, fanned_out_at"

/** The statements on events. */
export const makeEventsRepository = (database: Database) => {
  const columns = database.sql.literal(COLUMNS)
  return {
    /** Writes events; existing ones stay as they are. */
    insertAll: (rows: readonly EventRow[]): Effect.Effect<void, Unavailable> =>
      Effect.forEach(
        inChunks(rows),
        chunk =>
          database.change(sql => sql`INSERT INTO events ${sql.insert(asRecords(chunk))} ON CONFLICT (id) DO NOTHING`),
        { discard: true },
      ),

    /** Deletes events that wait for a day after an instant: a new dataset announces its own. */
    deleteWaiting: (afterMs: number) =>
      database.run(sql => sql`DELETE FROM events WHERE fanned_out_at IS NULL AND due_at > ${afterMs}`),

    /** Which of some events exist. */
    listKnown: (ids: readonly string[]): Effect.Effect<ReadonlySet<string>, Unavailable> =>
      Effect.map(
        Effect.forEach(inChunks(ids), chunk =>
          database.ask(sql => sql<{ id: string }>`SELECT id FROM events WHERE ${sql.in("id", [...chunk])}`),
        ),
        found => new Set(found.flat().map(({ id }) => id)),
      ),

    findAll: (ids: readonly string[]): Effect.Effect<readonly EventRow[], Unavailable> =>
      Effect.map(
        Effect.forEach(inChunks(ids), chunk =>
          database.ask(sql => sql<EventRow>`SELECT ${columns} FROM events WHERE ${sql.in("id", [...chunk])}`),
        ),
        found => found.flat(),
      ),

    /** Takes due events, up to a number, the oldest first; the transaction has to hand them on. */
    takeDue: (nowMs: number, limit: number): Effect.Effect<readonly EventRow[], Unavailable> =>
      database.change(sql => {
        const lock = sql.onDialectOrElse({
          pg: () => sql.literal("FOR UPDATE SKIP LOCKED"),
          orElse: () => sql.literal(""),
        })
        return sql<EventRow>`UPDATE events SET fanned_out_at = ${nowMs} WHERE id IN (
            SELECT id FROM events WHERE fanned_out_at IS NULL AND due_at <= ${nowMs}
            ORDER BY due_at, passport, destination LIMIT ${limit} ${lock}
          ) RETURNING ${columns}`
      }),

    /** How many events are due and were not handed on. */
    countDue: (nowMs: number) =>
      database.count(
        sql => sql<{ count: number }>`SELECT COUNT(*) AS count FROM events
            WHERE fanned_out_at IS NULL AND due_at <= ${nowMs}`,
      ),

    /** Changes of law, including those that wait for their day, in the order of ids after a given one, up to a number. */
    listChangesAfter: (id: string, limit: number): Effect.Effect<readonly ChangeRow[], Unavailable> =>
      database.ask(
        sql => sql<ChangeRow>`SELECT id, installation_id, passport, destination, effective_from, body FROM events
          WHERE id > ${id} AND type = 'visa.policy_changed' AND is_correction = 0 ORDER BY id LIMIT ${limit}`,
      ),

    /** Every past event of a pair, the oldest first. */
    listOfPair: (
      passport: string,
      destination: string,
      nowMs: number,
    ): Effect.Effect<readonly EventRow[], Unavailable> =>
      database.ask(
        sql => sql<EventRow>`SELECT ${columns} FROM events WHERE passport = ${passport} AND destination = ${destination}
          AND due_at <= ${nowMs} ORDER BY effective_from, installation_id, created_at, id`,
      ),
  }
}

export type EventsRepository = ReturnType<typeof makeEventsRepository>
