/**
 * Through which port does the rest of the service use the database?
 *
 * It has transactions, one repository for each subject, a check whether the database can do its work, and counts. It fails with
 * `Conflict` or `Unavailable` only. Nothing outside this folder contains SQL or knows the engine.
 */
import { Context, type Effect } from "effect"
import type { HistogramState } from "../time/histogram.ts"
import type { AccountDataRepository } from "./account-data-repository.ts"
import type { AccountsRepository } from "./accounts-repository.ts"
import type { AffiliatesRepository } from "./affiliates-repository.ts"
import type { AttemptsRepository } from "./attempts-repository.ts"
import type { AuditRepository } from "./audit-repository.ts"
import type { BillingRepository } from "./billing-repository.ts"
import type { TransactionOptions, WorkKind } from "./database.ts"
import type { DatasetsRepository } from "./datasets-repository.ts"
import type { DeliveriesRepository } from "./deliveries-repository.ts"
import type { DeploymentRepository } from "./deployment-repository.ts"
import type { DevicesRepository } from "./devices-repository.ts"
import type { EventsRepository } from "./events-repository.ts"
import type { JobsRepository } from "./jobs-repository.ts"
import type { KeptRequestsRepository } from "./kept-requests-repository.ts"
import type { MailsRepository } from "./mails-repository.ts"
import type { NodesRepository } from "./nodes-repository.ts"
import type { OperationsRepository } from "./operations-repository.ts"
import type { PaymentsRepository } from "./payments-repository.ts"
import type { PoolsRepository } from "./pools-repository.ts"
import type { PushesRepository } from "./pushes-repository.ts"
import type { RequestDaysRepository } from "./request-days-repository.ts"
import type { SeenRepository } from "./seen-repository.ts"
import type { SessionsRepository } from "./sessions-repository.ts"
import type { SpotsRepository } from "./spots-repository.ts"
import type { Unavailable } from "./storage-errors.ts"
import type { WebhooksRepository } from "./webhooks-repository.ts"

/** How the storage is doing, as numbers. */
export interface StorageState {
  readonly engine: string
  /** The durations of statements on their own, and of whole transactions. */
  readonly latencies: Readonly<Record<WorkKind, HistogramState>>
  /** How often since the start the database could not do its work. */
  readonly unavailable: number
}

export interface StorageShape {
  readonly engine: string
  /** What people call the database; holds no secret. */
  readonly label: string
  /** Runs an effect in one transaction; inside another one as a part of it. Fails with `Unavailable` besides what the effect fails with. */
  readonly transact: <A, E, R>(
    effect: Effect.Effect<A, E, R>,
    options?: TransactionOptions,
  ) => Effect.Effect<A, E | Unavailable, R>
  readonly accounts: AccountsRepository
  readonly deployment: DeploymentRepository
  readonly keptRequests: KeptRequestsRepository
  readonly datasets: DatasetsRepository
  readonly events: EventsRepository
  readonly webhooks: WebhooksRepository
  readonly deliveries: DeliveriesRepository
  readonly jobs: JobsRepository
  readonly spots: SpotsRepository
  readonly devices: DevicesRepository
  readonly pushes: PushesRepository
  readonly pools: PoolsRepository
  readonly nodes: NodesRepository
  readonly requestDays: RequestDaysRepository
  readonly seen: SeenRepository
  readonly sessions: SessionsRepository
  readonly mails: MailsRepository
  readonly attempts: AttemptsRepository
  readonly audit: AuditRepository
  readonly operations: OperationsRepository
  readonly accountData: AccountDataRepository
  readonly billing: BillingRepository
  readonly affiliates: AffiliatesRepository
  readonly payments: PaymentsRepository
  /** Succeeds when the database can do its work; otherwise says why not. */
  readonly liveness: Effect.Effect<void, Unavailable>
  readonly readState: () => StorageState
}

/** The storage of this process. */
export class Storage extends Context.Service<Storage, StorageShape>()("landfall/storage/Storage") {}
