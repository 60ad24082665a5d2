/**
 * What happens when an operator starts a worker?
 *
 * The configuration of the service is read, its database opened and its secret found, and dispatchers of deliveries and mails run until the scope
 * ends. It serves nothing and answers nobody.
 */
import { Effect, Layer } from "effect"
import { DeploymentSecret } from "../accounts/deployment-secret.ts"
import { readConfig } from "../http/config.ts"
import { withLogs } from "../http/logs.ts"
import { makeMailDispatcher } from "../mail/mail-dispatcher.ts"
import { deliveryOf, smtpOf } from "../mail/mail-options.ts"
import { layerStorage } from "../storage/migrations.ts"
import { Storage } from "../storage/storage.ts"
import { startDispatchers } from "./dispatcher.ts"

/** Starts the dispatchers that the environment configures, one at least. */
export const runWorkers = Effect.gen(function* () {
  const config = yield* readConfig()
  const { databaseUrl, secret, logLevel, webhookAllowsPrivate } = config
  const workers = Math.max(1, config.workers)
  const services = yield* Layer.build(
    DeploymentSecret.layer({ databaseUrl, secret }).pipe(Layer.provideMerge(layerStorage(databaseUrl))),
  )
  const start = Effect.gen(function* () {
    yield* startDispatchers(workers, { allowsPrivate: webhookAllowsPrivate })
    if (deliveryOf(config) !== "none") {
      const { run } = yield* makeMailDispatcher({ readPublicUrl: () => config.publicUrl, smtp: smtpOf(config) })
      yield* Effect.forkScoped(run)
    }
    const { label } = yield* Storage
    return { label, workers }
  })
  return yield* withLogs(logLevel)(Effect.provideContext(start, services))
})
