/**
 * Which pushes wait for which device?
 *
 * Pushes are claimed work (see `work-table.ts`), each of the lane of its platform. A push is written in the transaction that hands an
 * event on, and deleted when it is sent. A device has one row for each pair: a newer change replaces a waiting one, even while that
 * is under way; the claim of the old one is then lost.
 */
import { Effect } from "effect"
import type { Database } from "./database.ts"
import type { Platform } from "./devices-repository.ts"
import type { Unavailable } from "./storage-errors.ts"
import { makeWorkTable, type Ticket } from "./work-table.ts"

/** A push that this process has claimed; its lane is its platform. */
export type ClaimedPush = Ticket & {
  readonly lane: Platform
  readonly device_id: number
  readonly event_id: string
  readonly created_at: number
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

  // In the order of ids, so that two concurrent writers cannot deadlock.
  /** Writes an event for every device that it concerns, of an account that is not disabled. Only one event of a pair may be given at a time. */
  insertFor: (
    eventIds: readonly string[],
    { platforms, nowMs }: { readonly platforms: readonly Platform[]; readonly nowMs: number },
  ): Effect.Effect<void, Unavailable> =>
    eventIds.length === 0 || platforms.length === 0
      ? Effect.void
      : database.run(
          sql => sql`INSERT INTO pushes
              (id, platform, device_id, event_id, attempt, due_at, lease_until, leased_by, created_at)
              SELECT CAST(d.id AS TEXT) || ':' || e.passport || ':' || e.destination, d.platform, d.id, e.id, 0,
                CAST(${nowMs} AS BIGINT), 0, NULL, CAST(${nowMs} AS BIGINT)
              FROM events e
              JOIN device_codes p ON p.list = 'passport' AND p.code IN (e.passport, '*')
              JOIN device_codes t ON t.device_id = p.device_id AND t.list = 'destination' AND t.code IN (e.destination, '*')
              JOIN devices d ON d.id = p.device_id AND ${sql.in("d.platform", [...platforms])}
              JOIN accounts a ON a.id = d.account_id AND a.is_disabled = 0
              WHERE ${sql.in("e.id", [...eventIds])}
              ORDER BY 1
              ON CONFLICT (id) DO UPDATE SET event_id = excluded.event_id, attempt = 0, due_at = excluded.due_at,
                is_deferred = 0, lease_until = 0, leased_by = NULL, created_at = excluded.created_at`,
        ),

  /** How many wait. */
  count: database.count(sql => sql<{ count: number }>`SELECT COUNT(*) AS count FROM pushes`),
})

export type PushesRepository = ReturnType<typeof makePushesRepository>
