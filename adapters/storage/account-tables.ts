/**
 * Which tables do sessions, mails, subscriptions and payments need?
 *
 * Steps of `tables.ts` that belong together, in a file of their own. Tokens, addresses of clients and authorisations stand here as hashes, what is still to
 * be mailed is sealed: a copy of the file alone opens nothing. Instants are epoch milliseconds.
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
  // What a mail says is sealed, and gone when it was sent or given up.
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
