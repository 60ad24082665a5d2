/**
 * Which tables are there, and which steps make them?
 *
 * One text for both engines: words in capitals that are no SQL are written by `POSTGRES` and `SQLITE`. The types of rows are read out of the same
 * text. A later change is a step of its own (`steps.ts` applies them). Ids come from a counter. Instants that people read are ISO 8601 text in
 * UTC, those that are compared are epoch milliseconds; calendar dates and months are text, booleans 0 and 1. Tokens, client addresses and
 * authorisations are stored as hashes, and waiting mails are sealed, so that a copy of the file alone opens nothing.
 */
import { Context, Effect } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import type { Language } from "../../src/full.ts"
import type { PlanId } from "../settings/feature-options.ts"

/** What `work-table.ts` reads and writes in a table of claimed work. */
const WORK =
  `state TEXT NOT NULL, attempt INTEGER NOT NULL, due_at BIGINT NOT NULL, is_deferred INTEGER NOT NULL DEFAULT 0,
    lease_until BIGINT NOT NULL, leased_by TEXT` as const

const TABLES = `
  CREATE TABLE counters (name TEXT PRIMARY KEY, value BIGINT NOT NULL);
  CREATE TABLE deployment (name TEXT PRIMARY KEY, value TEXT NOT NULL);

  -- email_folded is the address as it is compared, email as it was given. language is that of mails to the owner.
  CREATE TABLE accounts (id ID, name TEXT NOT NULL, email TEXT NOT NULL, email_folded TEXT NOT NULL UNIQUE, plan TEXT NOT NULL,
    is_confirmed FLAG NOT NULL, is_disabled FLAG NOT NULL DEFAULT 0, api_version TEXT, language TEXT, referred_by TEXT,
    referred_at BIGINT, created_at TEXT NOT NULL);
  CREATE INDEX accounts_by_referral ON accounts (referred_by) WHERE referred_by IS NOT NULL;
  CREATE TABLE api_keys (id ID, account_id BIGINT NOT NULL REFERENCES accounts (id), kind TEXT NOT NULL, name TEXT NOT NULL,
    key_hash TEXT NOT NULL UNIQUE, sealed_key TEXT NOT NULL, is_active FLAG NOT NULL, created_at TEXT NOT NULL,
    scopes TEXT NOT NULL, allowed_addresses TEXT NOT NULL DEFAULT '', expires_at BIGINT, replaced_at BIGINT, last_used_at BIGINT,
    used BIGINT NOT NULL DEFAULT 0);
  CREATE INDEX api_keys_by_account ON api_keys (account_id, kind);
  CREATE TABLE sessions (token_hash TEXT PRIMARY KEY, account_id BIGINT NOT NULL, created_at BIGINT NOT NULL,
    expires_at BIGINT NOT NULL, family TEXT);
  CREATE INDEX sessions_by_account ON sessions (account_id);
  CREATE INDEX sessions_by_end ON sessions (expires_at);
  CREATE TABLE mail_links (token_hash TEXT PRIMARY KEY, account_id BIGINT NOT NULL, expires_at BIGINT NOT NULL);
  CREATE INDEX mail_links_by_end ON mail_links (expires_at);
  CREATE TABLE attempts (kind TEXT NOT NULL, subject TEXT NOT NULL, window_starts_at BIGINT NOT NULL,
    window_ends_at BIGINT NOT NULL, used INTEGER NOT NULL, PRIMARY KEY (kind, subject));
  CREATE INDEX attempts_by_end ON attempts (window_ends_at);
  CREATE TABLE audit_trail (id ID, account_id BIGINT NOT NULL, at TEXT NOT NULL, actor TEXT NOT NULL, action TEXT NOT NULL,
    detail TEXT NOT NULL);
  CREATE INDEX audit_trail_by_account ON audit_trail (account_id, id);

  -- The counts of every limit by UTC day. No foreign keys: an account that an operator removed by hand must not stop the counting of all
  -- the others. holder is the process that may still take an item back.
  CREATE TABLE pool_counts (subject TEXT NOT NULL, pool TEXT NOT NULL, day TEXT NOT NULL, used BIGINT NOT NULL,
    PRIMARY KEY (subject, pool, day)) BY_KEY;
  CREATE INDEX pool_counts_by_day ON pool_counts (day);
  CREATE INDEX pool_counts_of_a_day ON pool_counts (day) WHERE pool NOT IN ('visa', 'lookup', 'spots', 'unconfirmed');
  CREATE TABLE items_seen (subject TEXT NOT NULL, seen_on TEXT NOT NULL, list TEXT NOT NULL, item TEXT NOT NULL,
    holder TEXT NOT NULL DEFAULT '', PRIMARY KEY (subject, seen_on, list, item)) BY_KEY;
  CREATE INDEX items_seen_by_day ON items_seen (seen_on);
  CREATE TABLE request_days (account_id BIGINT NOT NULL, day TEXT NOT NULL, route TEXT NOT NULL, method TEXT NOT NULL,
    status INTEGER NOT NULL, requests BIGINT NOT NULL, PRIMARY KEY (account_id, day, route, method, status));
  CREATE INDEX request_days_by_day ON request_days (day);

  -- Answers to requests that a client may send again. sealed_answer is null as long as the first one is under way; it may hold a secret.
  CREATE TABLE kept_requests (key_id BIGINT NOT NULL, idempotency_key TEXT NOT NULL, fingerprint TEXT NOT NULL,
    sealed_answer TEXT, claim TEXT NOT NULL, claimed_until BIGINT NOT NULL, expires_at BIGINT NOT NULL,
    PRIMARY KEY (key_id, idempotency_key)) BY_KEY;
  CREATE INDEX kept_requests_by_end ON kept_requests (expires_at);

  -- Installations in order: the newest one is current; without a dataset it is the configured one.
  CREATE TABLE datasets (id ID, version TEXT NOT NULL, as_of TEXT NOT NULL, content TEXT NOT NULL);
  CREATE TABLE installations (id ID, dataset_id BIGINT, replaces_id BIGINT, kind TEXT NOT NULL, installed_at TEXT NOT NULL);
  CREATE TABLE installed_changes (installation_id BIGINT PRIMARY KEY, content TEXT NOT NULL);
  -- The processes that serve or work: the newest step of the tables that each knows, from which installation it answers, which it has
  -- refused and why, and until when it counts as alive.
  CREATE TABLE nodes (id TEXT PRIMARY KEY, version TEXT NOT NULL, step INTEGER NOT NULL, installation_id BIGINT NOT NULL,
    refused_id BIGINT, refused_because TEXT, alive_until BIGINT NOT NULL);
  -- The state of the feed that a deployment follows: one row. due_at is also the claim of the process that looks.
  CREATE TABLE dataset_feed (id ID, feed TEXT NOT NULL, state TEXT, said TEXT, failures INTEGER NOT NULL, due_at BIGINT NOT NULL,
    succeeded_at BIGINT);
  INSERT INTO dataset_feed (id, feed, failures, due_at) VALUES (1, '', 0, 0);

  -- Events are written with the installation that they come from, and distributed in parts when they are due. fanned_out_at is null until
  -- then; handed_to is the last subscription that has its delivery, pushed_to the last device that was checked for a push, null if no push
  -- has to be written.
  CREATE TABLE events (id TEXT PRIMARY KEY, installation_id BIGINT NOT NULL, type TEXT NOT NULL, passport TEXT NOT NULL,
    destination TEXT NOT NULL, severity TEXT NOT NULL, effective_from TEXT NOT NULL, is_correction INTEGER NOT NULL,
    body TEXT NOT NULL, created_at BIGINT NOT NULL, due_at BIGINT NOT NULL, fanned_out_at BIGINT,
    handed_to BIGINT NOT NULL DEFAULT 0, pushed_to BIGINT);
  CREATE INDEX events_due ON events (due_at, passport, destination, id) WHERE fanned_out_at IS NULL;
  CREATE INDEX events_to_push ON events (pushed_to, id) WHERE pushed_to IS NOT NULL;
  CREATE INDEX events_by_pair ON events (passport, destination);
  CREATE INDEX events_by_installation ON events (installation_id, id);
  CREATE INDEX events_dated ON events (id) WHERE due_at > created_at;
  CREATE INDEX events_by_age ON events (due_at) WHERE fanned_out_at IS NOT NULL;
  -- The body of an event is the same for all receivers. account_id is the only account that may get it; null where all may. traceparent is
  -- the trace of the work that caused it; null where that was not traced.
  CREATE TABLE event_bodies (event_id TEXT PRIMARY KEY, account_id BIGINT, body TEXT NOT NULL, created_at BIGINT NOT NULL,
    traceparent TEXT);
  CREATE INDEX event_bodies_by_age ON event_bodies (created_at);

  -- failing_since: since when no delivery has succeeded; null while they do.
  CREATE TABLE webhooks (id ID, account_id BIGINT NOT NULL, url TEXT NOT NULL, terms TEXT NOT NULL, description TEXT NOT NULL,
    sealed_secret TEXT NOT NULL, sealed_old_secret TEXT, old_secret_until BIGINT NOT NULL DEFAULT 0, disabled_because TEXT,
    failing_since BIGINT, is_test INTEGER NOT NULL DEFAULT 0, created_at TEXT NOT NULL);
  CREATE INDEX webhooks_by_account ON webhooks (account_id);
  CREATE TABLE deliveries (id ID, webhook_id BIGINT NOT NULL, event_id TEXT NOT NULL, type TEXT NOT NULL, ${WORK},
    created_at BIGINT NOT NULL, last_at BIGINT, last_status INTEGER, last_error TEXT, last_body TEXT) REWRITTEN;
  CREATE INDEX deliveries_by_age ON deliveries (created_at);
  CREATE INDEX deliveries_by_webhook ON deliveries (webhook_id, id);
  CREATE INDEX deliveries_again ON deliveries (webhook_id, id) WHERE state = 'pending';
  CREATE INDEX deliveries_undelivered ON deliveries (webhook_id, id) WHERE state = 'undelivered';
  CREATE INDEX deliveries_last ON deliveries (webhook_id, last_at DESC, id DESC) WHERE last_at IS NOT NULL;

  -- A token is sealed, and found by its keyed hash. pushes holds only what waits to be sent: the newest push for each device and pair.
  CREATE TABLE devices (id ID, account_id BIGINT NOT NULL, platform TEXT NOT NULL, token_hash TEXT NOT NULL UNIQUE,
    sealed_token TEXT NOT NULL, lang TEXT NOT NULL, registered_at BIGINT NOT NULL);
  CREATE INDEX devices_by_account ON devices (account_id);
  CREATE TABLE device_codes (device_id BIGINT NOT NULL, list TEXT NOT NULL, code TEXT NOT NULL,
    PRIMARY KEY (device_id, list, code)) BY_KEY;
  CREATE INDEX device_codes_by_code ON device_codes (list, code, device_id);
  CREATE TABLE pushes (id TEXT PRIMARY KEY, device_id BIGINT NOT NULL, platform TEXT NOT NULL, event_id TEXT NOT NULL, ${WORK},
    created_at BIGINT NOT NULL);
  CREATE INDEX pushes_by_device ON pushes (device_id);
  CREATE INDEX pushes_by_age ON pushes (created_at);

  -- A job's lines are in pieces, separate from the chunks that are claimed, so that a claim writes a small row; a piece is compressed bytes
  -- in base64.
  CREATE TABLE jobs (id TEXT PRIMARY KEY, account_id BIGINT NOT NULL, state TEXT NOT NULL, answers TEXT NOT NULL, as_of TEXT NOT NULL,
    lines INTEGER NOT NULL DEFAULT 0, chunks INTEGER NOT NULL DEFAULT 0, pairs_charged BIGINT NOT NULL DEFAULT 0,
    lines_done INTEGER NOT NULL DEFAULT 0, chunks_done INTEGER NOT NULL DEFAULT 0, failed INTEGER NOT NULL DEFAULT 0,
    blocked INTEGER NOT NULL DEFAULT 0, result_bytes BIGINT NOT NULL DEFAULT 0, is_test INTEGER NOT NULL DEFAULT 0,
    created_at BIGINT NOT NULL, completed_at BIGINT, expires_at BIGINT NOT NULL);
  CREATE INDEX jobs_by_account ON jobs (account_id);
  CREATE INDEX jobs_by_end ON jobs (expires_at);
  CREATE TABLE job_chunks (id TEXT PRIMARY KEY, job_id TEXT NOT NULL, seq INTEGER NOT NULL, first_line INTEGER NOT NULL, ${WORK},
    result_bytes BIGINT NOT NULL) BY_KEY;
  CREATE INDEX job_chunks_by_job ON job_chunks (job_id, seq);
  CREATE TABLE job_pieces (job_id TEXT NOT NULL, seq INTEGER NOT NULL, kind TEXT NOT NULL, content TEXT NOT NULL,
    PRIMARY KEY (job_id, seq, kind));

  -- Kinds of work without columns of their own, such as mails. payload is deleted when the work is over.
  CREATE TABLE queued_work (id COUNTED, kind TEXT NOT NULL, number BIGINT NOT NULL, lane TEXT NOT NULL, payload TEXT, ${WORK},
    created_at BIGINT NOT NULL, last_error TEXT);
  -- The kind last: PostgreSQL would also look for ready rows in an index that begins with it, and pass over all that are kept.
  CREATE INDEX queued_work_by_age ON queued_work (created_at, kind);
  INSERT INTO counters (name, value) VALUES ('queued_work/mails', 0);

  CREATE TABLE spots (id TEXT PRIMARY KEY, body TEXT NOT NULL);

  -- The payment provider's events, each once and as far as it is understood; a subscription's state follows from all of its events.
  -- Amounts are whole cents.
  CREATE TABLE billing_events (id TEXT PRIMARY KEY, subscription_id TEXT, invoice_id TEXT, payment_id TEXT,
    created_at BIGINT NOT NULL, body TEXT NOT NULL);
  CREATE INDEX billing_events_by_subscription ON billing_events (subscription_id);
  CREATE INDEX billing_events_by_invoice ON billing_events (invoice_id);
  CREATE INDEX billing_events_by_payment ON billing_events (payment_id);
  CREATE TABLE subscriptions (id TEXT PRIMARY KEY, account_id BIGINT, customer_id TEXT, plan TEXT NOT NULL, state TEXT NOT NULL,
    failed_at BIGINT, next_change_at BIGINT);
  CREATE INDEX subscriptions_by_account ON subscriptions (account_id);
  CREATE INDEX subscriptions_by_change ON subscriptions (next_change_at) WHERE next_change_at IS NOT NULL;
  CREATE TABLE affiliates (id TEXT PRIMARY KEY, name TEXT NOT NULL, email TEXT NOT NULL, email_folded TEXT NOT NULL UNIQUE,
    created_at TEXT NOT NULL);
  CREATE TABLE affiliate_clicks (affiliate_id TEXT NOT NULL, month TEXT NOT NULL, clicks INTEGER NOT NULL,
    PRIMARY KEY (affiliate_id, month));
  CREATE TABLE commissions (invoice_id TEXT PRIMARY KEY, affiliate_id TEXT NOT NULL, account_id BIGINT NOT NULL, month TEXT NOT NULL,
    paid_cents BIGINT NOT NULL, refunded_cents BIGINT NOT NULL, commission_cents BIGINT NOT NULL);
  CREATE INDEX commissions_by_affiliate ON commissions (affiliate_id);
  -- What strangers say about who referred an address: one claim for each, under a hash. account_id is the account that had the address and
  -- had not confirmed it; null where there was none, so that the claim does not count.
  CREATE TABLE referral_claims (email_hash TEXT PRIMARY KEY, account_id BIGINT, affiliate_id TEXT NOT NULL, made_at BIGINT NOT NULL);
  CREATE INDEX referral_claims_by_account ON referral_claims (account_id) WHERE account_id IS NOT NULL;
  CREATE INDEX referral_claims_by_age ON referral_claims (made_at);

  -- Payments for single calls: each authorisation once, over all processes.
  CREATE TABLE payments (id ID, network TEXT NOT NULL, asset TEXT NOT NULL, payer TEXT NOT NULL, nonce TEXT NOT NULL,
    amount TEXT NOT NULL, question TEXT NOT NULL, state TEXT NOT NULL, claim TEXT NOT NULL, claimed_until BIGINT NOT NULL,
    sealed_payment TEXT, settlement TEXT, error TEXT, created_at BIGINT NOT NULL, settled_at BIGINT, delivered_at BIGINT,
    UNIQUE (network, asset, payer, nonce));
  CREATE INDEX payments_open ON payments (claimed_until) WHERE state IN ('settling', 'unknown');
` as const

/**
 * What the engines write in different ways. ID: the number of a row, as its key. COUNTED: the same where the database counts. BY_KEY: a table
 * in the order of its key, without a separate index to write; PostgreSQL always has one. REWRITTEN: claims rewrite these rows: PostgreSQL
 * writes a claim next to the old row, if there is room, and changes no index.
 */
const POSTGRES: Readonly<Record<string, string>> = {
  ID: "BIGINT PRIMARY KEY",
  COUNTED: "BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY",
  BY_KEY: "",
  REWRITTEN: "WITH (fillfactor = 60, autovacuum_vacuum_scale_factor = 0.05)",
  FLAG: "INTEGER",
}
const SQLITE: typeof POSTGRES = {
  ID: "INTEGER PRIMARY KEY",
  COUNTED: "INTEGER PRIMARY KEY",
  BY_KEY: "WITHOUT ROWID",
  REWRITTEN: "",
  FLAG: "INTEGER",
}

/** Indexes of claimed work: what waits for a later attempt is in one of its own, so that a look at ready rows does not pass over it; and the oldest. */
const indexWork = (table: string, lane: string, beginning = "") => `
  CREATE INDEX ${table}_ready ON ${table} (${beginning}${lane}, due_at, id) WHERE state = 'pending' AND is_deferred = 0;
  CREATE INDEX ${table}_deferred ON ${table} (${beginning}due_at) WHERE state = 'pending' AND is_deferred = 1;
  CREATE INDEX ${table}_waiting ON ${table} (${beginning}due_at) WHERE state = 'pending';`

const WORK_INDEXES = [
  indexWork("deliveries", "webhook_id"),
  indexWork("pushes", "platform"),
  indexWork("job_chunks", "job_id"),
  indexWork("queued_work", "lane", "kind, "),
].join("")

/** Makes all tables in an empty database. */
const createTables = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const dialect = sql.onDialectOrElse({ pg: () => POSTGRES, orElse: () => SQLITE })
  const text = (TABLES + WORK_INDEXES)
    .replaceAll(/^ *--.*$/gm, "")
    .replaceAll(/\b(ID|COUNTED|BY_KEY|REWRITTEN|FLAG)\b/g, word => dialect[word]!)
  for (const statement of text.split(";")) if (statement.trim() !== "") yield* sql.unsafe(statement)
})

// Which types have the rows? Those of the columns, as the statements above declare them.

/** The names of the tables. */
type Names<Text> = Text extends `${string}CREATE TABLE ${infer Name} (${infer Rest}` ? Name | Names<Rest> : never
export type TableName = Names<typeof TABLES>

type Trimmed<Text> = Text extends ` ${infer Rest}` | `\n${infer Rest}` ? Trimmed<Rest> : Text
type Split<Text> = Text extends `${infer One},${infer Rest}` ? Trimmed<One> | Split<Rest> : Trimmed<Text>
/** The columns of a table, each as `name TYPE …`, and its conditions. */
type Column<Name extends TableName> = typeof TABLES extends `${string}CREATE TABLE ${Name} (${infer Body};${string}`
  ? Split<Body>
  : never
type Kind = "TEXT" | "BIGINT" | "INTEGER" | "FLAG" | "ID" | "COUNTED"
type NameOf<Declared> = Declared extends `${infer Name} ${Kind}${string}` ? Name : never
type ValueOf<Declared> =
  | (Declared extends `${string} TEXT${string}`
      ? string
      : Declared extends `${string} FLAG${string}`
        ? boolean
        : number)
  | (Declared extends `${string}${"NOT NULL" | "PRIMARY KEY" | " ID" | " COUNTED"}${string}` ? never : null)

/** Columns that hold one of some words. */
export interface Words {
  readonly accounts: { readonly plan: PlanId; readonly language: Language | null }
  readonly api_keys: { readonly kind: "account" | "team" | "named" | "test" }
  /** Over which network a link was followed: the only stored information about a user's network; null where it is not known. */
  readonly sessions: { readonly family: "IPv4" | "IPv6" | null }
  readonly deliveries: { readonly state: (typeof DELIVERY_STATES)[number] }
  readonly devices: { readonly platform: Platform }
  readonly pushes: { readonly platform: Platform }
  readonly jobs: { readonly state: (typeof JOB_STATES)[number]; readonly answers: "whole" | "summary" }
  /** Why a dataset replaced another one; a repair replaced one that could not be opened, so that what changed is not known. */
  readonly installations: { readonly kind: "install" | "correction" | "rollback" | "repair" }
  /** `settling`: requested, no answer yet. `unknown`: the answer was lost. `failed`: nothing was charged. */
  readonly payments: { readonly state: "claimed" | "settling" | "unknown" | "settled" | "failed" }
}
/** `undelivered`: every attempt has failed. */
export const DELIVERY_STATES = ["pending", "delivered", "undelivered"] as const
/** `uploading`: its lines are still coming. */
export const JOB_STATES = ["uploading", "running", "completed"] as const
/** The services by which devices are reached. */
export const PLATFORMS = ["apns", "fcm"] as const
export type Platform = (typeof PLATFORMS)[number]

type WordsOf<Name> = Name extends keyof Words ? Words[Name] : unknown
type Declared<Name extends TableName> = { readonly [Each in Column<Name> as NameOf<Each>]: ValueOf<Each> }

/** A row of a table. */
export type Row<Name extends TableName> = Omit<Declared<Name>, keyof WordsOf<Name>> & WordsOf<Name>

type Needed<Name extends TableName> = Exclude<NameOf<Exclude<Column<Name>, `${string}DEFAULT${string}`>>, NullOf<Name>>
type NullOf<Name extends TableName> = {
  [Each in keyof Row<Name>]: null extends Row<Name>[Each] ? Each : never
}[keyof Row<Name>]
/** A row that is written: without what the database fills in. */
export type NewRow<Name extends TableName> = Pick<Row<Name>, Needed<Name> & keyof Row<Name>> & Partial<Row<Name>>

/** The columns of a table, each with its kind. */
export function listColumns(table: TableName): readonly (readonly [name: string, kind: string])[] {
  const [, statement = ""] = TABLES.split(`CREATE TABLE ${table} (`)
  const [body = ""] = statement.split(";")
  return [...body.matchAll(/\b(\w+) (TEXT|BIGINT|INTEGER|FLAG|ID|COUNTED)\b/g)].map(([, name, kind]) => [name!, kind!])
}

/** A change of the tables. */
export interface Step {
  readonly name: string
  /**
   * Absent where the step only adds (a table, an index, a column with a default): the program before it works on. A step that removes
   * something names the step that every program has to know which does not use it any more.
   */
  readonly needs?: number
  readonly run: Effect.Effect<void, SqlError.SqlError, SqlClient.SqlClient>
}

/** Every step in order; the first one has the number 1. A released step is never changed. */
export const STEPS: readonly Step[] = [{ name: "tables", run: createTables }]

/** The steps that this program knows. */
export const KnownSteps = Context.Reference<readonly Step[]>("landfall/storage/KnownSteps", {
  defaultValue: () => STEPS,
})
