/**
 * What do the endpoints use to answer?
 *
 * Everything that an answer depends on beside the request: the dataset of the day, accounts and quotas, addresses to point at. One object a
 * process, so that every host counts in the same place.
 */
import { Clock, Context, Deferred, Effect, Layer } from "effect"
import { Jobs } from "../../../batch/jobs/jobs.ts"
import { Accounts } from "../../../customers/accounts/accounts.ts"
import { type AccountExport, exportAccount } from "../../../customers/accounts/data-rights.ts"
import { Sessions } from "../../../customers/accounts/sessions.ts"
import { Signup } from "../../../customers/accounts/signup.ts"
import { Affiliates } from "../../../customers/billing/affiliates.ts"
import { Billing } from "../../../customers/billing/billing.ts"
import { Meter } from "../../../customers/metering/meter.ts"
import { Plans, type PlanTable } from "../../../customers/plans/plans.ts"
import { Payments } from "../../../customers/x402/payments.ts"
import { LiveDataset } from "../../../delivery/changes/live-dataset.ts"
import type { TargetRules } from "../../../delivery/followers/target-guard.ts"
import { Devices } from "../../../delivery/push/devices.ts"
import { type PushCounter, PushCounts } from "../../../delivery/push/push-counts.ts"
import { Webhooks } from "../../../delivery/webhooks/webhooks.ts"
import { LocalisedFactsCache } from "../../../knowledge/answers/localised-facts-cache.ts"
import { makeTodayView, type TodayView } from "../../../knowledge/answers/today.ts"
import { LiveSpots, type LiveSpotsShape } from "../../../knowledge/spots/live-spots.ts"
import { DeploymentSecret } from "../../../platform/secrets/deployment-secret.ts"
import { isLoopbackHost, type ServiceConfig } from "../../../platform/settings/config.ts"
import type { Surface } from "../../../platform/settings/settings.ts"
import { type Site, upgradeUrl } from "../../../platform/settings/site-links.ts"
import type { EventRow } from "../../../platform/storage/events-repository.ts"
import { OutageLog } from "../../../platform/storage/outage-log.ts"
import { Storage, type StorageShape, type StorageState } from "../../../platform/storage/storage.ts"
import type { Unavailable } from "../../../platform/storage/storage-errors.ts"
import type { McpReply, McpRequest } from "../../mcp/web.ts"
import { Activity, TICK_MS } from "../pipeline/activity.ts"
import { type Clients, makeClients } from "../pipeline/client-address.ts"
import { makeAnswerOnce, SWEEP_MS } from "../pipeline/idempotency.ts"
import { KeylessGate } from "../pipeline/keyless.ts"
import { Metrics } from "../pipeline/metrics.ts"
import type { Stage } from "../pipeline/pipeline.ts"
import { makeProcessState, type ProcessState } from "../pipeline/process-state.ts"
import { makeReference, type Reference } from "../reference/reference.ts"

/** Whether the service is still accepting requests. */
export interface Lifecycle {
  readonly isStopping: () => boolean
  /** Accepts no more requests, and ends every stream. */
  readonly stop: Effect.Effect<void>
}

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

/** What every endpoint may use. */
export interface BackendShape {
  readonly today: TodayView
  readonly site: Site
  readonly surfaces: readonly Surface[]
  readonly clients: Clients
  /** Succeeds within a second when the database can do its work, else says why not. */
  readonly liveness: Effect.Effect<void, Unavailable>
  readonly readStorageState: () => StorageState
  readonly process: ProcessState
  readonly pushes: PushCounter
  readonly reference: Reference
  readonly keyless: KeylessGate
  readonly accounts: Accounts["Service"]
  readonly sessions: Sessions["Service"]
  readonly signup: Signup["Service"]
  readonly billing: Billing["Service"]
  readonly affiliates: Affiliates["Service"]
  readonly payments: Payments["Service"]
  /** What an account has used, by limit, day and hour. */
  readonly usage: Pick<StorageShape["pools"], "listDays" | "listHours">
  /** Everything that is kept of an account. */
  readonly exportAccount: (accountId: number, nowMs: number) => Effect.Effect<AccountExport, Unavailable>
  readonly plans: PlanTable
  readonly meter: Meter["Service"]
  readonly activity: Activity
  readonly metrics: Metrics
  readonly lifecycle: Lifecycle
  readonly localisedFacts: LocalisedFactsCache
  readonly spots: LiveSpotsShape
  /** What has happened to a pair up to an instant, the oldest first. */
  readonly listEvents: (
    passport: string,
    destination: string,
    nowMs: number,
  ) => Effect.Effect<readonly EventRow[], Unavailable>
  /** Wraps a stage that answers, so that a request that is sent again under its name is answered once. */
  readonly answerOnce: (answer: Stage) => Stage
  readonly devices: Devices["Service"]
  readonly webhooks: Webhooks["Service"]
  /** Answers a request of the Model Context Protocol; made at the first one. */
  readonly mcp: (request: McpRequest) => Promise<McpReply>
  readonly jobs: Jobs["Service"]
  /** Where subscriptions may point to. */
  readonly webhookTargets: TargetRules
}

/** The backend of this process. */
export class Backend extends Context.Service<Backend, BackendShape>()("landfall/http/Backend") {
  /** Answers from the dataset that is installed, for accounts and quotas of the storage in scope. */
  static readonly layer = (
    config: ServiceConfig,
  ): Layer.Layer<
    Backend,
    never,
    | Accounts
    | Affiliates
    | Billing
    | Payments
    | Sessions
    | Signup
    | DeploymentSecret
    | Plans
    | Meter
    | Storage
    | LiveDataset
    | LiveSpots
    | Devices
    | Webhooks
    | Jobs
  > =>
    Layer.effect(
      Backend,
      Effect.gen(function* () {
        const plans = yield* Plans
        const storage = yield* Storage
        const live = yield* LiveDataset
        const secret = yield* DeploymentSecret
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
          const { makeMcpWeb } = await import("../../mcp/web.ts")
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
          answerOnce: answer => makeAnswerOnce(storage, secret, answer),
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
}
