import { assert, describe, it } from "@effect/vitest"
import { Context, Effect, Layer, Redacted } from "effect"
import { DeploymentSecret } from "../../adapters/secrets/deployment-secret.ts"
import { layerStorage } from "../../adapters/storage/migrations.ts"
import { Storage } from "../../adapters/storage/storage.ts"
import { makeDispatcher } from "../../adapters/webhooks/dispatcher.ts"
import { Webhooks } from "../../adapters/webhooks/webhooks.ts"
import { makeAccount } from "../storage/account-row.ts"
import { build, makeDeployment } from "../storage/deployment.ts"
import { startReceiver } from "./receiver.ts"

const RECEIVERS = 300
const HANGING = 100
/** Accounts, because each has sixty requests sent an hour: the pings here, two to each receiver. */
const ACCOUNTS = 12
/** Nobody's time runs out during the test: whoever had to wait for those that hang would wait for ever. */
const PATIENT = { timeoutMs: 600_000, leaseMs: 1_200_000, stopMs: 0 }
const TERMS = { types: [], passports: [], destinations: [], severity: null } as const

describe("a receiver that hangs", () => {
  it.live("delays no other one, with a hundred of them among three hundred and several deliveries to each", () =>
    Effect.gen(function* () {
      const { databaseUrl } = yield* makeDeployment
      const secret = Redacted.make(Buffer.alloc(32, 7).toString("base64"))
      const services = yield* build(
        Webhooks.layer.pipe(
          Layer.provideMerge(DeploymentSecret.layer({ databaseUrl, secret })),
          Layer.provideMerge(layerStorage(databaseUrl)),
        ),
      )
      const storage = Context.get(services, Storage)
      const webhooks = Context.get(services, Webhooks)
      const isHanging = (path: string) => Number(path.slice(1)) < HANGING
      const receiver = yield* Effect.acquireRelease(
        Effect.promise(() =>
          startReceiver(({ path }, response) => {
            if (!isHanging(path)) response.writeHead(204).end()
          }),
        ),
        started => Effect.promise(() => started[Symbol.asyncDispose]()),
      )
      const subscribeAll = Effect.gen(function* () {
        for (let account = 1; account <= ACCOUNTS; account++) {
          yield* storage.accounts.insertUnique(makeAccount(account))
          for (let at = 0; at < RECEIVERS / ACCOUNTS; at++) {
            const url = `${receiver.url}/${(account - 1) * (RECEIVERS / ACCOUNTS) + at}`
            const { webhook } = yield* webhooks.create(account, { url, terms: TERMS, description: "" })
            yield* webhooks.ping(account, webhook.id)
          }
        }
      })
      yield* storage.transact(subscribeAll)
      const { run } = yield* Effect.provideContext(makeDispatcher({ allowsPrivate: true, ...PATIENT }), services)
      yield* Effect.forkScoped(run)
      const expected = 2 * (RECEIVERS - HANGING)
      const served = () => receiver.received.filter(({ path }) => !isHanging(path)).length
      yield* Effect.promise(() => receiver.until(() => served() >= expected))
      const counts = new Map<string, number>()
      for (const { path } of receiver.received) counts.set(path, (counts.get(path) ?? 0) + 1)
      assert.strictEqual(counts.size, RECEIVERS)
    }),
  )
})
