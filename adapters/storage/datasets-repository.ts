/**
 * Which datasets were installed, which one is current, and which changes have to be reported?
 *
 * A dataset is kept as its bytes in base64. Installing it, and going back to another one, is a row of its own; the newest row
 * counts. Its number comes from a counter, so that every process sees by one cheap question whether there is something new, and
 * the second of two simultaneous installations waits for the first. An event is written in the transaction that installs the dataset it
 * comes from, and waits until it is due. A dispatcher locks it, writes some of its deliveries and how far it came in one transaction, so
 * that each goes out once, however many dispatchers try and even if one crashes in between. Its pushes are written afterwards, in the same way.
 */
import { Effect } from "effect"
import type { Database } from "./database.ts"
import { listJsonRows } from "./database.ts"
import { above, bumpCounter, makeTable, otherThan, readCounter, upTo } from "./table-statements.ts"
import type { Row } from "./tables.ts"

/** An installation; without a dataset it is that of the configuration, and `replaces_id` names the one that a rollback would bring back. */
export type InstallationRow = Row<"installations">
export type InstallationKind = InstallationRow["kind"]
/** A dataset that was installed; `content` is base64. */
export type DatasetRow = Row<"datasets">

/** A look at the feed of datasets that is claimed: its state as JSON, the last logged fault while it lasts, and the failures in a row. */
type FeedLook = Pick<Row<"dataset_feed">, "state" | "said" | "failures">

/** How many repairs are listed. */
const MOST_REPAIRS = 100

const INSTALLATIONS = "installations_id"

/** The statements on datasets. */
export const makeDatasetsRepository = (database: Database) => {
  const { list } = makeTable(database, "installations")
  return {
    ...makeTable(database, "datasets"),
    nextDatasetId: bumpCounter(database, "datasets_id"),
    nextInstallationId: bumpCounter(database, INSTALLATIONS),
    /** The number of the newest installation: 0 where there is none. */
    readRevision: readCounter(database, INSTALLATIONS),

    /** Claims the next look at a feed until an instant, if it is due or the feed is another one; of several processes one gets it. */
    claimLook: (feed: string, nowMs: number, untilMs: number) =>
      database.changeOne(
        sql => sql<FeedLook>`UPDATE dataset_feed SET feed = ${feed}, due_at = ${untilMs}
            WHERE id = 1 AND (due_at <= ${nowMs} OR feed <> ${feed}) RETURNING state, said, failures`,
      ),

    /** Stores the result of a claimed look, unless another process has claimed one since. */
    saveLook: (untilMs: number, { state, said, failures }: FeedLook, dueAt: number, nowMs: number) =>
      database.run(
        sql => sql`UPDATE dataset_feed SET state = ${state}, said = ${said}, failures = ${failures}, due_at = ${dueAt},
            succeeded_at = CASE WHEN ${failures} = 0 THEN ${nowMs} ELSE succeeded_at END
            WHERE id = 1 AND due_at = ${untilMs}`,
      ),

    /** The feed that is followed; undefined where none is. */
    readFeed: makeTable(database, "dataset_feed").find({ feed: otherThan("") }),

    /** Deletes the stored changes of installations before an instant (ISO 8601), up to a number; returns their number. */
    purgeChanges: (before: string, limit: number) =>
      database.countChanged(
        sql => sql`DELETE FROM installed_changes WHERE installation_id IN (
              SELECT i.id FROM installations i JOIN installed_changes c ON c.installation_id = i.id
              WHERE i.installed_at < ${before} ORDER BY i.id LIMIT ${limit}
            ) RETURNING installation_id`,
      ),

    /**
     * Deletes datasets that were installed before an instant (ISO 8601), except the current one and the one before, up to a number; returns
     * their number.
     */
    purge: (before: string, limit: number) =>
      database.countChanged(
        sql => sql`DELETE FROM datasets WHERE id IN (
              SELECT d.id FROM datasets d WHERE NOT EXISTS (
                SELECT 1 FROM installations i WHERE i.dataset_id = d.id AND (
                  i.installed_at >= ${before} OR i.id = (SELECT MAX(n.id) FROM installations n)
                  OR i.id = (SELECT n.replaces_id FROM installations n ORDER BY n.id DESC LIMIT 1)
                )
              ) ORDER BY d.id LIMIT ${limit}
            ) RETURNING id`,
      ),

    /** When the newest repairs were installed (ISO 8601), the oldest first. */
    listRepairs: Effect.map(list({ kind: "repair" }, { order: ["id DESC"], limit: MOST_REPAIRS }), found =>
      found.map(row => row.installed_at).toReversed(),
    ),

    /** The current installation; undefined where nothing was ever installed. */
    findNewest: Effect.map(list({}, { order: ["id DESC"], limit: 1 }), ([newest]) => newest),
  }
}

/** Columns of events that say how far they were distributed. */
const PROGRESS = ["handed_to", "pushed_to"] as const

/** One event; its `body` is the `data` of the envelope, as JSON. A correction of data, not a change of law, is listed and never sent. */
export type EventRow = Omit<Row<"events">, (typeof PROGRESS)[number]>
/** The parts of an event for the history of a pair. */
export type ChangeRow = Pick<EventRow, "id" | "passport" | "destination" | "effective_from" | "body">
/** An event that is due, and the last subscription that has its delivery. */
export type DueEvent = EventRow & Pick<Row<"events">, "handed_to">
/** An event whose pushes are to be written, and the last device that was looked at. */
type PushedEvent = EventRow & { readonly pushed_to: number }

/** The statements on events. */
export const makeEventsRepository = (database: Database) => {
  const events = makeTable(database, "events", PROGRESS)
  const { columns } = events
  const changeColumns = database.sql.literal("id, passport, destination, effective_from, body")
  const isChange = database.sql.literal("type = 'visa.policy_changed' AND is_correction = 0")
  return {
    findAll: (ids: readonly string[]) => events.findAll("id", ids),

    /** Writes events; existing ones stay as they are. */
    insertAll: (rows: readonly EventRow[]) => events.insertAll(rows, "ON CONFLICT (id) DO NOTHING"),

    /** Deletes events that wait for a day after an instant: a new dataset announces its own. */
    deleteWaiting: (afterMs: number) => events.remove({ fanned_out_at: null, due_at: above(afterMs) }),

    /** Locks due events of installations up to one, up to a number, the oldest first; those that another transaction has locked are passed over. */
    lockDue: (nowMs: number, upToInstallation: number, limit: number) =>
      database.ask(
        sql => sql<DueEvent>`SELECT ${columns}, handed_to FROM events WHERE fanned_out_at IS NULL AND due_at <= ${nowMs}
          AND installation_id <= ${upToInstallation} ORDER BY due_at, passport, destination, id LIMIT ${limit}
          ${database.skipLocked}`,
      ),

    /**
     * Writes how far locked events were distributed: to which subscription, and if that was the last one, when and whether pushes follow.
     */
    noteFannedOut: (rows: readonly Pick<Row<"events">, "id" | "handed_to" | "fanned_out_at" | "pushed_to">[]) =>
      database.run(
        sql => sql`UPDATE events SET handed_to = r.handed_to, fanned_out_at = r.fanned_out_at, pushed_to = r.pushed_to
          FROM (${listJsonRows(
            sql,
            { id: "TEXT", handed_to: "BIGINT", fanned_out_at: "BIGINT", pushed_to: "BIGINT" },
            rows,
          )}) AS r WHERE events.id = r.id`,
      ),

    /** Whether pushes have to be written. */
    areToPush: Effect.map(
      events.list({ pushed_to: otherThan(null) }, { order: ["pushed_to"], limit: 1 }),
      ({ length }) => length > 0,
    ),

    /** Locks events whose pushes are to be written, up to a number, those that have come least far first. Others wait for the lock. */
    lockToPush: (limit: number) =>
      database.ask(
        sql => sql<PushedEvent>`SELECT ${columns}, pushed_to FROM events WHERE pushed_to IS NOT NULL
          ORDER BY pushed_to, id LIMIT ${limit} ${database.onlyPostgres("FOR UPDATE")}`,
      ),

    /** Writes how far the pushes of events have come; null where they are all written. */
    notePushed: (ids: readonly string[], pushedTo: number | null) =>
      database.run(
        sql => sql`UPDATE events SET pushed_to = ${pushedTo}
          WHERE id IN (${listJsonRows(
            sql,
            { id: "TEXT" },
            ids.map(id => ({ id })),
          )})`,
      ),

    /** The number of events that are due and were not distributed. */
    countDue: (nowMs: number) => events.count({ fanned_out_at: null, due_at: upTo(nowMs) }),

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
    }) => {
      const { passport, destination, nowMs, isAhead, limit } = asked
      const due_at = isAhead ? above(nowMs) : upTo(nowMs)
      const place = destination === null ? {} : { destination }
      return events.list(
        { passport, ...place, is_correction: 0, due_at },
        { order: [isAhead ? "due_at" : "due_at DESC", "id"], limit },
      )
    },

    /** Every past event of a pair, the oldest first. */
    listOfPair: (passport: string, destination: string, nowMs: number) =>
      events.list(
        { passport, destination, due_at: upTo(nowMs) },
        { order: ["effective_from", "installation_id", "created_at", "id"] },
      ),
  }
}
