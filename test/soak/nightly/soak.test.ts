import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { makeDeployment } from "../../storage/deployment.ts"
import { readAfterEvents } from "../read-after-event.ts"
import { soak } from "../soak.ts"

const SMALL = {
  events: 12,
  subscriptions: 10,
  devices: 5,
  dispatchers: 1,
  kills: 2,
  seed: 20261121,
  leaseMs: 2_000,
  timeoutMs: 600,
}

describe("dispatchers that are killed", () => {
  it.live("lose nothing on a file, and keep to the schedule", () =>
    Effect.gen(function* () {
      const { databaseUrl } = yield* makeDeployment
      const report = yield* soak({ ...SMALL, databaseUrl })
      assert.deepStrictEqual(report.faults, [])
      assert.strictEqual(report.delivered + report.undelivered, SMALL.events * SMALL.subscriptions)
      assert.strictEqual(report.kills, SMALL.kills)
      assert.isAbove(report.attempts[2] as number, 0)
      assert.isAtLeast(report.pushes, 3 * SMALL.devices)
      assert.isAbove(report.rotated.both + report.rotated.newOnly, 0)
    }),
  )
})

describe("a receiver that asks every live node when an event comes", () => {
  it.live("gets answers from the new data, also after a node was killed", () =>
    Effect.gen(function* () {
      const { databaseUrl } = yield* makeDeployment
      const options = { databaseUrl, nodes: 2, installations: 3, changes: 10 }
      const { late, faults, ...report } = yield* Effect.promise(() => readAfterEvents(options))
      assert.deepStrictEqual(report, { events: 30, answers: 60 })
      if (late.length === 0) assert.deepStrictEqual(faults, [])
    }),
  )
})
