import { assert, describe, it } from "@effect/vitest"
import { Context, Effect, Layer, Redacted, type Scope, Tracer } from "effect"
import { SqlClient } from "effect/sql"
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
    yield* storage.accounts.insertUnique(makeAccount(1, { plan: "pro", created_at }))
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

describe.each<[string, Effect.Effect<DatabasePlace, never, Scope.Scope>]>([
  ["a file", makeDeployment],
  ["PostgreSQL", makePostgresDeployment],
])("what operators and owners list on %s", (engine, make) => {
  it.live("is found by an index, however many rows are kept", () =>
    Effect.gen(function* () {
      const isPostgres = engine === "PostgreSQL"
      const { sql, storage } = yield* open(yield* make)
      const numbers = isPostgres
        ? "SELECT n FROM generate_series(1, 20000) AS g (n)"
        : "WITH RECURSIVE g (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM g WHERE n < 20000) SELECT n FROM g"
      yield* sql.unsafe(`INSERT INTO deliveries
        (id, webhook_id, event_id, type, state, attempt, due_at, lease_until, created_at, last_at)
        SELECT n, n / 100 % 100 + 1, n, 't', CASE WHEN n % 100 = 0 THEN 'pending' WHEN n % 100 = 7 THEN 'undelivered'
          ELSE 'delivered' END, 1, n, 0, n, n FROM (${numbers}) AS numbers`)
      yield* sql`ANALYZE deliveries`
      const statements: string[] = []
      const tracer = Tracer.make({
        span: options => {
          const span = new Tracer.NativeSpan(options)
          return Object.assign(span, {
            attribute: (key: string, value: unknown) => {
              if (key === "db.query.text") statements.push(String(value))
            },
          })
        },
      })
      const page = { beforeId: 20_001, limit: 50 }
      const explain = (question: Effect.Effect<unknown, unknown>, given: readonly number[]) =>
        Effect.gen(function* () {
          statements.length = 0
          yield* Effect.withTracer(question, tracer)
          assert.lengthOf(statements, 1)
          const lines = yield* sql.unsafe<object>(`EXPLAIN ${isPostgres ? "" : "QUERY PLAN"} ${statements[0]}`, given)
          const plan = lines.map(line => String("detail" in line ? line.detail : Object.values(line)[0])).join("\n")
          assert.notMatch(plan, /(SCAN|Seq Scan on) (deliveries|pushes|job_chunks|queued_work)\b(?! USING)/)
          return plan
        })
      const byIndex = (name: string) => new RegExp(`(USING|using|on) (COVERING )?(INDEX )?${name}\\b`)
      for (const [state, index] of [
        ["pending", "again"],
        ["undelivered", "undelivered"],
      ] as const) {
        const plan = yield* explain(storage.deliveries.list({ webhookId: 1, state, ...page }), [1, 20_001, 50])
        assert.match(plan, byIndex(`deliveries_${index}`))
      }
      for (const isFailing of [false, true]) {
        const plan = yield* explain(
          storage.operations.listReceivers(page, { accountId: null, isFailing }),
          [20_001, 50],
        )
        for (const index of ["again", "undelivered", "last"]) assert.match(plan, byIndex(`deliveries_${index}`))
      }
      const queues = yield* explain(storage.operations.countQueues, [])
      for (const table of ["deliveries", "pushes", "job_chunks", "queued_work"]) {
        assert.match(queues, byIndex(`${table}_(waiting|ready|deferred)`))
      }
    }).pipe(Effect.scoped),
  )
})
