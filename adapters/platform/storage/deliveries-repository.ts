/**
 * What is to be delivered to whom, which worker has claimed it, and what was the outcome?
 *
 * A worker claims a delivery for a limited time; when the claim expires, any worker can claim it again. An attempt counts when
 * its outcome is written, which only the holder of its claim can do; after a process has died, the same attempt is made again.
 * Rows are written many at a time, as one parameter of JSON, so that the text of a statement does not depend on their number. The
 * body of an event is kept once, beside its deliveries.
 */
import { Effect } from "effect"
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
  /** How many attempts have ended. */
  readonly attempt: number
  readonly due_at: number
  readonly created_at: number
  readonly last_at: number | null
  readonly last_status: number | null
  readonly last_error: string | null
  readonly last_body: string | null
}

/** An event that goes to some subscriptions. */
export interface AddressedEvent extends Pick<DeliveryRow, "event_id" | "type" | "body"> {
  readonly webhookIds: readonly number[]
  /** The only account that may get it; absent where all may. */
  readonly account_id?: number
}

/** A delivery that this process has claimed; `attempt` is the one that it makes, from 1. */
export type ClaimedDelivery = Pick<DeliveryRow, "id" | "webhook_id" | "event_id" | "body" | "attempt">

/** The outcome of an attempt, and what follows. */
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
  /** To which subscriptions; disabled ones are skipped. */
  readonly webhookIds: readonly number[]
  /** The most deliveries for each of them. */
  readonly each: number
}

const BODY = "(SELECT e.body FROM event_bodies e WHERE e.event_id = deliveries.event_id) AS body"
const COLUMNS = `id, webhook_id, event_id, type, ${BODY}, state, attempt, due_at, created_at, last_at, last_status, last_error, last_body`

const ATTEMPT_FIELDS = [
  "id",
  "attempt",
  "state",
  "due_at",
  "last_at",
  "last_status",
  "last_error",
  "last_body",
] as const satisfies readonly (keyof SettledAttempt)[]

/** The statements on deliveries. */
export const makeDeliveriesRepository = (database: Database) => {
  const columns = database.sql.literal(COLUMNS)
  const bodyColumn = database.sql.literal(BODY)
  const isPostgres = database.sql.onDialectOrElse({ pg: () => true, orElse: () => false })
  /** A parameter in a list of columns, where PostgreSQL needs its type. */
  const typed = (type: string) => (value: number | string) =>
    isPostgres ? database.sql`CAST(${value} AS ${database.sql.literal(type)})` : database.sql`${value}`
  const [whole, long, text] = [typed("INTEGER"), typed("BIGINT"), typed("TEXT")]

  /** Numbers of subscriptions as a table, `at` from 0. */
  const listNumbers = (numbers: readonly number[]) => {
    const given = JSON.stringify(numbers)
    return isPostgres
      ? database.sql`SELECT CAST(value AS INTEGER) AS webhook_id, CAST(ordinality - 1 AS INTEGER) AS at
          FROM json_array_elements_text(CAST(${text(given)} AS JSON)) WITH ORDINALITY AS given (value, ordinality)`
      : database.sql`SELECT value AS webhook_id, key AS at FROM json_each(${given})`
  }

  const attemptColumns = database.sql.literal(ATTEMPT_FIELDS.map((name, at) => `value ->> ${at} AS ${name}`).join(", "))
  /** Outcomes of attempts as a table. */
  const listAttempts = (attempts: readonly SettledAttempt[]) => {
    if (isPostgres) {
      return database.sql`SELECT * FROM json_to_recordset(CAST(${text(JSON.stringify(attempts))} AS JSON)) AS given (
        id INTEGER, attempt INTEGER, state TEXT, due_at BIGINT, last_at BIGINT, last_status INTEGER, last_error TEXT,
        last_body TEXT)`
    }
    const rows = attempts.map(one => ATTEMPT_FIELDS.map(field => one[field]))
    return database.sql`SELECT ${attemptColumns} FROM json_each(${JSON.stringify(rows)})`
  }

  /** Bodies of events as a table. */
  const listBodies = (events: readonly AddressedEvent[]) => {
    const byId = new Map(
      events.map(({ event_id, body, account_id = null }) => [event_id, { event_id, account_id, body }]),
    )
    const given = [...byId.values()]
    if (isPostgres) {
      return database.sql`SELECT * FROM json_to_recordset(CAST(${text(JSON.stringify(given))} AS JSON))
        AS given (event_id TEXT, account_id INTEGER, body TEXT)`
    }
    return database.sql`SELECT value ->> 'event_id' AS event_id, value ->> 'account_id' AS account_id,
      value ->> 'body' AS body FROM json_each(${JSON.stringify(given)})`
  }

  return {
    /** Writes new deliveries, each event's to its subscriptions in the given order; gives the number of the first one. */
    insertAll: (events: readonly AddressedEvent[], nowMs: number): Effect.Effect<number, Unavailable> =>
      Effect.gen(function* () {
        const count = events.reduce((sum, { webhookIds }) => sum + webhookIds.length, 0)
        // All numbers are taken at once, so that they follow the order of the events.
        const [counter] = yield* database.change(
          sql => sql<{ value: number }>`INSERT INTO counters (name, value) VALUES ('deliveries_id', ${count})
            ON CONFLICT (name) DO UPDATE SET value = counters.value + ${count} RETURNING value`,
        )
        yield* database.change(
          // Without the condition SQLite parses ON as a part of the join.
          sql => sql`INSERT INTO event_bodies (event_id, account_id, body, created_at)
            SELECT event_id, account_id, body, ${long(nowMs)} FROM (${listBodies(events)}) AS event WHERE TRUE
            ON CONFLICT (event_id) DO UPDATE SET created_at = excluded.created_at`,
        )
        const firstId = counter!.value - count + 1
        let nextId = firstId
        for (const { event_id, type, webhookIds } of events) {
          const before = nextId
          yield* database.change(
            sql => sql`INSERT INTO deliveries
              (id, webhook_id, event_id, type, state, attempt, due_at, lease_until, created_at)
              SELECT ${whole(before)} + at, webhook_id, ${text(event_id)}, ${text(type)}, 'pending', 0,
                ${long(nowMs)}, 0, ${long(nowMs)} FROM (${listNumbers(webhookIds)}) AS subscription`,
          )
          nextId += webhookIds.length
        }
        return firstId
      }),

    /** Subscriptions with due deliveries above a number, in the order of their numbers, up to a limit. */
    listReady: (options: {
      readonly nowMs: number
      readonly afterId: number
      readonly limit: number
    }): Effect.Effect<readonly number[], Unavailable> =>
      Effect.map(
        // Walks the index from one subscription with pending deliveries to the next: all others cost nothing.
        database.ask(
          sql => sql<{ id: number }>`WITH RECURSIVE pending (id) AS (
              SELECT MIN(webhook_id) FROM deliveries WHERE state = 'pending' AND webhook_id > ${options.afterId}
              UNION ALL
              SELECT (SELECT MIN(webhook_id) FROM deliveries WHERE state = 'pending' AND webhook_id > p.id)
              FROM pending p WHERE p.id IS NOT NULL
            )
            SELECT p.id FROM pending p JOIN webhooks w ON w.id = p.id WHERE w.disabled_because IS NULL AND EXISTS (
              SELECT 1 FROM deliveries WHERE webhook_id = p.id AND state = 'pending' AND due_at <= ${options.nowMs}
                AND lease_until <= ${options.nowMs}
            ) LIMIT ${options.limit}`,
        ),
        rows => rows.map(({ id }) => id),
      ),

    /** Claims deliveries that are due, the longest due first, and gives them in the order of their numbers. */
    claim: ({ worker, nowMs, leaseMs, webhookIds, each }: ClaimOptions) =>
      Effect.map(
        database.change(sql => {
          const due = sql`SELECT id FROM deliveries WHERE webhook_id = w.id AND state = 'pending' AND due_at <= ${nowMs}
            AND lease_until <= ${nowMs} ORDER BY due_at, id LIMIT ${each}`
          const active = sql`w.id IN (SELECT webhook_id FROM (${listNumbers(webhookIds)}) AS subscription)
            AND w.disabled_because IS NULL`
          const picked = sql.onDialectOrElse({
            pg: () =>
              sql`SELECT d.id FROM webhooks w CROSS JOIN LATERAL (${due} FOR UPDATE SKIP LOCKED) d WHERE ${active}`,
            orElse: () => sql`SELECT d.id FROM webhooks w JOIN deliveries d ON d.id IN (${due}) WHERE ${active}`,
          })
          return sql<ClaimedDelivery>`UPDATE deliveries SET lease_until = ${nowMs + leaseMs}, leased_by = ${worker}
            WHERE id IN (${picked}) RETURNING id, webhook_id, event_id, ${bodyColumn}, attempt + 1 AS attempt`
        }),
        rows => [...rows].sort((a, b) => a.id - b.id),
      ),

    /** Writes the outcomes of attempts; a claim that was lost meanwhile writes nothing. */
    settle: (worker: string, attempts: readonly SettledAttempt[]): Effect.Effect<void, Unavailable> =>
      Effect.asVoid(
        database.change(
          sql => sql`UPDATE deliveries SET state = s.state, attempt = s.attempt, due_at = s.due_at, lease_until = 0,
            leased_by = NULL, last_at = s.last_at, last_status = s.last_status, last_error = s.last_error,
            last_body = s.last_body
            FROM (${listAttempts(attempts)}) AS s
            WHERE deliveries.id = s.id AND deliveries.leased_by = ${worker} AND deliveries.attempt = s.attempt - 1`,
        ),
      ),

    /** Gives up a worker's claims: some, or all of them. Those attempts do not count. */
    release: (worker: string, ids?: readonly number[]): Effect.Effect<void, Unavailable> =>
      Effect.asVoid(
        database.change(sql => {
          const those =
            ids === undefined ? sql.literal("") : sql`AND id IN (SELECT webhook_id FROM (${listNumbers(ids)}) AS given)`
          return sql`UPDATE deliveries SET lease_until = 0, leased_by = NULL
            WHERE state = 'pending' AND leased_by = ${worker} ${those}`
        }),
      ),

    find: (webhookId: number, id: number): Effect.Effect<DeliveryRow | undefined, Unavailable> =>
      Effect.map(
        database.ask(
          sql => sql<DeliveryRow>`SELECT ${columns} FROM deliveries WHERE id = ${id} AND webhook_id = ${webhookId}`,
        ),
        rows => rows[0],
      ),

    /** Starts again with the first attempt, unless it is under way; says whether it did. */
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

    /** For each of some subscriptions, the delivery with the latest attempt. */
    listLast: (webhookIds: readonly number[]): Effect.Effect<readonly DeliveryRow[], Unavailable> =>
      webhookIds.length === 0
        ? Effect.succeed([])
        : database.ask(
            sql => sql<DeliveryRow>`SELECT ${columns} FROM deliveries WHERE ${sql.in("webhook_id", [...webhookIds])}
              AND id = (SELECT l.id FROM deliveries l WHERE l.webhook_id = deliveries.webhook_id AND l.last_at IS NOT NULL
                ORDER BY l.last_at DESC, l.id DESC LIMIT 1)`,
          ),

    /**
     * Deletes deliveries that were created before an instant, up to a number, and the bodies of events without deliveries; gives
     * the number of deliveries.
     */
    purge: (beforeMs: number, limit: number): Effect.Effect<number, Unavailable> =>
      Effect.gen(function* () {
        const rows = yield* database.change(
          sql => sql`DELETE FROM deliveries WHERE id IN (
              SELECT id FROM deliveries WHERE created_at < ${beforeMs} ORDER BY created_at LIMIT ${limit}
            ) RETURNING id`,
        )
        // An event is as old as the newest of its deliveries.
        if (rows.length < limit)
          yield* database.change(sql => sql`DELETE FROM event_bodies WHERE created_at < ${beforeMs}`)
        return rows.length
      }),
  }
}

export type DeliveriesRepository = ReturnType<typeof makeDeliveriesRepository>
