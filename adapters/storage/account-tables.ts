/**
 * Which tables do sessions, mails, subscriptions and payments need?
 *
 * Related steps of `tables.ts`, in a separate file. Tokens, client addresses and authorisations are stored as hashes and waiting mails are
 * sealed, so that a copy of the file alone opens nothing. Instants are epoch milliseconds.
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/** Sessions, the links that begin them, mails on their way, attempts that are limited, who changed what, and use by day. */
export const createSessions = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`CREATE TABLE sessions (
    token_hash TEXT PRIMARY KEY,
    account_id INTEGER NOT NULL,
    created_at BIGINT NOT NULL,
    expires_at BIGINT NOT NULL
  )`
  yield* sql`CREATE INDEX sessions_by_account ON sessions (account_id)`
  yield* sql`CREATE INDEX sessions_by_end ON sessions (expires_at)`
  yield* sql`CREATE TABLE mail_links (
    token_hash TEXT PRIMARY KEY,
    account_id INTEGER NOT NULL,
    expires_at BIGINT NOT NULL
  )`
  yield* sql`CREATE INDEX mail_links_by_end ON mail_links (expires_at)`
  // The content of a mail is sealed, and deleted when it was sent or given up.
  yield* sql`CREATE TABLE mails (
    id INTEGER PRIMARY KEY,
    kind TEXT NOT NULL,
    sealed_order TEXT,
    state TEXT NOT NULL,
    attempt INTEGER NOT NULL,
    due_at BIGINT NOT NULL,
    lease_until BIGINT NOT NULL,
    leased_by TEXT,
    created_at BIGINT NOT NULL,
    last_error TEXT
  )`
  yield* sql`CREATE INDEX mails_due ON mails (due_at, id) WHERE state = 'pending'`
  yield* sql`CREATE INDEX mails_by_age ON mails (created_at)`
  yield* sql`CREATE TABLE attempts (
    kind TEXT NOT NULL,
    subject TEXT NOT NULL,
    window_starts_at BIGINT NOT NULL,
    window_ends_at BIGINT NOT NULL,
    used INTEGER NOT NULL,
    PRIMARY KEY (kind, subject)
  )`
  yield* sql`CREATE INDEX attempts_by_end ON attempts (window_ends_at)`
  yield* sql`CREATE TABLE audit_trail (
    id INTEGER PRIMARY KEY,
    account_id INTEGER NOT NULL,
    at TEXT NOT NULL,
    actor TEXT NOT NULL,
    action TEXT NOT NULL,
    detail TEXT NOT NULL
  )`
  yield* sql`CREATE INDEX audit_trail_by_account ON audit_trail (account_id, id)`
  yield* sql`CREATE TABLE pool_days (
    subject TEXT NOT NULL,
    pool TEXT NOT NULL,
    day TEXT NOT NULL,
    used BIGINT NOT NULL,
    PRIMARY KEY (subject, pool, day)
  )`
  yield* sql`CREATE INDEX pool_days_by_day ON pool_days (day)`
})

/** The payment provider's events, the subscriptions that follow from them, and referrals. Amounts are whole cents. */
export const createBilling = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  // Every event once, as far as it is understood; the state of a subscription follows from all of its events.
  yield* sql`CREATE TABLE billing_events (
    id TEXT PRIMARY KEY,
    subscription_id TEXT,
    invoice_id TEXT,
    payment_id TEXT,
    created_at BIGINT NOT NULL,
    body TEXT NOT NULL
  )`
  yield* sql`CREATE INDEX billing_events_by_subscription ON billing_events (subscription_id)`
  yield* sql`CREATE INDEX billing_events_by_invoice ON billing_events (invoice_id)`
  yield* sql`CREATE INDEX billing_events_by_payment ON billing_events (payment_id)`
  yield* sql`CREATE TABLE subscriptions (
    id TEXT PRIMARY KEY,
    account_id INTEGER,
    customer_id TEXT,
    plan TEXT NOT NULL,
    state TEXT NOT NULL,
    failed_at BIGINT,
    next_change_at BIGINT
  )`
  yield* sql`CREATE INDEX subscriptions_by_account ON subscriptions (account_id)`
  yield* sql`CREATE INDEX subscriptions_by_change ON subscriptions (next_change_at) WHERE next_change_at IS NOT NULL`
  yield* sql`ALTER TABLE accounts ADD COLUMN referred_by TEXT`
  yield* sql`ALTER TABLE accounts ADD COLUMN referred_at BIGINT`
  yield* sql`CREATE INDEX accounts_by_referral ON accounts (referred_by) WHERE referred_by IS NOT NULL`
  yield* sql`CREATE TABLE affiliates (
    id TEXT PRIMARY KEY,
    name TEXT NOT NULL,
    email TEXT NOT NULL,
    email_folded TEXT NOT NULL UNIQUE,
    created_at TEXT NOT NULL
  )`
  yield* sql`CREATE TABLE affiliate_clicks (
    affiliate_id TEXT NOT NULL,
    month TEXT NOT NULL,
    clicks INTEGER NOT NULL,
    PRIMARY KEY (affiliate_id, month)
  )`
  yield* sql`CREATE TABLE commissions (
    invoice_id TEXT PRIMARY KEY,
    affiliate_id TEXT NOT NULL,
    account_id INTEGER NOT NULL,
    month TEXT NOT NULL,
    paid_cents BIGINT NOT NULL,
    refunded_cents BIGINT NOT NULL,
    commission_cents BIGINT NOT NULL
  )`
  yield* sql`CREATE INDEX commissions_by_affiliate ON commissions (affiliate_id)`
})

/** Accounts that an operator has disabled. */
export const addDisabledAccounts = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`ALTER TABLE accounts ADD COLUMN is_disabled INTEGER NOT NULL DEFAULT 0`
})

/** The language of mails to an account's owner. */
export const addAccountLanguage = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`ALTER TABLE accounts ADD COLUMN language TEXT`
})

/** Payments for single calls: each authorisation once, over all processes. */
export const createPayments = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`CREATE TABLE payments (
    id INTEGER PRIMARY KEY,
    network TEXT NOT NULL,
    asset TEXT NOT NULL,
    payer TEXT NOT NULL,
    nonce TEXT NOT NULL,
    amount TEXT NOT NULL,
    question TEXT NOT NULL,
    state TEXT NOT NULL,
    claim TEXT NOT NULL,
    claimed_until BIGINT NOT NULL,
    sealed_payment TEXT,
    settlement TEXT,
    error TEXT,
    created_at BIGINT NOT NULL,
    settled_at BIGINT,
    delivered_at BIGINT,
    UNIQUE (network, asset, payer, nonce)
  )`
  yield* sql`CREATE INDEX payments_open ON payments (claimed_until) WHERE state IN ('settling', 'unknown')`
})

/** The limits of a key, and its use. */
export const addKeyLimits = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`ALTER TABLE api_keys ADD COLUMN scopes TEXT NOT NULL DEFAULT 'visa,lookup,spots,webhooks,jobs'`
  yield* sql`ALTER TABLE api_keys ADD COLUMN allowed_addresses TEXT NOT NULL DEFAULT ''`
  yield* sql`ALTER TABLE api_keys ADD COLUMN expires_at BIGINT`
  yield* sql`ALTER TABLE api_keys ADD COLUMN replaced_at BIGINT`
  yield* sql`ALTER TABLE api_keys ADD COLUMN last_used_at BIGINT`
  yield* sql`ALTER TABLE api_keys ADD COLUMN used BIGINT NOT NULL DEFAULT 0`
  yield* sql`UPDATE api_keys SET scopes = 'visa,lookup,spots,webhooks,jobs,team' WHERE kind = 'account'`
})

/** How often an account has asked each route, by day and status. */
export const createRequestDays = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`CREATE TABLE request_days (
    account_id INTEGER NOT NULL,
    day TEXT NOT NULL,
    route TEXT NOT NULL,
    method TEXT NOT NULL,
    status INTEGER NOT NULL,
    requests BIGINT NOT NULL,
    PRIMARY KEY (account_id, day, route, method, status)
  )`
  yield* sql`CREATE INDEX request_days_by_day ON request_days (day)`
})

/** Webhooks and jobs that were made with a test key, and an index for the counts of test keys, which are deleted by day. */
export const addTestMode = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`ALTER TABLE webhooks ADD COLUMN is_test INTEGER NOT NULL DEFAULT 0`
  yield* sql`ALTER TABLE jobs ADD COLUMN is_test INTEGER NOT NULL DEFAULT 0`
  yield* sql`CREATE INDEX pool_counts_test ON pool_counts (period) WHERE pool = 'test'`
})

/**
 * What strangers say about who referred an address: one claim for each, under a hash. `account_id` is the account that had the address and
 * had not confirmed it; null where there was none, so that the claim does not count.
 */
export const createReferralClaims = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`CREATE TABLE referral_claims (
    email_hash TEXT PRIMARY KEY,
    account_id BIGINT,
    affiliate_id TEXT NOT NULL,
    made_at BIGINT NOT NULL
  )`
  yield* sql`CREATE INDEX referral_claims_by_account ON referral_claims (account_id) WHERE account_id IS NOT NULL`
  yield* sql`CREATE INDEX referral_claims_by_age ON referral_claims (made_at)`
})

/** The network of a session. */
export const addSessionFamily = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`ALTER TABLE sessions ADD COLUMN family TEXT`
})
