/**
 * What is to be delivered to whom, and what was the outcome?
 *
 * Deliveries are claimed work (see `work-table.ts`), each of the lane of its subscription. An attempt counts when its outcome is
 * written; after a process has died, the same attempt is made again. The body of an event is kept once, beside its deliveries.
 */
import { Effect } from "effect"
import type { Database } from "./database.ts"
import type { Unavailable } from "./storage-errors.ts"
import { makeWorkTable, type Ticket } from "./work-table.ts"

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

/** A delivery that this process has claimed; its lane is its subscription. */
export type ClaimedDelivery = Ticket & { readonly id: number; readonly lane: number } & Pick<
    DeliveryRow,
    "event_id" | "body"
  >

/** What is kept of an attempt. */
export type DeliveryNote = Pick<DeliveryRow, "last_at" | "last_status" | "last_error" | "last_body">

const BODY = "(SELECT e.body FROM event_bodies e WHERE e.event_id = deliveries.event_id)"
const COLUMNS = `id, webhook_id, event_id, type, ${BODY} AS body, state, attempt, due_at, created_at, last_at, last_status, last_error, last_body`

/** The statements on deliveries. */
export const makeDeliveriesRepository = (database: Database) => {
  const columns = database.sql.literal(COLUMNS)
  const work = makeWorkTable<ClaimedDelivery, DeliveryNote>(database, {
    table: "deliveries",
    idType: "BIGINT",
    lane: {
      column: "webhook_id",
      type: "BIGINT",
      isOpen: "EXISTS (SELECT 1 FROM webhooks w WHERE w.id = l.lane AND w.disabled_because IS NULL)",
    },
    states: { done: "delivered", givenUp: "undelivered" },
    columns: { event_id: "event_id", body: BODY },
    notes: { last_at: "BIGINT", last_status: "INTEGER", last_error: "TEXT", last_body: "TEXT" },
    countsLostClaims: false,
  })
  const isPostgres = database.sql.onDialectOrElse({ pg: () => true, orElse: () => false })
  /** A parameter in a list of columns, where PostgreSQL needs its type. */
  const typed = (type: string) => (value: number | string) =>
    isPostgres ? database.sql`CAST(${value} AS ${database.sql.literal(type)})` : database.sql`${value}`
  const [long, text] = [typed("BIGINT"), typed("TEXT")]

  /** Numbers of subscriptions as a table, `at` from 0. */
  const listNumbers = (numbers: readonly number[]) => {
    const given = JSON.stringify(numbers)
    return isPostgres
      ? database.sql`SELECT CAST(value AS BIGINT) AS webhook_id, ordinality - 1 AS at
          FROM json_array_elements_text(CAST(${text(given)} AS JSON)) WITH ORDINALITY AS given (value, ordinality)`
      : database.sql`SELECT value AS webhook_id, key AS at FROM json_each(${given})`
  }

  /** Bodies of events as a table. */
  const listBodies = (events: readonly AddressedEvent[]) => {
    const byId = new Map(
      events.map(({ event_id, body, account_id = null }) => [event_id, { event_id, account_id, body }]),
    )
    const given = [...byId.values()]
    if (isPostgres) {
      return database.sql`SELECT * FROM json_to_recordset(CAST(${text(JSON.stringify(given))} AS JSON))
        AS given (event_id TEXT, account_id BIGINT, body TEXT)`
    }
    return database.sql`SELECT value ->> 'event_id' AS event_id, value ->> 'account_id' AS account_id,
      value ->> 'body' AS body FROM json_each(${JSON.stringify(given)})`
  }

  return {
    ...work,

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
              SELECT ${long(before)} + at, webhook_id, ${text(event_id)}, ${text(type)}, 'pending', 0,
                ${long(nowMs)}, 0, ${long(nowMs)} FROM (${listNumbers(webhookIds)}) AS subscription`,
          )
          nextId += webhookIds.length
        }
        return firstId
      }),

    find: (webhookId: number, id: number) =>
      database.askOne(
        sql => sql<DeliveryRow>`SELECT ${columns} FROM deliveries WHERE id = ${id} AND webhook_id = ${webhookId}`,
      ),

    /** Starts again with the first attempt, unless it is under way; says whether it did. */
    replay: (webhookId: number, id: number, nowMs: number) =>
      database.hasChanged(
        sql => sql`UPDATE deliveries SET state = 'pending', attempt = 0, due_at = ${nowMs}, is_deferred = 0,
            lease_until = 0, leased_by = NULL
            WHERE id = ${id} AND webhook_id = ${webhookId} AND (leased_by IS NULL OR lease_until <= ${nowMs}) RETURNING id`,
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

    /** Deletes bodies of events whose deliveries were all created before an instant, up to a number; gives their number. */
    purgeBodies: (beforeMs: number, limit: number) =>
      database.countChanged(
        // An event is as old as the newest of its deliveries.
        sql => sql`DELETE FROM event_bodies WHERE event_id IN (
              SELECT event_id FROM event_bodies WHERE created_at < ${beforeMs} ORDER BY created_at LIMIT ${limit}
            ) RETURNING event_id`,
      ),
  }
}

export type DeliveriesRepository = ReturnType<typeof makeDeliveriesRepository>
