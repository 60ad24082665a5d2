/** Which repositories has a database? One for each subject, by the name that the rest of the service uses. */
import { makeAccountDataRepository } from "./account-data-repository.ts"
import { makeAccountsRepository } from "./accounts-repository.ts"
import { makeAffiliatesRepository } from "./affiliates-repository.ts"
import { makeAuditRepository } from "./audit-repository.ts"
import { makeBillingRepository } from "./billing-repository.ts"
import type { Database } from "./database.ts"
import { makeDatasetsRepository } from "./datasets-repository.ts"
import { makeDeliveriesRepository } from "./deliveries-repository.ts"
import { makeDevicesRepository } from "./devices-repository.ts"
import { makeEventsRepository } from "./events-repository.ts"
import { makeHealTimes } from "./heal-times.ts"
import { makeJobsRepository } from "./jobs-repository.ts"
import { makeKeptRequestsRepository } from "./kept-requests-repository.ts"
import { makeDeploymentRepository, makeNodesRepository } from "./nodes-repository.ts"
import { makeOperationsRepository } from "./operations-repository.ts"
import { makePaymentsRepository } from "./payments-repository.ts"
import { makePoolsRepository, makeRequestDaysRepository } from "./pools-repository.ts"
import { makePushesRepository } from "./pushes-repository.ts"
import { makeQueuedWork } from "./queued-work-repository.ts"
import { makeAttemptsRepository, makeSessionsRepository } from "./sessions-repository.ts"
import { makeSpotsRepository } from "./spots-repository.ts"
import { makeWebhooksRepository } from "./webhooks-repository.ts"

export const makeRepositories = (database: Database) => ({
  accounts: makeAccountsRepository(database),
  deployment: makeDeploymentRepository(database),
  datasets: makeDatasetsRepository(database),
  nodes: makeNodesRepository(database),
  events: makeEventsRepository(database),
  webhooks: makeWebhooksRepository(database),
  deliveries: makeDeliveriesRepository(database),
  jobs: makeJobsRepository(database),
  spots: makeSpotsRepository(database),
  devices: makeDevicesRepository(database),
  pushes: makePushesRepository(database),
  pools: makePoolsRepository(database),
  keptRequests: makeKeptRequestsRepository(database),
  requestDays: makeRequestDaysRepository(database),
  sessions: makeSessionsRepository(database),
  queuedWork: makeQueuedWork(database),
  attempts: makeAttemptsRepository(database),
  audit: makeAuditRepository(database),
  operations: makeOperationsRepository(database),
  accountData: makeAccountDataRepository(database),
  billing: makeBillingRepository(database),
  affiliates: makeAffiliatesRepository(database),
  payments: makePaymentsRepository(database),
  healTimes: makeHealTimes(database),
})

export type Repositories = Readonly<ReturnType<typeof makeRepositories>>
