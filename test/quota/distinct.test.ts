import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { Distinct, type Held } from "../../adapters/quota/distinct.ts"
import { todayAt } from "../../adapters/quota/limits.ts"
import { Storage, type StorageShape } from "../../adapters/storage/storage.ts"
import { makeUnavailable } from "../../adapters/storage/storage-errors.ts"
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

/** A storage whose transactions fail while it is told to be unavailable. */
const failingWhile = (storage: StorageShape, isUnavailable: () => boolean): StorageShape => ({
  ...storage,
  transact: (effect, options) =>
    Effect.suspend(() =>
      isUnavailable()
        ? Effect.fail(makeUnavailable("busy", storage.label) as never)
        : storage.transact(effect, options),
    ),
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

  it.live("gives its place back after an outage, in each of its lists", () =>
    Effect.gen(function* () {
      const storage = yield* Storage
      let isUnavailable = false
      const distinct = new Distinct(
        failingWhile(storage, () => isUnavailable),
        yield* Effect.scope,
      )
      const lists = ["DEU", "FRA"]
      const asked = { subject: "1", lists, items: ["JPN"], cap: 1 }
      yield* distinct.ask(asked, TODAY)
      distinct.release(distinct.hold(asked, TODAY, NOON) as Held)
      isUnavailable = true
      assert.strictEqual((yield* Effect.exit(distinct.giveBack(TODAY)))._tag, "Failure")
      isUnavailable = false
      yield* distinct.giveBack(TODAY)
      const kept = lists.map(list => storage.pools.listItems({ subject: "1", day: TODAY.day.name, list }))
      assert.deepStrictEqual(yield* Effect.all(kept), [[], []])
    }).pipe(source => Effect.flatMap(makeDeployment, place => inProcess(place)(source))),
  )
})
