/**
 * Which pushes wait for which device?
 *
 * Pushes are claimed work (see `work-table.ts`), each of the lane of its platform. A push is deleted when it is sent. A device has one row for each pair: a newer change replaces a waiting one, even while that
 * is under way; the claim of the old one is then lost.
 */
import type { Database } from "./database.ts"
import type { Platform } from "./devices-repository.ts"
import { listJsonRows } from "./json-rows.ts"
import { makeWorkTable, type Ticket } from "./work-table.ts"

/** A push that this process has claimed; its lane is its platform. */
export type ClaimedPush = Ticket & {
  readonly lane: Platform
  readonly device_id: number
  readonly event_id: string
  readonly created_at: number
}

/** A push that is to be written. */
export interface NewPush {
  readonly device_id: number
  readonly platform: Platform
  readonly event_id: string
  readonly passport: string
  readonly destination: string
}

/** The statements on pushes. */
export const makePushesRepository = (database: Database) => ({
  ...makeWorkTable<ClaimedPush, object>(database, {
    table: "pushes",
    idType: "TEXT",
    lane: { column: "platform", type: "TEXT" },
    states: { done: null, givenUp: null },
    columns: { device_id: "device_id", event_id: "event_id", created_at: "created_at" },
    notes: {},
    countsLostClaims: true,
  }),

  /**
   * Which devices follow the pairs of events: of accounts that are not disabled, on some platforms, with ids above one up to another, at most
   * a number.
   */
  listFollowing: (options: {
    readonly eventIds: readonly string[]
    readonly platforms: readonly Platform[]
    readonly above: number
    readonly upTo: number
    readonly limit: number
  }) =>
    database.ask(
      sql => sql<NewPush>`SELECT d.id AS device_id, d.platform AS platform, e.id AS event_id, e.passport AS passport,
            e.destination AS destination
          FROM events e
          JOIN device_codes p ON p.list = 'passport' AND p.code IN (e.passport, '*')
            AND p.device_id > ${options.above} AND p.device_id <= ${options.upTo}
          JOIN device_codes t ON t.device_id = p.device_id AND t.list = 'destination' AND t.code IN (e.destination, '*')
          JOIN devices d ON d.id = p.device_id AND ${sql.in("d.platform", [...options.platforms])}
          JOIN accounts a ON a.id = d.account_id AND a.is_disabled = 0
          WHERE ${sql.in("e.id", [...options.eventIds])} LIMIT ${options.limit}`,
    ),

  /** Writes pushes, in the order of their devices. A device's waiting push of the same pair is replaced. */
  insertAll: (pushes: readonly NewPush[], nowMs: number) =>
    database.inSteps(pushes, some =>
      database.run(
        // Without the condition SQLite parses ON as a part of the join.
        sql => sql`INSERT INTO pushes
            (id, platform, device_id, event_id, state, attempt, due_at, lease_until, leased_by, created_at)
            SELECT id, platform, device_id, event_id, 'pending', 0, now, 0, NULL, now FROM (${listJsonRows(
              sql,
              { id: "TEXT", platform: "TEXT", device_id: "BIGINT", event_id: "TEXT", now: "BIGINT" },
              some.map(({ device_id, platform, event_id, passport, destination }) => [
                `${device_id}:${passport}:${destination}`,
                platform,
                device_id,
                event_id,
                nowMs,
              ]),
            )}) AS r WHERE TRUE
            ON CONFLICT (id) DO UPDATE SET event_id = excluded.event_id, attempt = 0, due_at = excluded.due_at,
              is_deferred = 0, lease_until = 0, leased_by = NULL, created_at = excluded.created_at`,
      ),
    ),

  /** How many wait. */
  count: database.count(sql => sql<{ count: number }>`SELECT COUNT(*) AS count FROM pushes`),
})
