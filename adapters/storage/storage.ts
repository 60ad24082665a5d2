/**
 * Through which port does the rest of the service use the database?
 *
 * It has transactions, one repository for each subject, a check whether the database can do its work, and counts. It fails with
 * `Conflict` or `Unavailable` only. Nothing outside this folder contains SQL or knows the engine.
 */
import { Context, Effect, type Scope } from "effect"
import { formatUtcDay, utcDayAt } from "../time/utc-calendar.ts"
import { makeAccountDataRepository } from "./account-data-repository.ts"
import {
  makeAccountsRepository,
  makeAttemptsRepository,
  makeAuditRepository,
  makeKeptRequestsRepository,
  makeKeysRepository,
  makeSessionsRepository,
} from "./accounts-repository.ts"
import { makeAffiliatesRepository, makeBillingRepository, makePaymentsRepository } from "./billing-repository.ts"
import type { Database, TransactionOptions } from "./database.ts"
import { makeDatasetsRepository, makeEventsRepository } from "./datasets-repository.ts"
import { makeDevicesRepository, makePushesRepository } from "./devices-repository.ts"
import { makeJobsRepository } from "./jobs-repository.ts"
import { makeDeploymentRepository, makeNodesRepository, makeSpotsRepository } from "./nodes-repository.ts"
import { makeOperationsRepository } from "./operations-repository.ts"
import { makePoolsRepository, makeRequestDaysRepository } from "./pools-repository.ts"
import type { Unavailable } from "./storage-errors.ts"
import { makeTable } from "./table-statements.ts"
import { makeDeliveriesRepository, makeWebhooksRepository } from "./webhooks-repository.ts"
import { makeQueuedWork, OPEN, WORK_TABLES } from "./work-table.ts"

// What is put right after the clock was wrong? Rows that a process wrote while its time was ahead would hold work, limits and nodes until that
// time comes. After the time was set back they are released: a claim or a wait that is longer than any can be, and counts of days that have not begun.

const HOUR_MS = 3_600_000
/** Longer than any claim. */
const LONGEST_CLAIM_MS = HOUR_MS
/** Longer than the wait before any attempt. */
const LONGEST_WAIT_MS = 25 * HOUR_MS

/** Releases what waits for a time that is further away than any can be. */
const makeHealTimes = (database: Database) => (nowMs: number) => {
  const tomorrow = formatUtcDay(utcDayAt(nowMs) + 1)
  const [claimed, waits] = [nowMs + LONGEST_CLAIM_MS, nowMs + LONGEST_WAIT_MS]
  return database.runAll(sql => [
    ...[...WORK_TABLES, "queued_work"].flatMap(name => {
      const table = sql.literal(name)
      return [
        sql`UPDATE ${table} SET lease_until = 0, leased_by = NULL WHERE state = ${OPEN} AND lease_until > ${claimed}`,
        sql`UPDATE ${table} SET due_at = ${nowMs} WHERE state = ${OPEN} AND due_at > ${waits}`,
      ]
    }),
    sql`DELETE FROM nodes WHERE alive_until > ${claimed}`,
    sql`DELETE FROM attempts WHERE window_starts_at > ${nowMs}`,
    sql`UPDATE dataset_feed SET due_at = 0 WHERE due_at > ${waits}`,
    sql`DELETE FROM kept_requests WHERE sealed_answer IS NULL AND claimed_until > ${claimed}`,
    sql`UPDATE payments SET claimed_until = ${nowMs} WHERE claimed_until > ${claimed}`,
    sql`DELETE FROM pool_counts WHERE day > ${tomorrow}`,
    sql`DELETE FROM items_seen WHERE seen_on > ${tomorrow}`,
    sql`DELETE FROM request_days WHERE day > ${tomorrow}`,
  ])
}

// What is deleted because its time is over? What anybody can have stored, and counts of days. What accounts, queues and datasets delete of their
// own needs more than its age: that is with them.

const DAY_MS = 24 * HOUR_MS
/** How long the claim is kept of who has referred an address that is not confirmed, and a payment that was not made. */
const OPEN_DAYS = 30
/** How long an affiliate is kept whom nobody has clicked or named, and what was used on each day: more than a year. */
const LONG_DAYS = 400
/** For how many days, today among them, it is kept how often each route was asked. */
export const REQUEST_DAYS = 14

const makeSweep = (database: Database) => (nowMs: number) => {
  const { sql } = database
  const dayBefore = (days: number) => formatUtcDay(utcDayAt(nowMs) - days)
  const openMs = nowMs - OPEN_DAYS * DAY_MS
  const unnamed = ["affiliate_clicks", "referral_claims", "commissions"].map(
    table => `id NOT IN (SELECT affiliate_id FROM ${table})`,
  )
  const ended = [
    sql`kept_requests WHERE expires_at <= ${nowMs}`,
    sql`attempts WHERE window_ends_at <= ${nowMs}`,
    sql`sessions WHERE expires_at <= ${nowMs}`,
    sql`mail_links WHERE expires_at <= ${nowMs}`,
    sql`referral_claims WHERE made_at < ${openMs}`,
    sql`payments WHERE state = 'failed' AND created_at < ${openMs}`,
    sql`affiliates WHERE created_at < ${new Date(nowMs - LONG_DAYS * DAY_MS).toISOString()}
      AND ${sql.literal(unnamed.join(" AND "))}
      AND id NOT IN (SELECT referred_by FROM accounts WHERE referred_by IS NOT NULL)`,
    sql`items_seen WHERE seen_on < ${dayBefore(0)}`,
    sql`pool_counts WHERE pool NOT IN ('visa', 'lookup', 'spots', 'unconfirmed') AND day < ${dayBefore(0)}`,
    sql`pool_counts WHERE pool <> 'unconfirmed' AND day < ${dayBefore(LONG_DAYS)}`,
    sql`request_days WHERE day < ${dayBefore(REQUEST_DAYS - 1)}`,
  ]
  return Effect.forEach(ended, rows => database.run(() => sql`DELETE FROM ${rows}`), { discard: true })
}

/** What only the process that opened the database knows. */
interface Opened {
  /** When a process last proved that it can write, before this one (epoch milliseconds); 0 for a new database. */
  readonly lastSeenMs: number
  /** Succeeds when the database can do its work; otherwise says why not. */
  readonly liveness: Effect.Effect<void, Unavailable>
  /** Keeps the copying of a file's log away from the event loop, until the scope ends; a server copies by itself. */
  readonly moveCheckpoints: Effect.Effect<void, never, Scope.Scope>
}

export const makeStorage = (database: Database, opened: Opened) => ({
  ...opened,
  engine: database.engine,
  /** The name of the database for people, without secrets. */
  label: database.label,
  /** Runs an effect in one transaction; inside another one as a part of it. Fails with `Unavailable` besides what the effect fails with. */
  transact: <A, E, R>(effect: Effect.Effect<A, E, R>, options?: TransactionOptions) =>
    database.transact(effect, options),
  /** The time of the database (epoch milliseconds): of the server, or of this machine for a file. */
  readTime: database.readTime,
  /** The state of the storage, as numbers. */
  readState: () => ({
    engine: database.engine,
    /** How many steps of the tables this program knows, and how many were applied when it was last asked. */
    steps: { known: database.knownSteps.length, applied: database.applied.newest },
    /** The durations of statements on their own, and of whole transactions. */
    latencies: { statement: database.times.statement.read(), transaction: database.times.transaction.read() },
    /** How often since the start the database could not do its work. */
    unavailable: database.unavailable,
  }),
  /** A number that grows whenever this process may have changed something. */
  countChanges: () => database.changes,

  accounts: makeAccountsRepository(database),
  keys: makeKeysRepository(database),
  deployment: makeDeploymentRepository(database),
  datasets: makeDatasetsRepository(database),
  installations: makeTable(database, "installations"),
  installedChanges: makeTable(database, "installed_changes"),
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
  sweep: makeSweep(database),
})

export type StorageShape = Readonly<ReturnType<typeof makeStorage>>

/** The storage of this process. */
export class Storage extends Context.Service<Storage, StorageShape>()("landfall/storage/Storage") {}
