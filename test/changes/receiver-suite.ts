/** Receivers that fail for days, and secrets that are replaced while deliveries wait, on every engine. The test sets the time. */
import { assert, describe, it } from "@effect/vitest"
import { Context, Effect, Layer, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { Mails, makeOrderBox } from "../../adapters/mail/mails.ts"
import { DeploymentSecret } from "../../adapters/secrets/deployment-secret.ts"
import { layerStorage } from "../../adapters/storage/migrations.ts"
import { Storage } from "../../adapters/storage/storage.ts"
import { followWebhooks, makeAttemptSigner, makeDispatcher } from "../../adapters/webhooks/dispatcher.ts"
import { Webhooks } from "../../adapters/webhooks/webhooks.ts"
import { verifyDelivery } from "../../src/engine.ts"
import { makeAccount } from "../storage/account-row.ts"
import { build } from "../storage/deployment.ts"
import type { MakePlace } from "../storage/storage-suite.ts"
import { type Respond, startReceiver } from "../webhooks/receiver.ts"

const START = Date.parse("2026-06-10T12:00:00Z")
const DAY_MS = 86_400_000

export function describeReceivers(makePlace: MakePlace): void {
  const open = (respond: Respond) =>
    Effect.gen(function* () {
      yield* TestClock.setTime(START)
      const { databaseUrl, secret = Redacted.make(Buffer.alloc(32, 7).toString("base64")) } = yield* makePlace
      const layer = Layer.mergeAll(Webhooks.layer, Mails.layer("log")).pipe(
        Layer.provideMerge(DeploymentSecret.layer({ databaseUrl, secret })),
        Layer.provideMerge(layerStorage(databaseUrl)),
      )
      const services = yield* build(layer)
      const storage = Context.get(services, Storage)
      const id = yield* storage.accounts.nextAccountId
      yield* storage.accounts.insertUnique(makeAccount(id))
      const receiver = yield* Effect.acquireRelease(
        Effect.promise(() => startReceiver(respond)),
        started => Effect.promise(() => started[Symbol.asyncDispose]()),
      )
      const webhooks = Context.get(services, Webhooks)
      const terms = { types: [], passports: [], destinations: [], severity: null }
      const made = yield* webhooks.create(id, { url: receiver.url, terms, description: "" })
      const inProcess = Effect.provideContext(services)
      const dispatcher = inProcess(makeDispatcher({ allowsPrivate: true }))
      const dispatch = Effect.scoped(Effect.flatMap(dispatcher, ({ drain }) => drain))
      const ping = Effect.andThen(webhooks.ping(id, made.webhook.id), dispatch)
      const find = webhooks.find(id, made.webhook.id)
      const sql = Context.get(services, SqlClient.SqlClient)
      const listOrders = Effect.map(
        sql<{ number: number; payload: string }>`SELECT number, payload FROM queued_work ORDER BY id`,
        rows => {
          const box = makeOrderBox(Context.get(services, DeploymentSecret))
          return rows.map(row => box.open(row.number, row.payload))
        },
      )
      return { account: id, dispatch, find, inProcess, listOrders, made, ping, receiver, webhooks }
    })

  describe("a receiver that always fails", () => {
    it.effect(
      "is disabled after five days, its owner is notified, and one call enables it with its waiting deliveries",
      () =>
        Effect.gen(function* () {
          let status = 500
          const { account, dispatch, find, listOrders, made, ping, receiver, webhooks } = yield* open((_, response) =>
            response.writeHead(status).end(),
          )
          yield* dispatch
          yield* TestClock.setTime(START + 5 * DAY_MS - 1)
          yield* ping
          assert.isTrue((yield* find).isActive)
          yield* TestClock.setTime(START + 5 * DAY_MS)
          yield* ping
          assert.strictEqual((yield* find).disabledBecause, "every delivery has failed for five days")
          const order = {
            kind: "webhook_stopped",
            accountId: account,
            language: "en",
            webhookId: made.webhook.id,
          } as const
          assert.deepStrictEqual(yield* listOrders, [order])
          const seen = receiver.received.length
          yield* ping
          assert.lengthOf(receiver.received, seen)
          status = 204
          assert.isTrue((yield* webhooks.enable(account, made.webhook.id)).isActive)
          assert.strictEqual((yield* Effect.flip(webhooks.enable(account + 1, made.webhook.id)))._tag, "NoSuchWebhook")
          yield* dispatch
          assert.isAbove(receiver.received.length, seen)
          assert.lengthOf(yield* listOrders, 1)
        }),
    )

    it.effect("counts from the first failure since its last success", () =>
      Effect.gen(function* () {
        let status = 500
        const { dispatch, find, ping } = yield* open((_, response) => response.writeHead(status).end())
        yield* dispatch
        yield* TestClock.setTime(START + 4 * DAY_MS)
        status = 204
        yield* ping
        status = 500
        for (const days of [5, 9]) {
          yield* TestClock.setTime(START + days * DAY_MS)
          yield* ping
          assert.isTrue((yield* find).isActive)
        }
        yield* TestClock.setTime(START + 10 * DAY_MS)
        yield* ping
        assert.isFalse((yield* find).isActive)
      }),
    )
  })

  describe("a delivery that was claimed before the secret was replaced", () => {
    it.effect("is signed with the new secret and the old one", () =>
      Effect.gen(function* () {
        const { account, inProcess, made, webhooks } = yield* open((_, response) => response.writeHead(204).end())
        const { find, latest, refresh } = yield* inProcess(followWebhooks)
        const sign = inProcess(Effect.map(DeploymentSecret, makeAttemptSigner))
        const claimed = (yield* find([made.webhook.id])).get(made.webhook.id)!
        const rotated = yield* webhooks.rotateSecret(account, made.webhook.id)
        yield* refresh
        const delivery = { id: 1, lane: 1, attempt: 1, lease_until: 0, event_id: "evt_1", body: "{}" }
        const signed = (yield* sign)(delivery, latest(claimed), START)
        if (typeof signed === "string") return assert.fail(signed)
        for (const secret of [rotated!.secret, made.secret]) {
          const asked = { scheme: "svc", headers: signed, body: "{}", nowSeconds: START / 1_000 } as const
          assert.isTrue(verifyDelivery({ ...asked, secrets: [secret] }).ok)
        }
      }),
    )
  })
}
