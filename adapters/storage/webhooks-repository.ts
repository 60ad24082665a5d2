/**
 * Which subscriptions are there, which deliveries are due to them, and what was the outcome?
 *
 * The terms of a subscription are one JSON text, because they are always read whole; secrets are sealed before they come here. Deliveries
 * are claimed work (see `work-table.ts`), each in the lane of its subscription. An attempt counts when its outcome is written; after a
 * process has died, the same attempt is made again. The body of an event is stored once, next to its deliveries.
 */
import { randomInt } from "node:crypto"
import { Effect } from "effect"
import type { Statement } from "effect/sql"
import { currentTraceparent } from "../telemetry/tracing.ts"
import type { Database } from "./database.ts"
import { listJsonRows } from "./database.ts"
import type { Unavailable } from "./storage-errors.ts"
import { bumpCounter, makeTable, readCounter, takeId, takeIds } from "./table-statements.ts"
import type { Row } from "./tables.ts"
import { makeWorkTable, type Ticket } from "./work-table.ts"

/** One subscription: types and filter as JSON in `terms`, and until when (epoch milliseconds) the old secret signs too. */
export type WebhookRow = Row<"webhooks">

const ROTATIONS = "webhook_rotations"

/** The statements on subscriptions. */
export const makeWebhooksRepository = (database: Database) => {
  const webhooks = makeTable(database, "webhooks")
  const columnsOfW = database.sql.literal(webhooks.names.map(name => `w.${name}`).join(", "))
  return {
    ...webhooks,
    nextId: takeId(database, "webhooks_id"),

    /** The terms of live subscriptions above a number, active or not, in order, up to a number. */
    listTerms: (aboveId: number, limit: number) =>
      database.ask(
        sql => sql<Pick<WebhookRow, "id" | "terms">>`SELECT id, terms FROM webhooks WHERE id > ${aboveId}
          AND is_test = 0 ORDER BY id LIMIT ${limit}`,
      ),

    /** Every active live subscription of an account that is not disabled. */
    listActive: database.ask(
      sql => sql<WebhookRow>`SELECT ${columnsOfW} FROM webhooks w JOIN accounts a ON a.id = w.account_id
        WHERE w.disabled_because IS NULL AND w.is_test = 0 AND a.is_disabled = 0 ORDER BY w.id`,
    ),

    /** Replaces the secret; the old one signs too until an instant. */
    rotateSecret: (
      id: number,
      secrets: Pick<WebhookRow, "sealed_secret" | "sealed_old_secret" | "old_secret_until">,
    ): Effect.Effect<void, Unavailable> =>
      database.transact(Effect.andThen(webhooks.update({ id }, secrets), bumpCounter(database, ROTATIONS))),

    /** How many secrets were replaced so far. */
    readRotations: readCounter(database, ROTATIONS),

    /** Notes since when deliveries to some subscriptions fail; null where they succeed again. */
    noteFailing: (ids: readonly number[], sinceMs: number | null) =>
      database.run(sql => {
        const isNews = sinceMs === null ? sql`failing_since IS NOT NULL` : sql`failing_since IS NULL`
        return sql`UPDATE webhooks SET failing_since = ${sinceMs} WHERE ${sql.in("id", [...ids])} AND ${isNews}`
      }),

    /** Begins again with a subscription that was disabled. */
    enable: (id: number) => webhooks.update({ id }, { disabled_because: null, failing_since: null }),

    /** Disables an active subscription; says whether it was active. */
    disable: (id: number, reason: string) =>
      webhooks.hasChanged({ id, disabled_because: null }, { disabled_because: reason }),

    /** Removes a subscription and all deliveries to it. */
    remove: (id: number) =>
      database.runAll(sql => [
        sql`DELETE FROM webhooks WHERE id = ${id}`,
        sql`DELETE FROM deliveries WHERE webhook_id = ${id}`,
      ]),
  }
}

/** One event on its way to one subscription, with the envelope exactly as it is sent. Instants are epoch milliseconds. */
export type DeliveryRow = Omit<Row<"deliveries">, "is_deferred" | "lease_until" | "leased_by"> & {
  readonly body: string
}
export type DeliveryState = DeliveryRow["state"]

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
  > & {
    /** The trace of the work that has caused the event; null where that was not traced. */
    readonly traceparent: string | null
    /** Since when it was to be delivered (epoch milliseconds): from its event's day on; null where its owner repeats it. */
    readonly since: number | null
  }

/** The stored result of an attempt. */
export type DeliveryNote = Pick<DeliveryRow, "last_at" | "last_status" | "last_error" | "last_body">

/**
 * On a file every other writer waits for a transaction, also a request that needs another block of its limit; on a server a transaction
 * costs round trips.
 */
const AT_ONCE = { file: 400, server: 2_000 }

/** The deliveries of an event get any of so many ids in one transaction, so that nobody can count them by their ids. */
const IDS_OF_EVENT = 4 * AT_ONCE.server

/** Gives each delivery of some events its place among the ids that they take; those of a later event come later. */
function drawPlaces({ areIdsCounted }: Database, events: readonly AddressedEvent[]) {
  let count = 0
  const places = events.map(({ webhookIds: { length } }) => {
    const drawn = new Set<number>()
    const width = areIdsCounted ? length : IDS_OF_EVENT * Math.max(1, Math.ceil(length / AT_ONCE.server))
    while (drawn.size < length) drawn.add(count + (areIdsCounted ? drawn.size + 1 : randomInt(1, width + 1)))
    count += width
    return [...drawn]
  })
  return { places, count }
}

const BODY = "(SELECT e.body FROM event_bodies e WHERE e.event_id = deliveries.event_id)"
const COLUMNS = `id, webhook_id, event_id, type, ${BODY} AS body, state, attempt, due_at, created_at, last_at, last_status, last_error, last_body`

/** The statements on deliveries. */
export const makeDeliveriesRepository = (database: Database) => {
  const { sql } = database
  const columns = sql.literal(COLUMNS)
  const work = makeWorkTable<ClaimedDelivery, DeliveryNote>(database, {
    table: "deliveries",
    idType: "BIGINT",
    lane: {
      column: "webhook_id",
      type: "BIGINT",
      isOpen: "EXISTS (SELECT 1 FROM webhooks w WHERE w.id = l.lane AND w.disabled_because IS NULL)",
    },
    states: { done: "delivered", givenUp: "undelivered" },
    columns: {
      event_id: "event_id",
      body: BODY,
      traceparent: "(SELECT e.traceparent FROM event_bodies e WHERE e.event_id = deliveries.event_id)",
      since: `CASE WHEN attempt = 0 AND last_at IS NOT NULL THEN NULL
        ELSE COALESCE((SELECT e.due_at FROM events e WHERE e.id = deliveries.event_id), created_at) END`,
    },
    notes: { last_at: "BIGINT", last_status: "INTEGER", last_error: "TEXT", last_body: "TEXT" },
    countsLostClaims: false,
  })
  return {
    ...work,

    /** How many deliveries one transaction writes at most. */
    atOnce: database.isPostgres ? AT_ONCE.server : AT_ONCE.file,

    /**
     * Writes new deliveries, each event's to its subscriptions in the given order; returns the id of the first one. Deliveries without
     * an account go only to active subscriptions of accounts that are not disabled.
     */
    insertAll: (events: readonly AddressedEvent[], nowMs: number): Effect.Effect<number, Unavailable> =>
      Effect.gen(function* () {
        const { places, count } = drawPlaces(database, events)
        const rows = events.flatMap(({ event_id, type, webhookIds, account_id }, event) => {
          const is_own = account_id === undefined ? 0 : 1
          return webhookIds.map((webhook_id, at) => ({ at: places[event]![at]!, webhook_id, event_id, type, is_own }))
        })
        const about = { created_at: nowMs, traceparent: yield* currentTraceparent }
        const owned = events.map(({ event_id, body, account_id = null }) => ({ event_id, account_id, body, ...about }))
        const each = new Map(owned.map(row => [row.event_id, row]))
        // In PostgreSQL one statement, however many events.
        yield* database.inSteps([...each.values()], some =>
          database.run(
            // Without the condition SQLite parses ON as a part of the join.
            sql => sql`INSERT INTO event_bodies (event_id, account_id, body, created_at, traceparent)
              SELECT event_id, account_id, body, created_at, traceparent FROM (${listJsonRows(
                sql,
                { event_id: "TEXT", account_id: "BIGINT", body: "TEXT", created_at: "BIGINT", traceparent: "TEXT" },
                some,
              )}) AS event WHERE TRUE
              ON CONFLICT (event_id) DO UPDATE SET created_at = excluded.created_at`,
          ),
        )
        // All ids are taken at once, so that they follow the order of the events.
        const ids = takeIds(database, { name: "deliveries_id", count, nowMs })
        const insert = (some: typeof rows, beforeId: Statement.Fragment) =>
          sql`INSERT INTO deliveries (id, webhook_id, event_id, type, state, attempt, due_at, lease_until, created_at)
            SELECT ${beforeId} + at, webhook_id, event_id, type, 'pending', 0, CAST(${nowMs} AS BIGINT), 0, CAST(${nowMs} AS BIGINT)
            FROM (${listJsonRows(
              sql,
              { at: "BIGINT", webhook_id: "BIGINT", event_id: "TEXT", type: "TEXT", is_own: "INTEGER" },
              some,
            )}) AS given WHERE is_own = 1 OR EXISTS (
              SELECT 1 FROM webhooks w JOIN accounts a ON a.id = w.account_id
              WHERE w.id = given.webhook_id AND w.disabled_because IS NULL AND a.is_disabled = 0
            )`
        // The row of the counter is locked until the transaction ends: in PostgreSQL one statement, so that others wait for no message between two.
        const { isPostgres } = database
        const [counter] = yield* database.change(sql =>
          isPostgres
            ? sql<{ value: number }>`WITH ids AS (${ids}), written AS (
                ${insert(rows, sql`(SELECT value - ${sql.literal(String(count))} FROM ids)`)} RETURNING 1
              ) SELECT value FROM ids`
            : ids,
        )
        const beforeId = counter!.value - count
        if (!isPostgres) yield* database.inSteps(rows, some => database.run(() => insert([...some], sql`${beforeId}`)))
        return beforeId + (rows[0]?.at ?? 0)
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
    }) =>
      database.ask(sql => {
        // Written into the statement: an index of one state is not used for a parameter.
        const ofState = sql.literal(options.state === null ? "" : `AND state = '${options.state}'`)
        return sql<DeliveryRow>`SELECT ${columns} FROM deliveries WHERE webhook_id = ${options.webhookId}
          AND id < ${options.beforeId} ${ofState} ORDER BY id DESC LIMIT ${options.limit}`
      }),

    /** For each of some subscriptions, the delivery with the latest attempt. */
    listLast: (webhookIds: readonly number[]): Effect.Effect<readonly DeliveryRow[], Unavailable> =>
      webhookIds.length === 0
        ? Effect.succeed([])
        : database.ask(
            sql => sql<DeliveryRow>`SELECT ${columns} FROM deliveries WHERE id IN (
                SELECT (
                  SELECT l.id FROM deliveries l WHERE l.webhook_id = asked.webhook_id AND l.last_at IS NOT NULL
                  ORDER BY l.last_at DESC, l.id DESC LIMIT 1
                ) FROM (${listJsonRows(
                  sql,
                  { webhook_id: "BIGINT" },
                  webhookIds.map(webhook_id => ({ webhook_id })),
                )}) AS asked
              )`,
          ),

    /** Deletes bodies of events whose deliveries were all created before an instant, up to a number; returns their number. */
    purgeBodies: (beforeMs: number, limit: number) =>
      database.countChanged(
        // An event is as old as the newest of its deliveries.
        sql => sql`DELETE FROM event_bodies WHERE event_id IN (
              SELECT event_id FROM event_bodies WHERE created_at < ${beforeMs} ORDER BY created_at LIMIT ${limit}
            ) RETURNING event_id`,
      ),
  }
}
