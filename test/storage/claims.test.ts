import { DatabaseSync } from "node:sqlite"
import { assert, describe, it } from "@effect/vitest"
import { Context, Effect, Layer, Redacted, type Scope } from "effect"
import { SqlClient } from "effect/sql"
import { vi } from "vitest"
import { layerStorage } from "../../adapters/storage/migrations.ts"
import { makePostgresClient } from "../../adapters/storage/postgres-client.ts"
import { Storage } from "../../adapters/storage/storage.ts"
import type { ReadyLanes } from "../../adapters/storage/work-table.ts"
import { makeAccount } from "./account-row.ts"
import { type DatabasePlace, makeDeployment } from "./deployment.ts"
import { makePostgresDeployment } from "./postgres-deployment.ts"

const LANES = [1, 2, 3] as const

/** A storage with an account and its webhooks, one for each lane. */
const open = ({ databaseUrl }: DatabasePlace) =>
  Effect.gen(function* () {
    const services = yield* Layer.build(Layer.fresh(layerStorage(databaseUrl)))
    const [sql, storage] = [Context.get(services, SqlClient.SqlClient), Context.get(services, Storage)]
    const created_at = "2026-01-01"
    yield* storage.accounts.insertAccount(makeAccount(1, { plan: "pro", created_at }))
    const webhook = { account_id: 1, url: "https://example.org", terms: "{}", description: "", sealed_secret: "" }
    for (const id of LANES) yield* sql`INSERT INTO webhooks ${sql.insert({ ...webhook, id, created_at })}`
    const tell = (count: number, nowMs: number, webhookIds: readonly number[] = LANES) => {
      const events = Array.from({ length: count }, (_, at) => ({
        event_id: `evt_${nowMs}_${at}`,
        type: "t",
        body: "{}",
      }))
      return storage.transact(
        storage.deliveries.insertAll(
          events.map(event => ({ ...event, webhookIds })),
          nowMs,
        ),
      )
    }
    return { sql, storage, tell }
  })

describe.each<[string, Effect.Effect<DatabasePlace, never, Scope.Scope>]>([
  ["a file", makeDeployment],
  ["PostgreSQL", makePostgresDeployment],
])("ready rows on %s", (_, make) => {
  it.live("are found where they were seen before, and where they have just become due", () =>
    Effect.gen(function* () {
      const { storage, tell } = yield* open(yield* make)
      const { deliveries } = storage
      yield* tell(2, 1_000, [1, 3])
      yield* tell(1, 9_000, [2])
      yield* tell(1, 60_000, [3])
      const look = { nowMs: 10_000, after: null, limit: 10 }
      const all = yield* deliveries.listReady(look)
      assert.deepStrictEqual(
        [...all],
        [
          [1, 1_000],
          [2, 9_000],
          [3, 1_000],
        ],
      )
      const only = (known: ReadyLanes, rest: object = {}) =>
        Effect.map(deliveries.listReady({ ...look, ...rest, only: { known, sinceMs: 5_000 } }), found => [...found])
      assert.deepStrictEqual(yield* only(new Map()), [[2, 9_000]])
      assert.deepStrictEqual(yield* only(all), [...all])
      assert.deepStrictEqual(yield* only(all, { after: 1 }), [...all].slice(1))
      assert.deepStrictEqual(yield* only(all, { limit: 2 }), [...all].slice(0, 2))
      // What was claimed is not ready, and what became due before is not looked at again.
      const claim = { worker: "one", nowMs: 10_000, leaseMs: 1_000, lanes: [1, 2, 3], each: 1 }
      const claimed = yield* deliveries.claim({ ...claim, from: new Map([[3, 1_001]]) })
      assert.deepStrictEqual(
        claimed.map(({ lane }) => lane),
        [1, 2],
      )
      assert.deepStrictEqual(yield* only(all), [
        [1, 1_000],
        [3, 1_000],
      ])
      assert.deepStrictEqual(yield* only(new Map([[1, 1_001]])), [])
    }).pipe(Effect.scoped),
  )
})

describe("beside a reader of one long transaction on PostgreSQL", () => {
  it.live("a look and a claim pass over what is ready, not over everything that ever was", () =>
    Effect.gen(function* () {
      const { databaseUrl } = yield* makePostgresDeployment
      const { sql, storage, tell } = yield* open({ databaseUrl })
      const { deliveries } = storage
      const [nowMs, settled] = [1_000_000, 1_200]
      yield* tell(settled / LANES.length, nowMs)
      yield* sql`ANALYZE deliveries`
      const reader = yield* makePostgresClient(Redacted.make(databaseUrl), { isLimited: false })
      const read = reader`SELECT COUNT(*) FROM deliveries`
      yield* Effect.gen(function* () {
        yield* reader`SET TRANSACTION ISOLATION LEVEL REPEATABLE READ`
        yield* read
        const claim = { worker: "one", nowMs, leaseMs: 60_000, lanes: LANES }
        const claimed = yield* deliveries.claim({ ...claim, each: settled })
        assert.lengthOf(claimed, settled)
        const note = { last_at: nowMs, last_status: 200, last_error: null, last_body: null }
        const over = { state: "done", counts: true, dueMs: nowMs, note } as const
        yield* deliveries.settle(
          "one",
          claimed.map(ticket => ({ ...over, ticket })),
        )
        yield* tell(2, nowMs + 60_000)

        /** How many entries of the index of ready rows a piece of work passes over. */
        const countEntries = <A, E>(work: Effect.Effect<A, E>) =>
          storage.transact(
            Effect.gen(function* () {
              const count = Effect.map(
                sql<{ n: number }>`SELECT pg_stat_get_xact_tuples_returned('deliveries_ready'::regclass) AS n`,
                ([row]) => row?.n ?? Number.NaN,
              )
              const before = yield* count
              yield* work
              return (yield* count) - before
            }),
          )
        const look = { nowMs: nowMs + 60_000, after: null, limit: 10 }
        const through = yield* countEntries(deliveries.listReady(look))
        const known = yield* deliveries.listReady(look)
        assert.deepStrictEqual([...known.values()], [nowMs + 60_000, nowMs + 60_000, nowMs + 60_000])
        const only = { known, sinceMs: nowMs + 55_000 }
        const looked = yield* countEntries(deliveries.listReady({ ...look, only }))
        const next = { ...claim, nowMs: look.nowMs, from: known, each: 1 }
        const claimedAgain = yield* countEntries(deliveries.claim(next))
        assert.isAbove(through, settled)
        assert.isBelow(looked, 50)
        assert.isBelow(claimedAgain, 50)
      }).pipe(reader.withTransaction)
    }).pipe(Effect.scoped),
  )
})

describe("what operators and owners list", () => {
  it.live("is found by an index of its own on a file, however many rows are kept", () =>
    Effect.gen(function* () {
      const place = yield* makeDeployment
      const { storage } = yield* open(place)
      const prepared = vi.spyOn(DatabaseSync.prototype, "prepare")
      yield* storage.deliveries.list({ webhookId: 1, state: "undelivered", beforeId: 9, limit: 5 })
      yield* storage.operations.countQueues
      const statements = prepared.mock.calls.map(([statement]) => statement).filter(each => each.includes("deliveries"))
      prepared.mockRestore()
      using database = new DatabaseSync(place.databasePath, { readOnly: true })
      const plans = statements.map(statement =>
        database
          .prepare(`EXPLAIN QUERY PLAN ${statement}`)
          .all(...Array.from({ length: statement.split("?").length - 1 }, () => null))
          .map(({ detail }) => String(detail))
          .join("\n"),
      )
      assert.lengthOf(plans, 2)
      assert.include(plans[0], "deliveries USING INDEX deliveries_undelivered")
      for (const table of ["deliveries", "pushes", "job_chunks", "queued_work"]) {
        assert.match(plans[1] ?? "", new RegExp(`${table} USING (COVERING )?INDEX ${table}_waiting`))
      }
      assert.notMatch(plans.join("\n"), /SCAN (deliveries|pushes|job_chunks|queued_work)$/m)
    }).pipe(Effect.scoped),
  )
})
