import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import {
  describeCount,
  limitHeaders,
  quotaHeaders,
  type Refusal,
  refusalHeaders,
  retryHeaders,
  todayAt,
} from "../../adapters/quota/limits.ts"
import { callerWith } from "./callers.ts"
import { openProcess } from "./one-process.ts"

const NOW = Date.parse("2026-11-15T12:00:00Z")

const openWith = (used: number) => openProcess({ "visa 2026-11-01": used, "unconfirmed 1970-01-01": used })

describe("quotaHeaders", () => {
  it.effect("shows limit, remaining and plan, and the same in the fields of the IETF draft", () =>
    Effect.gen(function* () {
      const reservation = yield* (yield* openWith(0)).reserve(callerWith({ requests: 10_000 }), { charge: 1 }, NOW)
      assert.deepStrictEqual(quotaHeaders(reservation, "hobby", NOW), [
        ...["x-ratelimit-limit", "10000", "x-ratelimit-remaining", "9999", "x-plan", "hobby"],
        ...["ratelimit-policy", '"monthly";q=10000;w=2592000', "ratelimit", '"monthly";r=9999;t=1339200'],
      ])
    }),
  )

  it("knows the length of February in a leap year", () => {
    const startsAt = Date.parse("2028-02-01T00:00:00Z")
    const quota = describeCount("visa", todayAt(startsAt), { limit: 1, remaining: 1, firstDay: null })
    assert.include(quotaHeaders(quota, "free", startsAt), '"monthly";q=1;w=2505600')
  })

  it.effect("shows the five requests of an address that is not confirmed, which come to no end", () =>
    Effect.gen(function* () {
      const quota = yield* (yield* openWith(2)).readQuota(callerWith({ isConfirmed: false }), NOW)
      assert.deepStrictEqual(quotaHeaders(quota, "free", NOW), [
        ...["x-ratelimit-limit", "5", "x-ratelimit-remaining", "3", "x-plan", "free"],
        ...["ratelimit-policy", '"unconfirmed";q=5', "ratelimit", '"unconfirmed";r=3'],
      ])
    }),
  )
})

describe("refusalHeaders", () => {
  it.effect("points to the next 1st, 00:00 UTC, when the month is spent", () =>
    Effect.gen(function* () {
      const refusal = (yield* (yield* openWith(100)).refuse(
        callerWith({ requests: 100 }),
        { charge: 1 },
        NOW,
      )) as Refusal
      const headers = refusalHeaders(refusal, "hobby", NOW)
      assert.strictEqual(headers[headers.indexOf("x-ratelimit-remaining") + 1], "0")
      const reset = Number(headers[headers.indexOf("x-ratelimit-reset") + 1])
      assert.strictEqual(new Date(reset * 1_000).toISOString(), "2026-12-01T00:00:00.000Z")
      assert.notInclude(headers, "retry-after")
    }),
  )

  it.effect("points to the next UTC midnight when there were too many destinations", () =>
    Effect.gen(function* () {
      const running = yield* openWith(0)
      const caller = callerWith({ cap: 0 })
      const refusal = (yield* running.refuse(
        caller,
        { charge: 1, passport: "FRA", destinations: "JPN" },
        NOW,
      )) as Refusal
      assert.deepStrictEqual(refusalHeaders(refusal, "hobby", NOW).slice(6), [
        ...["ratelimit-policy", '"monthly";q=100;w=2592000, "destinations";q=0;w=86400'],
        ...["ratelimit", '"monthly";r=100;t=1339200, "destinations";r=0;t=43200', "retry-after", "43200"],
      ])
    }),
  )

  it.effect("points nowhere when only confirming the address helps", () =>
    Effect.gen(function* () {
      const refusal = (yield* (yield* openWith(5)).refuse(
        callerWith({ isConfirmed: false }),
        { charge: 1 },
        NOW,
      )) as Refusal
      assert.deepStrictEqual(refusalHeaders(refusal, "free", NOW), quotaHeaders(refusal, "free", NOW))
    }),
  )
})

describe("limitHeaders", () => {
  const lookup = { pool: "lookup", charge: 1 } as const

  it.effect("show a lookup the second, and both limits in the fields of the IETF draft", () =>
    Effect.gen(function* () {
      const running = yield* openProcess({ "lookup 2026-10-17": 4_000 })
      const reservation = yield* running.reserve(callerWith({}), lookup, NOW)
      // The uses of the first of the thirty days count until it is over.
      const renewal = (Date.parse("2026-11-16T00:00:00Z") - NOW) / 1_000
      assert.deepStrictEqual(limitHeaders(reservation.limits, NOW), [
        ...["x-ratelimit-limit", "10", "x-ratelimit-remaining", "9", "x-ratelimit-reset", String(NOW / 1_000 + 1)],
        ...["ratelimit-policy", '"second";q=10;w=1, "rolling";q=10000;w=2592000'],
        ...["ratelimit", `"second";r=9;t=1, "rolling";r=5999;t=${renewal}`],
      ])
    }),
  )

  it.effect(
    "say when a lookup that was too fast may come back, and nothing more when only confirming the address helps",
    () =>
      Effect.gen(function* () {
        const running = yield* openProcess({ "unconfirmed 1970-01-01": 5 })
        for (let i = 0; i < 10; i++) (yield* running.reserve(callerWith({}), lookup, NOW)).commit()
        const tooFast = yield* running.refuse(callerWith({}), lookup, NOW)
        assert.deepStrictEqual(retryHeaders(tooFast), ["retry-after", "1"])
        const unconfirmed = yield* running.refuse(callerWith({ isConfirmed: false }), lookup, NOW)
        assert.deepStrictEqual(retryHeaders(unconfirmed), [])
      }),
  )
})
