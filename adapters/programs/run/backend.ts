/** Makes what the endpoints use to answer, out of the services in scope. */
import { Clock, Deferred, Effect, Layer } from "effect"
import { Jobs } from "../../batch/jobs/jobs.ts"
import { Accounts } from "../../customers/accounts/accounts.ts"
import { exportAccount } from "../../customers/accounts/data-rights.ts"
import { Sessions } from "../../customers/accounts/sessions.ts"
import { Signup } from "../../customers/accounts/signup.ts"
import { Affiliates } from "../../customers/billing/affiliates.ts"
import { Billing } from "../../customers/billing/billing.ts"
import { Meter } from "../../customers/metering/meter.ts"
import { Plans } from "../../customers/plans/plans.ts"
import { Payments } from "../../customers/x402/payments.ts"
import { LiveDataset } from "../../delivery/changes/live-dataset.ts"
import { Devices } from "../../delivery/push/devices.ts"
import { PushCounts } from "../../delivery/push/push-counts.ts"
import { Webhooks } from "../../delivery/webhooks/webhooks.ts"
import { Activity, TICK_MS } from "../../faces/http/pipeline/activity.ts"
import { makeClients } from "../../faces/http/pipeline/client-address.ts"
import { SWEEP_MS } from "../../faces/http/pipeline/idempotency.ts"
import { KeylessGate } from "../../faces/http/pipeline/keyless.ts"
import { Metrics } from "../../faces/http/pipeline/metrics.ts"
import { makeProcessState } from "../../faces/http/pipeline/process-state.ts"
import { Backend, type Lifecycle } from "../../faces/http/pipeline/services.ts"
import { makeReference } from "../../faces/http/reference/reference.ts"
import type { McpReply, McpRequest } from "../../faces/mcp/web.ts"
import { LocalisedFactsCache } from "../../knowledge/answers/localised-facts-cache.ts"
import { makeTodayView } from "../../knowledge/answers/today.ts"
import { LiveSpots } from "../../knowledge/spots/live-spots.ts"
import type { ServiceConfig } from "../../platform/settings/config.ts"
import { isLoopbackHost } from "../../platform/settings/hosts.ts"
import { upgradeUrl } from "../../platform/settings/site-links.ts"
import { OutageLog } from "../../platform/storage/outage-log.ts"
import { Storage } from "../../platform/storage/storage.ts"

const makeLifecycle = (activity: Activity) =>
  Effect.map(
    Deferred.make<void>(),
    (stopping): Lifecycle => ({
      isStopping: () => Deferred.isDoneUnsafe(stopping),
      stop: Effect.andThen(
        Deferred.succeed(stopping, undefined),
        Effect.sync(() => activity.endStreams()),
      ),
    }),
  )

/** Answers from the dataset that is installed, for accounts and quotas of the storage in scope. */
export const layerBackend = (config: ServiceConfig) =>
  Layer.effect(
    Backend,
    Effect.gen(function* () {
      const plans = yield* Plans
      const storage = yield* Storage
      const live = yield* LiveDataset
      const clients = makeClients(config.trustedProxies)
      const { publicUrl, contact, pageSendsDataset } = config
      const site = { publicUrl, contact, pageSendsDataset }
      const activity = new Activity()
      const outages = new OutageLog("the service is not ready")
      const tick = Effect.map(Clock.currentTimeMillis, nowMs => activity.tick(nowMs))
      yield* Effect.forkScoped(Effect.forever(Effect.andThen(Effect.sleep(TICK_MS), tick)))
      const sweeps = new OutageLog("answers whose time is over could not be deleted; it is tried again")
      const sweep = Effect.flatMap(Clock.currentTimeMillis, nowMs => storage.keptRequests.forgetExpired(nowMs))
      yield* Effect.forkScoped(Effect.forever(Effect.andThen(sweeps.watch(sweep), Effect.sleep(SWEEP_MS))))
      const today = makeTodayView(live.read)
      const localisedFacts = new LocalisedFactsCache(live.listInstalled)
      const clock = yield* Clock.Clock
      const accounts = yield* Accounts
      const meter = yield* Meter
      const origins = [new URL(config.publicUrl).origin, ...config.siteOrigins]
      let mcp: Promise<(request: McpRequest) => Promise<McpReply>> | undefined
      const openMcp = async () => {
        // Loaded here, because few ask for it and a start should not wait for it.
        const { makeMcpWeb } = await import("../../faces/mcp/web.ts")
        return makeMcpWeb({
          knowledge: {
            readDataset: () => today(clock.currentTimeMillisUnsafe()),
            loadFacts: (dataset, language) => localisedFacts.load(dataset, language),
          },
          meter,
          findCaller: key => accounts.findCaller(key),
          upgradeUrl: upgradeUrl(site),
          publicUrl: site.publicUrl,
          clock,
          origins,
        })
      }
      return {
        today,
        site,
        surfaces: config.surfaces,
        clients,
        liveness: outages.tell(storage.liveness),
        readStorageState: storage.readState,
        process: yield* makeProcessState,
        pushes: yield* PushCounts,
        reference: makeReference(config.surfaces, site),
        keyless: new KeylessGate({
          origins,
          listensOnLoopback: isLoopbackHost(config.host),
        }),
        accounts,
        sessions: yield* Sessions,
        signup: yield* Signup,
        billing: yield* Billing,
        affiliates: yield* Affiliates,
        payments: yield* Payments,
        usage: storage.pools,
        exportAccount: (accountId, nowMs) => Effect.provideService(exportAccount(accountId, nowMs), Storage, storage),
        plans,
        meter,
        activity,
        metrics: new Metrics(),
        lifecycle: yield* makeLifecycle(activity),
        localisedFacts,
        spots: yield* LiveSpots,
        listEvents: storage.events.listOfPair,
        devices: yield* Devices,
        webhooks: yield* Webhooks,
        mcp: async request => {
          mcp ??= openMcp()
          return (await mcp)(request)
        },
        jobs: yield* Jobs,
        webhookTargets: { allowsPrivate: config.webhookAllowsPrivate },
      }
    }),
  )
