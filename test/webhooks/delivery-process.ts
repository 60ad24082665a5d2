/** What delivering takes in a test: subscriptions and a database, without what counts requests, and an account to begin with. */
import { Context, Effect, Layer } from "effect"
import { Webhooks } from "../../adapters/delivery/webhooks/webhooks.ts"
import { DeploymentSecret } from "../../adapters/platform/secrets/deployment-secret.ts"
import { layerStorage } from "../../adapters/platform/storage/migrations.ts"
import { Storage } from "../../adapters/platform/storage/storage.ts"
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
  yield* storage.accounts.insertAccount({
    id: 1,
    name: "Ana",
    email: "ana@example.org",
    email_folded: "ana@example.org",
    plan: "business",
    is_confirmed: true,
    is_disabled: false,
    api_version: null,
    created_at: "2026-11-21T00:00:00Z",
  })
  return { services, storage, webhooks: Context.get(services, Webhooks) }
})
