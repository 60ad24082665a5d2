/**
 * What happens when an operator starts the service?
 *
 * The configuration is read, the dataset opened, the database brought up to date, the secret found, the table of endpoints built,
 * the port opened and the demo accounts made, in this order; any failure stops the start with a sentence that explains it.
 */
import { Clock, Context, Effect, Layer } from "effect"
import type { Dataset } from "../../src/engine.ts"
import { makeDemoAccounts } from "../accounts/demo-accounts.ts"
import { DEFAULT_LANGUAGE } from "../answers/answer-languages.ts"
import { LiveDataset } from "../events/live-dataset.ts"
import { MountedSite, RequestMetrics, ThisProcess } from "../http/pipeline/process-state.ts"
import { moveSite, runServer, type ServerOptions } from "../http/server/http-server.ts"
import { endTogether } from "../queue/queue-worker.ts"
import { Meter } from "../quota/meter.ts"
import { readConfig, type ServiceConfig, warnOfUnknownVariables } from "../settings/config.ts"
import type { ConfigOptions } from "../settings/settings.ts"
import { Storage } from "../storage/storage.ts"
import { startBackground } from "./background-work.ts"
import { layerService, openConfigured } from "./layers.ts"
import { joinProcesses, readRole, refuseToServe, startProcesses } from "./processes.ts"
import { numbersOfService, openTelemetry, withLogs } from "./telemetry.ts"

export type Service = Effect.Success<ReturnType<typeof startWith>>

/** Opens the operators' address, where there is to be one. */
const openAdmin = ({ adminListen, adminTokens }: ServiceConfig, configured: Dataset) =>
  Effect.gen(function* () {
    if (adminListen === null) return null
    // Loaded here, because few have it and a start should not wait for it.
    const { runAdmin } = yield* Effect.promise(() => import("../http/admin/admin-server.ts"))
    const { readState } = yield* Meter
    const options = { listen: adminListen, tokens: adminTokens, configured, readMeter: readState }
    return yield* runAdmin(options)
  })

const startWith = Effect.fnUntraced(function* (config: ServiceConfig, options: ServerOptions) {
  yield* warnOfUnknownVariables
  const configured = yield* openConfigured(config)
  const telemetry = yield* openTelemetry(config)
  const services = yield* Effect.provideContext(Layer.build(layerService(configured)), telemetry.context)
  const role = readRole(config)
  return yield* Effect.gen(function* () {
    const inOwnScope = yield* endTogether
    const metrics = yield* RequestMetrics
    const { localisedFacts, today } = yield* LiveDataset
    const clock = yield* Clock.Clock
    const readDataset = () => today(clock.currentTimeMillisUnsafe())
    const readNumbers = yield* numbersOfService
    telemetry.follow(readNumbers)
    if (role === "serving") yield* joinProcesses(metrics, readNumbers)
    const listening = yield* inOwnScope(
      role === "first" ? startProcesses(config, readNumbers) : runServer(config, options),
    )
    // Their keys are shown once: a start that fails must not have made them.
    const demoAccounts = role === "serving" ? [] : yield* makeDemoAccounts(config.mode)
    // Loads the language before the first question, but after the port is open.
    const site = yield* MountedSite
    const dataset = readDataset()
    yield* Effect.forkScoped(Effect.promise(() => localisedFacts.load(dataset, DEFAULT_LANGUAGE)))
    if (role === "first") moveSite(site, listening.url)
    if (role !== "serving") yield* inOwnScope(startBackground(configured, () => site.publicUrl))
    const { label, moveCheckpoints } = yield* Storage
    // One of several processes listens for operators.
    const admin = role === "serving" ? null : yield* openAdmin(config, configured.dataset)
    return {
      ...listening,
      config,
      role,
      datasetVersion: dataset.version,
      /** The database in words for people; holds no secret. */
      databaseLabel: label,
      /** One account for each plan with its whole key, if this was the first start of a development server; else empty. */
      demoAccounts,
      /** For a process of its own: keeps what waits for the disk away from the event loop. */
      moveCheckpoints,
      /** The state of this process, to be watched. */
      thisProcess: yield* ThisProcess,
      /** Where operators reach it; null where they do not. */
      adminUrl: admin,
    }
  }).pipe(Effect.provideContext(Context.merge(services, telemetry.context)))
})

/** Starts a service with a configuration; it stops with the scope. What it does in the background is logged as the configuration says. */
export const startService = (config: ServiceConfig, options: ServerOptions = {}) =>
  withLogs(config.logLevel)(startWith(config, options))

/**
 * Starts the service as the environment and options configure it; it stops with the scope.
 *
 * Fails with `ConfigRefused`, `DatasetRefused`, `PushRefused`, `NotListening`, or one of the storage's errors; each has a `message` for people.
 */
export const serve = Effect.fnUntraced(function* (options: ConfigOptions) {
  const config = yield* readConfig(options)
  const started = startService(config)
  return yield* readRole(config) === "serving"
    ? Effect.catch(started, ({ message }) => refuseToServe(message))
    : started
})
