/**
 * Which pushes wait for which device, and which worker has claimed them?
 *
 * A push is written in the transaction that hands an event on, claimed for a limited time like a webhook's delivery, and deleted
 * when it is sent. A device has one row for each pair: a newer change replaces a waiting one, even while that is under way.
 */
import { Effect } from "effect"
import type { Database } from "./database.ts"
import type { Platform } from "./devices-repository.ts"
import type { Unavailable } from "./storage-errors.ts"

/** A push that this process has claimed. */
export interface ClaimedPush {
  readonly id: string
  readonly device_id: number
  readonly event_id: string
  /** How many attempts were begun. */
  readonly attempt: number
  /** Epoch milliseconds. */
  readonly created_at: number
}

/** What a claim asks for. */
export interface PushClaim {
  readonly worker: string
  readonly nowMs: number
  readonly leaseMs: number
  readonly limit: number
  /** Only to these. */
  readonly platforms: readonly Platform[]
}

/** The statements on pushes. */
export const makePushesRepository = (database: Database) => ({
  // In the order of ids, so that two concurrent writers cannot deadlock.
  /** Writes an event for every device that it concerns, of an account that is not disabled. Only one event of a pair may be given at a time. */
  insertFor: (
    eventIds: readonly string[],
    { platforms, nowMs }: { readonly platforms: readonly Platform[]; readonly nowMs: number },
  ): Effect.Effect<void, Unavailable> =>
    eventIds.length === 0 || platforms.length === 0
      ? Effect.void
      : Effect.asVoid(
          database.change(
            sql => sql`INSERT INTO pushes (id, device_id, event_id, attempt, due_at, lease_until, leased_by, created_at)
              SELECT CAST(d.id AS TEXT) || ':' || e.passport || ':' || e.destination, d.id, e.id, 0,
                CAST(${nowMs} AS BIGINT), 0, NULL, CAST(${nowMs} AS BIGINT)
              FROM events e
              JOIN device_codes p ON p.list = 'passport' AND p.code IN (e.passport, '*')
              JOIN device_codes t ON t.device_id = p.device_id AND t.list = 'destination' AND t.code IN (e.destination, '*')
              JOIN devices d ON d.id = p.device_id AND ${sql.in("d.platform", [...platforms])}
              JOIN accounts a ON a.id = d.account_id AND a.is_disabled = 0
              WHERE ${sql.in("e.id", [...eventIds])}
              ORDER BY 1
              ON CONFLICT (id) DO UPDATE SET event_id = excluded.event_id, attempt = 0, due_at = excluded.due_at,
                lease_until = 0, leased_by = NULL, created_at = excluded.created_at`,
          ),
        ),

  /** Claims due pushes, the oldest first, up to a number. */
  claim: ({
    worker,
    nowMs,
    leaseMs,
    limit,
    platforms,
  }: PushClaim): Effect.Effect<readonly ClaimedPush[], Unavailable> =>
    platforms.length === 0
      ? Effect.succeed([])
      : database.change(sql => {
          const lock = sql.onDialectOrElse({
            pg: () => sql.literal("FOR UPDATE OF p SKIP LOCKED"),
            orElse: () => sql.literal(""),
          })
          return sql<ClaimedPush>`UPDATE pushes SET lease_until = ${nowMs + leaseMs}, leased_by = ${worker},
            attempt = attempt + 1 WHERE id IN (
              SELECT p.id FROM pushes p JOIN devices d ON d.id = p.device_id
              WHERE p.due_at <= ${nowMs} AND p.lease_until <= ${nowMs} AND ${sql.in("d.platform", [...platforms])}
              ORDER BY p.due_at LIMIT ${limit} ${lock}
            ) RETURNING id, device_id, event_id, attempt, created_at`
        }),

  /** Deletes a push that was sent or given up; one whose claim was lost, or whose event was replaced, stays. */
  finish: (worker: string, { id, event_id }: ClaimedPush): Effect.Effect<void, Unavailable> =>
    Effect.asVoid(
      database.change(
        sql => sql`DELETE FROM pushes WHERE id = ${id} AND event_id = ${event_id} AND leased_by = ${worker}`,
      ),
    ),

  /** Lets a push wait until an instant. `isCounted: false` where the attempt does not count. */
  defer: (
    worker: string,
    { id, event_id }: ClaimedPush,
    { dueAtMs, isCounted }: { readonly dueAtMs: number; readonly isCounted: boolean },
  ): Effect.Effect<void, Unavailable> =>
    Effect.asVoid(
      database.change(
        sql => sql`UPDATE pushes SET due_at = ${dueAtMs}, lease_until = 0, leased_by = NULL,
          attempt = attempt - ${isCounted ? 0 : 1}
          WHERE id = ${id} AND event_id = ${event_id} AND leased_by = ${worker}`,
      ),
    ),

  /** Gives up the claims of a worker that stops: those attempts do not count. */
  release: (worker: string): Effect.Effect<void, Unavailable> =>
    Effect.asVoid(
      database.change(
        sql =>
          sql`UPDATE pushes SET lease_until = 0, leased_by = NULL, attempt = attempt - 1 WHERE leased_by = ${worker}`,
      ),
    ),

  /** Deletes pushes that have waited since before an instant, up to a number; gives their number. */
  purge: (beforeMs: number, limit: number): Effect.Effect<number, Unavailable> =>
    Effect.map(
      database.change(
        sql => sql<{ id: string }>`DELETE FROM pushes WHERE id IN (
            SELECT id FROM pushes WHERE created_at < ${beforeMs} ORDER BY created_at LIMIT ${limit}
          ) RETURNING id`,
      ),
      rows => rows.length,
    ),

  /** How many wait. */
  count: Effect.map(
    database.ask(sql => sql<{ count: number }>`SELECT COUNT(*) AS count FROM pushes`),
    rows => Number(rows[0]!.count),
  ) as Effect.Effect<number, Unavailable>,
})

export type PushesRepository = ReturnType<typeof makePushesRepository>
