/**
 * On what do the endpoints stand?
 *
 * Everything that an answer depends on beside the request: the dataset of the day, accounts and quotas, addresses to point at. Both
 * lanes share this one object, so that they share every count.
 */
import { Context, Deferred, Effect, Layer } from "effect"
import type { Dataset } from "../../src/index.ts"
import { Accounts } from "../accounts/accounts.ts"
import { Plans, type PlanTable } from "../accounts/plans.ts"
import { Meter } from "../metering/meter.ts"
import { Activity } from "./activity.ts"
import { isLoopbackHost, type ServiceConfig } from "./config.ts"
import { KeylessGate } from "./keyless.ts"
import { Metrics } from "./metrics.ts"
import { makeTodayView, type TodayView } from "./today.ts"
import { Library } from "./visa/library.ts"

/** Where answers point to. */
export interface Site {
  /** The address under which clients reach the service, without a slash at its end. */
  publicUrl: string
  contact: string
}

/** Whether the service goes on. */
export interface Lifecycle {
  readonly isStopping: () => boolean
  /** Waits until the service stops. */
  readonly stopping: Effect.Effect<void>
  readonly stop: Effect.Effect<void>
}

const makeLifecycle = Effect.map(
  Deferred.make<void>(),
  (stopping): Lifecycle => ({
    isStopping: () => Deferred.isDoneUnsafe(stopping),
    stopping: Deferred.await(stopping),
    stop: Effect.asVoid(Deferred.succeed(stopping, undefined)),
  }),
)

/** What every endpoint may use. */
export interface BackendShape {
  readonly today: TodayView
  readonly site: Site
  readonly keyless: KeylessGate
  readonly accounts: Accounts["Service"]
  readonly plans: PlanTable
  readonly meter: Meter["Service"]
  readonly activity: Activity
  readonly metrics: Metrics
  readonly lifecycle: Lifecycle
  readonly library: Library
}

/** The backend of this process. */
export class Backend extends Context.Service<Backend, BackendShape>()("landfall/http/Backend") {
  /** Answers from a dataset, for accounts and quotas of the storage in scope. */
  static readonly layer = (
    config: ServiceConfig,
    dataset: Dataset,
  ): Layer.Layer<Backend, never, Accounts | Plans | Meter> =>
    Layer.effect(
      Backend,
      Effect.gen(function* () {
        const plans = yield* Plans
        return {
          today: makeTodayView(dataset),
          site: { publicUrl: config.publicUrl, contact: config.contact },
          keyless: new KeylessGate({
            origins: [new URL(config.publicUrl).origin, ...config.siteOrigins],
            listensOnLoopback: isLoopbackHost(config.host),
            trustedProxies: config.trustedProxies,
            checksPerMinute: plans.keylessChecksPerMinute,
          }),
          accounts: yield* Accounts,
          plans,
          meter: yield* Meter,
          activity: new Activity(),
          metrics: new Metrics(),
          lifecycle: yield* makeLifecycle,
          library: new Library(),
        }
      }),
    )
}

/** Where a stranger gets a key. */
export const signupUrl = (site: Site): string => `${site.publicUrl}/docs`

/** Where an account gets a better plan. */
export const upgradeUrl = (site: Site): string => `${site.publicUrl}/docs`
