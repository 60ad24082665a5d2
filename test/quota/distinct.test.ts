import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { Distinct, type Held } from "../../adapters/quota/distinct.ts"
import { todayAt } from "../../adapters/quota/limits.ts"
import { Storage, type StorageShape } from "../../adapters/storage/storage.ts"
import { inProcess, makeDeployment } from "../storage/deployment.ts"

const NOON = Date.parse("2026-11-15T12:00:00Z")
const TODAY = todayAt(NOON)

/** A storage in which every transaction loses against another one, is rolled back and tried again. */
const losingOnce = (storage: StorageShape): StorageShape => ({
  ...storage,
  transact: (effect, options) => {
    const lost = Effect.andThen(effect, Effect.fail("lost" as const))
    return Effect.andThen(Effect.exit(storage.transact(lost, options)), storage.transact(effect, options))
  },
})

describe("an item whose request was not answered", () => {
  it.live("gives its place back, also if the transaction has to be tried again", () =>
    Effect.gen(function* () {
      const storage = yield* Storage
      const distinct = new Distinct(losingOnce(storage), yield* Effect.scope)
      const key = { subject: "1", day: TODAY.day.name, list: "FRA" }
      const countUsed = Effect.map(
        storage.pools.readUsed({ subject: "1", pool: "seen FRA", day: key.day, since: key.day }),
        ({ used }) => used,
      )
      const asked = { subject: "1", lists: ["FRA"], items: ["JPN"], cap: 1 }
      yield* distinct.ask(asked, TODAY)
      const held = distinct.hold(asked, TODAY, NOON)
      assert.deepStrictEqual([yield* storage.pools.listItems(key), yield* countUsed], [["JPN"], 1])
      distinct.release(held as Held)
      yield* distinct.giveBack(TODAY)
      assert.deepStrictEqual([yield* storage.pools.listItems(key), yield* countUsed], [[], 0])
    }).pipe(source => Effect.flatMap(makeDeployment, place => inProcess(place)(source))),
  )
})
