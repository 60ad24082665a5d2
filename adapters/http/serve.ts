/**
 * What happens when an operator starts the service?
 *
 * The configuration is read, the dataset opened, the database brought up to date, the secret found, the table of endpoints built,
 * the port opened and the demo accounts made, in this order; any failure stops the start with a sentence that explains it.
 */
import { Clock, Effect, Layer } from "effect"
import type { Dataset } from "../../src/engine.ts"
import { Accounts } from "../accounts/accounts.ts"
import { type DemoAccount, endDemoAccounts, makeDemoAccounts } from "../accounts/demo-accounts.ts"
import { DeploymentSecret } from "../accounts/deployment-secret.ts"
import { Plans } from "../accounts/plans.ts"
import { Sessions } from "../accounts/sessions.ts"
import { Signup } from "../accounts/signup.ts"
import { DEFAULT_LANGUAGE } from "../answers/languages.ts"
import { Affiliates } from "../billing/affiliates.ts"
import { Billing } from "../billing/billing.ts"
import { settleLater } from "../billing/settle-later.ts"
import { openConfiguredDataset } from "../changes/configured-dataset.ts"
import { LiveDataset } from "../changes/live-dataset.ts"
import { watchFile } from "../changes/watch-file.ts"
import { endTogether } from "../end-together.ts"
import { Jobs } from "../jobs/jobs.ts"
import { deliveryOf } from "../mail/mail-options.ts"
import { Mails } from "../mail/mails.ts"
import { Meter } from "../metering/meter.ts"
import { Payments } from "../payments/payments.ts"
import { Devices } from "../push/devices.ts"
import { listPlatforms, openPushAccounts, type PushAccounts } from "../push/push-accounts.ts"
import { LiveSpots } from "../spots/live-spots.ts"
import type { Platform } from "../storage/devices-repository.ts"
import { layerStorage } from "../storage/migrations.ts"
import { Storage } from "../storage/storage.ts"
import { startWorkers } from "../webhooks/run-workers.ts"
import { Webhooks } from "../webhooks/webhooks.ts"
import { Backend } from "./backend.ts"
import { readConfig, type ServiceConfig } from "./config.ts"
import { withLogs } from "./logs.ts"
import { type Listening, runServer, type ServerOptions } from "./server.ts"
import { warnOfUnknownVariables } from "./unknown-variables.ts"

/** A running service. */
export interface Service extends Listening {
  readonly config: ServiceConfig
  readonly datasetVersion: string
  /** The database in words for people; holds no secret. */
  readonly databaseLabel: string
  /** One account for each plan with its whole key, if this was the first start of a development server; else empty. */
  readonly demoAccounts: readonly DemoAccount[]
}

/** Everything that the endpoints need, for a configuration. */
export const layerService = (config: ServiceConfig, dataset: Dataset, reached: readonly Platform[]) => {
  const { databaseUrl, secret, mode, registerRevealsKey } = config
  return Backend.layer(config).pipe(
    Layer.provideMerge(Layer.mergeAll(Billing.layer(config.stripe), Payments.layer(config.x402))),
    Layer.provideMerge(
      Layer.mergeAll(Affiliates.layer, Sessions.layer, Signup.layer({ revealsKey: registerRevealsKey })),
    ),
    Layer.merge(mode === "production" ? Layer.effectDiscard(endDemoAccounts) : Layer.empty),
    Layer.provideMerge(Jobs.layer),
    Layer.provideMerge(
      Layer.mergeAll(
        Accounts.layer,
        Meter.layer,
        LiveDataset.layer(dataset),
        LiveSpots.layer,
        Webhooks.layer,
        Devices.layer(reached),
      ),
    ),
    Layer.provideMerge(Mails.layer(deliveryOf(config))),
    Layer.provideMerge(DeploymentSecret.layer({ databaseUrl, secret })),
    Layer.provideMerge(Plans.layer()),
    Layer.provideMerge(layerStorage(databaseUrl)),
  )
}

/** The work in the background: the watched file, plans that change by themselves, deliveries, jobs, mails, and pushes. */
export const startBackground = Effect.fnUntraced(function* (config: ServiceConfig, accounts: PushAccounts) {
  if (config.datasetWatch !== null) yield* watchFile(config.datasetWatch)
  yield* settleLater(config)
  if (config.workers === 0) return
  const { site } = yield* Backend
  yield* startWorkers(config, { accounts, readPublicUrl: () => site.publicUrl })
})

const startWith = Effect.fnUntraced(function* (config: ServiceConfig, options: ServerOptions) {
  yield* warnOfUnknownVariables
  const opened = yield* openConfiguredDataset(config.datasetPath)
  const accounts = yield* openPushAccounts(config)
  const services = yield* Layer.build(layerService(config, opened, listPlatforms(accounts)))
  return yield* Effect.gen(function* () {
    const inOwnScope = yield* endTogether
    const listening = yield* inOwnScope(runServer(config, options))
    // Their keys are shown once: a start that fails must not have made them.
    const demoAccounts = yield* makeDemoAccounts(config.mode)
    // Loads the language before the first question, but after the port is open.
    const { localisedFacts, today } = yield* Backend
    const dataset = today(yield* Clock.currentTimeMillis)
    yield* Effect.forkScoped(Effect.promise(() => localisedFacts.load(dataset, DEFAULT_LANGUAGE)))
    yield* inOwnScope(startBackground(config, accounts))
    const { label } = yield* Storage
    const service: Service = {
      ...listening,
      config,
      datasetVersion: dataset.version,
      databaseLabel: label,
      demoAccounts,
    }
    return service
  }).pipe(Effect.provideContext(services))
})

/** Starts a service with a configuration; it stops with the scope. What it does in the background is logged as the configuration says. */
export const startService = (config: ServiceConfig, options: ServerOptions = {}) =>
  withLogs(config.logLevel)(startWith(config, options))

/**
 * Starts the service as the environment configures it; it stops with the scope.
 *
 * Fails with `ConfigRefused`, `DatasetRefused`, `PushRefused`, `NotListening`, or one of the storage's errors; each has a `message` for people.
 */
export const serve = Effect.flatMap(readConfig(), config => startService(config))
