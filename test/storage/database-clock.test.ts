import { assert, describe, it } from "@effect/vitest"
import { Clock, Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { DatabaseClock } from "../../adapters/storage/database-clock.ts"
import { layerStorage } from "../../adapters/storage/migrations.ts"
import { Storage } from "../../adapters/storage/storage.ts"
import { build, makeDeployment } from "./deployment.ts"
import { makePostgresDeployment } from "./postgres-deployment.ts"

const START = Date.parse("2026-11-15T12:00:00Z")
const DAY_MS = 86_400_000

/** A machine whose clock can be set; what passes, passes on its monotonic clock too. */
const makeMachine = Effect.map(Clock.Clock, live => {
  let [wallMs, monotonicMs] = [START, 1_000]
  const readMs = () => wallMs
  const readNanos = () => BigInt(Math.round(monotonicMs * 1e6))
  const clock: Clock.Clock = {
    currentTimeMillisUnsafe: readMs,
    currentTimeNanosUnsafe: () => BigInt(wallMs) * 1_000_000n,
    currentTimeMillis: Effect.sync(readMs),
    currentTimeNanos: Effect.sync(() => BigInt(wallMs) * 1_000_000n),
    monotonicTimeNanosUnsafe: readNanos,
    monotonicTimeNanos: Effect.sync(readNanos),
    // What is repeated is repeated by the tests.
    sleep: () => Effect.never,
  }
  const pass = (ms: number) => {
    wallMs += ms
    monotonicMs += ms
  }
  const setClock = (ms: number) => {
    wallMs += ms
  }
  return { live, clock, pass, setClock }
})

const startOnFile = Effect.gen(function* () {
  const machine = yield* makeMachine
  const { databaseUrl } = yield* makeDeployment
  const layer = Layer.provideMerge(DatabaseClock.layer, layerStorage(databaseUrl))
  const services = yield* Effect.provideService(build(layer), Clock.Clock, machine.clock)
  const time = Context.get(services, DatabaseClock)
  const isReady = Effect.map(Effect.exit(time.check), ({ _tag }) => _tag === "Success")
  const storage = Context.get(services, Storage)
  return { ...machine, time, storage, isReady, sql: Context.get(services, SqlClient.SqlClient), services }
})

describe("the time of a deployment on a file", () => {
  it.live("goes on where the machine's clock jumps by days, and the process is not ready until it is back", () =>
    Effect.gen(function* () {
      const { time, pass, setClock, isReady } = yield* startOnFile
      const read = time.clock.currentTimeMillisUnsafe
      assert.strictEqual(read(), START)
      pass(1_000)
      setClock(40 * DAY_MS)
      yield* time.look
      // Not the month after.
      assert.strictEqual(read(), START + 1_000)
      const refused = yield* Effect.flip(time.check)
      assert.strictEqual(refused.reason, "clock")
      assert.match(refused.message, /has jumped 3456000\.0 s forwards$/)
      pass(9_000)
      yield* time.look
      assert.strictEqual(read(), START + 10_000)
      setClock(-40 * DAY_MS)
      yield* time.look
      assert.deepStrictEqual([read(), yield* isReady], [START + 10_000, true])
      assert.strictEqual(time.readState().jumps, 0)
    }),
  )

  it.live(
    "is the new one when a jump has lasted for ten seconds: the machine was suspended, or its clock was set",
    () =>
      Effect.gen(function* () {
        const { time, pass, setClock, isReady } = yield* startOnFile
        setClock(3 * DAY_MS)
        const ready: boolean[] = []
        for (let second = 0; second < 12; second++) {
          yield* time.look
          ready.push(yield* isReady)
          pass(1_000)
        }
        assert.deepStrictEqual(ready, [...new Array(10).fill(false), true, true])
        assert.strictEqual(time.clock.currentTimeMillisUnsafe(), START + 3 * DAY_MS + 12_000)
        assert.strictEqual(time.readState().jumps, 1)
      }),
  )

  it.live("follows a clock that is set by less than five seconds at once", () =>
    Effect.gen(function* () {
      const { time, setClock, isReady } = yield* startOnFile
      setClock(4_900)
      yield* time.look
      assert.deepStrictEqual([time.clock.currentTimeMillisUnsafe(), yield* isReady], [START + 4_900, true])
    }),
  )

  it.live("releases what was claimed, limited and counted under a time that was ahead", () =>
    Effect.gen(function* () {
      const { time, storage, sql, pass, setClock, isReady } = yield* startOnFile
      const ahead = START + 40 * DAY_MS
      const mails = storage.queuedWork("mails")
      yield* mails.order(() => "held", { nowMs: START })
      const claim = (nowMs: number) =>
        Effect.map(mails.claim({ worker: "one", nowMs, leaseMs: 60_000, lanes: [""], each: 9 }), rows =>
          rows.map(({ payload }) => payload),
        )
      assert.deepStrictEqual(yield* claim(ahead), ["held"])
      const node = { id: "one", installation_id: 0, refused_id: null, refused_because: null }
      yield* storage.nodes.note({ ...node, alive_until: ahead })
      yield* storage.attempts.count({ kind: "login", subject: "a", amount: 5, nowMs: ahead, windowMs: 60_000 })
      yield* storage.pools.take({ subject: "1", pool: "visa", day: "2026-12-25", since: "2026-12-01" }, 7, 100)
      yield* storage.pools.take({ subject: "1", pool: "visa", day: "2026-11-15", since: "2026-11-01" }, 3, 100)
      // Its time is set right.
      setClock(-DAY_MS)
      for (let second = 0; second < 11; second++) {
        yield* time.look
        pass(1_000)
      }
      assert.isTrue(yield* isReady)
      const nowMs = time.clock.currentTimeMillisUnsafe()
      assert.deepStrictEqual(yield* claim(nowMs + DAY_MS), ["held"])
      assert.deepStrictEqual(yield* storage.nodes.listAlive(nowMs), [])
      const tried = yield* storage.attempts.count({ kind: "login", subject: "a", amount: 1, nowMs, windowMs: 60_000 })
      assert.strictEqual(tried.used, 1)
      const counts = yield* sql<{ day: string; used: number }>`SELECT day, used FROM pool_counts ORDER BY day`
      assert.deepStrictEqual(counts, [{ day: "2026-11-15", used: 3 }])
    }),
  )
})

describe("a start", () => {
  it.live("releases what a process has left whose time was ahead", () =>
    Effect.gen(function* () {
      const place = yield* makeDeployment
      const machine = yield* makeMachine
      const layer = Layer.provideMerge(DatabaseClock.layer, layerStorage(place.databaseUrl))
      const open = Effect.map(Effect.provideService(build(layer), Clock.Clock, machine.clock), services =>
        Context.get(services, Storage),
      )
      const nowMs = START + 40 * DAY_MS
      machine.setClock(40 * DAY_MS)
      const count = { kind: "login", subject: "a", amount: 5, windowMs: 60_000 }
      yield* Effect.scoped(Effect.flatMap(open, ({ attempts }) => attempts.count({ ...count, nowMs })))
      machine.setClock(-40 * DAY_MS)
      const { used } = yield* Effect.flatMap(open, ({ attempts }) => attempts.count({ ...count, nowMs: START }))
      assert.strictEqual(used, 5)
    }),
  )
})

describe("the time of a deployment on PostgreSQL", () => {
  it.live("is the server's: a machine with another clock is not ready, and counts for the server's day", () =>
    Effect.gen(function* () {
      const live = yield* Clock.Clock
      let aheadMs = 40 * DAY_MS
      const own: Clock.Clock = Object.assign(Object.create(live) as Clock.Clock, {
        currentTimeMillisUnsafe: () => live.currentTimeMillisUnsafe() + aheadMs,
        currentTimeMillis: Effect.sync(() => live.currentTimeMillisUnsafe() + aheadMs),
      })
      const { databaseUrl } = yield* makePostgresDeployment
      const layer = Layer.provideMerge(DatabaseClock.layer, layerStorage(databaseUrl))
      const services = yield* Effect.provideService(build(layer), Clock.Clock, own)
      const time = Context.get(services, DatabaseClock)
      const read = Effect.provideContext(Clock.currentTimeMillis, services)
      assert.isBelow(Math.abs((yield* read) - live.currentTimeMillisUnsafe()), 5_000)
      const refused = yield* Effect.flip(time.check)
      assert.strictEqual(refused.reason, "clock")
      assert.match(refused.message, /the clock of this machine is 34560\d\d\.\d s ahead of the database's$/)
      assert.isAbove(time.readState().differenceMs, 39 * DAY_MS)
      aheadMs = -6_000
      yield* time.look
      assert.match(
        (yield* Effect.flip(time.check)).message,
        /the clock of this machine is 6\.0 s behind the database's$/,
      )
      aheadMs = 1_000
      yield* time.look
      yield* time.check
    }),
  )
})
