import { spawn } from "node:child_process"
import { createInterface } from "node:readline"
import { assert, describe, it } from "@effect/vitest"
import { Context, Effect, Exit, Layer, Logger, Redacted, Scope } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { Accounts } from "../../adapters/accounts/accounts.ts"
import { Plans } from "../../adapters/plans/plans.ts"
import { FLUSH_MS, IDLE_MS, Meter } from "../../adapters/quota/meter.ts"
import { DeploymentSecret } from "../../adapters/secrets/deployment-secret.ts"
import { layerStorage } from "../../adapters/storage/migrations.ts"
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
  const rows = yield* sql<{ subject: string; period: string; used: number }>`SELECT subject, period, used
    FROM pool_counts WHERE pool = 'visa' ORDER BY CAST(subject AS INTEGER), period`
  return rows.map(row => `${row.subject} ${row.period} ${row.used}`)
})

const countSeen = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql<{ seen_on: string }>`SELECT seen_on FROM items_seen ORDER BY seen_on`
  return rows.map(row => row.seen_on)
})

/** A test over one process of a new deployment, by default at noon of 15 November 2026. */
const withMeter = <E>(
  test: (meter: Meter["Service"]) => Effect.Effect<void, E, SqlClient.SqlClient>,
  startsAt: number = NOON,
): Effect.Effect<void, unknown, Scope.Scope> =>
  Effect.gen(function* () {
    yield* TestClock.setTime(startsAt)
    yield* Effect.flatMap(Meter, test).pipe(inProcess(yield* makeDeployment))
  })

describe("metering a request", () => {
  it.effect("asks the database for an account once, and never on the way of a later request", () =>
    withMeter(meter =>
      Effect.gen(function* () {
        const caller = callerWith({})
        assert.isNull(meter.reserve(caller, { charge: 1 }, NOON))
        assert.isNull(meter.readQuota(caller, NOON))
        yield* serve(meter, caller)
        const answer = meter.reserve(caller, { charge: 1 }, NOON)
        assert.isTrue(answer?.ok)
        assert.strictEqual(meter.readQuota(caller, NOON)?.remaining, 98)
        assert.strictEqual((yield* meter.loadQuota(callerWith({ accountId: 2 }))).remaining, 100)
      }),
    ),
  )

  it.effect("serves exactly 100 of 1,000 parallel requests when 100 are left, also at first sight of the account", () =>
    withMeter(meter =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        yield* sql`INSERT INTO pool_counts (subject, pool, period, used) VALUES ('1', 'visa', '2026-11', 9900)`
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
        assert.deepStrictEqual(yield* storedUsage, ["1 2026-11 10000"])
      }),
    ),
  )
})

describe("saving", () => {
  it.effect("writes every change within a second", () =>
    withMeter(meter =>
      Effect.gen(function* () {
        for (const accountId of [3, 1, 2, 1]) yield* serve(meter, callerWith({ accountId, cap: 5 }), "JPN")
        assert.deepStrictEqual(yield* storedUsage, ["1 2026-11 0", "2 2026-11 0", "3 2026-11 0"])
        yield* TestClock.adjust(FLUSH_MS)
        assert.deepStrictEqual(yield* storedUsage, ["1 2026-11 2", "2 2026-11 1", "3 2026-11 1"])
        assert.strictEqual((yield* countSeen).length, 3)
        assert.isBelow(FLUSH_MS, 1_000)
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

  it.effect("keeps what could not be written and writes it later, and says so without a name", () =>
    Effect.gen(function* () {
      const lines: string[] = []
      const collector = Logger.make(({ message }) => lines.push(String(message)))
      yield* withMeter(meter =>
        Effect.gen(function* () {
          const sql = yield* SqlClient.SqlClient
          const caller = callerWith({ cap: 5 })
          yield* serve(meter, caller, "JPN")
          yield* sql`ALTER TABLE pool_counts RENAME TO lost`
          yield* TestClock.adjust(FLUSH_MS)
          yield* serve(meter, caller, "THA")
          yield* sql`ALTER TABLE lost RENAME TO pool_counts`
          assert.deepStrictEqual(yield* countSeen, [])
          yield* TestClock.adjust(FLUSH_MS)
          assert.deepStrictEqual(yield* storedUsage, ["1 2026-11 2"])
          assert.strictEqual((yield* countSeen).length, 2)
          assert.strictEqual(meter.readQuota(caller, NOON)?.remaining, 98)
        }),
      ).pipe(Effect.provide(Logger.layer([collector])))
      assert.deepStrictEqual(lines, [
        "usage could not be saved; it is kept and saved with the next",
        "usage could not be saved; it is kept and saved with the next: over",
      ])
    }),
  )

  it.effect("writes a few thousand accounts in one go", () =>
    withMeter(meter =>
      Effect.gen(function* () {
        const callers = Array.from({ length: 2_500 }, (_, at) => callerWith({ accountId: at + 1 }))
        yield* Effect.forEach(callers, caller => serve(meter, caller), { concurrency: 100, discard: true })
        yield* meter.flush
        assert.strictEqual((yield* storedUsage).length, 2_500)
      }),
    ),
  )

  it.effect("counts a new month by itself and forgets the destinations of past days", () =>
    withMeter(
      meter =>
        Effect.gen(function* () {
          const caller = callerWith({ requests: 1, cap: 1 })
          assert.isTrue(yield* serve(meter, caller, "JPN"))
          yield* TestClock.setTime(Date.parse("2026-11-30T23:59:59.999Z"))
          assert.isFalse(yield* serve(meter, caller, "JPN"))
          assert.deepStrictEqual(yield* countSeen, ["2026-11-30"])
          yield* TestClock.setTime(Date.parse("2026-12-01T00:00:00Z"))
          assert.isTrue(yield* serve(meter, caller, "THA"))
          yield* TestClock.adjust(FLUSH_MS)
          assert.deepStrictEqual(yield* storedUsage, ["1 2026-11 1", "1 2026-12 1"])
          assert.deepStrictEqual(yield* countSeen, ["2026-12-01"])
        }),
      Date.parse("2026-11-30T23:59:58Z"),
    ),
  )

  it.effect("lets accounts that are not used any more leave the memory, and knows them again", () =>
    withMeter(meter =>
      Effect.gen(function* () {
        yield* serve(meter, callerWith({ accountId: 1, requests: 2 }))
        yield* TestClock.adjust(IDLE_MS)
        yield* serve(meter, callerWith({ accountId: 2 }))
        assert.strictEqual(meter.countLoadedAccounts(), 2)
        yield* TestClock.adjust(2 * FLUSH_MS)
        assert.strictEqual(meter.countLoadedAccounts(), 1)
        assert.isTrue(yield* serve(meter, callerWith({ accountId: 1, requests: 2 })))
        assert.isFalse(yield* serve(meter, callerWith({ accountId: 1, requests: 2 })))
      }),
    ),
  )
})

describe("several processes", () => {
  it.effect("add their counts up, and each knows the sum once it has saved its own", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(NOON)
      const deployment = yield* makeDeployment
      const here = yield* startProcess(deployment)
      const there = Context.get(yield* startProcess(deployment), Meter)
      const meter = Context.get(here, Meter)
      const caller = callerWith({ requests: 10 })
      for (let i = 0; i < 3; i++) {
        yield* serve(meter, caller)
        yield* serve(there, caller)
      }
      assert.strictEqual(there.readQuota(caller, NOON)?.remaining, 7)
      yield* meter.flush
      yield* there.flush
      assert.strictEqual(there.readQuota(caller, NOON)?.remaining, 4)
      assert.deepStrictEqual(yield* Effect.provideContext(storedUsage, here), ["1 2026-11 6"])
    }),
  )
})

describe("how metering is doing", () => {
  it.effect("is a few numbers: what is in memory, what is not saved, what may be handed out, what was refused", () =>
    withMeter(meter =>
      Effect.gen(function* () {
        const caller = callerWith({ requests: 10 })
        for (let i = 0; i < 3; i++) yield* serve(meter, caller)
        assert.deepInclude(meter.readState(), {
          loadedAccounts: 1,
          loadedAddresses: 0,
          unsavedRequests: 3,
          unsavedItems: 0,
          leasedRequests: 5,
          flushes: 0,
          flushFailures: 0,
          refusals: [],
        })
        yield* meter.flush
        while (yield* serve(meter, caller));
        assert.deepInclude(meter.readState(), {
          flushes: 1,
          refusals: [{ pool: "visa", reason: "monthly", plan: "hobby", count: 1 }],
        })
      }),
    ),
  )
})

describe("stopping", () => {
  it.effect("saves before the database closes, however the layers are put together", () =>
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
      yield* serve(Context.get(services, Meter), callerWith({}))
      yield* Scope.close(scope, Exit.void)
      const reopened = yield* build(layerStorage(databaseUrl))
      assert.deepStrictEqual(yield* Effect.provideContext(storedUsage, reopened), ["1 2026-11 1"])
    }),
  )
})

type Line = { readonly accountId?: number; readonly key?: string; readonly at?: number; readonly counted?: number }

/** Runs the counting process until it has counted for a while, kills it without warning, and answers all that it said. */
const countUntilKilled = (deployment: Deployment): Promise<readonly Line[]> => {
  const child = spawn(process.execPath, [bundleProgram("counting-process"), deployment.folder], {
    stdio: ["ignore", "pipe", "inherit"],
  })
  const lines: Line[] = []
  let startedAt: number | undefined
  let hundredthAt: number | undefined
  const reader = createInterface({ input: child.stdout })
  reader.on("line", text => {
    const line = JSON.parse(text) as Line
    lines.push(line)
    const { at, counted } = line
    if (at === undefined || counted === undefined) return
    startedAt ??= at
    if (counted > 100) hundredthAt ??= at
    // On a busy machine too, enough was counted longer ago than the last second.
    if (lines.length < 200 || hundredthAt === undefined || hundredthAt > at - 1_000) return
    if (at - startedAt > 2_500) child.kill("SIGKILL")
  })
  return new Promise((resolve, reject) => {
    child.on("exit", (_code, signal) =>
      signal === "SIGKILL" ? undefined : reject(new Error("the process ended by itself")),
    )
    reader.on("close", () => resolve(lines))
  })
}

describe("a process that is killed", () => {
  it.live("loses at most the last second of counts, and not one account", () =>
    Effect.gen(function* () {
      const deployment = yield* makeDeployment
      const lines = yield* Effect.promise(() => countUntilKilled(deployment))
      const counts = lines.flatMap(({ at, counted }) =>
        at === undefined || counted === undefined ? [] : [{ at, counted }],
      )
      const killedAt = counts.at(-1)!.at
      const owed = counts.findLast(count => count.at <= killedAt - 1_000)!.counted
      assert.isAbove(owed, 100)
      yield* Effect.gen(function* () {
        const accounts = yield* Accounts
        const meter = yield* Meter
        const keys = lines.flatMap(line => line.key ?? [])
        assert.isAbove(keys.length, 50)
        for (const key of keys) assert.isNotNull(yield* accounts.findCaller(key))
        const caller = (yield* accounts.findCaller(keys[0]!))!
        const { limit, remaining } = yield* meter.loadQuota(caller)
        assert.isAtLeast(limit - remaining, owed)
      }).pipe(inProcess(deployment))
    }),
  )
})
