/**
 * A process on a deployment on a file, by default alone on a new one. Every question says when it is asked, and the clock is set to that. Nothing
 * happens by itself: what a process does from time to time is done when it is told.
 */
import { assert } from "@effect/vitest"
import { Clock, Context, Effect, type Scope } from "effect"
import { SqlClient } from "effect/sql"
import type { Caller } from "../../adapters/accounts/account.ts"
import type { CallerPool, Quota, Refusal } from "../../adapters/quota/limits.ts"
import { type Charge, Meter, type Reservation } from "../../adapters/quota/meter.ts"
import type { Unavailable } from "../../adapters/storage/storage-errors.ts"
import { type DatabasePlace, makeDeployment, startProcess } from "../storage/deployment.ts"

/** What the database has of the account 1, by `pool day`. */
export type Stored = Readonly<Record<string, number>>

/** A time that stands still until it is set, and in which no pause ever ends. */
class StillClock {
  nowMs = 0
  readonly monotonicTimeNanos = Effect.succeed(0n)
  readonly currentTimeMillis = Effect.sync(() => this.nowMs)
  readonly currentTimeNanos = Effect.sync(() => this.currentTimeNanosUnsafe())

  currentTimeMillisUnsafe(): number {
    return this.nowMs
  }

  currentTimeNanosUnsafe(): bigint {
    return BigInt(this.nowMs) * 1_000_000n
  }

  monotonicTimeNanosUnsafe(): bigint {
    return 0n
  }

  sleep(): Effect.Effect<void> {
    return Effect.never
  }
}

export class OneProcess {
  readonly meter: Meter["Service"]
  readonly sql: SqlClient.SqlClient
  readonly #clock: StillClock

  constructor(services: Context.Context<Meter | SqlClient.SqlClient>, clock: StillClock) {
    this.meter = Context.get(services, Meter)
    this.sql = Context.get(services, SqlClient.SqlClient)
    this.#clock = clock
  }

  /** Does something at an instant. */
  at<A, E, R>(nowMs: number, work: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> {
    return Effect.suspend(() => {
      this.#clock.nowMs = nowMs
      return Effect.provideService(work, Clock.Clock, this.#clock)
    })
  }

  judge(caller: Caller, request: Charge, nowMs: number): Effect.Effect<Reservation | Refusal, Unavailable> {
    return this.at(nowMs, this.meter.reserveLoaded(caller, request))
  }

  reserve(caller: Caller, request: Charge, nowMs: number): Effect.Effect<Reservation, Unavailable> {
    return Effect.map(this.judge(caller, request, nowMs), answer => {
      assert.isTrue(answer.ok, `refused: ${answer.ok ? "" : answer.reason}`)
      return answer as Reservation
    })
  }

  refuse(caller: Caller, request: Charge, nowMs: number): Effect.Effect<Refusal, Unavailable> {
    return Effect.map(this.judge(caller, request, nowMs), answer => {
      assert.isFalse(answer.ok)
      return answer as Refusal
    })
  }

  readQuota(caller: Caller, nowMs: number, pool: CallerPool = "visa"): Effect.Effect<Quota, Unavailable> {
    return this.at(nowMs, this.meter.loadQuota(caller, pool))
  }
}

/** Starts a process on a place, which stops with the scope. */
export const startOn = (place: DatabasePlace): Effect.Effect<OneProcess, unknown, Scope.Scope> =>
  Effect.suspend(() => {
    const clock = new StillClock()
    return startProcess(place).pipe(
      Effect.provideService(Clock.Clock, clock),
      Effect.map(services => new OneProcess(services, clock)),
    )
  })

export const openProcess = (stored: Stored = {}): Effect.Effect<OneProcess, unknown, Scope.Scope> =>
  Effect.gen(function* () {
    const running = yield* startOn(yield* makeDeployment)
    const { sql } = running
    for (const [name, used] of Object.entries(stored)) {
      const [pool, day] = name.split(" ")
      yield* sql`INSERT INTO pool_counts (subject, pool, day, used) VALUES ('1', ${pool}, ${day}, ${used})`
    }
    return running
  })
