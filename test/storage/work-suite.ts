/** What every engine has to do with claimed work: large numbers. A part of `storage-suite.ts`. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, type Scope } from "effect"
import type { SqlClient } from "effect/sql"
import type { StorageShape } from "../../adapters/storage/storage.ts"

interface Opened {
  readonly storage: StorageShape
  readonly sql: SqlClient.SqlClient
}

export function describeWork(open: Effect.Effect<Opened, unknown, Scope.Scope>): void {
  describe("the tables of claimed work", () => {
    it.live("of deliveries take numbers beyond 32 bits, and delete old ones and their bodies in steps", () =>
      Effect.gen(function* () {
        const { storage, sql } = yield* open
        yield* sql`INSERT INTO counters (name, value) VALUES ('deliveries_id', ${2 ** 31})`
        const event = { event_id: "evt_a", type: "t", body: "{}", webhookIds: [1, 2 ** 33], account_id: 1 }
        const { deliveries } = storage
        assert.strictEqual(yield* deliveries.insertAll([event], 1), 2 ** 31 + 1)
        yield* deliveries.insertAll([{ ...event, event_id: "evt_b" }], 2)
        assert.deepInclude(yield* deliveries.find(2 ** 33, 2 ** 31 + 2), { event_id: "evt_a", webhook_id: 2 ** 33 })
        assert.deepStrictEqual([yield* deliveries.purge(2, 1), yield* deliveries.purge(2, 1)], [1, 1])
        assert.strictEqual(yield* deliveries.purge(2, 1), 0)
        assert.deepStrictEqual([yield* deliveries.purgeBodies(2, 9), yield* deliveries.purgeBodies(2, 9)], [1, 0])
        assert.deepInclude(yield* deliveries.find(1, 2 ** 31 + 3), { event_id: "evt_b", body: "{}" })
      }),
    )
  })
}
