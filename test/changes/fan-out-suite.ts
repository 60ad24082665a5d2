/** Due events on every engine: their deliveries and pushes are written in parts, each once. */
import { assert, describe, it } from "@effect/vitest"
import { Context, Effect, Exit, Layer, Scope } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { makeFanOut, makePushWriter, PushedPlatforms } from "../../adapters/events/followers/fan-out.ts"
import { installDataset, rollBack } from "../../adapters/events/install-dataset.ts"
import { followAnswered, LiveDataset } from "../../adapters/events/live-dataset.ts"
import { layerStorage } from "../../adapters/storage/migrations.ts"
import { Storage } from "../../adapters/storage/storage.ts"
import { openDataset } from "../../src/engine.ts"
import { makeAccount } from "../storage/account-row.ts"
import { build } from "../storage/deployment.ts"
import { makeEvent } from "../storage/event-row.ts"
import type { MakePlace } from "../storage/storage-suite.ts"
import { encodeWorld } from "./datasets.ts"

const START = Date.parse("2026-06-10T12:00:00Z")
const AT = new Date(START).toISOString()
const EVERYTHING = JSON.stringify({ types: [], passports: [], destinations: [], severity: null })

export function describeFanOut(makePlace: MakePlace): void {
  const open = Effect.gen(function* () {
    yield* TestClock.setTime(START)
    const { databaseUrl } = yield* makePlace
    const services = yield* build(layerStorage(databaseUrl))
    const storage = Context.get(services, Storage)
    const inProcess = Effect.provideContext(services)
    const account = (isDisabled = false) =>
      Effect.gen(function* () {
        const id = yield* storage.accounts.nextAccountId
        yield* storage.accounts.insertUnique(makeAccount(id, { is_disabled: isDisabled }))
        return id
      })
    /** Subscriptions, to everything unless terms are given. */
    const follow = (account_id: number, count: number, terms = EVERYTHING) => {
      const one = Effect.gen(function* () {
        const id = yield* storage.webhooks.nextId
        const secrets = { sealed_secret: "", sealed_old_secret: null, old_secret_until: 0 }
        const rest = { url: "", terms, description: "", disabled_because: null, created_at: AT, ...secrets }
        yield* storage.webhooks.insert({ id, account_id, ...rest })
        return id
      })
      return storage.transact(Effect.all(Array.from({ length: count }, () => one)))
    }
    /** Devices that follow everything. */
    const register = (account_id: number, count: number) => {
      const one = Effect.gen(function* () {
        const id = yield* storage.devices.nextId
        const row = { id, account_id, platform: "apns", token_hash: String(id), sealed_token: "", lang: "en" } as const
        yield* storage.devices.insert({ ...row, registered_at: START }, { passports: [], destinations: [] })
      })
      return storage.transact(Effect.all(Array.from({ length: count }, () => one)))
    }
    const tell = (id: string, changes: Parameters<typeof makeEvent>[1] = {}) =>
      storage.events.insertAll([makeEvent(id, { created_at: START, due_at: START, ...changes })])
    const listLanes = Effect.map(storage.deliveries.listReady({ nowMs: START, after: null, limit: 10_000 }), lanes => [
      ...lanes.keys(),
    ])
    return { account, follow, inProcess, listLanes, register, services, storage, tell }
  })
  const areTold = Effect.provideService(PushedPlatforms, ["apns"])

  describe("an event that is due", () => {
    it.effect("with more followers than deliveries of one transaction is distributed in parts, once to each", () =>
      Effect.gen(function* () {
        const { account, follow, inProcess, listLanes, storage, tell } = yield* open
        const most = storage.deliveries.atOnce
        const ids = yield* follow(yield* account(), most + 100)
        yield* tell("evt_1")
        const [one, other] = [yield* makeFanOut, yield* makeFanOut]
        assert.deepStrictEqual(yield* inProcess(one()), { isMore: true })
        assert.lengthOf(yield* listLanes, most)
        assert.strictEqual(yield* storage.events.countDue(START), 1)
        // Another process goes on where the first one stopped.
        assert.deepStrictEqual(yield* inProcess(other()), { isMore: false })
        assert.deepStrictEqual(yield* listLanes, ids)
        const claim = { worker: "one", nowMs: START, leaseMs: 1_000, lanes: ids.slice(most - 10, most + 10), each: 10 }
        assert.lengthOf(yield* storage.deliveries.claim(claim), 20)
        assert.strictEqual(yield* storage.events.countDue(START), 0)
      }),
    )

    it.effect("concerns few of many subscriptions that are looked at: several transactions look", () =>
      Effect.gen(function* () {
        const { account, follow, inProcess, listLanes, storage, tell } = yield* open
        const [id] = yield* follow(yield* account(), 1)
        yield* follow(yield* account(), 999, JSON.stringify({ ...JSON.parse(EVERYTHING), severity: "major" }))
        for (let at = 100; at < 250; at++) yield* tell(`evt_${at}`, { severity: "minor" })
        const fanOut = yield* makeFanOut
        assert.deepStrictEqual(yield* inProcess(fanOut()), { isMore: true })
        assert.strictEqual(yield* storage.events.countDue(START), 50)
        assert.deepStrictEqual(yield* inProcess(fanOut()), { isMore: false })
        assert.strictEqual(yield* storage.events.countDue(START), 0)
        assert.deepStrictEqual(yield* listLanes, [id!])
      }),
    )

    it.effect("that cannot be read is passed over, and a subscription that cannot be read gets none", () =>
      Effect.gen(function* () {
        const { account, follow, inProcess, listLanes, services, storage, tell } = yield* open
        const sql = Context.get(services, SqlClient.SqlClient)
        const broken = ["", "{", "null", '{"types":[]}', '{"types":[1],"passports":[],"destinations":[]}']
        const [good, ...bad] = yield* follow(yield* account(), 1 + broken.length)
        yield* Effect.forEach(broken, (terms, at) => sql`UPDATE webhooks SET terms = ${terms} WHERE id = ${bad[at]!}`)
        for (const [at, body] of ["", "{", "[]"].entries()) yield* tell(`evt_${at}`, { body })
        yield* tell("evt_9")
        yield* inProcess(areTold((yield* makeFanOut)()))
        assert.deepStrictEqual(yield* listLanes, [good!])
        const claim = { worker: "one", nowMs: START, leaseMs: 1_000, lanes: [good!], each: 10 }
        assert.deepStrictEqual(
          (yield* storage.deliveries.claim(claim)).map(({ event_id }) => event_id),
          ["evt_9"],
        )
        assert.strictEqual(yield* storage.events.countDue(START), 0)
      }),
    )

    it.effect("goes to new subscribers, and to no deleted or disabled one", () =>
      Effect.gen(function* () {
        const { account, follow, inProcess, listLanes, storage, tell } = yield* open
        const ana = yield* account()
        const fanOut = yield* makeFanOut
        const [gone, ended] = yield* follow(ana, 2)
        yield* follow(yield* account(true), 1)
        yield* inProcess(fanOut())
        const late = yield* follow(ana, 1)
        yield* storage.webhooks.remove(gone!)
        yield* storage.webhooks.disable(ended!, "the endpoint answered 410")
        yield* tell("evt_1")
        yield* inProcess(fanOut())
        assert.deepStrictEqual(yield* listLanes, late)
      }),
    )

    it.effect("is distributed when all live processes use its installation, and after five seconds in any case", () =>
      Effect.gen(function* () {
        const { inProcess, services, storage } = yield* open
        const [before, after] = [90, 30].map(days => encodeWorld({ version: `world.${days}`, days }))
        const opened = openDataset(before!)
        if (!opened.ok) return assert.fail(opened.error.message)
        const layer = Layer.provide(LiveDataset.layer(opened.value), Layer.succeedContext(services))
        const start = Effect.map(build(layer), live => Context.get(live, LiveDataset))
        const other = yield* Scope.make()
        const own = yield* start
        const second = yield* Effect.provideService(start, Scope.Scope, other)
        const readAnswered = yield* inProcess(Effect.provideService(followAnswered, LiveDataset, own))
        assert.strictEqual(yield* readAnswered, 0)
        yield* inProcess(installDataset(opened.value, after!))
        // It makes sure of its own dataset; the other process has not looked yet.
        assert.strictEqual(yield* readAnswered, 0)
        assert.strictEqual(own.read().version, "world.30")
        yield* second.refresh
        assert.strictEqual(yield* readAnswered, 1)
        // A process that ends is not waited for, one that hangs is for five seconds.
        yield* storage.nodes.note({
          id: "hangs",
          installation_id: 1,
          refused_id: null,
          refused_because: null,
          alive_until: START + 60_000,
        })
        yield* Scope.close(other, Exit.void)
        yield* inProcess(rollBack(opened.value))
        assert.strictEqual(yield* readAnswered, 1)
        yield* TestClock.adjust(4_999)
        assert.strictEqual(yield* readAnswered, 1)
        yield* TestClock.adjust(1)
        assert.strictEqual(yield* readAnswered, 2)
      }),
    )

    it.effect("of an installation that not all processes use yet waits, and others do not", () =>
      Effect.gen(function* () {
        const { account, follow, inProcess, listLanes, storage, tell } = yield* open
        const ids = yield* follow(yield* account(), 1)
        yield* tell("evt_1", { installation_id: 2 })
        const fanOut = yield* makeFanOut
        yield* inProcess(fanOut(1))
        assert.deepStrictEqual(yield* listLanes, [])
        yield* inProcess(fanOut(2))
        assert.deepStrictEqual(yield* listLanes, ids)
        const claim = { worker: "one", nowMs: START, leaseMs: 1_000, lanes: ids, each: 1 }
        const [claimed] = yield* storage.deliveries.claim(claim)
        assert.strictEqual(JSON.parse(claimed!.body).installation, 2)
      }),
    )

    it.effect(
      "is pushed after it was distributed, some devices at a time, and a later one of its pair replaces it",
      () =>
        Effect.gen(function* () {
          const { account, inProcess, register, storage, tell } = yield* open
          yield* register(yield* account(), 30)
          const fanOut = inProcess(areTold((yield* makeFanOut)()))
          yield* tell("evt_1")
          yield* tell("evt_2", { type: "visa.source_updated" })
          yield* fanOut
          assert.strictEqual(yield* storage.pushes.count, 0)
          const write = inProcess(yield* makePushWriter(["apns"]))
          assert.deepStrictEqual(yield* write, { isMore: true })
          const first = yield* storage.pushes.count
          assert.isTrue(first > 0 && first < 30, `${first} pushes`)
          yield* tell("evt_3", { type: "visa.policy_announced", created_at: START + 1 })
          yield* fanOut
          yield* Effect.repeat(write, { while: ({ isMore }) => isMore })
          const claim = { worker: "one", nowMs: START, leaseMs: 1_000, lanes: ["apns"], each: 100 }
          const claimed = yield* storage.pushes.claim(claim)
          assert.strictEqual(new Set(claimed.map(({ device_id }) => device_id)).size, 30)
          assert.deepStrictEqual([...new Set(claimed.map(({ event_id }) => event_id))], ["evt_3"])
          assert.isFalse(yield* storage.events.areToPush)
        }),
    )

    it.effect("that was distributed more than three days ago is no longer pushed", () =>
      Effect.gen(function* () {
        const { account, inProcess, register, storage, tell } = yield* open
        yield* register(yield* account(), 1)
        yield* tell("evt_1")
        yield* inProcess(areTold((yield* makeFanOut)()))
        yield* TestClock.adjust(3 * 86_400_000)
        yield* inProcess(Effect.repeat(yield* makePushWriter(["apns"]), { while: ({ isMore }) => isMore }))
        assert.strictEqual(yield* storage.pushes.count, 0)
        assert.isFalse(yield* storage.events.areToPush)
      }),
    )
  })
}
