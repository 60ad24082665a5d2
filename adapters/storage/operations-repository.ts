/**
 * What does an operator see of the stored data?
 *
 * Queries over all accounts, each of at most a page of rows; nothing is changed here. No row holds a key, a secret or a token.
 */
import type { AccountRow } from "./accounts-repository.ts"
import type { Database } from "./database.ts"
import type { DatasetRow, InstallationRow } from "./datasets-repository.ts"
import type { JobRow } from "./jobs-repository.ts"
import type { DeliveryRow, WebhookRow } from "./webhooks-repository.ts"
import { OPEN, QUEUED_KINDS, WORK_TABLES } from "./work-table.ts"

/** Which rows of a list: those below a number, up to a number of them, of one account where one is named. */
export interface OperationsPage {
  readonly beforeId: number
  readonly limit: number
}

/** A receiver and its state. Instants are epoch milliseconds. */
export type ReceiverRow = Pick<WebhookRow, "id" | "account_id" | "url" | "disabled_because" | "failing_since"> &
  Pick<DeliveryRow, "last_at" | "last_status" | "last_error"> & {
    readonly account_disabled: number
    readonly waiting: number
    readonly given_up: number
    /** When the delivery that was attempted last is due again; null where it is over. */
    readonly next_at: number | null
    /** The delivery that was attempted last. */
    readonly last_delivery: number | null
  }

/** A kind of queued work. */
export interface QueueRow {
  readonly kind: string
  /** At most {@link MOST_COUNTED}, which means as many or more. */
  readonly waiting: number
  /** Since when the oldest of them is due, as an epoch millisecond; null where none waits. */
  readonly due_since: number | null
}

/** How much there was of something in the last 24 hours, and in the 24 before. */
export interface DayRow {
  readonly what: string
  /** Whether it is something that should not happen. */
  readonly is_bad: number
  readonly last: number
  readonly before: number
}

/** An account, with its usage of the visa service in a month. */
type AccountUse = Pick<AccountRow, "id" | "email" | "plan" | "created_at"> & {
  readonly is_confirmed: number
  readonly is_disabled: number
  readonly used: number
}

/** An installation, with its dataset; null for that of the configuration, and for one that was deleted. */
type InstalledDataset = Pick<InstallationRow, "id" | "kind" | "installed_at"> & {
  readonly [Name in "version" | "as_of"]: DatasetRow[Name] | null
}

/** Up to how many rows are counted: what grows with the rows that wait would cost most when there is most to do. */
export const MOST_COUNTED = 10_000

/** The SQL of a number of rows, of at most {@link MOST_COUNTED}. */
const countUpTo = (rows: string): string =>
  `(SELECT COUNT(*) FROM (SELECT 1 AS one ${rows} LIMIT ${MOST_COUNTED}) AS counted)`

/** The SQL of how much work of some rows waits, and since when. */
const queue = (kind: string, rows: string): string =>
  `SELECT ${kind} AS kind, ${countUpTo(rows)} AS waiting, (SELECT due_at ${rows} ORDER BY due_at LIMIT 1) AS due_since`

/** The SQL of how much work waits of each kind. */
const QUEUES = [
  ...WORK_TABLES.map(table => queue(`'${table}'`, `FROM ${table} WHERE state = '${OPEN}'`)),
  `${queue("k.kind", `FROM queued_work WHERE kind = k.kind AND state = '${OPEN}'`)} FROM (${QUEUED_KINDS}) AS k`,
].join(" UNION ALL ")

const countDeliveries = (state: string): string =>
  countUpTo(`FROM deliveries d WHERE d.webhook_id = w.id AND d.state = '${state}'`)

const DAY_MS = 86_400_000

/** The SQL of what is counted for the day that ends at an instant. */
function writeDay(endsMs: number): Readonly<Record<string, { readonly isBad: boolean; readonly sql: string }>> {
  const dayOf = new Date(endsMs - 1).toISOString().slice(0, 10)
  const during = (instant: string) => `${instant} >= ${endsMs - DAY_MS} AND ${instant} < ${endsMs}`
  const requests = (statuses: string) =>
    `(SELECT CAST(COALESCE(SUM(requests), 0) AS BIGINT) FROM request_days WHERE day = '${dayOf}' AND ${statuses})`
  return {
    "deliveries made": { isBad: false, sql: countUpTo(`FROM deliveries WHERE ${during("created_at")}`) },
    // The plus keeps a database from passing over all deliveries of the day: it reads those that were given up, of which there are fewer.
    "deliveries given up": {
      isBad: true,
      sql: countUpTo(`FROM deliveries WHERE state = 'undelivered' AND ${during("+last_at")}`),
    },
    "jobs made": { isBad: false, sql: `(SELECT COUNT(*) FROM jobs WHERE ${during("created_at")})` },
    "requests refused because of a limit (429)": { isBad: true, sql: requests("status = 429") },
    "requests that failed here (5xx)": { isBad: true, sql: requests("status >= 500") },
    "requests with a key": { isBad: false, sql: requests("status > 0") },
  }
}

/** The questions. */
export const makeOperationsRepository = (database: Database) => ({
  /** Accounts, the newest first, with their usage of the visa service in a month. */
  listAccounts: ({ beforeId, limit }: OperationsPage, month: string) =>
    database.ask(
      sql => sql<AccountUse>`SELECT a.id, a.email, a.plan, a.is_confirmed, a.is_disabled, a.created_at,
          (SELECT CAST(COALESCE(SUM(u.used), 0) AS BIGINT) FROM pool_counts u WHERE u.subject = CAST(a.id AS TEXT)
            AND u.pool = 'visa' AND u.day BETWEEN ${`${month}-01`} AND ${`${month}-31`}) AS used
        FROM accounts a WHERE a.id < ${beforeId} ORDER BY a.id DESC LIMIT ${limit}`,
    ),

  /** Receivers, the newest first; optionally of one account, or only those that fail. */
  listReceivers: (
    { beforeId, limit }: OperationsPage,
    { accountId, isFailing }: { readonly accountId: number | null; readonly isFailing: boolean },
  ) =>
    database.ask(
      sql => sql<ReceiverRow>`SELECT * FROM (
          SELECT w.id, w.account_id, w.url, w.disabled_because, a.is_disabled AS account_disabled,
            ${sql.literal(countDeliveries("pending"))} AS waiting,
            ${sql.literal(countDeliveries("undelivered"))} AS given_up,
            w.failing_since, CASE WHEN l.state = 'pending' THEN l.due_at END AS next_at,
            l.id AS last_delivery, l.last_at, l.last_status, l.last_error
          FROM webhooks w JOIN accounts a ON a.id = w.account_id
          LEFT JOIN deliveries l ON l.id = (
            SELECT d.id FROM deliveries d WHERE d.webhook_id = w.id AND d.last_at IS NOT NULL
            ORDER BY d.last_at DESC, d.id DESC LIMIT 1
          )
          WHERE w.id < ${beforeId} ${accountId === null ? sql.literal("") : sql`AND w.account_id = ${accountId}`}
        ) AS receiver
        ${isFailing ? sql.literal("WHERE disabled_because IS NOT NULL OR last_error IS NOT NULL OR last_status >= 300") : sql.literal("")}
        ORDER BY id DESC LIMIT ${limit}`,
    ),

  /** Jobs, the newest first, up to a number of them. */
  listJobs: (limit: number) =>
    database.ask(
      sql => sql<
        Pick<JobRow, "id" | "account_id" | "state" | "lines" | "lines_done" | "failed" | "created_at" | "completed_at">
      >`SELECT id, account_id, state, lines, lines_done, failed, created_at, completed_at FROM jobs
        ORDER BY created_at DESC, id LIMIT ${limit}`,
    ),

  /** The waiting work of each queue. */
  countQueues: database.ask(sql => sql.unsafe<QueueRow>(`${QUEUES} ORDER BY kind`)),

  /** What happened in the 24 hours before an instant, and in the 24 before. */
  countDay: (nowMs: number) => {
    const before = writeDay(nowMs - DAY_MS)
    const rows = Object.entries(writeDay(nowMs)).map(
      ([what, { isBad, sql }], at) =>
        `SELECT ${at} AS place, '${what}' AS what, ${Number(isBad)} AS is_bad, ${sql} AS last, ${before[what]?.sql} AS before`,
    )
    return database.ask(sql => sql.unsafe<DayRow>(`${rows.join(" UNION ALL ")} ORDER BY place`))
  },

  /** Installations of datasets, the newest first. */
  listInstallations: ({ beforeId, limit }: OperationsPage) =>
    database.ask(
      sql => sql<InstalledDataset>`SELECT i.id, i.kind, d.version, d.as_of, i.installed_at
        FROM installations i LEFT JOIN datasets d ON d.id = i.dataset_id
        WHERE i.id < ${beforeId} ORDER BY i.id DESC LIMIT ${limit}`,
    ),
})
