/**
 * What happens when an operator starts the service?
 *
 * The configuration is read, the dataset opened, the database brought up to date, the secret found, the table of endpoints built,
 * the port opened and the demo accounts made, in this order; any failure stops the start with a sentence that explains it.
 */
import { Clock, Effect, Layer } from "effect"
import type { Dataset } from "../../../src/engine.ts"
import { Jobs } from "../../batch/jobs/jobs.ts"
import { Accounts } from "../../customers/accounts/accounts.ts"
import { type DemoAccount, endDemoAccounts, makeDemoAccounts } from "../../customers/accounts/demo-accounts.ts"
import { Sessions } from "../../customers/accounts/sessions.ts"
import { Signup } from "../../customers/accounts/signup.ts"
import { Affiliates } from "../../customers/billing/affiliates.ts"
import { Billing } from "../../customers/billing/billing.ts"
import { deliveryOf } from "../../customers/mail/mail-options.ts"
import { Mails } from "../../customers/mail/mails.ts"
import { Meter } from "../../customers/metering/meter.ts"
import { Plans } from "../../customers/plans/plans.ts"
import { Payments } from "../../customers/x402/payments.ts"
import { openConfiguredDataset } from "../../delivery/changes/configured-dataset.ts"
import { LiveDataset } from "../../delivery/changes/live-dataset.ts"
import { watchFile } from "../../delivery/changes/watch-file.ts"
import { Devices } from "../../delivery/push/devices.ts"
import { listPlatforms, openPushAccounts, type PushAccounts } from "../../delivery/push/push-accounts.ts"
import { Webhooks } from "../../delivery/webhooks/webhooks.ts"
import { type Listening, runServer, type ServerOptions } from "../../faces/http/hosts/server.ts"
import { Backend } from "../../faces/http/pipeline/services.ts"
import { DEFAULT_LANGUAGE } from "../../knowledge/answers/languages.ts"
import { LiveSpots } from "../../knowledge/spots/live-spots.ts"
import { endTogether } from "../../platform/queue/end-together.ts"
import { DeploymentSecret } from "../../platform/secrets/deployment-secret.ts"
import { readConfig, type ServiceConfig } from "../../platform/settings/config.ts"
import { warnOfUnknownVariables } from "../../platform/settings/unknown-variables.ts"
import type { Platform } from "../../platform/storage/devices-repository.ts"
import { layerStorage } from "../../platform/storage/migrations.ts"
import { Storage } from "../../platform/storage/storage.ts"
import { layerBackend } from "./backend.ts"
import { withLogs } from "./logs.ts"
import { startWorkers } from "./run-workers.ts"
import { settleLater } from "./settle-later.ts"

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
  return layerBackend(config).pipe(
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
