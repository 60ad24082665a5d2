/**
 * Which datasets were installed, and which one is current?
 *
 * A dataset is kept as its bytes in base64. Installing it, and going back to another one, is a row of its own; the newest row
 * counts. Its number comes from a counter, so that every process sees by one cheap question whether there is something new, and
 * the second of two simultaneous installations waits for the first.
 */
import { Effect } from "effect"
import { bumpCounter, readCounter } from "./counter.ts"
import type { Database } from "./database.ts"

/** Why a dataset replaced another one; a repair replaced one that could not be opened, so that what changed is not known. */
export type InstallationKind = "install" | "correction" | "rollback" | "repair"

export interface InstallationRow {
  readonly id: number
  /** Null for the dataset that the configuration names. */
  readonly dataset_id: number | null
  /** The installation whose dataset a rollback would bring back; null for that of the configuration. */
  readonly replaces_id: number | null
  readonly kind: InstallationKind
  /** ISO 8601. */
  readonly installed_at: string
}

/** A dataset that was installed; `content` is base64. */
export interface DatasetRow {
  readonly id: number
  readonly version: string
  readonly as_of: string
  readonly content: string
}

/** The stored changes of an installation. */
export interface KeptChanges {
  readonly id: number
  /** JSON, which `installed-history.ts` writes and reads. */
  readonly content: string | null
}

/** A look at the feed of datasets that is claimed. */
export interface FeedLook {
  /** The stored state, as JSON; null before the first look. */
  readonly state: string | null
  /** The last logged fault, while it lasts; null otherwise. */
  readonly said: string | null
  /** How many looks have failed in a row. */
  readonly failures: number
}

/** How well a feed is followed. */
export interface FeedState {
  readonly failures: number
  /** When a look last succeeded, with or without a newer dataset (epoch milliseconds); null if none did. */
  readonly succeeded_at: number | null
}

/** How many repairs are listed. */
const MOST_REPAIRS = 100

const INSTALLATIONS = "installations_id"

/** The statements on datasets. */
export const makeDatasetsRepository = (database: Database) => ({
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
  readFeed: database.askOne(
    sql => sql<FeedState>`SELECT failures, succeeded_at FROM dataset_feed WHERE id = 1 AND feed <> ''`,
  ),

  insertDataset: (row: DatasetRow) => database.run(sql => sql`INSERT INTO datasets ${sql.insert({ ...row })}`),

  findDataset: (id: number) =>
    database.askOne(sql => sql<DatasetRow>`SELECT id, version, as_of, content FROM datasets WHERE id = ${id}`),

  insertInstallation: (row: InstallationRow) =>
    database.run(sql => sql`INSERT INTO installations ${sql.insert({ ...row })}`),

  findInstallation: (id: number) =>
    database.askOne(
      sql => sql<InstallationRow>`SELECT id, dataset_id, replaces_id, kind, installed_at
            FROM installations WHERE id = ${id}`,
    ),

  /** The installations above a number, in order, up to a number, each with its stored changes; null if none are stored yet. */
  listChanges: (aboveId: number, limit: number) =>
    database.ask(
      sql => sql<KeptChanges>`SELECT i.id, c.content FROM installations i
          LEFT JOIN installed_changes c ON c.installation_id = i.id WHERE i.id > ${aboveId} ORDER BY i.id LIMIT ${limit}`,
    ),

  /** Keeps the changes of an installation in place of nothing (null) or of a content that cannot be read; the first to do so wins. */
  keepChanges: (id: number, content: string, unreadable: string | null) =>
    database.run(
      sql => sql`INSERT INTO installed_changes (installation_id, content) VALUES (${id}, ${content})
          ON CONFLICT (installation_id) DO UPDATE SET content = excluded.content
          WHERE installed_changes.content = ${unreadable}`,
    ),

  /** Deletes the stored changes of installations before an instant (ISO 8601), up to a number; returns their number. */
  purgeChanges: (before: string, limit: number) =>
    database.countChanged(
      sql => sql`UPDATE installed_changes SET content = '[]' WHERE installation_id IN (
            SELECT i.id FROM installations i JOIN installed_changes c ON c.installation_id = i.id
            WHERE i.installed_at < ${before} AND c.content <> '[]' ORDER BY i.id LIMIT ${limit}
          ) RETURNING installation_id`,
    ),

  /**
   * Deletes datasets that were installed before an instant (ISO 8601), except the current one and the one before, up to a number; returns
   * their number.
   */
  purgeDatasets: (before: string, limit: number) =>
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
  listRepairs: Effect.map(
    database.askValues(
      sql => sql<{ installed_at: string }>`SELECT installed_at FROM installations WHERE kind = 'repair'
          ORDER BY id DESC LIMIT ${MOST_REPAIRS}`,
    ),
    days => days.toReversed(),
  ),

  /** The current installation; undefined where nothing was ever installed. */
  findNewest: database.askOne(
    sql => sql<InstallationRow>`SELECT id, dataset_id, replaces_id, kind, installed_at
          FROM installations ORDER BY id DESC LIMIT 1`,
  ),
})
