import { assert, describe, it } from "@effect/vitest"
import { Context, Effect } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { type KeylessCharge, Meter } from "../../adapters/quota/meter.ts"
import { Storage } from "../../adapters/storage/storage.ts"
import { inProcess, makeDeployment, startProcess } from "../storage/deployment.ts"

const NOON = Date.parse("2026-11-15T12:00:00Z")

/** A test over one process of a new deployment, at noon of 15 November 2026. */
const withMeter = <E>(test: (meter: Meter["Service"]) => Effect.Effect<void, E>) =>
  Effect.gen(function* () {
    yield* TestClock.setTime(NOON)
    yield* Effect.flatMap(Meter, test).pipe(inProcess(yield* makeDeployment))
  })

describe("an address without a key", () => {
  const spots = { pool: "spots" } as const
  const pairs = (...list: string[]) => ({ pool: "pairs", pairs: list }) as const
  const ask = (meter: Meter["Service"], client: string, request: KeylessCharge) =>
    Effect.map(meter.reserveKeylessLoaded(client, request), answer => {
      if (answer.ok) answer.commit()
      return answer
    })

  it.effect("has thirty spots a UTC day, which a restart does not renew and midnight does", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(NOON)
      const deployment = yield* makeDeployment
      const spend = Effect.gen(function* () {
        const meter = yield* Meter
        assert.isNull(meter.reserveKeyless("192.0.2.7", spots, NOON))
        for (let i = 0; i < 15; i++) assert.isTrue((yield* ask(meter, "192.0.2.7", spots)).ok)
      })
      yield* spend.pipe(inProcess(deployment))
      yield* spend.pipe(inProcess(deployment))
      yield* Effect.gen(function* () {
        const meter = yield* Meter
        const refusal = yield* ask(meter, "192.0.2.7", spots)
        assert.deepInclude(refusal, { ok: false, reason: "daily", limit: 30, remaining: 0, retryAfterSeconds: 43_200 })
        assert.deepStrictEqual(refusal.limits, [
          { policy: "daily", limit: 30, remaining: 0, windowSeconds: 86_400, renewsAt: NOON + 43_200_000 },
        ])
        assert.isTrue((yield* ask(meter, "192.0.2.8", spots)).ok)
      }).pipe(inProcess(deployment))
      yield* TestClock.setTime(NOON + 43_200_000 - 10)
      yield* Effect.gen(function* () {
        const meter = yield* Meter
        assert.isFalse((yield* ask(meter, "192.0.2.7", spots)).ok)
        yield* TestClock.adjust(10)
        assert.deepInclude(yield* ask(meter, "192.0.2.7", spots), { ok: true, remaining: 29 })
        yield* (yield* Storage).sweep(NOON + 43_200_000)
        const sql = yield* SqlClient.SqlClient
        const days = yield* sql<{ day: string }>`SELECT day FROM pool_counts WHERE pool = 'keyless'`
        assert.deepStrictEqual(
          days.map(row => row.day),
          ["2026-11-16"],
        )
      }).pipe(inProcess(deployment))
    }),
  )

  it.effect("serves exactly thirty of a hundred at once, and gives back what was not answered", () =>
    withMeter(meter =>
      Effect.gen(function* () {
        const answers = yield* Effect.all(
          Array.from({ length: 100 }, () => meter.reserveKeylessLoaded("192.0.2.7", spots)),
          { concurrency: "unbounded" },
        )
        const served = answers.filter(answer => answer.ok)
        assert.strictEqual(served.length, 30)
        for (const answer of served.slice(0, 10)) if (answer.ok) answer.release()
        for (const answer of served) if (answer.ok) answer.commit()
        assert.strictEqual((yield* ask(meter, "192.0.2.7", spots)).remaining, 9)
      }),
    ),
  )

  it.effect("has thirty distinct pairs a UTC day, repeats free, over restarts too", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(NOON)
      const deployment = yield* makeDeployment
      yield* Effect.gen(function* () {
        const meter = yield* Meter
        for (let i = 0; i < 29; i++) assert.isTrue((yield* ask(meter, "2001:db8::/64", pairs(`P${i}`))).ok)
        assert.isFalse((yield* ask(meter, "2001:db8::/64", pairs("P29", "P30"))).ok)
        assert.isTrue((yield* ask(meter, "2001:db8::/64", pairs("P29", "P1"))).ok)
      }).pipe(inProcess(deployment))
      yield* Effect.gen(function* () {
        const meter = yield* Meter
        const refusal = yield* ask(meter, "2001:db8::/64", pairs("P30"))
        assert.deepInclude(refusal, { ok: false, reason: "pairs", remaining: 0, destinationsCap: 30 })
        assert.isTrue((yield* ask(meter, "2001:db8::/64", pairs("P7"))).ok)
      }).pipe(inProcess(deployment))
    }),
  )

  it.effect("that asks for more distinct pairs than a day has is refused without the database", () =>
    withMeter(meter =>
      Effect.sync(() => {
        const many = Array.from({ length: 31 }, (_, at) => `P${at}`)
        assert.deepInclude(meter.reserveKeyless("192.0.2.7", pairs(...many), NOON), { ok: false, reason: "pairs" })
        // Thirty of them may fit.
        assert.isNull(meter.reserveKeyless("192.0.2.7", pairs(...many.slice(1), "P1"), NOON))
      }),
    ),
  )

  it.effect("has 120 checks a minute, which need no database", () =>
    withMeter(meter =>
      Effect.gen(function* () {
        const check = { pool: "checks" } as const
        for (let i = 0; i < 120; i++) {
          const answer = meter.reserveKeyless("192.0.2.7", check, NOON + i)
          assert.deepInclude(answer, { ok: true, policy: "keyless", limit: 120, remaining: 119 - i })
        }
        const refusal = meter.reserveKeyless("192.0.2.7", check, NOON + 1_000)
        assert.deepInclude(refusal, { ok: false, reason: "keyless", retryAfterSeconds: 59 })
        assert.isTrue(meter.reserveKeyless("192.0.2.7", check, NOON + 60_000)?.ok)
        assert.strictEqual(meter.reserveKeyless("192.0.2.8", check, NOON)?.remaining, 119)
        yield* Effect.void
      }),
    ),
  )

  it.effect("is nowhere in the database, and its days cannot be told to be of one address", () =>
    Effect.gen(function* () {
      const deployment = yield* makeDeployment
      const spend = Effect.gen(function* () {
        const meter = yield* Meter
        yield* ask(meter, "192.0.2.7", spots)
        yield* ask(meter, "192.0.2.7", pairs("FRAJPN"))
        yield* meter.flush
      })
      const subjects = new Set<string>()
      for (const day of [NOON, NOON + 86_400_000]) {
        yield* TestClock.setTime(day)
        yield* Effect.gen(function* () {
          yield* spend
          const sql = yield* SqlClient.SqlClient
          const rows = yield* sql<{ subject: string }>`SELECT subject FROM pool_counts WHERE pool <> ''
            UNION ALL SELECT subject FROM items_seen`
          for (const { subject } of rows) subjects.add(subject)
        }).pipe(inProcess(deployment))
      }
      assert.strictEqual(subjects.size, 2)
      for (const subject of subjects) assert.match(subject, /^[A-Za-z0-9_-]{43}$/)
    }),
  )

  it.effect("shares one allowance with others when there are too many to be remembered", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(NOON)
      const meter = Context.get(yield* startProcess(yield* makeDeployment, undefined, { maximumAddresses: 10 }), Meter)
      for (let i = 0; i < 60; i++) {
        const { ok } = yield* ask(meter, `192.0.2.${i}`, spots)
        // Ten have their own, the others thirty together.
        assert.strictEqual(ok, i < 40)
      }
      assert.isAtMost(meter.readState().loadedAddresses, 11)
    }),
  )
})
