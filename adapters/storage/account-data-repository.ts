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

/** The change to the rows of an account. */
type Change = "delete" | "keep" | { readonly set: string }

/** Which rows are an account's: the condition, in which `?` is the account by its number, or by the text of it. */
interface Owned {
  readonly where: string
  readonly owner: "number" | "text"
}

interface AccountTable extends Owned {
  readonly table: string
  /** The columns that are exported, in order. */
  readonly columns: string
  readonly order: string
  /** What erasing does: deletes the rows, leaves them, or writes something else into columns that name the person; `?` is the account. */
  readonly erasing: Change
  /** The effect of confirming or changing the address, if the rows give access: they may belong to a stranger who came before the owner. */
  readonly confirming: Change
}

const by = (where: string, owner: Owned["owner"] = "number"): Owned => ({ where, owner })
const OF_ACCOUNT = by("account_id = ?")
const OF_DEVICES = by("device_id IN (SELECT id FROM devices WHERE account_id = ?)")
const OF_JOBS = by("job_id IN (SELECT id FROM jobs WHERE account_id = ?)")
const OF_WEBHOOKS = by("webhook_id IN (SELECT id FROM webhooks WHERE account_id = ?)")
const OF_KEYS = by("key_id IN (SELECT id FROM api_keys WHERE account_id = ?)")
const OF_SUBJECT = by("subject = ?", "text")
// An affiliate is known by an address: the account's own.
const OF_ADDRESS = by("email_folded = (SELECT email_folded FROM accounts WHERE id = ?)")

/** A table; its rows are deleted with the account, and stay when an address is confirmed. */
const table = (
  name: string,
  of: Owned,
  columns: string,
  order: string,
  changes: Partial<Pick<AccountTable, "erasing" | "confirming">> = {},
): AccountTable => ({ table: name, ...of, columns, order, erasing: "delete", confirming: "keep", ...changes })

const ACCESS = { confirming: "delete" } as const
const KEPT = { erasing: "keep" } as const

/** What replaces a person; `.invalid` is a name that no mail can ever reach (RFC 2606). */
const NOBODY = (address: string) =>
  `name = '(erased)', email = ${address} || '@erased.invalid', email_folded = ${address} || '@erased.invalid'`

/** Every table of accounts, in the order in which rows can be deleted. */
export const ACCOUNT_TABLES: readonly AccountTable[] = [
  // Lines and answers are not listed here: the job itself returns them, as long as it exists.
  table("job_pieces", OF_JOBS, "job_id, seq, kind", "job_id, seq, kind"),
  table("job_chunks", OF_JOBS, "job_id, seq, first_line, state", "job_id, seq"),
  table(
    "jobs",
    OF_ACCOUNT,
    "id, state, lines, lines_done, failed, blocked, pairs_charged, created_at, completed_at",
    "created_at, id",
  ),
  table(
    "deliveries",
    OF_WEBHOOKS,
    "id, event_id, type, state, attempt, created_at, last_at, last_status, last_error",
    "id",
    ACCESS,
  ),
  table("event_bodies", OF_ACCOUNT, "event_id, body, created_at", "created_at, event_id", ACCESS),
  table("webhooks", OF_ACCOUNT, "id, url, terms, description, disabled_because, created_at", "id", ACCESS),
  table("pushes", OF_DEVICES, "device_id, event_id, attempt, created_at", "created_at, id", ACCESS),
  table("device_codes", OF_DEVICES, "device_id, list, code", "device_id, list, code", ACCESS),
  table("devices", OF_ACCOUNT, "id, platform, lang, registered_at", "id", ACCESS),
  table("kept_requests", OF_KEYS, "idempotency_key, expires_at", "expires_at", ACCESS),
  table(
    "api_keys",
    OF_ACCOUNT,
    "id, kind, name, is_active, created_at, scopes, allowed_addresses, expires_at, replaced_at, last_used_at, used",
    "id",
    // A key that has ended stays in the list.
    { confirming: { set: "is_active = 0" } },
  ),
  table("sessions", OF_ACCOUNT, "created_at, expires_at, family", "created_at", ACCESS),
  table("mail_links", OF_ACCOUNT, "expires_at", "expires_at", ACCESS),
  // The claim that counts was read before.
  table("referral_claims", OF_ACCOUNT, "affiliate_id, made_at", "made_at", ACCESS),
  table("items_seen", OF_SUBJECT, "seen_on, list, item", "seen_on, list, item"),
  table("request_days", OF_ACCOUNT, "day, method, route, status, requests", "day, route, method, status"),
  table("pool_counts", OF_SUBJECT, "pool, day, used", "pool, day", KEPT),
  table("audit_trail", OF_ACCOUNT, "at, actor, action, detail", "id", KEPT),
  table("subscriptions", OF_ACCOUNT, "id, customer_id, plan, state, failed_at, next_change_at", "id", KEPT),
  table(
    "commissions",
    OF_ACCOUNT,
    "invoice_id, affiliate_id, month, paid_cents, refunded_cents, commission_cents",
    "month, invoice_id",
    KEPT,
  ),
  table("affiliates", OF_ADDRESS, "id, name, email, created_at", "id", { erasing: { set: NOBODY("id") } }),
  table(
    "accounts",
    by("id = ?"),
    "id, name, email, plan, is_confirmed, is_disabled, api_version, language, created_at, referred_by, referred_at",
    "id",
    { erasing: { set: `${NOBODY("'erased-' || id")}, language = NULL, is_disabled = 1` } },
  ),
]

/** Rows by table, as they are kept. */
type AccountData = Readonly<Record<string, readonly Readonly<Record<string, unknown>>[]>>

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
                write(`SELECT ${of.columns} FROM ${of.table} WHERE ${of.where} ORDER BY ${of.order}`),
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
      change(accountId, ({ confirming }) => confirming),
  }
}
