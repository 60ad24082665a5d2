/**
 * Which workers run in the background, in a service or in a process of their own?
 *
 * Dispatchers of deliveries, one of mails, a worker on jobs, a sender of pushes where the configuration names a push service, and
 * the changes of plans that are due. A worker process reads the configuration of the service, opens its dataset and its database
 * and finds its secret, and runs until the scope ends; it serves no requests.
 */
import { availableParallelism } from "node:os"
import { Effect, Layer } from "effect"
import { makeJobWorker } from "../../batch/jobs/job-worker.ts"
import { Accounts } from "../../customers/accounts/accounts.ts"
import { makeMailDispatcher } from "../../customers/accounts/mail-dispatcher.ts"
import { Affiliates } from "../../customers/billing/affiliates.ts"
import { Billing } from "../../customers/billing/billing.ts"
import { deliveryOf, smtpOf } from "../../customers/mail/mail-options.ts"
import { Mails } from "../../customers/mail/mails.ts"
import { Plans } from "../../customers/plans/plans.ts"
import { Payments } from "../../customers/x402/payments.ts"
import { openConfiguredDataset } from "../../delivery/changes/configured-dataset.ts"
import { LiveDataset } from "../../delivery/changes/live-dataset.ts"
import { PushedPlatforms } from "../../delivery/followers/pushes.ts"
import {
  listPlatforms,
  openPushAccounts,
  openPushServices,
  type PushAccounts,
} from "../../delivery/push/push-accounts.ts"
import { makePusher } from "../../delivery/push/pusher.ts"
import { startDispatchers } from "../../delivery/webhooks/dispatcher.ts"
import { DeploymentSecret } from "../../platform/secrets/deployment-secret.ts"
import { readConfig, type ServiceConfig } from "../../platform/settings/config.ts"
import { layerStorage } from "../../platform/storage/migrations.ts"
import { Storage } from "../../platform/storage/storage.ts"
import { withLogs } from "./logs.ts"
import { settleLater } from "./settle-later.ts"

/** What workers need to know besides the configuration. */
export interface WorkerOptions {
  readonly accounts: PushAccounts
  readonly readPublicUrl: () => string
}

/** Starts as many dispatchers as are configured, one of mails, a worker on jobs, and a sender of pushes; they end with the scope. */
export const startWorkers = Effect.fnUntraced(function* (
  config: ServiceConfig,
  { accounts, readPublicUrl }: WorkerOptions,
) {
  const platforms = listPlatforms(accounts)
  // The transaction that hands events on writes the pushes too.
  yield* Effect.provideService(
    startDispatchers(config.workers, { allowsPrivate: config.webhookAllowsPrivate }),
    PushedPlatforms,
    platforms,
  )
  const { read } = yield* LiveDataset
  yield* Effect.forkScoped((yield* makeJobWorker(read, { threads: config.jobThreads ?? 1 })).run)
  if (deliveryOf(config) !== "none") {
    const { run } = yield* makeMailDispatcher({ readPublicUrl, smtp: smtpOf(config) })
    yield* Effect.forkScoped(run)
  }
  if (platforms.length === 0) return
  const { run } = yield* makePusher(yield* openPushServices(accounts))
  yield* Effect.forkScoped(run)
})

/** Starts the workers that the environment configures, one at least. */
export const runWorkers = Effect.gen(function* () {
  const config = yield* readConfig()
  const { databaseUrl, secret, logLevel } = config
  const workers = Math.max(1, config.workers)
  const accounts = yield* openPushAccounts(config)
  const services = yield* Layer.build(
    Layer.mergeAll(Billing.layer(config.stripe), Payments.layer(config.x402)).pipe(
      Layer.provideMerge(Affiliates.layer),
      Layer.provideMerge(
        Layer.merge(Accounts.layer, LiveDataset.layer(yield* openConfiguredDataset(config.datasetPath))),
      ),
      Layer.provideMerge(Mails.layer(deliveryOf(config))),
      Layer.provideMerge(DeploymentSecret.layer({ databaseUrl, secret })),
      Layer.provideMerge(Plans.layer()),
      Layer.provideMerge(layerStorage(databaseUrl)),
    ),
  )
  const start = Effect.gen(function* () {
    yield* settleLater(config)
    yield* startWorkers(
      { ...config, workers, jobThreads: config.jobThreads ?? availableParallelism() },
      { accounts, readPublicUrl: () => config.publicUrl },
    )
    const { label } = yield* Storage
    return { label, workers }
  })
  return yield* withLogs(logLevel)(Effect.provideContext(start, services))
})
