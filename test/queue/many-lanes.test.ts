import { assert, describe, it } from "@effect/vitest"
import { Context, Effect } from "effect"
import { vi } from "vitest"
import { makeWorker, type WorkKind } from "../../adapters/queue/queue-worker.ts"
import { layerStorage } from "../../adapters/storage/migrations.ts"
import { Storage } from "../../adapters/storage/storage.ts"
import type { Ticket, WorkId } from "../../adapters/storage/work-table.ts"
import { build, makeDeployment } from "../storage/deployment.ts"

type Kind = WorkKind<Ticket, Ticket, object>

const LANES = 200
const ROWS = 3
const AT_ONCE = 64

/** Works on three rows of each of two hundred lanes, of which sixty-four are claimed at once; returns how many each turn has claimed. */
const work = (attempt: Kind["attempt"]) =>
  Effect.gen(function* () {
    const services = yield* build(layerStorage((yield* makeDeployment).databaseUrl))
    const left = new Map<WorkId, number>(Array.from({ length: LANES }, (_, lane) => [lane, ROWS]))
    const turns: number[] = []
    const table: Kind["table"] = {
      ...(Context.get(services, Storage).queuedWork("none") as unknown as Kind["table"]),
      claimedAtOnce: AT_ONCE,
      recall: () => Effect.void,
      listReady: ({ after }) =>
        Effect.sync(() => {
          turns.push(0)
          return new Map([...left].filter(([lane, rows]) => rows > 0 && (after === null || lane > after)))
        }),
      claim: ({ lanes, each }) =>
        Effect.sync(() => {
          const claimed = lanes.flatMap(lane => {
            const rows = left.get(lane) ?? 0
            left.set(lane, Math.max(0, rows - each))
            const lease_until = Number.POSITIVE_INFINITY
            return Array.from({ length: Math.min(each, rows) }, (_, at) => {
              return { id: `${lane} ${rows - at}`, lane, attempt: 1, lease_until }
            })
          })
          turns.push((turns.pop() ?? 0) + claimed.length)
          return claimed
        }),
      settle: (_, outcomes) => Effect.succeed(new Set(outcomes.map(({ ticket }) => ticket.id))),
    }
    const kind: Kind = {
      name: "none",
      table,
      leaseMs: 1,
      attemptMs: 1,
      stopMs: 1,
      inFlight: 1_000,
      perLane: 4,
      ahead: 1_000,
      settleAt: 1,
      idleMs: 1,
      retries: { waitsMs: [], longestAskedMs: 0 },
      keepsMs: null,
      find: Effect.succeed,
      attempt,
    }
    const { drain } = yield* Effect.provideContext(makeWorker<Ticket, Ticket, object>(kind), services)
    yield* drain
    return turns.filter(claimed => claimed > 0)
  })

describe("a worker with many lanes", () => {
  it.effect("claims some rows of each, however quickly they answer", () =>
    Effect.gen(function* () {
      const turns = yield* work((_, done) => done({ kind: "done", note: {} }))
      assert.strictEqual(
        turns.reduce((sum, claimed) => sum + claimed, 0),
        LANES * ROWS,
      )
      assert.isAtMost(turns.length, 2 * Math.ceil((LANES * ROWS) / AT_ONCE))
    }),
  )

  it.effect("begins attempts for two milliseconds in one turn of the event loop", () =>
    Effect.gen(function* () {
      let [nowMs, begun, most, all] = [0, 0, 0, 0]
      // Each attempt takes half a millisecond.
      const clock = vi.spyOn(performance, "now").mockImplementation(() => (nowMs += 0.5))
      yield* work((_, done) => {
        all++
        most = Math.max(most, ++begun)
        setImmediate(() => {
          begun = 0
          done({ kind: "done", note: {} })
        })
      })
      clock.mockRestore()
      assert.strictEqual(all, LANES * ROWS)
      assert.isAtMost(most, 4)
    }),
  )
})
