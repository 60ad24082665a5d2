/**
 * Which workers run in the background, in a service or in a process of their own?
 *
 * Dispatchers of deliveries, one of mails, a worker on jobs, a sender of pushes where the configuration names a push service, and
 * the changes of plans that are due. A worker process reads the configuration of the service, opens its dataset and its database
 * and finds its secret, and runs until the scope ends; it serves no requests.
 */
import { Context, Effect, Layer, Schedule } from "effect"
import { makeMailDispatcher } from "../accounts/mail-dispatcher.ts"
import { makeJobWorker } from "../batch/jobs/job-worker.ts"
import { Billing } from "../billing/billing.ts"
import { followFeed, watchFile } from "../events/follow-feed.ts"
import { PushedPlatforms } from "../events/followers/fan-out.ts"
import { LiveDataset } from "../events/live-dataset.ts"
import { ThisProcess } from "../http/pipeline/process-state.ts"
import { listWorkerFamilies, WORKER_NEEDS } from "../http/routes/operations/metric-families.ts"
import { deliveryOf, smtpOf } from "../mail/mails.ts"
import { makePusher } from "../push/pusher.ts"
import { endTogether } from "../queue/queue-worker.ts"
import { readConfig, type ServiceConfig } from "../settings/config.ts"
import { OutageLog } from "../storage/outage-log.ts"
import { Storage } from "../storage/storage.ts"
import type { Unavailable } from "../storage/storage-errors.ts"
import { startDispatchers } from "../webhooks/dispatcher.ts"
import { Payments } from "../x402/payments.ts"
import { type Configured, layerWorker, openConfigured } from "./layers.ts"
import { openTelemetry, withLogs } from "./telemetry.ts"

/** How often this is polled. */
const SETTLE_EVERY_MS = 30_000

/**
 * Starts polling for delayed changes: plans that change because a period or a grace period is over, and payments whose answer was lost.
 * Every process polls; the first one settles each in a transaction that excludes the others, so that each change happens once.
 */
const settleLater = Effect.fnUntraced(function* ({ stripe, x402 }: Pick<ServiceConfig, "stripe" | "x402">) {
  const poll = <A>(what: string, work: Effect.Effect<A, Unavailable>) => {
    const outages = new OutageLog(`${what} wait, because the database cannot do its work`)
    return Effect.forkScoped(Effect.repeat(outages.watch(work), Schedule.spaced(SETTLE_EVERY_MS)))
  }
  if (x402 !== null) yield* poll("payments whose answer was lost", (yield* Payments).reconcile)
  if (stripe !== null) yield* poll("plans that change by themselves", (yield* Billing).applyDue)
})

/** Starts as many dispatchers as are configured, one of mails, a worker on jobs, and a sender of pushes; they end with the scope. */
const startWorkers = Effect.fnUntraced(function* (
  { config, pushAccounts }: Pick<Configured, "config" | "pushAccounts">,
  readPublicUrl: () => string,
) {
  const platforms = pushAccounts.map(({ platform }) => platform)
  // All stop at the same time, each with its own work under way.
  const inOwnScope = yield* endTogether
  const start = <E, R>(make: Effect.Effect<{ readonly run: Effect.Effect<void> }, E, R>) =>
    inOwnScope(Effect.flatMap(make, ({ run }) => Effect.forkScoped(run)))
  // The process that distributes an event records whether pushes follow.
  const dispatchers = startDispatchers(config.workers, {
    allowsPrivate: config.webhookAllowsPrivate,
    historyDays: config.historyDays,
  })
  yield* inOwnScope(Effect.provideService(dispatchers, PushedPlatforms, platforms))
  const { read } = yield* LiveDataset
  yield* start(makeJobWorker(read))
  if (deliveryOf(config) !== "none") yield* start(makeMailDispatcher({ readPublicUrl, smtp: smtpOf(config) }))
  if (platforms.length > 0) yield* start(Effect.flatMap(Effect.all(pushAccounts.map(({ open }) => open)), makePusher))
})

/** Starts what a service does in the background: the watched file, the feed, delayed changes, and the workers that are configured. */
export const startBackground = Effect.fnUntraced(function* (configured: Configured, readPublicUrl: () => string) {
  const { config } = configured
  if (config.datasetWatch !== null) yield* watchFile(config.datasetWatch)
  if (config.datasetFeed !== null) yield* followFeed({ url: config.datasetFeed, keys: config.datasetKeys })
  yield* settleLater(config)
  if (config.workers > 0) yield* startWorkers(configured, readPublicUrl)
})

/** Starts the workers that the environment configures, one at least. */
export const runWorkers = Effect.gen(function* () {
  const configured = yield* openConfigured(yield* readConfig())
  const { config, pushAccounts } = configured
  const telemetry = yield* openTelemetry(config)
  const layer = Layer.merge(layerWorker(configured), ThisProcess.layer)
  const services = yield* Effect.provideContext(Layer.build(layer), telemetry.context)
  const workers = Math.max(1, config.workers)
  const start = Effect.gen(function* () {
    const shown = yield* Effect.all(WORKER_NEEDS)
    telemetry.follow(() => listWorkerFamilies(shown))
    yield* settleLater(config)
    yield* startWorkers({ config: { ...config, workers }, pushAccounts }, () => config.publicUrl)
    const { label, moveCheckpoints } = yield* Storage
    return { label, moveCheckpoints, workers, thisProcess: yield* ThisProcess }
  })
  return yield* withLogs(config.logLevel)(Effect.provideContext(start, Context.merge(services, telemetry.context)))
})
