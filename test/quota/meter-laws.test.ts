import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import fc from "fast-check"
import type { Reservation } from "../../adapters/quota/meter.ts"
import { type OracleCaller, OracleMeter } from "../oracles/meter.ts"
import { countTrips } from "../sample.ts"
import { makeDeployment } from "../storage/deployment.ts"
import { callerWith } from "./callers.ts"
import { type OneProcess, startOn } from "./one-process.ts"

/** Accounts that no other run has used. */
let nextAccountId = 1

describe("one process and its database", () => {
  const kinds = [
    { who: 0, isConfirmed: true, requestsPerMonth: 7, lookupsPer30Days: 5, destinationsCap: 3 },
    { who: 0, isConfirmed: true, requestsPerMonth: 15, lookupsPer30Days: 9, destinationsCap: null },
    { who: 0, isConfirmed: true, requestsPerMonth: 6, lookupsPer30Days: 4, destinationsCap: 2 },
    { who: 1, isConfirmed: false, requestsPerMonth: 12, lookupsPer30Days: 9, destinationsCap: 2 },
    { who: 1, isConfirmed: true, requestsPerMonth: 8, lookupsPer30Days: 6, destinationsCap: 4 },
  ] as const
  const step = fc.oneof(
    {
      weight: 8,
      arbitrary: fc.record({
        kind: fc.constant("reserve" as const),
        who: fc.nat({ max: kinds.length - 1 }),
        pool: fc.constantFrom("visa" as const, "visa" as const, "lookup" as const),
        charge: fc.nat({ max: 4 }),
        passports: fc.constantFrom<string[]>(["FRA"], ["PER"], ["FRA", "PER"], ["PER", "FRA", "KEN"], []),
        destinations: fc.array(fc.constantFrom("JPN", "THA", "BRA", "KEN", "FJI"), { maxLength: 4 }),
      }),
    },
    {
      weight: 5,
      arbitrary: fc.record({ kind: fc.constant("commit" as const), which: fc.nat(), less: fc.nat({ max: 2 }) }),
    },
    { weight: 2, arbitrary: fc.record({ kind: fc.constant("release" as const), which: fc.nat() }) },
    {
      weight: 2,
      arbitrary: fc.record({
        kind: fc.constant("wait" as const),
        ms: fc.constantFrom(1, 3_000_000, 3_599_999, 86_400_000, 2_588_400_000, 2_592_000_000),
      }),
    },
    { weight: 2, arbitrary: fc.record({ kind: fc.constant("give back" as const) }) },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant("restart" as const) }) },
  )

  type Step = typeof step extends fc.Arbitrary<infer Doing> ? Doing : never

  it.effect("agree with counting every request anew, through restarts, the ends of months and of thirty days", () =>
    Effect.gen(function* () {
      const place = yield* makeDeployment
      const run = (steps: readonly Step[]) =>
        Effect.gen(function* () {
          const oracle = new OracleMeter(5)
          const base = nextAccountId
          nextAccountId += 2
          const oracleCallers: readonly OracleCaller[] = kinds.map(kind => ({ ...kind, accountId: base + kind.who }))
          const callers = oracleCallers.map(caller =>
            callerWith({
              ...caller,
              requests: caller.requestsPerMonth,
              lookups: caller.lookupsPer30Days,
              lookupsPerSecond: 1_000_000,
              cap: caller.destinationsCap,
            }),
          )
          let nowMs = Date.parse("2026-11-29T22:10:00Z")
          let running = yield* startOn(place)
          let open: { reservation: Reservation; number: number; charge: number }[] = []
          const takeOpen = (which: number) => (open.length === 0 ? [] : open.splice(which % open.length, 1))
          const releaseAll = () => {
            for (const { reservation, number } of open) {
              reservation.release()
              oracle.release(number)
            }
            open = []
          }
          for (const doing of steps) {
            if (doing.kind === "wait") {
              // No request is under way for days.
              if (doing.ms > 1e9) releaseAll()
              nowMs += doing.ms
            }
            // What is held of a day that is over goes back within a second or two.
            const isSettled = doing.kind === "wait" || doing.kind === "commit" || doing.kind === "release"
            if (doing.kind === "give back") yield* running.at(nowMs, running.meter.flush)
            if (doing.kind === "commit") {
              for (const { reservation, number, charge } of takeOpen(doing.which)) {
                const cost = Math.max(0, charge - doing.less)
                reservation.commit(cost)
                oracle.commit(number, cost)
              }
            }
            if (doing.kind === "release") {
              for (const { reservation, number } of takeOpen(doing.which)) {
                reservation.release()
                oracle.release(number)
              }
            }
            if (doing.kind === "restart") {
              releaseAll()
              yield* running.at(nowMs, running.meter.flush)
              running = yield* startOn(place)
            }
            if (doing.kind === "reserve") {
              const { charge, passports, destinations, pool } = doing
              const caller = oracleCallers[doing.who]!
              const expected = oracle.reserve({ caller, pool, charge, passports, destinations, at: nowMs })
              const request = pool === "visa" ? { charge, passport: passports, destinations } : { pool, charge }
              const answer = yield* running.judge(callers[doing.who]!, request, nowMs)
              const verdict = typeof expected === "number" ? "served" : expected
              assert.strictEqual(answer.ok ? "served" : answer.reason, verdict)
              if (answer.ok && typeof expected === "number") {
                open.push({ reservation: answer, number: expected, charge })
              }
            }
            if (isSettled) yield* running.at(nowMs, running.meter.flush)
            for (const [at, caller] of oracleCallers.entries()) {
              for (const pool of ["visa", "lookup"] as const) {
                const { remaining } = yield* running.readQuota(callers[at]!, nowMs, pool)
                assert.strictEqual(remaining, oracle.remaining(caller, nowMs, pool))
              }
            }
          }
        }).pipe(Effect.scoped)
      yield* Effect.promise(() =>
        fc.assert(
          fc.asyncProperty(fc.array(step, { maxLength: 50, size: "max" }), steps => Effect.runPromise(run(steps))),
          { numRuns: countTrips(100) / 10 },
        ),
      )
    }),
  )
})

describe("several processes and their database", () => {
  const PROCESSES = 3
  const which = fc.nat({ max: PROCESSES - 1 })
  const step = fc.oneof(
    {
      weight: 10,
      arbitrary: fc.record({ kind: fc.constant("serve" as const), which, times: fc.integer({ min: 1, max: 90 }) }),
    },
    {
      weight: 3,
      arbitrary: fc.record({ kind: fc.constant("hold" as const), which, charge: fc.integer({ min: 1, max: 300 }) }),
    },
    {
      weight: 2,
      arbitrary: fc.record({ kind: fc.constant("settle" as const), which: fc.nat(), isCommitted: fc.boolean() }),
    },
    { weight: 3, arbitrary: fc.record({ kind: fc.constant("give back" as const), which }) },
    { weight: 2, arbitrary: fc.record({ kind: fc.constant("wait" as const), ms: fc.constantFrom(100, 750, 2_500) }) },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant("kill" as const), which }) },
  )
  type Step = typeof step extends fc.Arbitrary<infer Doing> ? Doing : never

  it.effect("never exceed a limit, and serve all of it but what killed ones held", () =>
    Effect.gen(function* () {
      const place = yield* makeDeployment
      const start = startOn(place)
      const run = (limit: number, steps: readonly Step[]) =>
        Effect.gen(function* () {
          const caller = callerWith({ accountId: nextAccountId++, requests: limit })
          let nowMs = Date.parse("2026-11-15T12:00:00Z")
          const all = yield* Effect.all(Array.from({ length: PROCESSES }, () => start))
          let open: { reservation: Reservation; charge: number; running: OneProcess }[] = []
          let served = 0
          /** What went down with killed processes. */
          let lost = 0
          const judge = (running: OneProcess, charge: number) => running.judge(caller, { charge }, nowMs)
          for (const doing of steps) {
            const running = all[doing.kind === "wait" ? 0 : doing.which % PROCESSES]!
            if (doing.kind === "wait") nowMs += doing.ms
            if (doing.kind === "give back") yield* running.at(nowMs, running.meter.flush)
            if (doing.kind === "serve") {
              for (let i = 0; i < doing.times; i++) {
                const answer = yield* judge(running, 1)
                if (!answer.ok) break
                answer.commit()
                served++
              }
            }
            if (doing.kind === "hold") {
              const answer = yield* judge(running, doing.charge)
              if (answer.ok) open.push({ reservation: answer, charge: doing.charge, running })
            }
            if (doing.kind === "settle" && open.length > 0) {
              const [held] = open.splice(doing.which % open.length, 1)
              if (doing.isCommitted) {
                held!.reservation.commit()
                served += held!.charge
              } else held!.reservation.release()
            }
            if (doing.kind === "kill") {
              for (const held of open) if (held.running === running) lost += held.charge
              open = open.filter(held => held.running !== running)
              lost += running.meter.readState().heldRequests
              all[doing.which] = yield* start
            }
            const held = open.reduce((sum, { charge }) => sum + charge, 0)
            assert.isAtMost(served + held + lost, limit)
          }
          for (const { reservation } of open) reservation.release()
          for (const running of all) yield* running.at(nowMs, running.meter.flush)
          nowMs += 1_001
          const last = yield* start
          const { remaining } = yield* last.readQuota(caller, nowMs)
          assert.strictEqual(remaining, limit - served - lost)
          for (let answer = yield* judge(last, 1); answer.ok; answer = yield* judge(last, 1)) {
            answer.commit()
            served++
          }
          assert.strictEqual(served, limit - lost)
        }).pipe(Effect.scoped)
      yield* Effect.promise(() =>
        fc.assert(
          fc.asyncProperty(
            fc.integer({ min: 0, max: 2_000 }),
            fc.array(step, { maxLength: 40, size: "max" }),
            (limit, steps) => Effect.runPromise(run(limit, steps)),
          ),
          { numRuns: countTrips(70) / 10 },
        ),
      )
    }),
  )
})
