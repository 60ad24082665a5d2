/** What delivering takes in a test: subscriptions and a database, without what counts requests, and an account to begin with. */
import { Context, Effect, Layer } from "effect"
import { DeploymentSecret } from "../../adapters/secrets/deployment-secret.ts"
import { layerStorage } from "../../adapters/storage/migrations.ts"
import { Storage } from "../../adapters/storage/storage.ts"
import { Webhooks } from "../../adapters/webhooks/webhooks.ts"
import { makeAccount } from "../storage/account-row.ts"
import { build, type DatabasePlace } from "../storage/deployment.ts"

/** Everything that a subscription can follow. */
export const EVERYTHING = { types: [], passports: [], destinations: [], severity: null } as const

const layerDelivery = ({ databaseUrl, secret }: DatabasePlace) =>
  Webhooks.layer.pipe(
    Layer.provideMerge(DeploymentSecret.layer({ databaseUrl, secret })),
    Layer.provideMerge(layerStorage(databaseUrl)),
  )

/** A process on a new deployment with one account. */
export const startDelivery = Effect.fnUntraced(function* (place: DatabasePlace) {
  const services = yield* build(layerDelivery(place))
  const storage = Context.get(services, Storage)
  yield* storage.accounts.insertUnique(makeAccount(1))
  return { services, storage, webhooks: Context.get(services, Webhooks) }
})
