/**
 * What is to be delivered to whom, who is at it, and how did it go?
 *
 * Work is claimed for a while: whoever claims a delivery holds a lease on it and counts its attempt, and a claim that runs out is anybody's
 * again. An outcome is only written by the claim that it belongs to. No receiver has more than a few deliveries under way at a time, so that
 * a slow one keeps only itself waiting.
 */
import { Effect } from "effect"
import { asRecords, inChunks } from "./chunks.ts"
import type { Database } from "./database.ts"
import type { Unavailable } from "./storage-errors.ts"

/** `undelivered`: every attempt has failed. */
export const DELIVERY_STATES = ["pending", "delivered", "undelivered"] as const
export type DeliveryState = (typeof DELIVERY_STATES)[number]

/** One event on its way to one subscription. Instants are epoch milliseconds. */
export interface DeliveryRow {
  readonly id: number
  readonly webhook_id: number
  readonly event_id: string
  readonly type: string
  /** The envelope, exactly as it is sent at every attempt. */
  readonly body: string
  readonly state: DeliveryState
  /** How many attempts were begun. */
  readonly attempt: number
  readonly due_at: number
  readonly created_at: number
  readonly last_at: number | null
  readonly last_status: number | null
  readonly last_error: string | null
  readonly last_body: string | null
}

/** A delivery that this process is at. */
export type ClaimedDelivery = Pick<DeliveryRow, "id" | "webhook_id" | "event_id" | "body" | "attempt">

/** How an attempt went, and what follows. */
export interface SettledAttempt extends Pick<ClaimedDelivery, "id" | "attempt"> {
  readonly state: DeliveryState
  readonly due_at: number
  readonly last_at: number
  readonly last_status: number | null
  readonly last_error: string | null
  readonly last_body: string | null
}

/** What a claim asks for. */
export interface ClaimOptions {
  readonly worker: string
  readonly nowMs: number
  readonly leaseMs: number
  readonly limit: number
  readonly perReceiver: number
}

const COLUMNS =
  "id, webhook_id, event_id, type, body, state, attempt, due_at, created_at, last_at, last_status, last_error, last_body"

/** The statements on deliveries. */
export const makeDeliveriesRepository = (database: Database) => {
  const columns = database.sql.literal(COLUMNS)
  return {
    /** Writes new deliveries. Their numbers are taken in one go, so that they stand in the order in which they were given. */
    insertAll: (
      rows: readonly Pick<DeliveryRow, "webhook_id" | "event_id" | "type" | "body">[],
      nowMs: number,
    ): Effect.Effect<readonly number[], Unavailable> =>
      Effect.gen(function* () {
        if (rows.length === 0) return []
        const [counter] = yield* database.change(
          sql => sql<{ value: number }>`INSERT INTO counters (name, value) VALUES ('deliveries_id', ${rows.length})
            ON CONFLICT (name) DO UPDATE SET value = counters.value + ${rows.length} RETURNING value`,
        )
        const firstId = counter!.value - rows.length + 1
        const numbered = rows.map((row, at) => ({
          id: firstId + at,
          ...row,
          state: "pending",
          attempt: 0,
          due_at: nowMs,
          lease_until: 0,
          created_at: nowMs,
        }))
        yield* Effect.forEach(
          inChunks(numbered),
          chunk => database.change(sql => sql`INSERT INTO deliveries ${sql.insert(asRecords(chunk))}`),
          { discard: true },
        )
        return numbered.map(({ id }) => id)
      }),

    /** Claims deliveries that are due, at most so many and at most a few of each receiver. */
    claim: ({ worker, nowMs, leaseMs, limit, perReceiver }: ClaimOptions) =>
      database.change(sql => {
        const due = sql`SELECT id FROM deliveries WHERE webhook_id = w.id AND state = 'pending' AND due_at <= ${nowMs}
          AND lease_until <= ${nowMs} ORDER BY due_at, id LIMIT ${perReceiver}`
        const isFree = sql`w.disabled_because IS NULL AND (SELECT COUNT(*) FROM deliveries
          WHERE webhook_id = w.id AND leased_by IS NOT NULL AND lease_until > ${nowMs}) < ${perReceiver}`
        const picked = sql.onDialectOrElse({
          pg: () =>
            sql`SELECT d.id FROM webhooks w CROSS JOIN LATERAL (${due} FOR UPDATE SKIP LOCKED) d WHERE ${isFree} LIMIT ${limit}`,
          orElse: () =>
            sql`SELECT d.id FROM webhooks w JOIN deliveries d ON d.id IN (${due}) WHERE ${isFree} LIMIT ${limit}`,
        })
        return sql<ClaimedDelivery>`UPDATE deliveries SET lease_until = ${nowMs + leaseMs}, leased_by = ${worker},
          attempt = attempt + 1 WHERE id IN (${picked}) RETURNING id, webhook_id, event_id, body, attempt`
      }) as Effect.Effect<readonly ClaimedDelivery[], Unavailable>,

    /** Writes how attempts went; a claim that was lost meanwhile writes nothing. */
    settle: (worker: string, attempts: readonly SettledAttempt[]): Effect.Effect<void, Unavailable> =>
      database.transact(
        Effect.forEach(
          attempts,
          ({ id, attempt, ...outcome }) =>
            database.change(
              sql => sql`UPDATE deliveries SET state = ${outcome.state}, due_at = ${outcome.due_at}, lease_until = 0,
                leased_by = NULL, last_at = ${outcome.last_at}, last_status = ${outcome.last_status},
                last_error = ${outcome.last_error}, last_body = ${outcome.last_body}
                WHERE id = ${id} AND leased_by = ${worker} AND attempt = ${attempt}`,
            ),
          { discard: true },
        ),
      ),

    /** Gives up what a worker that stops has claimed: those attempts do not count. */
    release: (worker: string): Effect.Effect<void, Unavailable> =>
      Effect.asVoid(
        database.change(
          sql => sql`UPDATE deliveries SET lease_until = 0, leased_by = NULL, attempt = attempt - 1
            WHERE leased_by = ${worker}`,
        ),
      ),

    find: (webhookId: number, id: number): Effect.Effect<DeliveryRow | undefined, Unavailable> =>
      Effect.map(
        database.ask(
          sql => sql<DeliveryRow>`SELECT ${columns} FROM deliveries WHERE id = ${id} AND webhook_id = ${webhookId}`,
        ),
        rows => rows[0],
      ),

    /** Begins anew with the first attempt, unless it is under way; answers whether it did. */
    replay: (webhookId: number, id: number, nowMs: number): Effect.Effect<boolean, Unavailable> =>
      Effect.map(
        database.change(
          sql => sql`UPDATE deliveries SET state = 'pending', attempt = 0, due_at = ${nowMs}, lease_until = 0, leased_by = NULL
            WHERE id = ${id} AND webhook_id = ${webhookId} AND (leased_by IS NULL OR lease_until <= ${nowMs}) RETURNING id`,
        ),
        rows => rows.length > 0,
      ),

    /** Deliveries to a subscription, the newest first, below a number, of one state or of all. */
    list: (options: {
      readonly webhookId: number
      readonly state: DeliveryState | null
      readonly beforeId: number
      readonly limit: number
    }): Effect.Effect<readonly DeliveryRow[], Unavailable> =>
      database.ask(sql => {
        const ofState = options.state === null ? sql.literal("") : sql`AND state = ${options.state}`
        return sql<DeliveryRow>`SELECT ${columns} FROM deliveries WHERE webhook_id = ${options.webhookId}
          AND id < ${options.beforeId} ${ofState} ORDER BY id DESC LIMIT ${options.limit}`
      }),

    /** The delivery to each of some subscriptions whose attempt was the last. */
    listLast: (webhookIds: readonly number[]): Effect.Effect<readonly DeliveryRow[], Unavailable> =>
      webhookIds.length === 0
        ? Effect.succeed([])
        : database.ask(
            sql => sql<DeliveryRow>`SELECT ${columns} FROM deliveries d WHERE ${sql.in("webhook_id", [...webhookIds])}
              AND id = (SELECT id FROM deliveries l WHERE l.webhook_id = d.webhook_id AND l.last_at IS NOT NULL
                ORDER BY last_at DESC, id DESC LIMIT 1)`,
          ),

    /** Deletes what was begun before an instant, at most so many; answers how many. */
    purge: (beforeMs: number, limit: number): Effect.Effect<number, Unavailable> =>
      Effect.map(
        database.change(
          sql => sql`DELETE FROM deliveries WHERE id IN (
              SELECT id FROM deliveries WHERE created_at < ${beforeMs} ORDER BY created_at LIMIT ${limit}
            ) RETURNING id`,
        ),
        rows => rows.length,
      ),
  }
}

export type DeliveriesRepository = ReturnType<typeof makeDeliveriesRepository>
