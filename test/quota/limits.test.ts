import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import fc from "fast-check"
import type { Caller } from "../../adapters/accounts/account.ts"
import type { Charge } from "../../adapters/quota/meter.ts"
import {
  endOfUtcDay,
  findSampleDay,
  formatUtcDay,
  startOfUtcHour,
  utcDayAt,
  utcMonthAt,
} from "../../adapters/time/utc-calendar.ts"
import { callerWith } from "./callers.ts"
import { type OneProcess, openProcess } from "./one-process.ts"

const at = (text: string) => Date.parse(text)
const NOON = at("2026-11-15T12:00:00Z")

const reserve = (running: OneProcess, caller: Caller, request: Charge = { charge: 1 }, nowMs = NOON) =>
  running.reserve(caller, request, nowMs)

const refuse = (running: OneProcess, caller: Caller, request: Charge = { charge: 1 }, nowMs = NOON) =>
  running.refuse(caller, request, nowMs)

const atOnce = <A, E>(all: readonly Effect.Effect<A, E>[]) => Effect.all(all, { concurrency: "unbounded" })

describe("the monthly quota", () => {
  it.effect("serves exactly what is left of 1,000 requests under way at once", () =>
    Effect.gen(function* () {
      const running = yield* openProcess({ "visa 2026-11-01": 9_900 })
      const caller = callerWith({ requests: 10_000 })
      const answers = yield* atOnce(Array.from({ length: 1_000 }, () => running.judge(caller, { charge: 1 }, NOON)))
      const served = answers.filter(answer => answer.ok)
      assert.strictEqual(served.length, 100)
      assert.deepStrictEqual(
        served.map(answer => answer.remaining),
        Array.from({ length: 100 }, (_, i) => 99 - i),
      )
      for (const answer of served) if (answer.ok) answer.commit()
      assert.strictEqual((yield* running.readQuota(caller, NOON)).remaining, 0)
    }),
  )

  it.effect("costs nothing for a request that was not answered with a 2xx", () =>
    Effect.gen(function* () {
      const running = yield* openProcess()
      const caller = callerWith({ requests: 1 })
      for (let i = 0; i < 10; i++) (yield* reserve(running, caller)).release()
      ;(yield* reserve(running, caller)).commit()
      assert.strictEqual((yield* refuse(running, caller)).reason, "monthly")
    }),
  )

  it.effect("counts a request once, however often it is settled", () =>
    Effect.gen(function* () {
      const running = yield* openProcess()
      const caller = callerWith({ requests: 10 })
      const reservation = yield* reserve(running, caller, { charge: 3 })
      reservation.commit()
      reservation.commit()
      reservation.release()
      assert.strictEqual((yield* running.readQuota(caller, NOON)).remaining, 7)
      const released = yield* reserve(running, caller)
      released.release()
      released.commit()
      assert.strictEqual((yield* running.readQuota(caller, NOON)).remaining, 7)
    }),
  )

  it.effect("charges what a request came to, and never more than was reserved", () =>
    Effect.gen(function* () {
      const running = yield* openProcess()
      const caller = callerWith({ requests: 100 })
      const bulk = yield* reserve(running, caller, { charge: 25 })
      assert.strictEqual(bulk.remaining, 75)
      bulk.commit(20)
      assert.strictEqual(bulk.remaining, 80)
      ;(yield* reserve(running, caller, { charge: 1 })).commit(1_000)
      assert.strictEqual((yield* running.readQuota(caller, NOON)).remaining, 79)
    }),
  )

  it.effect("refuses a charge that is greater than what is left, says how much is left, and serves a smaller one", () =>
    Effect.gen(function* () {
      const running = yield* openProcess({ "visa 2026-11-01": 97 })
      const caller = callerWith({ requests: 100 })
      const refusal = yield* refuse(running, caller, { charge: 4 })
      assert.deepInclude(refusal, { reason: "monthly", limit: 100, remaining: 3 })
      ;(yield* reserve(running, caller, { charge: 3 })).commit()
      assert.strictEqual((yield* refuse(running, caller)).remaining, 0)
      ;(yield* reserve(running, caller, { charge: 0 })).commit()
    }),
  )

  it.effect("is one for an account and its team keys", () =>
    Effect.gen(function* () {
      const running = yield* openProcess()
      const owner = callerWith({ requests: 2 })
      const team = callerWith({ requests: 2, keyId: 2 })
      ;(yield* reserve(running, owner)).commit()
      ;(yield* reserve(running, team)).commit()
      assert.strictEqual((yield* refuse(running, owner)).reason, "monthly")
      assert.strictEqual((yield* refuse(running, team)).reason, "monthly")
    }),
  )

  it.effect("begins anew on the 1st at 00:00 UTC and not a millisecond earlier", () =>
    Effect.gen(function* () {
      const running = yield* openProcess()
      const caller = callerWith({ requests: 1 })
      ;(yield* reserve(running, caller)).commit()
      const refusal = yield* refuse(running, caller, { charge: 1 }, at("2026-11-30T23:59:59.999Z"))
      assert.strictEqual(refusal.retryAfterSeconds, 1)
      assert.strictEqual(refusal.renewsAt, at("2026-12-01T00:00:00Z"))
      ;(yield* reserve(running, caller, { charge: 1 }, at("2026-12-01T00:00:00Z"))).commit()
    }),
  )

  it.effect("charges a request that ends after midnight to the month in which it began", () =>
    Effect.gen(function* () {
      const running = yield* openProcess()
      const caller = callerWith({ requests: 1 })
      const late = yield* reserve(running, caller, { charge: 1 }, at("2026-11-30T23:59:59Z"))
      const early = yield* reserve(running, caller, { charge: 1 }, at("2026-12-01T00:00:01Z"))
      late.commit()
      early.commit()
      const rows = yield* running.sql<{ day: string; used: number }>`SELECT day, used FROM pool_counts ORDER BY day`
      assert.deepStrictEqual(
        rows.map(({ day, used }) => [day, used]),
        [
          ["2026-11-30", 1],
          ["2026-12-01", 1],
        ],
      )
    }),
  )

  it.effect("is not given anew when the clock is set back over the 1st", () =>
    Effect.gen(function* () {
      const running = yield* openProcess()
      const caller = callerWith({ requests: 1 })
      ;(yield* reserve(running, caller, { charge: 1 }, at("2026-12-01T00:00:00Z"))).commit()
      yield* refuse(running, caller, { charge: 1 }, at("2026-11-30T23:59:59Z"))
      yield* refuse(running, caller, { charge: 1 }, at("2026-12-01T00:00:01Z"))
    }),
  )
})

describe("the test keys of an account", () => {
  const test = { ...callerWith({ requests: 1_000 }), isTest: true }

  it.effect("have a hundred requests a UTC day, for every surface together, and leave each quota as it is", () =>
    Effect.gen(function* () {
      const running = yield* openProcess({ "visa 2026-11-01": 7 })
      for (let i = 0; i < 34; i++)
        for (const pool of ["visa", "lookup", "spots"] as const)
          if (i < 33 || pool === "visa") (yield* reserve(running, test, { charge: 1, pool })).commit()
      const refusal = yield* refuse(running, test, { charge: 1, pool: "lookup" })
      assert.deepInclude(refusal, {
        reason: "test",
        policy: "test",
        limit: 100,
        remaining: 0,
        retryAfterSeconds: 43_200,
      })
      assert.deepInclude(yield* running.readQuota({ ...test, isTest: false }, NOON), { limit: 1_000, remaining: 993 })
      assert.deepInclude(yield* running.readQuota(test, at("2026-11-16T00:00:00Z")), { policy: "test", remaining: 100 })
    }),
  )

  it.effect("are bound by the five requests of an address that is not confirmed too", () =>
    Effect.gen(function* () {
      const running = yield* openProcess()
      const caller = { ...test, isConfirmed: false }
      for (let i = 0; i < 5; i++) (yield* reserve(running, caller)).commit()
      assert.strictEqual((yield* refuse(running, caller)).reason, "unconfirmed")
      assert.strictEqual((yield* refuse(running, { ...caller, isTest: false })).reason, "unconfirmed")
    }),
  )
})

describe("an account whose address is not confirmed", () => {
  it.effect("has five requests in all, whatever the month", () =>
    Effect.gen(function* () {
      const running = yield* openProcess({ "unconfirmed 1970-01-01": 2 })
      const caller = callerWith({ requests: 100, isConfirmed: false })
      ;(yield* reserve(running, caller)).commit()
      ;(yield* reserve(running, caller, { charge: 1 }, at("2026-12-01T00:00:00Z"))).commit()
      const quota = yield* running.readQuota(caller, at("2027-01-01T00:00:00Z"))
      assert.deepInclude(quota, { policy: "unconfirmed", limit: 5, remaining: 1, renewsAt: null })
      ;(yield* reserve(running, caller, { charge: 1 }, at("2027-01-01T00:00:00Z"))).commit()
      const refusal = yield* refuse(running, caller, { charge: 1 }, at("2027-02-01T00:00:00Z"))
      assert.deepInclude(refusal, { reason: "unconfirmed", remaining: 0, retryAfterSeconds: null })
    }),
  )

  it.effect("has its plan's quota as soon as it is confirmed, less what it used this month", () =>
    Effect.gen(function* () {
      const running = yield* openProcess()
      for (let i = 0; i < 5; i++) (yield* reserve(running, callerWith({ isConfirmed: false }))).commit()
      assert.deepInclude(yield* running.readQuota(callerWith({}), NOON), {
        policy: "monthly",
        limit: 100,
        remaining: 95,
      })
    }),
  )
})

describe("the guard against harvesting", () => {
  const ask = (destinations: string | string[], passport = "FRA") => ({ charge: 1, passport, destinations })

  it.effect("serves as many distinct destinations for a passport as the plan has, and those again and again", () =>
    Effect.gen(function* () {
      const running = yield* openProcess()
      const caller = callerWith({ cap: 2 })
      for (const destination of ["JPN", "THA", "JPN", "THA"])
        (yield* reserve(running, caller, ask(destination))).commit()
      assert.deepInclude(yield* refuse(running, caller, ask("BRA")), {
        reason: "anti_abuse",
        destinationsCap: 2,
        remaining: 96,
      })
      ;(yield* reserve(running, caller, ask("BRA", "DEU"))).commit()
      ;(yield* reserve(running, callerWith({ cap: null }), ask("BRA"))).commit()
    }),
  )

  it.effect("serves exactly the cap when all are asked at once", () =>
    Effect.gen(function* () {
      const running = yield* openProcess()
      const caller = callerWith({ cap: 25, requests: 1_000 })
      const answers = yield* atOnce(Array.from({ length: 200 }, (_, i) => running.judge(caller, ask(`D${i}`), NOON)))
      assert.strictEqual(answers.filter(answer => answer.ok).length, 25)
    }),
  )

  it.effect("takes a list whole or not at all", () =>
    Effect.gen(function* () {
      const running = yield* openProcess()
      const caller = callerWith({ cap: 3 })
      yield* refuse(running, caller, ask(["JPN", "THA", "BRA", "PER"]))
      ;(yield* reserve(running, caller, ask(["JPN", "THA", "JPN", "BRA"]))).commit()
      yield* refuse(running, caller, ask(["JPN", "PER"]))
    }),
  )

  it.effect("counts every destination for every passport of a request, or none for any", () =>
    Effect.gen(function* () {
      const running = yield* openProcess()
      const caller = callerWith({ cap: 2 })
      const askBoth = (destination: string) => ({ charge: 1, passport: ["FRA", "DEU"], destinations: destination })
      ;(yield* reserve(running, caller, ask("JPN", "DEU"))).commit()
      ;(yield* reserve(running, caller, askBoth("THA"))).commit()
      yield* refuse(running, caller, askBoth("BRA"))
      ;(yield* reserve(running, caller, ask("BRA", "FRA"))).commit()
      yield* refuse(running, caller, ask("PER", "FRA"))
      yield* refuse(running, caller, ask("PER", "DEU"))
    }),
  )

  it.effect("forgets a destination when the last request that holds it is not answered with a 2xx", () =>
    Effect.gen(function* () {
      const running = yield* openProcess()
      const caller = callerWith({ cap: 1 })
      const first = yield* reserve(running, caller, ask("JPN"))
      const second = yield* reserve(running, caller, ask("JPN"))
      first.release()
      yield* refuse(running, caller, ask("THA"))
      second.release()
      const third = yield* reserve(running, caller, ask("THA"))
      const fourth = yield* reserve(running, caller, ask("THA"))
      third.commit()
      fourth.release()
      yield* refuse(running, caller, ask("JPN"))
    }),
  )

  it.effect("ends at the next UTC midnight, which Retry-After points to", () =>
    Effect.gen(function* () {
      const running = yield* openProcess()
      const caller = callerWith({ cap: 1 })
      ;(yield* reserve(running, caller, ask("JPN"), at("2026-11-15T00:00:00Z"))).commit()
      assert.strictEqual(
        (yield* refuse(running, caller, ask("THA"), at("2026-11-15T00:00:00Z"))).retryAfterSeconds,
        86_400,
      )
      assert.strictEqual(
        (yield* refuse(running, caller, ask("THA"), at("2026-11-15T23:59:59.001Z"))).retryAfterSeconds,
        1,
      )
      ;(yield* reserve(running, caller, ask("THA"), at("2026-11-16T00:00:00Z"))).commit()
    }),
  )
})

describe("an address that is not confirmed", () => {
  it.effect("has five requests over every surface together, and its month counts them too", () =>
    Effect.gen(function* () {
      const running = yield* openProcess()
      const caller = callerWith({ requests: 100, isConfirmed: false })
      ;(yield* reserve(running, caller, { charge: 2 })).commit()
      ;(yield* reserve(running, caller, { pool: "lookup", charge: 1 })).commit()
      ;(yield* reserve(running, caller, { pool: "spots", charge: 2 })).commit()
      for (const pool of ["visa", "lookup", "spots"] as const) {
        assert.deepInclude(yield* refuse(running, caller, { pool, charge: 1 }), {
          reason: "unconfirmed",
          limit: 5,
        })
      }
      const confirmed = callerWith({ requests: 100 })
      assert.strictEqual((yield* running.readQuota(confirmed, NOON)).remaining, 98)
      assert.strictEqual((yield* running.readQuota(confirmed, NOON, "spots")).remaining, 998)
    }),
  )

  it.effect("holds nothing of one limit when the other refuses", () =>
    Effect.gen(function* () {
      const running = yield* openProcess({ "visa 2026-11-01": 99 })
      const caller = callerWith({ requests: 100, isConfirmed: false })
      assert.strictEqual((yield* refuse(running, caller, { charge: 2 })).reason, "monthly")
      assert.strictEqual((yield* running.readQuota(caller, NOON)).remaining, 5)
      ;(yield* reserve(running, caller)).commit()
      assert.strictEqual((yield* running.readQuota(caller, NOON)).remaining, 4)
    }),
  )
})

describe("the surfaces", () => {
  it.effect("have a limit each, which the others never consume", () =>
    Effect.gen(function* () {
      const running = yield* openProcess()
      const caller = callerWith({ requests: 1 })
      ;(yield* reserve(running, caller)).commit()
      yield* refuse(running, caller)
      ;(yield* reserve(running, caller, { pool: "lookup", charge: 1 })).commit()
      ;(yield* reserve(running, caller, { pool: "spots", charge: 1 })).commit()
      assert.strictEqual((yield* running.readQuota(caller, NOON, "lookup")).remaining, 9_999)
      assert.strictEqual((yield* running.readQuota(caller, NOON, "spots")).remaining, 999)
    }),
  )

  it.effect("count spots by calendar month", () =>
    Effect.gen(function* () {
      const running = yield* openProcess({ "spots 2026-11-02": 999 })
      const caller = callerWith({})
      ;(yield* reserve(running, caller, { pool: "spots", charge: 1 })).commit()
      const refusal = yield* refuse(running, caller, { pool: "spots", charge: 1 })
      assert.strictEqual(refusal.reason, "monthly")
      assert.deepStrictEqual(refusal.limits, [
        {
          policy: "monthly",
          limit: 1_000,
          remaining: 0,
          windowSeconds: 30 * 86_400,
          renewsAt: at("2026-12-01T00:00:00Z"),
        },
      ])
    }),
  )

  it.effect("say how often each limit refused, by reason and plan", () =>
    Effect.gen(function* () {
      const running = yield* openProcess()
      const caller = callerWith({ requests: 0 })
      yield* refuse(running, caller)
      yield* refuse(running, caller)
      assert.deepStrictEqual(running.meter.readState().refusals, [
        { pool: "visa", reason: "monthly", plan: "hobby", count: 2 },
      ])
    }),
  )
})

describe("a lookup", () => {
  const lookup = { pool: "lookup", charge: 1 } as const

  it.effect("may be asked for as often a second as the plan says, and again as the bucket is refilled", () =>
    Effect.gen(function* () {
      const running = yield* openProcess()
      const caller = callerWith({})
      for (let i = 0; i < 10; i++) (yield* reserve(running, caller, lookup)).commit()
      const refusal = yield* refuse(running, caller, lookup)
      assert.deepInclude(refusal, { reason: "second", retryAfterSeconds: 1 })
      assert.deepStrictEqual(refusal.limits[0], {
        policy: "second",
        limit: 10,
        remaining: 0,
        windowSeconds: 1,
        renewsAt: NOON + 1_000,
      })
      yield* refuse(running, caller, lookup, NOON + 99)
      ;(yield* reserve(running, caller, lookup, NOON + 100)).commit()
      yield* refuse(running, caller, lookup, NOON + 199)
      for (let i = 0; i < 10; i++) (yield* reserve(running, caller, lookup, NOON + 5_000)).commit()
      yield* refuse(running, caller, lookup, NOON + 5_000)
    }),
  )

  it.effect(
    "that is refused for its speed costs nothing of the thirty days, and one that fails gives no token back",
    () =>
      Effect.gen(function* () {
        const running = yield* openProcess()
        const caller = callerWith({})
        for (let i = 0; i < 10; i++) (yield* reserve(running, caller, lookup)).release()
        yield* refuse(running, caller, lookup)
        assert.strictEqual((yield* running.readQuota(caller, NOON, "lookup")).remaining, 10_000)
      }),
  )

  it.effect("describes both limits, the second first, with what is left after it", () =>
    Effect.gen(function* () {
      const running = yield* openProcess({ "lookup 2026-10-17": 4_000 })
      const reservation = yield* reserve(running, callerWith({}), lookup)
      assert.deepStrictEqual(
        reservation.limits.map(({ policy, limit, remaining, windowSeconds }) => [
          policy,
          limit,
          remaining,
          windowSeconds,
        ]),
        [
          ["second", 10, 9, 1],
          ["rolling", 10_000, 5_999, 30 * 86_400],
        ],
      )
    }),
  )
})

describe("utcMonthAt", () => {
  it("puts every instant into the month of its ISO text, and months end where the next begins", () => {
    fc.assert(
      fc.property(fc.date({ min: new Date("1970-01-01"), max: new Date("2199-12-31"), noInvalidDate: true }), date => {
        const month = utcMonthAt(date.getTime())
        assert.strictEqual(month.name, date.toISOString().slice(0, 7))
        assert.isTrue(month.startsAt <= date.getTime() && date.getTime() < month.endsAt)
        assert.strictEqual(new Date(month.startsAt).toISOString(), `${month.name}-01T00:00:00.000Z`)
        assert.strictEqual(utcMonthAt(month.endsAt).startsAt, month.endsAt)
        assert.strictEqual(utcMonthAt(month.endsAt).index, month.index + 1)
      }),
    )
  })
})

describe("findSampleDay", () => {
  it("is the first of a month, 60 to 90 days ahead, at both ends of a year and of every February too", () => {
    // Until the end of 2100, which is no leap year.
    for (let day = utcDayAt(at("2026-01-01")); day < utcDayAt(at("2101-01-01")); day++) {
      const [first, last] = [startOfUtcHour(day * 24), endOfUtcDay(day) - 1].map(findSampleDay)
      assert.strictEqual(first, last)
      assert.match(String(first), /-01$/)
      const ahead = utcDayAt(at(String(first))) - day
      assert.isTrue(ahead >= 60 && ahead <= 90, formatUtcDay(day))
    }
  })
})
