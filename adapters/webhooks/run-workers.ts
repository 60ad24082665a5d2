/**
 * Which workers run in the background, in a service or in a process of their own?
 *
 * Dispatchers of deliveries, one of mails, a worker on jobs, a sender of pushes where the configuration names a push service, and
 * the changes of plans that are due. A worker process reads the configuration of the service, opens its dataset and its database
 * and finds its secret, and runs until the scope ends; it serves no requests.
 */
import { availableParallelism } from "node:os"
import { Effect, Layer } from "effect"
import { Accounts } from "../accounts/accounts.ts"
import { DeploymentSecret } from "../accounts/deployment-secret.ts"
import { Plans } from "../accounts/plans.ts"
import { Affiliates } from "../billing/affiliates.ts"
import { Billing } from "../billing/billing.ts"
import { settleLater } from "../billing/settle-later.ts"
import { openConfiguredDataset } from "../changes/configured-dataset.ts"
import { LiveDataset } from "../changes/live-dataset.ts"
import { readConfig, type ServiceConfig } from "../http/config.ts"
import { withLogs } from "../http/logs.ts"
import { makeJobWorker } from "../jobs/job-worker.ts"
import { makeMailDispatcher } from "../mail/mail-dispatcher.ts"
import { deliveryOf, smtpOf } from "../mail/mail-options.ts"
import { Mails } from "../mail/mails.ts"
import { Payments } from "../payments/payments.ts"
import { PushedPlatforms } from "../push/fan-out.ts"
import { listPlatforms, openPushAccounts, openPushServices, type PushAccounts } from "../push/push-accounts.ts"
import { makePusher } from "../push/pusher.ts"
import { layerStorage } from "../storage/migrations.ts"
import { Storage } from "../storage/storage.ts"
import { startDispatchers } from "./dispatcher.ts"

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
