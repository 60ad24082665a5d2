CREATE TABLE accounts (id INTEGER PRIMARY KEY, name TEXT NOT NULL, email TEXT NOT NULL, email_folded TEXT NOT NULL UNIQUE, plan TEXT NOT NULL,
    is_confirmed INTEGER NOT NULL, is_disabled INTEGER NOT NULL DEFAULT 0, api_version TEXT, language TEXT, referred_by TEXT,
    referred_at BIGINT, created_at TEXT NOT NULL);
CREATE TABLE affiliate_clicks (affiliate_id TEXT NOT NULL, month TEXT NOT NULL, clicks INTEGER NOT NULL,
    PRIMARY KEY (affiliate_id, month));
CREATE TABLE affiliates (id TEXT PRIMARY KEY, name TEXT NOT NULL, email TEXT NOT NULL, email_folded TEXT NOT NULL UNIQUE,
    created_at TEXT NOT NULL);
CREATE TABLE api_keys (id INTEGER PRIMARY KEY, account_id BIGINT NOT NULL REFERENCES accounts (id), kind TEXT NOT NULL, name TEXT NOT NULL,
    key_hash TEXT NOT NULL UNIQUE, sealed_key TEXT NOT NULL, is_active INTEGER NOT NULL, created_at TEXT NOT NULL,
    scopes TEXT NOT NULL, allowed_addresses TEXT NOT NULL DEFAULT '', expires_at BIGINT, replaced_at BIGINT, last_used_at BIGINT,
    used BIGINT NOT NULL DEFAULT 0);
CREATE TABLE attempts (kind TEXT NOT NULL, subject TEXT NOT NULL, window_starts_at BIGINT NOT NULL,
    window_ends_at BIGINT NOT NULL, used INTEGER NOT NULL, PRIMARY KEY (kind, subject));
CREATE TABLE audit_trail (id INTEGER PRIMARY KEY, account_id BIGINT NOT NULL, at TEXT NOT NULL, actor TEXT NOT NULL, action TEXT NOT NULL,
    detail TEXT NOT NULL);
CREATE TABLE billing_events (id TEXT PRIMARY KEY, subscription_id TEXT, invoice_id TEXT, payment_id TEXT,
    created_at BIGINT NOT NULL, body TEXT NOT NULL);
CREATE TABLE commissions (invoice_id TEXT PRIMARY KEY, affiliate_id TEXT NOT NULL, account_id BIGINT NOT NULL, month TEXT NOT NULL,
    paid_cents BIGINT NOT NULL, refunded_cents BIGINT NOT NULL, commission_cents BIGINT NOT NULL);
CREATE TABLE counters (name TEXT PRIMARY KEY, value BIGINT NOT NULL);
CREATE TABLE dataset_feed (id INTEGER PRIMARY KEY, feed TEXT NOT NULL, state TEXT, said TEXT, failures INTEGER NOT NULL, due_at BIGINT NOT NULL,
    succeeded_at BIGINT);
CREATE TABLE datasets (id INTEGER PRIMARY KEY, version TEXT NOT NULL, as_of TEXT NOT NULL, content TEXT NOT NULL);
CREATE TABLE deliveries (id INTEGER PRIMARY KEY, webhook_id BIGINT NOT NULL, event_id TEXT NOT NULL, type TEXT NOT NULL, state TEXT NOT NULL, attempt INTEGER NOT NULL, due_at BIGINT NOT NULL, is_deferred INTEGER NOT NULL DEFAULT 0,
    lease_until BIGINT NOT NULL, leased_by TEXT,
    created_at BIGINT NOT NULL, last_at BIGINT, last_status INTEGER, last_error TEXT, last_body TEXT);
CREATE TABLE deployment (name TEXT PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE device_codes (device_id BIGINT NOT NULL, list TEXT NOT NULL, code TEXT NOT NULL,
    PRIMARY KEY (device_id, list, code)) WITHOUT ROWID;
CREATE TABLE devices (id INTEGER PRIMARY KEY, account_id BIGINT NOT NULL, platform TEXT NOT NULL, token_hash TEXT NOT NULL UNIQUE,
    sealed_token TEXT NOT NULL, lang TEXT NOT NULL, registered_at BIGINT NOT NULL);
CREATE TABLE event_bodies (event_id TEXT PRIMARY KEY, account_id BIGINT, body TEXT NOT NULL, created_at BIGINT NOT NULL,
    traceparent TEXT);
CREATE TABLE events (id TEXT PRIMARY KEY, installation_id BIGINT NOT NULL, type TEXT NOT NULL, passport TEXT NOT NULL,
    destination TEXT NOT NULL, severity TEXT NOT NULL, effective_from TEXT NOT NULL, is_correction INTEGER NOT NULL,
    body TEXT NOT NULL, created_at BIGINT NOT NULL, due_at BIGINT NOT NULL, fanned_out_at BIGINT,
    handed_to BIGINT NOT NULL DEFAULT 0, pushed_to BIGINT);
CREATE TABLE installations (id INTEGER PRIMARY KEY, dataset_id BIGINT, replaces_id BIGINT, kind TEXT NOT NULL, installed_at TEXT NOT NULL);
CREATE TABLE installed_changes (installation_id BIGINT PRIMARY KEY, content TEXT NOT NULL);
CREATE TABLE items_seen (subject TEXT NOT NULL, seen_on TEXT NOT NULL, list TEXT NOT NULL, item TEXT NOT NULL,
    holder TEXT NOT NULL DEFAULT '', PRIMARY KEY (subject, seen_on, list, item)) WITHOUT ROWID;
CREATE TABLE job_chunks (id TEXT PRIMARY KEY, job_id TEXT NOT NULL, seq INTEGER NOT NULL, first_line INTEGER NOT NULL, state TEXT NOT NULL, attempt INTEGER NOT NULL, due_at BIGINT NOT NULL, is_deferred INTEGER NOT NULL DEFAULT 0,
    lease_until BIGINT NOT NULL, leased_by TEXT,
    result_bytes BIGINT NOT NULL) WITHOUT ROWID;
CREATE TABLE job_pieces (job_id TEXT NOT NULL, seq INTEGER NOT NULL, kind TEXT NOT NULL, content TEXT NOT NULL,
    PRIMARY KEY (job_id, seq, kind));
CREATE TABLE jobs (id TEXT PRIMARY KEY, account_id BIGINT NOT NULL, state TEXT NOT NULL, answers TEXT NOT NULL, as_of TEXT NOT NULL,
    lines INTEGER NOT NULL DEFAULT 0, chunks INTEGER NOT NULL DEFAULT 0, pairs_charged BIGINT NOT NULL DEFAULT 0,
    lines_done INTEGER NOT NULL DEFAULT 0, chunks_done INTEGER NOT NULL DEFAULT 0, failed INTEGER NOT NULL DEFAULT 0,
    blocked INTEGER NOT NULL DEFAULT 0, result_bytes BIGINT NOT NULL DEFAULT 0, is_test INTEGER NOT NULL DEFAULT 0,
    created_at BIGINT NOT NULL, completed_at BIGINT, expires_at BIGINT NOT NULL);
CREATE TABLE kept_requests (key_id BIGINT NOT NULL, idempotency_key TEXT NOT NULL, fingerprint TEXT NOT NULL,
    sealed_answer TEXT, claim TEXT NOT NULL, claimed_until BIGINT NOT NULL, expires_at BIGINT NOT NULL,
    PRIMARY KEY (key_id, idempotency_key)) WITHOUT ROWID;
CREATE TABLE mail_links (token_hash TEXT PRIMARY KEY, account_id BIGINT NOT NULL, expires_at BIGINT NOT NULL);
CREATE TABLE nodes (id TEXT PRIMARY KEY, version TEXT NOT NULL, step INTEGER NOT NULL, installation_id BIGINT NOT NULL,
    refused_id BIGINT, refused_because TEXT, alive_until BIGINT NOT NULL);
CREATE TABLE payments (id INTEGER PRIMARY KEY, network TEXT NOT NULL, asset TEXT NOT NULL, payer TEXT NOT NULL, nonce TEXT NOT NULL,
    amount TEXT NOT NULL, question TEXT NOT NULL, state TEXT NOT NULL, claim TEXT NOT NULL, claimed_until BIGINT NOT NULL,
    sealed_payment TEXT, settlement TEXT, error TEXT, created_at BIGINT NOT NULL, settled_at BIGINT, delivered_at BIGINT,
    UNIQUE (network, asset, payer, nonce));
CREATE TABLE pool_counts (subject TEXT NOT NULL, pool TEXT NOT NULL, day TEXT NOT NULL, used BIGINT NOT NULL,
    PRIMARY KEY (subject, pool, day)) WITHOUT ROWID;
CREATE TABLE pushes (id TEXT PRIMARY KEY, device_id BIGINT NOT NULL, platform TEXT NOT NULL, event_id TEXT NOT NULL, state TEXT NOT NULL, attempt INTEGER NOT NULL, due_at BIGINT NOT NULL, is_deferred INTEGER NOT NULL DEFAULT 0,
    lease_until BIGINT NOT NULL, leased_by TEXT,
    created_at BIGINT NOT NULL);
CREATE TABLE queued_work (id INTEGER PRIMARY KEY, kind TEXT NOT NULL, number BIGINT NOT NULL, lane TEXT NOT NULL, payload TEXT, state TEXT NOT NULL, attempt INTEGER NOT NULL, due_at BIGINT NOT NULL, is_deferred INTEGER NOT NULL DEFAULT 0,
    lease_until BIGINT NOT NULL, leased_by TEXT,
    created_at BIGINT NOT NULL, last_error TEXT);
CREATE TABLE referral_claims (email_hash TEXT PRIMARY KEY, account_id BIGINT, affiliate_id TEXT NOT NULL, made_at BIGINT NOT NULL);
CREATE TABLE request_days (account_id BIGINT NOT NULL, day TEXT NOT NULL, route TEXT NOT NULL, method TEXT NOT NULL,
    status INTEGER NOT NULL, requests BIGINT NOT NULL, PRIMARY KEY (account_id, day, route, method, status));
CREATE TABLE sessions (token_hash TEXT PRIMARY KEY, account_id BIGINT NOT NULL, created_at BIGINT NOT NULL,
    expires_at BIGINT NOT NULL, family TEXT);
CREATE TABLE spots (id TEXT PRIMARY KEY, body TEXT NOT NULL);
CREATE TABLE steps (number INTEGER PRIMARY KEY, name TEXT NOT NULL, needs INTEGER NOT NULL,
  applied_at TEXT NOT NULL);
CREATE TABLE subscriptions (id TEXT PRIMARY KEY, account_id BIGINT, customer_id TEXT, plan TEXT NOT NULL, state TEXT NOT NULL,
    failed_at BIGINT, next_change_at BIGINT);
CREATE TABLE webhooks (id INTEGER PRIMARY KEY, account_id BIGINT NOT NULL, url TEXT NOT NULL, terms TEXT NOT NULL, description TEXT NOT NULL,
    sealed_secret TEXT NOT NULL, sealed_old_secret TEXT, old_secret_until BIGINT NOT NULL DEFAULT 0, disabled_because TEXT,
    failing_since BIGINT, is_test INTEGER NOT NULL DEFAULT 0, created_at TEXT NOT NULL);
CREATE INDEX accounts_by_referral ON accounts (referred_by) WHERE referred_by IS NOT NULL;
CREATE INDEX api_keys_by_account ON api_keys (account_id, kind);
CREATE INDEX attempts_by_end ON attempts (window_ends_at);
CREATE INDEX audit_trail_by_account ON audit_trail (account_id, id);
CREATE INDEX billing_events_by_invoice ON billing_events (invoice_id);
CREATE INDEX billing_events_by_payment ON billing_events (payment_id);
CREATE INDEX billing_events_by_subscription ON billing_events (subscription_id);
CREATE INDEX commissions_by_affiliate ON commissions (affiliate_id);
CREATE INDEX deliveries_again ON deliveries (webhook_id, id) WHERE state = 'pending';
CREATE INDEX deliveries_by_age ON deliveries (created_at);
CREATE INDEX deliveries_by_webhook ON deliveries (webhook_id, id);
CREATE INDEX deliveries_deferred ON deliveries (due_at) WHERE state = 'pending' AND is_deferred = 1;
CREATE INDEX deliveries_last ON deliveries (webhook_id, last_at DESC, id DESC) WHERE last_at IS NOT NULL;
CREATE INDEX deliveries_ready ON deliveries (webhook_id, due_at, id) WHERE state = 'pending' AND is_deferred = 0;
CREATE INDEX deliveries_undelivered ON deliveries (webhook_id, id) WHERE state = 'undelivered';
CREATE INDEX deliveries_waiting ON deliveries (due_at) WHERE state = 'pending';
CREATE INDEX device_codes_by_code ON device_codes (list, code, device_id);
CREATE INDEX devices_by_account ON devices (account_id);
CREATE INDEX event_bodies_by_age ON event_bodies (created_at);
CREATE INDEX events_by_age ON events (due_at) WHERE fanned_out_at IS NOT NULL;
CREATE INDEX events_by_installation ON events (installation_id, id);
CREATE INDEX events_by_pair ON events (passport, destination);
CREATE INDEX events_dated ON events (id) WHERE due_at > created_at;
CREATE INDEX events_due ON events (due_at, passport, destination, id) WHERE fanned_out_at IS NULL;
CREATE INDEX events_to_push ON events (pushed_to, id) WHERE pushed_to IS NOT NULL;
CREATE INDEX items_seen_by_day ON items_seen (seen_on);
CREATE INDEX job_chunks_by_job ON job_chunks (job_id, seq);
CREATE INDEX job_chunks_deferred ON job_chunks (due_at) WHERE state = 'pending' AND is_deferred = 1;
CREATE INDEX job_chunks_ready ON job_chunks (job_id, due_at, id) WHERE state = 'pending' AND is_deferred = 0;
CREATE INDEX job_chunks_waiting ON job_chunks (due_at) WHERE state = 'pending';
CREATE INDEX jobs_by_account ON jobs (account_id);
CREATE INDEX jobs_by_end ON jobs (expires_at);
CREATE INDEX kept_requests_by_end ON kept_requests (expires_at);
CREATE INDEX mail_links_by_end ON mail_links (expires_at);
CREATE INDEX payments_open ON payments (claimed_until) WHERE state IN ('settling', 'unknown');
CREATE INDEX pool_counts_by_day ON pool_counts (day);
CREATE INDEX pool_counts_of_a_day ON pool_counts (day) WHERE pool NOT IN ('visa', 'lookup', 'spots', 'unconfirmed');
CREATE INDEX pushes_by_age ON pushes (created_at);
CREATE INDEX pushes_by_device ON pushes (device_id);
CREATE INDEX pushes_deferred ON pushes (due_at) WHERE state = 'pending' AND is_deferred = 1;
CREATE INDEX pushes_ready ON pushes (platform, due_at, id) WHERE state = 'pending' AND is_deferred = 0;
CREATE INDEX pushes_waiting ON pushes (due_at) WHERE state = 'pending';
CREATE INDEX queued_work_by_age ON queued_work (created_at, kind);
CREATE INDEX queued_work_deferred ON queued_work (kind, due_at) WHERE state = 'pending' AND is_deferred = 1;
CREATE INDEX queued_work_ready ON queued_work (kind, lane, due_at, id) WHERE state = 'pending' AND is_deferred = 0;
CREATE INDEX queued_work_waiting ON queued_work (kind, due_at) WHERE state = 'pending';
CREATE INDEX referral_claims_by_account ON referral_claims (account_id) WHERE account_id IS NOT NULL;
CREATE INDEX referral_claims_by_age ON referral_claims (made_at);
CREATE INDEX request_days_by_day ON request_days (day);
CREATE INDEX sessions_by_account ON sessions (account_id);
CREATE INDEX sessions_by_end ON sessions (expires_at);
CREATE INDEX subscriptions_by_account ON subscriptions (account_id);
CREATE INDEX subscriptions_by_change ON subscriptions (next_change_at) WHERE next_change_at IS NOT NULL;
CREATE INDEX webhooks_by_account ON webhooks (account_id);
