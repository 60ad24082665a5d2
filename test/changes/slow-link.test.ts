import { assert, describe, it } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { makeFanOut } from "../../adapters/events/followers/fan-out.ts"
import { layerStorage } from "../../adapters/storage/migrations.ts"
import { Storage } from "../../adapters/storage/storage.ts"
import { makeAccount } from "../storage/account-row.ts"
import { makeEvent } from "../storage/event-row.ts"
import { makePostgresDeployment } from "../storage/postgres-deployment.ts"
import { startSlowLink } from "../storage/slow-link.ts"

const ROUND_TRIP_MS = 50
const [EVENTS, SUBSCRIPTIONS] = [198, 10]
const AT = "2026-11-21T00:00:00Z"

const fill = Effect.gen(function* () {
  const { accounts, events, transact, webhooks } = yield* Storage
  yield* accounts.insertUnique(makeAccount(1))
  const terms = JSON.stringify({ types: [], passports: [], destinations: [], severity: null })
  const secrets = { sealed_secret: "", sealed_old_secret: null, old_secret_until: 0 }
  const row = { account_id: 1, url: "", terms, description: "", disabled_because: null, created_at: AT, ...secrets }
  const follow = Effect.flatMap(webhooks.nextId, id => webhooks.insert({ id, ...row }))
  yield* transact(Effect.all(Array.from({ length: SUBSCRIPTIONS }, () => follow)))
  yield* events.insertAll(Array.from({ length: EVENTS }, (_, at) => makeEvent(`evt_${at}`)))
})

describe("a database 50 ms away", () => {
  it.live("needs as many round trips for the deliveries of 198 events as for those of one", () =>
    Effect.gen(function* () {
      const { databaseUrl } = yield* makePostgresDeployment
      yield* Effect.provide(fill, layerStorage(databaseUrl))
      const link = yield* Effect.acquireRelease(
        Effect.promise(() => startSlowLink(databaseUrl, ROUND_TRIP_MS)),
        ({ stop }) => Effect.sync(stop),
      )
      const services = yield* Layer.build(layerStorage(link.url))
      const { deliveries, events } = Context.get(services, Storage)
      assert.strictEqual(yield* events.countDue(Date.now()), EVENTS)

      const before = link.countRoundTrips()
      const fanOut = yield* makeFanOut
      assert.deepStrictEqual(yield* Effect.provideContext(fanOut(), services), { isMore: false })
      const roundTrips = link.countRoundTrips() - before
      assert.strictEqual(yield* events.countDue(Date.now()), 0)
      const claim = { worker: "test", nowMs: Date.now(), leaseMs: 1_000, each: EVENTS + 1 }
      const ready = yield* deliveries.listReady({ nowMs: claim.nowMs, after: null, limit: SUBSCRIPTIONS })
      assert.lengthOf(yield* deliveries.claim({ ...claim, lanes: [...ready.keys()] }), EVENTS * SUBSCRIPTIONS)
      // Those of a transaction: its beginning and end, the events, how far they came, their bodies, their deliveries; and the new subscriptions before it.
      assert.isAtMost(roundTrips, 7)
    }),
  )
})
