/**
 * How are the distinct items of a day's requests stored?
 *
 * Items by subject, day and list: for an account the destinations of each passport, for an address the pairs. A day is `YYYY-MM-DD` in UTC.
 * Each item also has the process that added it first, so that the others can learn of it.
 */
import type { Database } from "./database.ts"

export interface SeenItem {
  readonly subject: string
  readonly list: string
  readonly item: string
}

/** The statements on items. */
export const makeSeenRepository = (database: Database) => ({
  /** Notes items; existing ones stay. */
  addSeen: (rows: readonly (SeenItem & { readonly seen_on: string; readonly node_id: number })[]) =>
    database.insertAll("items_seen", rows, "ON CONFLICT DO NOTHING"),

  /** The items of subjects on a day, without those that a given process noted itself. */
  listSeen: (options: { readonly subjects: readonly string[]; readonly day: string; readonly exceptNodeId: number }) =>
    database.askAll(
      options.subjects,
      (sql, some) => sql<SeenItem>`SELECT subject, list, item FROM items_seen
        WHERE seen_on = ${options.day} AND ${sql.in("subject", some)} AND node_id <> ${options.exceptNodeId}`,
    ),

  forgetSeenBefore: (day: string) => database.run(sql => sql`DELETE FROM items_seen WHERE seen_on < ${day}`),
})
