/**
 * Which data of an account are stored, and what is left after its erasure?
 *
 * This is the one list of tables. The export and the erasure of an account and the end of all access to it use it, so a new table is one
 * more entry here; a test compares the list with the tables of the database. Erasing leaves the data for accounting (counts, plans,
 * payments and audit trail), under the account's number and without the person. Hashes and sealed texts are not exported, because nobody
 * can read them.
 */
import { Effect } from "effect"
import type { Database } from "./database.ts"
import type { Unavailable } from "./storage-errors.ts"

/** How an account is named in a table's rows: by its number, or by the text of it. */
type Owner = "number" | "text"

/** The change to the rows of an account. */
type Change = "delete" | "keep" | { readonly set: string }

export interface AccountTable {
  readonly table: string
  /** The columns that are exported, in order. */
  readonly columns: readonly string[]
  /** The condition of the account's rows; `?` is the account. */
  readonly where: string
  readonly owner: Owner
  readonly order: string
  /** What erasing does: deletes the rows, leaves them, or writes something else into columns that name the person; `?` is the account. */
  readonly erasing: Change
  /** The effect of confirming or changing the address, if the rows give access: they may belong to a stranger who came before the owner. */
  readonly confirming?: Change
}

const OF_ACCOUNT = { where: "account_id = ?", owner: "number" } as const
const OF_DEVICES = { where: "device_id IN (SELECT id FROM devices WHERE account_id = ?)", owner: "number" } as const
const OF_JOBS = { where: "job_id IN (SELECT id FROM jobs WHERE account_id = ?)", owner: "number" } as const
const OF_SUBJECT = { where: "subject = ?", owner: "text" } as const

/** Every table of accounts, in the order in which rows can be deleted. */
export const ACCOUNT_TABLES: readonly AccountTable[] = [
  // Lines and answers are not listed here: the job itself returns them, as long as it exists.
  {
    ...OF_JOBS,
    table: "job_pieces",
    columns: ["job_id", "seq", "kind"],
    order: "job_id, seq, kind",
    erasing: "delete",
  },
  {
    ...OF_JOBS,
    table: "job_chunks",
    columns: ["job_id", "seq", "first_line", "state"],
    order: "job_id, seq",
    erasing: "delete",
  },
  {
    ...OF_ACCOUNT,
    table: "jobs",
    columns: ["id", "state", "lines", "lines_done", "failed", "blocked", "pairs_charged", "created_at", "completed_at"],
    order: "created_at, id",
    erasing: "delete",
  },
  {
    table: "deliveries",
    columns: ["id", "event_id", "type", "state", "attempt", "created_at", "last_at", "last_status", "last_error"],
    where: "webhook_id IN (SELECT id FROM webhooks WHERE account_id = ?)",
    owner: "number",
    order: "id",
    erasing: "delete",
    confirming: "delete",
  },
  {
    ...OF_ACCOUNT,
    table: "event_bodies",
    columns: ["event_id", "body", "created_at"],
    order: "created_at, event_id",
    erasing: "delete",
    confirming: "delete",
  },
  {
    ...OF_ACCOUNT,
    table: "webhooks",
    columns: ["id", "url", "terms", "description", "disabled_because", "created_at"],
    order: "id",
    erasing: "delete",
    confirming: "delete",
  },
  {
    ...OF_DEVICES,
    table: "pushes",
    columns: ["device_id", "event_id", "attempt", "created_at"],
    order: "created_at, id",
    erasing: "delete",
    confirming: "delete",
  },
  {
    ...OF_DEVICES,
    table: "device_codes",
    columns: ["device_id", "list", "code"],
    order: "device_id, list, code",
    erasing: "delete",
    confirming: "delete",
  },
  {
    ...OF_ACCOUNT,
    table: "devices",
    columns: ["id", "platform", "lang", "registered_at"],
    order: "id",
    erasing: "delete",
    confirming: "delete",
  },
  {
    table: "kept_requests",
    columns: ["idempotency_key", "expires_at"],
    where: "key_id IN (SELECT id FROM api_keys WHERE account_id = ?)",
    owner: "number",
    order: "expires_at",
    erasing: "delete",
    confirming: "delete",
  },
  {
    ...OF_ACCOUNT,
    table: "api_keys",
    columns: [
      "id",
      "kind",
      "name",
      "is_active",
      "created_at",
      "scopes",
      "allowed_addresses",
      "expires_at",
      "replaced_at",
      "last_used_at",
      "used",
    ],
    order: "id",
    erasing: "delete",
    // A key that has ended stays in the list.
    confirming: { set: "is_active = 0" },
  },
  {
    ...OF_ACCOUNT,
    table: "sessions",
    columns: ["created_at", "expires_at", "family"],
    order: "created_at",
    erasing: "delete",
    confirming: "delete",
  },
  {
    ...OF_ACCOUNT,
    table: "mail_links",
    columns: ["expires_at"],
    order: "expires_at",
    erasing: "delete",
    confirming: "delete",
  },
  {
    ...OF_ACCOUNT,
    table: "referral_claims",
    columns: ["affiliate_id", "made_at"],
    order: "made_at",
    erasing: "delete",
    // The one that counts was read before.
    confirming: "delete",
  },
  {
    ...OF_SUBJECT,
    table: "items_seen",
    columns: ["seen_on", "list", "item"],
    order: "seen_on, list, item",
    erasing: "delete",
  },
  {
    ...OF_ACCOUNT,
    table: "request_days",
    columns: ["day", "method", "route", "status", "requests"],
    order: "day, route, method, status",
    erasing: "delete",
  },
  { ...OF_SUBJECT, table: "pool_counts", columns: ["pool", "day", "used"], order: "pool, day", erasing: "keep" },
  { ...OF_ACCOUNT, table: "audit_trail", columns: ["at", "actor", "action", "detail"], order: "id", erasing: "keep" },
  {
    ...OF_ACCOUNT,
    table: "subscriptions",
    columns: ["id", "customer_id", "plan", "state", "failed_at", "next_change_at"],
    order: "id",
    erasing: "keep",
  },
  {
    ...OF_ACCOUNT,
    table: "commissions",
    columns: ["invoice_id", "affiliate_id", "month", "paid_cents", "refunded_cents", "commission_cents"],
    order: "month, invoice_id",
    erasing: "keep",
  },
  {
    // An affiliate is known by an address: the account's own.
    table: "affiliates",
    columns: ["id", "name", "email", "created_at"],
    where: "email_folded = (SELECT email_folded FROM accounts WHERE id = ?)",
    owner: "number",
    order: "id",
    erasing: { set: "name = '(erased)', email = id || '@erased.invalid', email_folded = id || '@erased.invalid'" },
  },
  {
    table: "accounts",
    columns: [
      "id",
      "name",
      "email",
      "plan",
      "is_confirmed",
      "is_disabled",
      "api_version",
      "language",
      "created_at",
      "referred_by",
      "referred_at",
    ],
    where: "id = ?",
    owner: "number",
    order: "id",
    // `.invalid` is a name that no mail can ever reach (RFC 2606).
    erasing: {
      set: "name = '(erased)', email = 'erased-' || id || '@erased.invalid', email_folded = 'erased-' || id || '@erased.invalid', language = NULL, is_disabled = 1",
    },
  },
]

/** Rows by table, as they are kept. */
export type AccountData = Readonly<Record<string, readonly Readonly<Record<string, unknown>>[]>>

/** The statements on everything of an account. */
export const makeAccountDataRepository = (database: Database) => {
  const write = (text: string) => text.replaceAll("?", database.parameter(1))
  const ownerOf = ({ owner }: AccountTable, accountId: number) => [owner === "number" ? accountId : String(accountId)]
  const change = (accountId: number, changeOf: (of: AccountTable) => Change): Effect.Effect<void, Unavailable> =>
    Effect.forEach(
      ACCOUNT_TABLES,
      of => {
        const { table, where } = of
        const change = changeOf(of)
        if (change === "keep") return Effect.void
        const text =
          change === "delete"
            ? `DELETE FROM ${table} WHERE ${where}`
            : `UPDATE ${table} SET ${change.set} WHERE ${where}`
        return database.change(sql => sql.unsafe(write(text), ownerOf(of, accountId)))
      },
      { discard: true },
    )
  return {
    /** Everything that is kept of an account. */
    read: (accountId: number): Effect.Effect<AccountData, Unavailable> =>
      Effect.map(
        Effect.forEach(ACCOUNT_TABLES, of =>
          Effect.map(
            database.ask(sql =>
              sql.unsafe<Record<string, unknown>>(
                write(`SELECT ${of.columns.join(", ")} FROM ${of.table} WHERE ${of.where} ORDER BY ${of.order}`),
                ownerOf(of, accountId),
              ),
            ),
            rows => [of.table, rows.map(row => ({ ...row }))] as const,
          ),
        ),
        Object.fromEntries,
      ),

    /** Erases the person from everything of an account, in the transaction that is under way. */
    erase: (accountId: number): Effect.Effect<void, Unavailable> => change(accountId, ({ erasing }) => erasing),

    /**
     * Deletes accounts that their owners registered before an instant and never confirmed, and nothing else happened to, up to a number;
     * returns their number.
     */
    forgetUnconfirmed: (before: string, limit: number): Effect.Effect<number, Unavailable> =>
      Effect.gen(function* () {
        const found = yield* database.ask(
          sql => sql<{ id: number }>`SELECT a.id FROM accounts a
            WHERE a.is_confirmed = 0 AND a.plan = 'free' AND a.created_at < ${before}
            AND EXISTS (SELECT 1 FROM audit_trail t
              WHERE t.account_id = a.id AND t.action = 'account_made' AND t.actor = 'owner')
            AND NOT EXISTS (SELECT 1 FROM audit_trail t WHERE t.account_id = a.id AND t.action <> 'account_made')
            ORDER BY a.id LIMIT ${limit}`,
        )
        yield* Effect.forEach(
          found,
          ({ id }) => change(id, ({ table }) => (table === "affiliates" ? "keep" : "delete")),
          { discard: true },
        )
        return found.length
      }),

    /** Ends every key, session, link, webhook and device of an account, in the transaction that is under way. */
    endAccess: (accountId: number): Effect.Effect<void, Unavailable> =>
      change(accountId, ({ confirming = "keep" }) => confirming),
  }
}
