import { spawn } from "node:child_process"
import { createInterface } from "node:readline"
import { assert, describe, it } from "@effect/vitest"
import { Context, Deferred, Effect, Exit, Fiber, Layer, Logger, Redacted, Scope } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { Accounts } from "../../adapters/accounts/accounts.ts"
import { Plans } from "../../adapters/plans/plans.ts"
import { FLUSH_MS, Meter } from "../../adapters/quota/meter.ts"
import { IDLE_MS, LARGEST_BLOCK } from "../../adapters/quota/request-blocks.ts"
import { DeploymentSecret } from "../../adapters/secrets/deployment-secret.ts"
import { layerStorage } from "../../adapters/storage/migrations.ts"
import { Storage } from "../../adapters/storage/storage.ts"
import { bundleProgram } from "../cli/bundle.ts"
import { build, type Deployment, inProcess, makeDeployment, startProcess } from "../storage/deployment.ts"
import { callerWith } from "./callers.ts"

const NOON = Date.parse("2026-11-15T12:00:00Z")

const serve = (meter: Meter["Service"], caller: ReturnType<typeof callerWith>, destination?: string) =>
  Effect.map(
    meter.reserveLoaded(
      caller,
      destination === undefined ? { charge: 1 } : { charge: 1, passport: "FRA", destinations: destination },
    ),
    answer => {
      if (answer.ok) answer.commit()
      return answer.ok
    },
  )

const storedUsage = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql<{ subject: string; day: string; used: number }>`SELECT subject, day, used
    FROM pool_counts WHERE pool = 'visa' ORDER BY CAST(subject AS INTEGER), day`
  return rows.map(row => `${row.subject} ${row.day} ${row.used}`)
})

const countSeen = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql<{ seen_on: string }>`SELECT seen_on FROM items_seen ORDER BY seen_on`
  return rows.map(row => row.seen_on)
})

/** A test over one process of a new deployment, by default at noon of 15 November 2026. */
const withMeter = <E>(
  test: (meter: Meter["Service"]) => Effect.Effect<void, E, SqlClient.SqlClient | Storage>,
  startsAt: number = NOON,
): Effect.Effect<void, unknown, Scope.Scope> =>
  Effect.gen(function* () {
    yield* TestClock.setTime(startsAt)
    yield* Effect.flatMap(Meter, test).pipe(inProcess(yield* makeDeployment))
  })

describe("metering a request", () => {
  it.effect("asks the database for a block, and fills it again before it is used up, so that no request waits", () =>
    withMeter(meter =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const caller = callerWith({ requests: 10_000 })
        const serveNow = (requests: number) => {
          for (let served = 0; served < requests; served++) {
            const before = meter.readQuota(caller, NOON)?.remaining ?? 0
            const answer = meter.reserve(caller, { charge: 1 }, NOON)
            assert.deepInclude(answer, { ok: true, remaining: before - 1 })
          }
        }
        assert.isNull(meter.reserve(caller, { charge: 1 }, NOON))
        assert.isNull(meter.readQuota(caller, NOON))
        yield* serve(meter, caller)
        const most = LARGEST_BLOCK - 25
        serveNow(most - 1)
        assert.deepStrictEqual(yield* storedUsage, ["1 2026-11-15 100"])
        // The writes of others take long: what is left is served meanwhile, and what comes then after them.
        const [isWriting, mayEnd] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
        const writing = Effect.andThen(Deferred.succeed(isWriting, undefined), Deferred.await(mayEnd))
        const others = yield* Effect.forkChild(sql.withTransaction(writing))
        yield* Deferred.await(isWriting)
        serveNow(25)
        assert.isNull(meter.reserve(caller, { charge: 1 }, NOON))
        yield* Deferred.succeed(mayEnd, undefined)
        yield* Fiber.join(others)
        yield* serve(meter, caller)
        assert.deepStrictEqual(yield* storedUsage, ["1 2026-11-15 176"])
        serveNow(LARGEST_BLOCK)
        assert.deepStrictEqual(yield* storedUsage, ["1 2026-11-15 252"])
        assert.deepInclude(meter.readState(), { heldRequests: 51 })
        assert.strictEqual((yield* meter.loadQuota(callerWith({ accountId: 2 }))).remaining, 100)
      }),
    ),
  )

  it.effect("takes a request of a small limit only when it comes", () =>
    withMeter(meter =>
      Effect.gen(function* () {
        const caller = callerWith({ requests: 199 })
        for (let served = 0; served < 5; served++) yield* serve(meter, caller)
        assert.deepStrictEqual(yield* storedUsage, ["1 2026-11-15 5"])
      }),
    ),
  )

  it.effect("is refused from memory for a second after the database said that nothing is left", () =>
    withMeter(meter =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const caller = callerWith({ requests: 1 })
        assert.isTrue(yield* serve(meter, caller))
        assert.isFalse(yield* serve(meter, caller))
        // Others give something back.
        yield* sql`UPDATE pool_counts SET used = 0`
        assert.isFalse(yield* serve(meter, caller))
        yield* TestClock.adjust("1 second")
        assert.isTrue(yield* serve(meter, caller))
      }),
    ),
  )

  it.effect("serves exactly 100 of 1,000 parallel requests when 100 are left, also at first sight of the account", () =>
    withMeter(meter =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        yield* sql`INSERT INTO pool_counts (subject, pool, day, used) VALUES ('1', 'visa', '2026-11-03', 9900)`
        const caller = callerWith({ requests: 10_000 })
        const request = Effect.gen(function* () {
          const answer = yield* meter.reserveLoaded(caller, { charge: 1 })
          yield* Effect.yieldNow
          if (answer.ok) answer.commit()
          return answer.ok
        })
        const answers = yield* Effect.all(
          Array.from({ length: 1_000 }, () => request),
          { concurrency: "unbounded" },
        )
        assert.strictEqual(answers.filter(isServed => isServed).length, 100)
        yield* meter.flush
        assert.deepStrictEqual(yield* storedUsage, ["1 2026-11-03 9900", "1 2026-11-15 100"])
      }),
    ),
  )
})

describe("a block", () => {
  it.effect("goes back after a second without use, and what was counted stays", () =>
    withMeter(meter =>
      Effect.gen(function* () {
        const caller = callerWith({ requests: 10_000, cap: 5 })
        for (const destination of ["JPN", "THA"]) yield* serve(meter, caller, destination)
        const refused = yield* meter.reserveLoaded(caller, { charge: 1, passport: "FRA", destinations: "BRA" })
        if (refused.ok) refused.release()
        assert.deepStrictEqual(yield* storedUsage, ["1 2026-11-15 100"])
        yield* TestClock.adjust(IDLE_MS + FLUSH_MS)
        assert.deepStrictEqual(yield* storedUsage, ["1 2026-11-15 2"])
        assert.strictEqual((yield* countSeen).length, 2)
        assert.deepInclude(meter.readState(), { loadedLimits: 0, heldRequests: 0 })
      }),
    ),
  )

  it.effect("that is used goes back after ten seconds, and then not before ten more", () =>
    withMeter(meter =>
      Effect.gen(function* () {
        const caller = callerWith({ requests: 10_000 })
        const heldAfter = Effect.fnUntraced(function* (halfSeconds: number) {
          for (let at = 0; at < halfSeconds; at++) {
            yield* serve(meter, caller)
            yield* TestClock.adjust(FLUSH_MS)
          }
          return meter.readState().heldRequests
        })
        assert.strictEqual(yield* heldAfter(19), 81)
        assert.strictEqual(yield* heldAfter(1), 0)
        assert.strictEqual(yield* heldAfter(19), 81)
      }),
    ),
  )

  it.effect("that a large reservation has left goes back although the rest is used", () =>
    withMeter(meter =>
      Effect.gen(function* () {
        const caller = callerWith({ requests: 10_000 })
        const job = yield* meter.reserveLoaded(caller, { charge: 6_000 })
        if (job.ok) job.release()
        // The same process can reserve it again at once.
        const again = yield* meter.reserveLoaded(caller, { charge: 6_000 })
        assert.isTrue(again.ok)
        if (again.ok) again.release()
        yield* serve(meter, caller)
        yield* TestClock.adjust(FLUSH_MS)
        yield* serve(meter, caller)
        const [row] = yield* storedUsage
        assert.isAtMost(Number(row?.split(" ")[2]), 2 + LARGEST_BLOCK)
      }),
    ),
  )

  it.effect("writes what is left when the process stops, and the next one goes on from there", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(NOON)
      const deployment = yield* makeDeployment
      const caller = callerWith({ requests: 3, cap: 2 })
      const serveTwo = Effect.gen(function* () {
        const meter = yield* Meter
        assert.isTrue(yield* serve(meter, caller, "JPN"))
        assert.isTrue(yield* serve(meter, caller, "THA"))
      })
      yield* serveTwo.pipe(inProcess(deployment))
      yield* Effect.gen(function* () {
        const meter = yield* Meter
        const refusal = yield* meter.reserveLoaded(caller, { charge: 1, passport: "FRA", destinations: "BRA" })
        assert.deepInclude(refusal, { ok: false, reason: "anti_abuse", remaining: 1 })
        assert.isTrue(yield* serve(meter, caller, "THA"))
        assert.deepInclude(yield* meter.reserveLoaded(caller, { charge: 1 }), { ok: false, reason: "monthly" })
      }).pipe(inProcess(deployment))
    }),
  )

  it.effect("that could not go back is kept, and served from meanwhile, and this is logged without a name", () =>
    Effect.gen(function* () {
      const lines: string[] = []
      const collector = Logger.make(({ message }) => lines.push(String(message)))
      yield* withMeter(meter =>
        Effect.gen(function* () {
          const sql = yield* SqlClient.SqlClient
          const caller = callerWith({ requests: 10_000 })
          yield* serve(meter, caller)
          yield* sql`ALTER TABLE pool_counts RENAME TO lost`
          yield* TestClock.adjust(IDLE_MS + FLUSH_MS)
          assert.isTrue(meter.reserve(caller, { charge: 1 }, NOON + IDLE_MS + FLUSH_MS)?.ok)
          yield* sql`ALTER TABLE lost RENAME TO pool_counts`
          yield* TestClock.adjust(IDLE_MS + FLUSH_MS)
          assert.deepStrictEqual(yield* storedUsage, ["1 2026-11-15 2"])
        }),
      ).pipe(Effect.provide(Logger.layer([collector])))
      assert.deepStrictEqual(lines, [
        "usage could not be saved; it is kept and saved with the next",
        "usage could not be saved; it is kept and saved with the next: over",
      ])
    }),
  )

  it.effect("of each of a few thousand accounts goes back at once", () =>
    withMeter(meter =>
      Effect.gen(function* () {
        const callers = Array.from({ length: 2_500 }, (_, at) => callerWith({ accountId: at + 1, requests: 10_000 }))
        yield* Effect.forEach(callers, caller => serve(meter, caller), { concurrency: 100, discard: true })
        yield* meter.flush
        assert.strictEqual((yield* storedUsage).filter(row => row.endsWith(" 1")).length, 2_500)
      }),
    ),
  )

  it.effect("counts a new month by itself, and the destinations of past days are deleted", () =>
    withMeter(
      meter =>
        Effect.gen(function* () {
          const { sweep } = yield* Storage
          const caller = callerWith({ requests: 1, cap: 1 })
          assert.isTrue(yield* serve(meter, caller, "JPN"))
          yield* TestClock.setTime(Date.parse("2026-11-30T23:59:59.999Z"))
          assert.isFalse(yield* serve(meter, caller, "JPN"))
          assert.deepStrictEqual(yield* countSeen, ["2026-11-30"])
          yield* TestClock.setTime(Date.parse("2026-12-01T00:00:00Z"))
          assert.isTrue(yield* serve(meter, caller, "THA"))
          yield* sweep(Date.parse("2026-12-01T00:00:00Z"))
          assert.deepStrictEqual(yield* storedUsage, ["1 2026-11-30 1", "1 2026-12-01 1"])
          assert.deepStrictEqual(yield* countSeen, ["2026-12-01"])
        }),
      Date.parse("2026-11-30T23:59:58Z"),
    ),
  )
})

describe("several processes", () => {
  it.effect("know what each other used, and what one does not use the other serves after a second", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(NOON)
      const deployment = yield* makeDeployment
      const here = Context.get(yield* startProcess(deployment), Meter)
      const there = Context.get(yield* startProcess(deployment), Meter)
      const caller = callerWith({ requests: 1_700 })
      yield* serve(here, caller)
      // A block of 17 is with the first process.
      const all = yield* there.reserveLoaded(caller, { charge: 1_699 })
      assert.deepInclude(all, { ok: false, reason: "monthly", remaining: 1_683 })
      yield* TestClock.adjust(IDLE_MS + FLUSH_MS)
      const then = yield* there.reserveLoaded(caller, { charge: 1_699 })
      assert.deepInclude(then, { ok: true, remaining: 0 })
      if (then.ok) then.commit()
      assert.isFalse(yield* serve(here, caller))
    }),
  )
})

describe("the state of metering", () => {
  it.effect("is a few numbers: limits in memory, what may be served from it, and what was refused", () =>
    withMeter(meter =>
      Effect.gen(function* () {
        const caller = callerWith({ requests: 1_000 })
        for (let i = 0; i < 3; i++) yield* serve(meter, caller)
        const state = { loadedLimits: 1, heldRequests: 7, loadedAddresses: 0, flushFailures: 0, refusals: [] }
        assert.deepStrictEqual(meter.readState(), state)
        while (yield* serve(meter, caller));
        const refusals = [{ pool: "visa", reason: "monthly", plan: "hobby", count: 1 }]
        assert.deepStrictEqual(meter.readState(), { ...state, heldRequests: 0, refusals })
      }),
    ),
  )
})

describe("stopping", () => {
  it.effect("gives everything back before the database closes, however the layers are put together", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(NOON)
      const { databaseUrl } = yield* makeDeployment
      const secret = Redacted.make(Buffer.alloc(32, 1).toString("base64"))
      const scope = yield* Scope.make()
      const layer = Meter.layer.pipe(
        Layer.provide([Plans.layer(), DeploymentSecret.layer({ databaseUrl, secret })]),
        Layer.provide(layerStorage(databaseUrl)),
      )
      const services = yield* Effect.provideService(build(layer), Scope.Scope, scope)
      yield* serve(Context.get(services, Meter), callerWith({ requests: 10_000 }))
      yield* Scope.close(scope, Exit.void)
      const reopened = yield* build(layerStorage(databaseUrl))
      const rows = yield* Effect.provideContext(storedUsage, reopened)
      assert.deepStrictEqual(rows, ["1 2026-11-15 1"])
    }),
  )
})

type Line = { readonly accountId?: number; readonly key?: string; readonly counted?: number }

/** Runs the counting process until it has counted for a while, kills it without warning, and answers all that it said. */
const countUntilKilled = (deployment: Deployment): Promise<readonly Line[]> => {
  const child = spawn(process.execPath, [bundleProgram("counting-process"), deployment.folder], {
    stdio: ["ignore", "pipe", "inherit"],
  })
  const lines: Line[] = []
  const reader = createInterface({ input: child.stdout })
  reader.on("line", text => {
    const line = JSON.parse(text) as Line
    lines.push(line)
    if (lines.length > 200 && (line.counted ?? 0) > 100) child.kill("SIGKILL")
  })
  return new Promise((resolve, reject) => {
    child.on("exit", (_code, signal) =>
      signal === "SIGKILL" ? undefined : reject(new Error("the process ended by itself")),
    )
    reader.on("close", () => resolve(lines))
  })
}

describe("a process that is killed", () => {
  it.live("loses no account and no count, and at most a block of the customer's", () =>
    Effect.gen(function* () {
      const deployment = yield* makeDeployment
      const lines = yield* Effect.promise(() => countUntilKilled(deployment))
      const served = Math.max(...lines.map(({ counted }) => counted ?? 0))
      assert.isAbove(served, 100)
      yield* Effect.gen(function* () {
        const accounts = yield* Accounts
        const meter = yield* Meter
        const keys = lines.flatMap(line => line.key ?? [])
        assert.isAbove(keys.length, 50)
        for (const key of keys) assert.isNotNull(yield* accounts.findCaller(key))
        const caller = (yield* accounts.findCaller(keys[0]!))!
        const { limit, remaining } = yield* meter.loadQuota(caller)
        assert.isAtLeast(limit - remaining, served)
        // Ten requests at most were served after the last line.
        assert.isAtMost(limit - remaining, served + LARGEST_BLOCK + 10)
      }).pipe(inProcess(deployment))
    }),
  )
})
