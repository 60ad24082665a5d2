/**
 * What happens when an operator starts the service?
 *
 * The configuration is read, the dataset opened, the database brought up to date, the secret found, the table of endpoints built,
 * the port opened and the demo accounts made, in this order; any failure stops the start with a sentence that explains it.
 */
import { Clock, Effect, Layer } from "effect"
import { type DemoAccount, makeDemoAccounts } from "../../customers/accounts/demo-accounts.ts"
import { LiveDataset } from "../../delivery/changes/live-dataset.ts"
import { type Listening, runServer, type ServerOptions } from "../../faces/http/hosts/server.ts"
import { MountedSite } from "../../faces/http/pipeline/mounted-site.ts"
import { DEFAULT_LANGUAGE } from "../../knowledge/answers/languages.ts"
import { endTogether } from "../../platform/queue/end-together.ts"
import { readConfig, type ServiceConfig } from "../../platform/settings/config.ts"
import { warnOfUnknownVariables } from "../../platform/settings/unknown-variables.ts"
import { Storage } from "../../platform/storage/storage.ts"
import { layerService, openConfigured } from "./layers.ts"
import { withLogs } from "./logs.ts"
import { startBackground } from "./work.ts"

/** A running service. */
export interface Service extends Listening {
  readonly config: ServiceConfig
  readonly datasetVersion: string
  /** The database in words for people; holds no secret. */
  readonly databaseLabel: string
  /** One account for each plan with its whole key, if this was the first start of a development server; else empty. */
  readonly demoAccounts: readonly DemoAccount[]
}

const startWith = Effect.fnUntraced(function* (config: ServiceConfig, options: ServerOptions) {
  yield* warnOfUnknownVariables
  const configured = yield* openConfigured(config)
  const services = yield* Layer.build(layerService(configured))
  return yield* Effect.gen(function* () {
    const inOwnScope = yield* endTogether
    const listening = yield* inOwnScope(runServer(config, options))
    // Their keys are shown once: a start that fails must not have made them.
    const demoAccounts = yield* makeDemoAccounts(config.mode)
    // Loads the language before the first question, but after the port is open.
    const { localisedFacts, today } = yield* LiveDataset
    const site = yield* MountedSite
    const dataset = today(yield* Clock.currentTimeMillis)
    yield* Effect.forkScoped(Effect.promise(() => localisedFacts.load(dataset, DEFAULT_LANGUAGE)))
    yield* inOwnScope(startBackground(configured, () => site.publicUrl))
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
