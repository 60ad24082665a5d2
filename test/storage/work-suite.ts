/** What every engine has to do with claimed work: rows of an older version, and large numbers. A part of `storage-suite.ts`. */
import { assert, describe, it } from "@effect/vitest"
import { Context, Effect, type Scope } from "effect"
import { Migrator, SqlClient } from "effect/sql"
import { layerStorage } from "../../adapters/storage/migrations.ts"
import { Storage, type StorageShape } from "../../adapters/storage/storage.ts"
import { MIGRATIONS } from "../../adapters/storage/tables.ts"
import { build, type DatabasePlace } from "./deployment.ts"

interface Opened {
  readonly place: DatabasePlace
  readonly storage: StorageShape
  readonly sql: SqlClient.SqlClient
}

/** Makes the tables of an empty schema as an older version has left them, where today's were. */
const downTo = Effect.fnUntraced(function* (step: number, sql: SqlClient.SqlClient) {
  const tables = yield* sql.onDialectOrElse({
    pg: () => sql<{ name: string }>`SELECT table_name AS name FROM information_schema.tables
      WHERE table_schema = current_schema()`,
    orElse: () => sql<{ name: string }>`SELECT name FROM sqlite_master WHERE type = 'table'`,
  })
  const cascade = sql.onDialectOrElse({ pg: () => "CASCADE", orElse: () => "" })
  yield* sql.onDialectOrElse({ pg: () => Effect.void, orElse: () => sql`PRAGMA foreign_keys = OFF` })
  for (const { name } of tables) yield* sql.unsafe(`DROP TABLE "${name}" ${cascade}`)
  const older = Object.fromEntries(Object.entries(MIGRATIONS).filter(([name]) => Number(name.slice(0, 4)) <= step))
  yield* Migrator.make({})({ loader: Migrator.fromRecord(older), table: "migrations" }).pipe(
    Effect.provideService(SqlClient.SqlClient, sql),
  )
})

export function describeWork(open: Effect.Effect<Opened, unknown, Scope.Scope>): void {
  describe("the tables of claimed work", () => {
    it.live("carry over deliveries, mails, pushes and chunks of an older version, and lose nothing", () =>
      Effect.gen(function* () {
        const { place, sql } = yield* open
        const tables = ["deliveries", "event_bodies", "queued_work", "pushes", "job_chunks"]
        yield* downTo(18, sql)
        const dead = { state: "pending", lease_until: 900, leased_by: "dead", due_at: 5 }
        for (const [id, eventId, more] of [
          [1, "evt_a", {}],
          [2, "evt_a", { attempt: 3, due_at: 7 }],
          [3, "evt_b", { attempt: 1, ...dead }],
          [4, "evt_c", { state: "delivered", attempt: 1 }],
        ] as const) {
          const delivery = {
            id,
            webhook_id: 1,
            event_id: eventId,
            type: "visa.policy_changed",
            body: `{"id":"${eventId}"}`,
          }
          const work = { state: "pending", attempt: 0, due_at: 0, lease_until: 0, created_at: id, ...more }
          yield* sql`INSERT INTO deliveries ${sql.insert({ ...delivery, ...work })}`
        }
        const work = { attempt: 1, due_at: 3, lease_until: 0, created_at: 1 }
        yield* sql`INSERT INTO mails ${sql.insert({ id: 1, kind: "confirm", sealed_order: "sealed", state: "pending", ...work })}`
        yield* sql`INSERT INTO devices ${sql.insert({ id: 5, account_id: 1, platform: "fcm", token_hash: "h", sealed_token: "s", lang: "en", registered_at: 1 })}`
        for (const device_id of [5, 6])
          yield* sql`INSERT INTO pushes ${sql.insert({ id: `${device_id}:FRA:JPN`, device_id, event_id: "evt_a", ...work })}`
        yield* sql`INSERT INTO jobs ${sql.insert({ id: "job", account_id: 1, state: "running", answers: "whole", as_of: "2026-01-01", created_at: 1, expires_at: 9 })}`
        for (const [seq, state] of [
          [0, "done"],
          [1, "open"],
          [10, "open"],
        ] as const)
          yield* sql`INSERT INTO job_chunks ${sql.insert({ job_id: "job", seq, first_line: seq + 1, state, tries: 2, lease_until: 0, result_bytes: 0 })}`
        const counts = Effect.forEach(tables, table =>
          Effect.map(
            sql<{ n: number }>`SELECT CAST(COUNT(*) AS INTEGER) AS n FROM ${sql.literal(table)}`,
            ([row]) => row?.n,
          ),
        )

        const storage = Context.get(yield* build(layerStorage(place.databaseUrl)), Storage)
        const { deliveries, jobs, pushes } = storage
        const mails = storage.queuedWork("mails")
        // A push to a device that no longer exists would never be sent.
        assert.deepStrictEqual(yield* counts, [4, 3, 1, 1, 3])
        const kept = yield* deliveries.list({ webhookId: 1, state: null, beforeId: 10, limit: 10 })
        assert.deepStrictEqual(
          kept.map(({ id, body, state, attempt }) => [id, body, state, attempt]),
          [
            [4, '{"id":"evt_c"}', "delivered", 1],
            [3, '{"id":"evt_b"}', "pending", 1],
            [2, '{"id":"evt_a"}', "pending", 3],
            [1, '{"id":"evt_a"}', "pending", 0],
          ],
        )
        const bodies = yield* sql<{ event_id: string; created_at: number }>`SELECT event_id,
          CAST(created_at AS INTEGER) AS created_at FROM event_bodies ORDER BY event_id`
        assert.deepStrictEqual(
          bodies.map(row => [row.event_id, row.created_at]),
          [
            ["evt_a", 2],
            ["evt_b", 3],
            ["evt_c", 4],
          ],
        )
        yield* sql`INSERT INTO webhooks ${sql.insert({ id: 1, account_id: 1, url: "u", terms: "{}", description: "", sealed_secret: "", created_at: "2026-01-01" })}`
        const claim = (nowMs: number) => ({ worker: "new", nowMs, leaseMs: 1, each: 10 })
        // What waits for a later attempt is ready at its time, and what a dead process holds when its claim has expired.
        const due = (nowMs: number) =>
          Effect.andThen(
            deliveries.recall(nowMs),
            Effect.map(deliveries.claim({ ...claim(nowMs), lanes: [1] }), rows =>
              rows.map(({ id, attempt, body }) => [id, attempt, body]),
            ),
          )
        assert.deepStrictEqual(yield* due(6), [[1, 1, '{"id":"evt_a"}']])
        assert.deepStrictEqual(yield* due(7), [
          [1, 1, '{"id":"evt_a"}'],
          [2, 4, '{"id":"evt_a"}'],
        ])
        assert.deepStrictEqual((yield* due(900)).at(-1), [3, 2, '{"id":"evt_b"}'])
        for (const { recall } of [mails, pushes, jobs]) yield* recall(3)
        const mail = yield* mails.claim({ ...claim(3), lanes: [""] })
        assert.deepStrictEqual(
          mail.map(({ number, attempt, payload }) => [number, attempt, payload]),
          [[1, 2, "sealed"]],
        )
        assert.deepStrictEqual([...(yield* pushes.listReady({ nowMs: 3, after: null, limit: 9 })).keys()], ["fcm"])
        const push = yield* pushes.claim({ ...claim(3), lanes: ["fcm"] })
        assert.deepStrictEqual(
          push.map(({ id, attempt, device_id }) => [id, attempt, device_id]),
          [["5:FRA:JPN", 2, 5]],
        )
        const chunks = yield* jobs.claim({ ...claim(3), lanes: ["job"] })
        assert.deepStrictEqual(
          chunks.map(({ lane, seq, first_line, attempt }) => [lane, seq, first_line, attempt]),
          [
            ["job", 1, 2, 3],
            ["job", 10, 11, 3],
          ],
        )
      }),
    )

    it.live("carry over mails in every state, with their claims and numbers", () =>
      Effect.gen(function* () {
        const { place, sql } = yield* open
        yield* downTo(31, sql)
        yield* sql`INSERT INTO counters ${sql.insert({ name: "mails_id", value: 9 })}`
        const mail = { kind: "confirm", state: "pending", attempt: 0, due_at: 1, is_deferred: 0, lease_until: 0 }
        const over = { sealed_order: null, leased_by: null }
        for (const row of [
          { id: 1, sealed_order: "waits", leased_by: null, last_error: null },
          { id: 2, sealed_order: "later", leased_by: null, attempt: 1, due_at: 5, is_deferred: 1, last_error: "451" },
          { id: 3, sealed_order: "held", leased_by: "old", attempt: 1, lease_until: 900, last_error: null },
          { id: 4, ...over, state: "sent", attempt: 1, last_error: null },
          { id: 5, ...over, state: "given_up", attempt: 8, last_error: "550" },
        ])
          yield* sql`INSERT INTO mails ${sql.insert({ ...mail, ...row, created_at: row.id })}`

        const storage = Context.get(yield* build(layerStorage(place.databaseUrl)), Storage)
        const mails = storage.queuedWork("mails")
        const claimAt = (nowMs: number) =>
          Effect.andThen(
            mails.recall(nowMs),
            Effect.map(mails.claim({ worker: "new", nowMs, leaseMs: 9_000, lanes: [""], each: 9 }), rows =>
              rows.map(({ number, attempt, payload }) => [number, attempt, payload]),
            ),
          )
        assert.deepStrictEqual(yield* claimAt(4), [[1, 1, "waits"]])
        assert.deepStrictEqual(yield* claimAt(5), [[2, 2, "later"]])
        assert.deepStrictEqual(yield* claimAt(899), [])
        assert.deepStrictEqual(yield* claimAt(900), [[3, 2, "held"]])
        const rows = yield* sql<
          Record<string, unknown>
        >`SELECT number, state, attempt, payload, last_error FROM queued_work
          WHERE kind = 'mails' AND state <> 'pending' ORDER BY number`
        assert.deepStrictEqual(
          rows.map(row => Object.values(row)),
          [
            [4, "done", 1, null, null],
            [5, "given_up", 8, null, "550"],
          ],
        )
        const queues = yield* storage.operations.countQueues
        assert.deepInclude(
          queues.map(({ kind, waiting }) => [kind, Number(waiting)]),
          ["mails", 3],
        )
        assert.strictEqual(yield* mails.purge(5, 9), 4)
        const numbers: number[] = []
        yield* mails.order(number => String(numbers.push(number)), { nowMs: 10 })
        assert.deepStrictEqual(numbers, [10])
      }),
    )

    it.live("of deliveries take numbers beyond 32 bits, and delete old ones and their bodies in steps", () =>
      Effect.gen(function* () {
        const { storage, sql } = yield* open
        yield* sql`INSERT INTO counters (name, value) VALUES ('deliveries_id', ${2 ** 31})`
        const event = { event_id: "evt_a", type: "t", body: "{}", webhookIds: [1, 2 ** 33], account_id: 1 }
        const { deliveries } = storage
        assert.strictEqual(yield* deliveries.insertAll([event], 1), 2 ** 31 + 1)
        yield* deliveries.insertAll([{ ...event, event_id: "evt_b" }], 2)
        assert.deepInclude(yield* deliveries.find(2 ** 33, 2 ** 31 + 2), { event_id: "evt_a", webhook_id: 2 ** 33 })
        assert.deepStrictEqual([yield* deliveries.purge(2, 1), yield* deliveries.purge(2, 1)], [1, 1])
        assert.strictEqual(yield* deliveries.purge(2, 1), 0)
        assert.deepStrictEqual([yield* deliveries.purgeBodies(2, 9), yield* deliveries.purgeBodies(2, 9)], [1, 0])
        assert.deepInclude(yield* deliveries.find(1, 2 ** 31 + 3), { event_id: "evt_b", body: "{}" })
      }),
    )
  })
}
