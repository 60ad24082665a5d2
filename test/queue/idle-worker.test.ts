import { assert, describe, it } from "@effect/vitest"
import { Context, Effect } from "effect"
import { TestClock } from "effect/testing"
import { makeWorker } from "../../adapters/queue/queue-worker.ts"
import { layerStorage } from "../../adapters/storage/migrations.ts"
import { Storage } from "../../adapters/storage/storage.ts"
import type { QueuedNote, QueuedRow } from "../../adapters/storage/work-table.ts"
import { build, makeDeployment } from "../storage/deployment.ts"

const IDLE_MS = 250

/** Two processes on one database, and how often an idle worker of the first has looked. */
const open = Effect.gen(function* () {
  const { databaseUrl } = yield* makeDeployment
  const services = yield* build(layerStorage(databaseUrl))
  const [own, other] = [services, yield* build(layerStorage(databaseUrl))].map(of => Context.get(of, Storage))
  let looks = 0
  const table = {
    ...own!.queuedWork("none"),
    recall: () => Effect.void,
    listReady: () =>
      Effect.sync(() => {
        looks++
        return new Map()
      }),
    purge: () => Effect.succeed(0),
  }
  const kind = { name: "none", table, leaseMs: 1, attemptMs: 1, stopMs: 1, inFlight: 1, ahead: 0, settleAt: 1 }
  const worker = makeWorker<QueuedRow, QueuedRow, QueuedNote>({
    ...kind,
    idleMs: IDLE_MS,
    retries: { waitsMs: [], longestAskedMs: 0 },
    keepsMs: null,
    find: Effect.succeed,
    attempt: () => assert.fail("there is nothing to attempt"),
  })
  const { run } = yield* Effect.provideContext(worker, services)
  yield* Effect.forkScoped(run)
  const looksAfter = (ms: number) =>
    Effect.map(TestClock.adjust(ms), () => {
      const counted = looks
      looks = 0
      return counted
    })
  return { looksAfter, other: other!, own: own! }
})

describe("a worker that has found nothing", () => {
  it.effect("looks again as soon as this process has changed something, and once a second for others' work", () =>
    Effect.gen(function* () {
      const { looksAfter, other, own } = yield* open
      assert.strictEqual(yield* looksAfter(0), 1)
      assert.strictEqual(yield* looksAfter(999), 0)
      assert.strictEqual(yield* looksAfter(1), 1)
      assert.strictEqual(yield* looksAfter(10_000), 10)
      for (const order of [
        own.queuedWork("x").order(() => "", { nowMs: 0 }),
        own.transact(own.queuedWork("x").order(() => "", { nowMs: 0 })),
      ]) {
        yield* looksAfter(100)
        yield* order
        assert.strictEqual(yield* looksAfter(IDLE_MS - 101), 0)
        assert.strictEqual(yield* looksAfter(1), 1)
        assert.strictEqual(yield* looksAfter(999), 0)
        assert.strictEqual(yield* looksAfter(1), 1)
      }
      yield* other.queuedWork("x").order(() => "", { nowMs: 0 })
      assert.strictEqual(yield* looksAfter(999), 0)
      assert.strictEqual(yield* looksAfter(1), 1)
    }).pipe(Effect.scoped),
  )
})
