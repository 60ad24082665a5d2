import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import fc from "fast-check"
import type { Reservation } from "../../adapters/quota/reservation.ts"
import { type OracleCaller, OracleMeter } from "../oracles/meter.ts"
import { makeDeployment } from "../storage/deployment.ts"
import { callerWith } from "./callers.ts"
import { type Fault, makeTime, openFaultyStorage, TestNode } from "./nodes.ts"

const NODE_LEASE_MS = 6_000
const options = { unconfirmedRequests: 5, nodeLeaseMs: NODE_LEASE_MS }

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
    {
      weight: 2,
      arbitrary: fc.record({
        kind: fc.constant("save" as const),
        fault: fc.constantFrom<Fault | null>(null, null, "lost", "unheard"),
      }),
    },
    {
      weight: 1,
      arbitrary: fc.record({
        kind: fc.constant("break" as const),
        fault: fc.constantFrom<Fault>("lost", "unheard"),
      }),
    },
    { weight: 2, arbitrary: fc.record({ kind: fc.constant("restart" as const) }) },
  )

  type Step = typeof step extends fc.Arbitrary<infer Doing> ? Doing : never

  it.effect(
    "agree with counting every request anew, through lost and unheard saves, restarts, the ends of months and of thirty days",
    () =>
      Effect.gen(function* () {
        const { storage, breakNext } = yield* openFaultyStorage(yield* makeDeployment)
        const run = (steps: readonly Step[]) =>
          Effect.gen(function* () {
            const oracle = new OracleMeter(options.unconfirmedRequests)
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
            const { time, run: atTime } = makeTime(Date.parse("2026-11-29T22:10:00Z"))
            let node = yield* TestNode.start(storage, options)
            let open: { reservation: Reservation; number: number; charge: number }[] = []
            const takeOpen = (which: number) => (open.length === 0 ? [] : open.splice(which % open.length, 1))
            // A fault passes: what was not heard of is found out about.
            const again = <A, E>(work: Effect.Effect<A, E>) => atTime(Effect.catch(work, () => work))
            for (const doing of steps) {
              if (doing.kind === "wait") {
                // No request is under way for days.
                for (const { reservation, number } of doing.ms < 1e9 ? [] : open.splice(0)) {
                  reservation.release()
                  oracle.release(number)
                }
                time.nowMs += doing.ms
              }
              if (doing.kind === "break") breakNext(doing.fault)
              if (doing.kind === "save") {
                if (doing.fault !== null) breakNext(doing.fault)
                yield* atTime(Effect.ignore(node.flush))
              }
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
                for (const { number } of open) oracle.release(number)
                open = []
                yield* again(node.leave)
                node = yield* TestNode.start(storage, options)
              }
              if (doing.kind === "reserve") {
                const { charge, passports, destinations, pool } = doing
                const caller = oracleCallers[doing.who]!
                const expected = oracle.reserve({ caller, pool, charge, passports, destinations, at: time.nowMs })
                const request = pool === "visa" ? { charge, passport: passports, destinations } : { pool, charge }
                const answer = yield* again(node.judge(callers[doing.who]!, request, time.nowMs))
                assert.isNotNull(answer)
                const verdict = typeof expected === "number" ? "served" : expected
                assert.strictEqual(answer!.ok ? "served" : answer!.reason, verdict)
                if (answer!.ok && typeof expected === "number") {
                  open.push({ reservation: answer as Reservation, number: expected, charge })
                }
              }
              for (const [at, caller] of oracleCallers.entries()) {
                for (const pool of ["visa", "lookup"] as const) {
                  const quota = yield* again(node.readQuota(callers[at]!, time.nowMs, pool))
                  assert.strictEqual(quota?.remaining, oracle.remaining(caller, time.nowMs, pool))
                }
              }
            }
            yield* again(node.leave)
          })
        yield* Effect.promise(() =>
          fc.assert(
            fc.asyncProperty(fc.array(step, { maxLength: 50, size: "max" }), steps => Effect.runPromise(run(steps))),
            { numRuns: 25 },
          ),
        )
      }),
  )
})

describe("several processes and their database", () => {
  const NODES = 3
  const which = fc.nat({ max: NODES - 1 })
  const step = fc.oneof(
    {
      weight: 10,
      arbitrary: fc.record({ kind: fc.constant("serve" as const), which, times: fc.integer({ min: 1, max: 9 }) }),
    },
    {
      weight: 3,
      arbitrary: fc.record({ kind: fc.constant("hold" as const), which, charge: fc.integer({ min: 1, max: 5 }) }),
    },
    {
      weight: 2,
      arbitrary: fc.record({ kind: fc.constant("settle" as const), which: fc.nat(), isCommitted: fc.boolean() }),
    },
    { weight: 3, arbitrary: fc.record({ kind: fc.constant("save" as const), which }) },
    { weight: 3, arbitrary: fc.record({ kind: fc.constant("keep house" as const), which }) },
    {
      weight: 2,
      arbitrary: fc.record({ kind: fc.constant("wait" as const), ms: fc.constantFrom(100, 750, 2_500) }),
    },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant("be cut off" as const), which }) },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant("leave" as const), which }) },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant("kill" as const), which }) },
  )
  type Step = typeof step extends fc.Arbitrary<infer Doing> ? Doing : never

  it.effect(
    "exceed a limit by nothing but what killed or cut off ones had not saved, and serve all of it in the end",
    () =>
      Effect.gen(function* () {
        const { storage } = yield* openFaultyStorage(yield* makeDeployment)
        const run = (limit: number, steps: readonly Step[]) =>
          Effect.gen(function* () {
            const caller = callerWith({ accountId: nextAccountId++, requests: limit })
            const { time, run: atTime } = makeTime(Date.parse("2026-11-15T12:00:00Z"))
            const start = TestNode.start(storage, options)
            const nodes = yield* Effect.all(Array.from({ length: NODES }, () => start))
            let open: { reservation: Reservation; charge: number; node: TestNode }[] = []
            /** Everything that was answered, and what of it went down with a process or was not heard of in time. */
            let served = 0
            let lost = 0
            let late = 0
            const serveOne = Effect.fnUntraced(function* (node: TestNode, charge: number) {
              const answer = yield* atTime(node.judge(caller, { charge }, time.nowMs))
              return answer?.ok ? answer : null
            })
            const end = Effect.fnUntraced(function* (at: number) {
              open = open.filter(({ node }) => node !== nodes[at])
              nodes[at] = yield* start
            })
            for (const doing of steps) {
              if (doing.kind === "wait") {
                time.nowMs += doing.ms
                yield* atTime(Effect.forEach(nodes, node => node.keepHouse))
              }
              if (doing.kind === "be cut off") {
                const held = open.reduce((sum, { charge, node }) => sum + (node === nodes[doing.which] ? charge : 0), 0)
                late += nodes[doing.which]!.unsaved.count().requests + held
                for (const pause of [NODE_LEASE_MS / 2, NODE_LEASE_MS / 2 + 1]) {
                  time.nowMs += pause
                  yield* atTime(
                    Effect.forEach(nodes, (node, at) => (at === doing.which ? Effect.void : node.keepHouse)),
                  )
                }
              }
              if (doing.kind === "serve") {
                for (let i = 0; i < doing.times; i++) {
                  const answer = yield* serveOne(nodes[doing.which]!, 1)
                  answer?.commit()
                  if (answer !== null) served++
                }
              }
              if (doing.kind === "hold") {
                const node = nodes[doing.which]!
                const reservation = yield* serveOne(node, doing.charge)
                if (reservation !== null) open.push({ reservation, charge: doing.charge, node })
              }
              if (doing.kind === "settle" && open.length > 0) {
                const [held] = open.splice(doing.which % open.length, 1)
                if (doing.isCommitted) {
                  held!.reservation.commit()
                  served += held!.charge
                } else held!.reservation.release()
              }
              if (doing.kind === "save") yield* atTime(nodes[doing.which]!.flush)
              if (doing.kind === "keep house") yield* atTime(nodes[doing.which]!.keepHouse)
              if (doing.kind === "leave") {
                yield* atTime(nodes[doing.which]!.leave)
                yield* end(doing.which)
              }
              if (doing.kind === "kill") {
                lost += nodes[doing.which]!.unsaved.count().requests
                yield* end(doing.which)
              }
              const held = open.reduce((sum, { charge }) => sum + charge, 0)
              assert.isAtMost(served + held, limit + lost + late)
            }
            for (const { reservation } of open) reservation.release()
            for (const node of nodes) yield* atTime(node.leave)
            // Whoever comes after them finds that the killed ones are gone.
            const last = yield* start
            yield* serveOne(last, 1).pipe(Effect.map(answer => answer?.release()))
            time.nowMs += NODE_LEASE_MS + 1
            yield* atTime(last.flush)
            yield* atTime(last.keepHouse)
            for (let answer = yield* serveOne(last, 1); answer !== null; answer = yield* serveOne(last, 1)) {
              answer.commit()
              served++
            }
            assert.isAtLeast(served, limit + lost)
            assert.isAtMost(served, limit + lost + late)
            yield* atTime(last.leave)
          })
        yield* Effect.promise(() =>
          fc.assert(
            fc.asyncProperty(
              fc.integer({ min: 0, max: 60 }),
              fc.array(step, { maxLength: 60, size: "max" }),
              (limit, steps) => Effect.runPromise(run(limit, steps)),
            ),
            { numRuns: 25 },
          ),
        )
      }),
  )
})
