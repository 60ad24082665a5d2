/**
 * What do the endpoints use to answer?
 *
 * Everything that an answer depends on beside the request: the dataset of the day, accounts and quotas, addresses to point at. One object a
 * process, so that every host counts in the same place.
 */

import { Context, type Effect } from "effect"
import type { OpenApi } from "effect/http-api"
import type { Jobs } from "../../../batch/jobs/jobs.ts"
import type { Accounts } from "../../../customers/accounts/accounts.ts"
import type { AccountExport } from "../../../customers/accounts/data-rights.ts"
import type { Sessions } from "../../../customers/accounts/sessions.ts"
import type { Signup } from "../../../customers/accounts/signup.ts"
import type { Affiliates } from "../../../customers/billing/affiliates.ts"
import type { Billing } from "../../../customers/billing/billing.ts"
import type { Meter } from "../../../customers/metering/meter.ts"
import type { PlanTable } from "../../../customers/plans/plans.ts"
import type { Payments } from "../../../customers/x402/payments.ts"
import type { TargetRules } from "../../../delivery/followers/target-guard.ts"
import type { Devices } from "../../../delivery/push/devices.ts"
import type { PushCounter } from "../../../delivery/push/push-counts.ts"
import type { Webhooks } from "../../../delivery/webhooks/webhooks.ts"
import type { LocalisedFactsCache } from "../../../knowledge/answers/localised-facts-cache.ts"
import type { TodayView } from "../../../knowledge/answers/today.ts"
import type { LiveSpotsShape } from "../../../knowledge/spots/live-spots.ts"
import type { Surface } from "../../../platform/settings/settings.ts"
import type { Site } from "../../../platform/settings/site-links.ts"
import type { EventRow } from "../../../platform/storage/events-repository.ts"
import type { StorageShape, StorageState } from "../../../platform/storage/storage.ts"
import type { Unavailable } from "../../../platform/storage/storage-errors.ts"
import type { McpReply, McpRequest } from "../../mcp/web.ts"
import type { Activity } from "./activity.ts"
import type { Clients } from "./client-address.ts"
import type { KeylessGate } from "./keyless.ts"
import type { Metrics } from "./metrics.ts"
import type { ProcessState } from "./process-state.ts"

/** The backend of this process. */
export class Backend extends Context.Service<Backend, BackendShape>()("landfall/http/Backend") {}

/** Whether the service is still accepting requests. */
export interface Lifecycle {
  readonly isStopping: () => boolean
  /** Accepts no more requests, and ends every stream. */
  readonly stop: Effect.Effect<void>
}

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
  readonly devices: Devices["Service"]
  readonly webhooks: Webhooks["Service"]
  /** Answers a request of the Model Context Protocol; made at the first one. */
  readonly mcp: (request: McpRequest) => Promise<McpReply>
  readonly jobs: Jobs["Service"]
  /** Where subscriptions may point to. */
  readonly webhookTargets: TargetRules
}

/** The reference for people: a page, and the program that fills it. */
export interface ReferencePage {
  readonly html: string
  readonly script: string
}

/** The reference in both forms. */
export interface Reference {
  /** The OpenAPI document. */
  readonly describe: () => OpenApi.OpenAPISpec
  /** The page, which needs nothing but its program. */
  readonly render: () => Promise<ReferencePage>
}
