import { assert, describe, it } from "@effect/vitest"
import { Clock, Context, Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { FLUSH_MS, Meter } from "../../adapters/quota/meter.ts"
import type { Reservation } from "../../adapters/quota/reservation.ts"
import { makeDeployment, startProcess } from "../storage/deployment.ts"
import { callerWith } from "./callers.ts"

const NOON = Date.parse("2026-11-15T12:00:00Z")

describe("a limit that others hold the rest of", () => {
  const startTwo = Effect.gen(function* () {
    yield* TestClock.setTime(NOON)
    const deployment = yield* makeDeployment
    const here = Context.get(yield* startProcess(deployment), Meter)
    const there = Context.get(yield* startProcess(deployment), Meter)
    return { here, there }
  })
  const reserveOne = (meter: Meter["Service"], caller: ReturnType<typeof callerWith>) =>
    Effect.map(meter.reserveLoaded(caller, { charge: 1 }), answer => {
      assert.isTrue(answer.ok)
      return answer as Reservation
    })
  /** Lets so much time go by, in small steps, so that whoever waits looks again and again. */
  const letPass = (ms: number) =>
    Effect.forEach(Array.from({ length: ms / 25 }), () => TestClock.adjust("25 millis"), { discard: true })

  it.effect("waits for them to give back what they do not need, at their next save", () =>
    Effect.gen(function* () {
      const { here, there } = yield* startTwo
      const caller = callerWith({ requests: 4 })
      ;(yield* reserveOne(here, caller)).commit()
      ;(yield* reserveOne(there, caller)).commit()
      ;(yield* reserveOne(there, caller)).commit()
      const waiting = yield* Effect.forkChild(reserveOne(there, caller))
      yield* letPass(100)
      assert.isUndefined(waiting.pollUnsafe())
      yield* letPass(FLUSH_MS + 200)
      ;(yield* Fiber.join(waiting)).commit()
      assert.deepInclude(yield* there.reserveLoaded(caller, { charge: 1 }), { ok: false, remaining: 0 })
    }),
  )

  it.effect(
    "is refused after a second where they need it, to be tried again in another, and not asked for meanwhile",
    () =>
      Effect.gen(function* () {
        const { here, there } = yield* startTwo
        const caller = callerWith({ requests: 2 })
        const held = yield* reserveOne(here, caller)
        ;(yield* reserveOne(there, caller)).commit()
        const waiting = yield* Effect.forkChild(there.reserveLoaded(caller, { charge: 1 }))
        yield* letPass(1_500)
        assert.deepInclude(yield* Fiber.join(waiting), {
          ok: false,
          reason: "monthly",
          remaining: 1,
          retryAfterSeconds: 1,
        })
        const nowMs = yield* Clock.currentTimeMillis
        assert.deepInclude(there.reserve(caller, { charge: 1 }, nowMs), { ok: false, reason: "monthly" })
        held.release()
        yield* letPass(2_000)
        const again = yield* Effect.forkChild(there.reserveLoaded(caller, { charge: 1 }))
        yield* letPass(1_000)
        assert.isTrue((yield* Fiber.join(again)).ok)
      }),
  )
})
