/**
 * Which tables exist, and which steps create them?
 *
 * Steps, in order, that turn an empty database into the one that the repositories expect. Steps are only added: a released one is never
 * changed. The SQL is the part that SQLite and PostgreSQL share: TEXT, INTEGER and BIGINT columns, and ids from a counter. Instants that
 * people read are ISO 8601 text in UTC, those that are compared are epoch milliseconds; calendar dates and months are text, booleans 0 and
 * 1.
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import {
  addAccountLanguage,
  addDisabledAccounts,
  addKeyLimits,
  addSessionFamily,
  addTestMode,
  createBilling,
  createPayments,
  createReferralClaims,
  createRequestDays,
  createSessions,
} from "./account-tables.ts"
import { fanOutInParts, followFailures, keepHistory, keepTraces, reportAnswers } from "./delivery-tables.ts"
import { createQueuedWork, unifyWork, widenIds } from "./work-tables.ts"

const createCounters = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`CREATE TABLE counters (name TEXT PRIMARY KEY, value INTEGER NOT NULL)`
  yield* sql`CREATE TABLE deployment (name TEXT PRIMARY KEY, value TEXT NOT NULL)`
})

const createAccounts = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  // `email_folded` is the address as it is compared; `email` is the address as it was given.
  yield* sql`CREATE TABLE accounts (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL,
    email TEXT NOT NULL,
    email_folded TEXT NOT NULL UNIQUE,
    plan TEXT NOT NULL,
    is_confirmed INTEGER NOT NULL,
    created_at TEXT NOT NULL
  )`
  yield* sql`CREATE TABLE api_keys (
    id INTEGER PRIMARY KEY,
    account_id INTEGER NOT NULL REFERENCES accounts (id),
    kind TEXT NOT NULL,
    name TEXT NOT NULL,
    key_hash TEXT NOT NULL UNIQUE,
    sealed_key TEXT NOT NULL,
    is_active INTEGER NOT NULL,
    created_at TEXT NOT NULL
  )`
  yield* sql`CREATE INDEX api_keys_by_account ON api_keys (account_id, kind)`
})

// No foreign keys here: an account that an operator removed by hand must not stop the counting of all the others.
const createUsage = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`CREATE TABLE monthly_usage (
    account_id INTEGER NOT NULL,
    month TEXT NOT NULL,
    used INTEGER NOT NULL,
    PRIMARY KEY (account_id, month)
  )`
  yield* sql`CREATE TABLE destinations_seen (
    account_id INTEGER NOT NULL,
    seen_on TEXT NOT NULL,
    passport TEXT NOT NULL,
    destination TEXT NOT NULL,
    PRIMARY KEY (account_id, seen_on, passport, destination)
  )`
  yield* sql`CREATE INDEX destinations_seen_by_day ON destinations_seen (seen_on)`
})

/** SQLite can keep a table in the order of its key, without a separate index to write; PostgreSQL always has one. */
const keepByKey = (sql: SqlClient.SqlClient) =>
  sql.onDialectOrElse({ sqlite: () => sql.literal("WITHOUT ROWID"), orElse: () => sql.literal("") })

// One table for the counts of every limit, and the leases of processes. The five requests of an unconfirmed address are a separate limit
// from here on.
const createPools = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`CREATE TABLE pool_counts (
    subject TEXT NOT NULL,
    pool TEXT NOT NULL,
    period TEXT NOT NULL,
    used BIGINT NOT NULL,
    leased BIGINT NOT NULL DEFAULT 0,
    wanted_at BIGINT NOT NULL DEFAULT 0,
    PRIMARY KEY (subject, pool, period)
  ) ${keepByKey(sql)}`
  yield* sql`CREATE INDEX pool_counts_wanted ON pool_counts (wanted_at) WHERE wanted_at > 0`
  yield* sql`CREATE INDEX pool_counts_keyless ON pool_counts (period) WHERE pool = 'keyless'`
  yield* sql`INSERT INTO pool_counts (subject, pool, period, used)
    SELECT CAST(account_id AS TEXT), 'visa', month, used FROM monthly_usage`
  yield* sql`INSERT INTO pool_counts (subject, pool, period, used)
    SELECT CAST(u.account_id AS TEXT), 'unconfirmed', 'ever', CAST(SUM(u.used) AS BIGINT)
    FROM monthly_usage u JOIN accounts a ON a.id = u.account_id WHERE a.is_confirmed = 0 GROUP BY u.account_id`
  yield* sql`DROP TABLE monthly_usage`
  yield* sql`CREATE TABLE pool_hours (
    subject TEXT NOT NULL,
    pool TEXT NOT NULL,
    hour INTEGER NOT NULL,
    used BIGINT NOT NULL,
    PRIMARY KEY (subject, pool, hour)
  ) ${keepByKey(sql)}`
  yield* sql`CREATE TABLE items_seen (
    subject TEXT NOT NULL,
    seen_on TEXT NOT NULL,
    list TEXT NOT NULL,
    item TEXT NOT NULL,
    node_id INTEGER NOT NULL,
    PRIMARY KEY (subject, seen_on, list, item)
  ) ${keepByKey(sql)}`
  yield* sql`CREATE INDEX items_seen_by_day ON items_seen (seen_on)`
  yield* sql`INSERT INTO items_seen (subject, seen_on, list, item, node_id)
    SELECT CAST(account_id AS TEXT), seen_on, passport, destination, 0 FROM destinations_seen`
  yield* sql`DROP TABLE destinations_seen`
})

const createNodes = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`CREATE TABLE nodes (
    id INTEGER PRIMARY KEY,
    alive_until BIGINT NOT NULL,
    last_batch INTEGER NOT NULL,
    is_retired INTEGER NOT NULL
  )`
  yield* sql`CREATE TABLE pool_leases (
    node_id INTEGER NOT NULL,
    subject TEXT NOT NULL,
    pool TEXT NOT NULL,
    period TEXT NOT NULL,
    amount BIGINT NOT NULL,
    PRIMARY KEY (node_id, subject, pool, period)
  ) ${keepByKey(sql)}`
})

// Answers to requests that a client may send again. `sealed_answer` is null as long as the first one is under way; it may hold a secret.
const addLookup = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`ALTER TABLE accounts ADD COLUMN api_version TEXT`
  yield* sql`CREATE TABLE kept_requests (
    key_id INTEGER NOT NULL,
    idempotency_key TEXT NOT NULL,
    fingerprint TEXT NOT NULL,
    sealed_answer TEXT,
    claim TEXT NOT NULL,
    claimed_until BIGINT NOT NULL,
    expires_at BIGINT NOT NULL,
    PRIMARY KEY (key_id, idempotency_key)
  ) ${keepByKey(sql)}`
  yield* sql`CREATE INDEX kept_requests_by_end ON kept_requests (expires_at)`
})

// Installations in order: the newest one is current; without a dataset it is the configured one.
const createDatasets = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`CREATE TABLE datasets (
    id INTEGER PRIMARY KEY,
    version TEXT NOT NULL,
    as_of TEXT NOT NULL,
    content TEXT NOT NULL
  )`
  yield* sql`CREATE TABLE installations (
    id INTEGER PRIMARY KEY,
    dataset_id INTEGER,
    replaces_id INTEGER,
    kind TEXT NOT NULL,
    installed_at TEXT NOT NULL
  )`
})

// Events are written with the installation that they come from, and fanned out when they are due; `fanned_out_at` is null until then.
const createEvents = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`CREATE TABLE events (
    id TEXT PRIMARY KEY,
    installation_id INTEGER NOT NULL,
    type TEXT NOT NULL,
    passport TEXT NOT NULL,
    destination TEXT NOT NULL,
    severity TEXT NOT NULL,
    effective_from TEXT NOT NULL,
    is_correction INTEGER NOT NULL,
    body TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    due_at BIGINT NOT NULL,
    fanned_out_at BIGINT
  )`
  yield* sql`CREATE INDEX events_due ON events (due_at) WHERE fanned_out_at IS NULL`
  yield* sql`CREATE INDEX events_by_pair ON events (passport, destination)`
})

const createWebhooks = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`CREATE TABLE webhooks (
    id INTEGER PRIMARY KEY,
    account_id INTEGER NOT NULL,
    url TEXT NOT NULL,
    terms TEXT NOT NULL,
    description TEXT NOT NULL,
    sealed_secret TEXT NOT NULL,
    sealed_old_secret TEXT,
    old_secret_until BIGINT NOT NULL DEFAULT 0,
    disabled_because TEXT,
    created_at TEXT NOT NULL
  )`
  yield* sql`CREATE INDEX webhooks_by_account ON webhooks (account_id)`
  yield* sql`CREATE TABLE deliveries (
    id INTEGER PRIMARY KEY,
    webhook_id INTEGER NOT NULL,
    event_id TEXT NOT NULL,
    type TEXT NOT NULL,
    body TEXT NOT NULL,
    state TEXT NOT NULL,
    attempt INTEGER NOT NULL,
    due_at BIGINT NOT NULL,
    lease_until BIGINT NOT NULL,
    leased_by TEXT,
    created_at BIGINT NOT NULL,
    last_at BIGINT,
    last_status INTEGER,
    last_error TEXT,
    last_body TEXT
  )`
  yield* sql`CREATE INDEX deliveries_due ON deliveries (webhook_id, due_at, id) WHERE state = 'pending'`
  yield* sql`CREATE INDEX deliveries_leased ON deliveries (webhook_id, lease_until) WHERE leased_by IS NOT NULL`
  yield* sql`CREATE INDEX deliveries_by_age ON deliveries (created_at)`
  yield* sql`CREATE INDEX deliveries_by_webhook ON deliveries (webhook_id, id)`
})

// The operator's spots, each with its fields as JSON.
const createSpots = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`CREATE TABLE spots (id TEXT PRIMARY KEY, body TEXT NOT NULL)`
})

// Dispatchers count the deliveries under way to a receiver themselves. Without this index PostgreSQL writes a claim next to the old row, if
// there is room, and changes no other index either.
const lightenClaims = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`DROP INDEX deliveries_leased`
  yield* sql.onDialectOrElse({
    pg: () => sql`ALTER TABLE deliveries SET (fillfactor = 60, autovacuum_vacuum_scale_factor = 0.05)`,
    orElse: () => Effect.void,
  })
})

// A token is sealed, and found by its keyed hash. `pushes` holds only what waits to be sent: the newest push for each device and
// pair.
const createDevices = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`CREATE TABLE devices (
    id INTEGER PRIMARY KEY,
    account_id INTEGER NOT NULL,
    platform TEXT NOT NULL,
    token_hash TEXT NOT NULL UNIQUE,
    sealed_token TEXT NOT NULL,
    lang TEXT NOT NULL,
    registered_at BIGINT NOT NULL
  )`
  yield* sql`CREATE INDEX devices_by_account ON devices (account_id)`
  yield* sql`CREATE TABLE device_codes (
    device_id INTEGER NOT NULL,
    list TEXT NOT NULL,
    code TEXT NOT NULL,
    PRIMARY KEY (device_id, list, code)
  ) ${keepByKey(sql)}`
  yield* sql`CREATE INDEX device_codes_by_code ON device_codes (list, code, device_id)`
  yield* sql`CREATE TABLE pushes (
    id TEXT PRIMARY KEY,
    device_id INTEGER NOT NULL,
    event_id TEXT NOT NULL,
    attempt INTEGER NOT NULL,
    due_at BIGINT NOT NULL,
    lease_until BIGINT NOT NULL,
    leased_by TEXT,
    created_at BIGINT NOT NULL
  )`
  yield* sql`CREATE INDEX pushes_due ON pushes (due_at)`
  yield* sql`CREATE INDEX pushes_by_device ON pushes (device_id)`
  yield* sql`CREATE INDEX pushes_by_age ON pushes (created_at)`
})

// A job's lines are in pieces, separate from the chunks that are claimed, so that a claim writes a small row; a piece is compressed bytes
// in base64.
const createJobs = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`CREATE TABLE jobs (
    id TEXT PRIMARY KEY,
    account_id INTEGER NOT NULL,
    state TEXT NOT NULL,
    answers TEXT NOT NULL,
    as_of TEXT NOT NULL,
    lines INTEGER NOT NULL DEFAULT 0,
    chunks INTEGER NOT NULL DEFAULT 0,
    pairs_charged BIGINT NOT NULL DEFAULT 0,
    lines_done INTEGER NOT NULL DEFAULT 0,
    chunks_done INTEGER NOT NULL DEFAULT 0,
    failed INTEGER NOT NULL DEFAULT 0,
    blocked INTEGER NOT NULL DEFAULT 0,
    result_bytes BIGINT NOT NULL DEFAULT 0,
    created_at BIGINT NOT NULL,
    completed_at BIGINT,
    expires_at BIGINT NOT NULL
  )`
  yield* sql`CREATE INDEX jobs_by_account ON jobs (account_id)`
  yield* sql`CREATE INDEX jobs_by_end ON jobs (expires_at)`
  yield* sql`CREATE TABLE job_chunks (
    job_id TEXT NOT NULL,
    seq INTEGER NOT NULL,
    first_line INTEGER NOT NULL,
    state TEXT NOT NULL,
    tries INTEGER NOT NULL,
    lease_until BIGINT NOT NULL,
    leased_by TEXT,
    result_bytes BIGINT NOT NULL,
    PRIMARY KEY (job_id, seq)
  ) ${keepByKey(sql)}`
  yield* sql`CREATE INDEX job_chunks_open ON job_chunks (seq, job_id) WHERE state = 'open'`
  yield* sql`CREATE TABLE job_pieces (
    job_id TEXT NOT NULL,
    seq INTEGER NOT NULL,
    kind TEXT NOT NULL,
    content TEXT NOT NULL,
    PRIMARY KEY (job_id, seq, kind)
  )`
})

// The body of an event is the same for all receivers. `account_id` is the only account that may get it; null where all may.
const shareEventBodies = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`CREATE TABLE event_bodies (
    event_id TEXT PRIMARY KEY,
    account_id INTEGER,
    body TEXT NOT NULL,
    created_at BIGINT NOT NULL
  )`
  yield* sql`INSERT INTO event_bodies (event_id, account_id, body, created_at)
    SELECT d.event_id, MIN(CASE WHEN d.type IN ('webhook.ping', 'job.completed') THEN w.account_id END), MIN(d.body),
      MAX(d.created_at)
    FROM deliveries d LEFT JOIN webhooks w ON w.id = d.webhook_id GROUP BY d.event_id`
  yield* sql`CREATE INDEX event_bodies_by_age ON event_bodies (created_at)`
  yield* sql`ALTER TABLE deliveries DROP COLUMN body`
})

// The state of the feed of datasets that a deployment follows: one row. `due_at` is also the claim of the process that looks.
const createDatasetFeed = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`CREATE TABLE dataset_feed (
    id INTEGER PRIMARY KEY,
    feed TEXT NOT NULL,
    state TEXT,
    said TEXT,
    failures INTEGER NOT NULL,
    due_at BIGINT NOT NULL
  )`
  yield* sql`INSERT INTO dataset_feed (id, feed, failures, due_at) VALUES (1, '', 0, 0)`
})

// Every count is by day, and no process has leases any more. The use of a month before this step is a count of its first day. An item that
// was seen is counted too. `holder` is the process that may still take an item back.
const countByDay = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  for (const index of ["wanted", "keyless", "test"]) yield* sql`DROP INDEX ${sql.literal(`pool_counts_${index}`)}`
  for (const column of ["leased", "wanted_at"]) yield* sql`ALTER TABLE pool_counts DROP COLUMN ${sql.literal(column)}`
  yield* sql`ALTER TABLE pool_counts RENAME COLUMN period TO day`
  yield* sql`UPDATE pool_counts SET day = day || '-01' WHERE pool IN ('visa', 'spots')`
  yield* sql`UPDATE pool_counts SET day = '1970-01-01' WHERE pool = 'unconfirmed'`
  yield* sql`DELETE FROM pool_counts WHERE pool = 'lookup'`
  const dayOfHour = sql.onDialectOrElse({
    pg: () => sql.literal("TO_CHAR(TO_TIMESTAMP(hour * 3600.0) AT TIME ZONE 'UTC', 'YYYY-MM-DD')"),
    orElse: () => sql.literal("DATE(hour * 3600, 'unixepoch')"),
  })
  yield* sql`INSERT INTO pool_counts (subject, pool, day, used)
    SELECT subject, pool, ${dayOfHour}, CAST(SUM(used) AS BIGINT) FROM pool_hours GROUP BY 1, 2, 3`
  yield* sql`INSERT INTO pool_counts (subject, pool, day, used)
    SELECT subject, 'seen ' || list, seen_on, COUNT(*) FROM items_seen GROUP BY 1, 2, 3`
  yield* sql`CREATE INDEX pool_counts_by_day ON pool_counts (day)`
  yield* sql`CREATE INDEX pool_counts_of_a_day ON pool_counts (day)
    WHERE pool NOT IN ('visa', 'lookup', 'spots', 'unconfirmed')`
  yield* sql`ALTER TABLE items_seen DROP COLUMN node_id`
  yield* sql`ALTER TABLE items_seen ADD COLUMN holder TEXT NOT NULL DEFAULT ''`
  for (const table of ["pool_hours", "pool_days", "pool_leases", "nodes"]) {
    yield* sql`DROP TABLE ${sql.literal(table)}`
  }
  yield* sql`DELETE FROM counters WHERE name = 'nodes_id'`
})

/** Every step, by number and name. */
export const MIGRATIONS = {
  "0001_counters": createCounters,
  "0002_accounts": createAccounts,
  "0003_usage": createUsage,
  "0004_pools": createPools,
  "0005_nodes": createNodes,
  "0006_disabled_accounts": addDisabledAccounts,
  "0007_lookup": addLookup,
  "0008_datasets": createDatasets,
  "0009_events": createEvents,
  "0010_webhooks": createWebhooks,
  "0011_devices": createDevices,
  "0012_sessions": createSessions,
  "0013_spots": createSpots,
  "0014_light_claims": lightenClaims,
  "0015_billing": createBilling,
  "0016_jobs": createJobs,
  "0017_payments": createPayments,
  "0018_account_language": addAccountLanguage,
  "0019_event_bodies": shareEventBodies,
  "0020_wide_ids": widenIds,
  "0021_work": unifyWork,
  "0022_dataset_feed": createDatasetFeed,
  "0023_hand_on": fanOutInParts,
  "0024_key_limits": addKeyLimits,
  "0025_history": keepHistory,
  "0026_failures": followFailures,
  "0027_readers": reportAnswers,
  "0028_session_family": addSessionFamily,
  "0029_request_days": createRequestDays,
  "0030_traces": keepTraces,
  "0031_test_mode": addTestMode,
  "0032_queued_work": createQueuedWork,
  "0033_referral_claims": createReferralClaims,
  "0034_count_by_day": countByDay,
}
