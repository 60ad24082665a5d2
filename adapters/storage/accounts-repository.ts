/**
 * Who has an account, which keys act for it and have asked what, who is signed in, and who has changed what?
 *
 * SQL and rows only: no rule about who may have what, no key in the clear. A change of an account or a key has to bump the
 * revision in the same transaction, so that every process notices. Sessions and mailed links are stored under the hash of a token only.
 */
import { Effect } from "effect"
import type { Database } from "./database.ts"
import { listJsonRows } from "./database.ts"
import type { Conflict, Unavailable } from "./storage-errors.ts"
import { below, bumpCounter, makeTable, readCounter, takeId } from "./table-statements.ts"
import type { NewRow, Row } from "./tables.ts"

/** The counter that says whether accounts or keys have changed. */
const ACCOUNTS_REVISION = "accounts_revision"

/** Columns of accounts that are written and compared only. */
const UNREAD = ["email_folded", "referred_by", "referred_at"] as const

export type AccountRow = Omit<Row<"accounts">, (typeof UNREAD)[number]>

/** A key; its scopes and addresses are separated by commas. */
export type KeyRow = Omit<Row<"api_keys">, "key_hash">

/** A caller, before its flags are read. */
type CallerRow = Pick<KeyRow, "kind" | "scopes" | "allowed_addresses" | "expires_at" | "replaced_at" | "account_id"> &
  Pick<AccountRow, "plan" | "api_version"> & { readonly key_id: number; readonly is_confirmed: number }

/** The use of a key: its charges, and the hour of its last use. */
export interface KeyUse {
  readonly id: number
  readonly used: number
  readonly lastUsedAt: number
}

/** The statements on accounts. */
export const makeAccountsRepository = (database: Database) => {
  const accounts = makeTable(database, "accounts", UNREAD)
  return {
    ...accounts,
    nextAccountId: takeId(database, "accounts_id"),
    nextKeyId: takeId(database, "api_keys_id"),
    bumpRevision: bumpCounter(database, ACCOUNTS_REVISION),
    readRevision: readCounter(database, ACCOUNTS_REVISION),

    /** An account, whose row stays locked until the transaction ends. */
    hold: (id: number) =>
      Effect.map(
        database.change(
          sql => sql<object>`UPDATE accounts SET plan = plan WHERE id = ${id} RETURNING ${accounts.columns}`,
        ),
        rows => accounts.decode(rows)[0],
      ),

    /** Changes the address; `Conflict` if another account has it. */
    changeEmail: (id: number, email: string, folded: string): Effect.Effect<void, Conflict | Unavailable> =>
      Effect.asVoid(
        database.insert(
          sql => sql`UPDATE accounts SET email = ${email}, email_folded = ${folded}, is_confirmed = 0 WHERE id = ${id}`,
        ),
      ),

    /** The active key with this hash and the known fields of its account, unless that is disabled. */
    findCaller: (keyHash: string) =>
      Effect.map(
        database.askOne(
          sql => sql<CallerRow>`SELECT k.id AS key_id, k.kind, k.scopes, k.allowed_addresses, k.expires_at, k.replaced_at,
            a.id AS account_id, a.plan, a.is_confirmed, a.api_version
            FROM api_keys k JOIN accounts a ON a.id = k.account_id
            WHERE k.key_hash = ${keyHash} AND k.is_active = 1 AND a.is_disabled = 0`,
        ),
        row => row && { ...row, is_confirmed: row.is_confirmed === 1 },
      ),
  }
}

/** The statements on keys. */
export const makeKeysRepository = (database: Database) => ({
  ...makeTable(database, "api_keys", ["key_hash"]),

  /** Deletes the oldest keys of an account that have ended, with the answers kept for them, so that at most `most` of those are left. */
  trimEnded: (accountId: number, nowMs: number, most: number): Effect.Effect<void, Unavailable> =>
    Effect.gen(function* () {
      const deleted = yield* database.change(sql => {
        const ended = sql`account_id = ${accountId} AND (is_active = 0 OR expires_at <= ${nowMs})`
        return sql<{ id: number }>`DELETE FROM api_keys WHERE ${ended} AND id <= (
          SELECT id FROM api_keys WHERE ${ended} ORDER BY id DESC LIMIT 1 OFFSET ${most}) RETURNING id`
      })
      for (const { id } of deleted) yield* database.change(sql => sql`DELETE FROM kept_requests WHERE key_id = ${id}`)
    }),

  /** Adds to the use of keys, each named once, in an order that all processes keep. */
  addUse: (uses: readonly KeyUse[]): Effect.Effect<void, Unavailable> =>
    database.runSome(
      uses.toSorted((one, other) => one.id - other.id),
      (sql, some) => sql`UPDATE api_keys SET used = api_keys.used + noted.used,
          last_used_at = CASE WHEN api_keys.last_used_at > noted.lastUsedAt THEN api_keys.last_used_at ELSE noted.lastUsedAt END
        FROM (${listJsonRows(sql, { id: "BIGINT", used: "BIGINT", lastUsedAt: "BIGINT" }, some)}) AS noted
        WHERE api_keys.id = noted.id`,
    ),
})

/** The count after an attempt. */
type AttemptCount = Pick<Row<"attempts">, "used" | "window_ends_at">

/**
 * The statements on attempts: one count for each kind and subject, in a window that begins with the first attempt. Subjects are hashes, so
 * that the database does not say who tried. The count is shared by every process, because guessing spreads over all of them.
 */
export const makeAttemptsRepository = (database: Database) => ({
  /** Counts an attempt, or several at once; returns the attempts of its window, including these. */
  count: (options: {
    readonly kind: string
    readonly subject: string
    readonly amount: number
    readonly nowMs: number
    readonly windowMs: number
  }) => {
    const { kind, subject, amount, nowMs, windowMs } = options
    const endsAt = nowMs + windowMs
    return Effect.map(
      database.change(
        sql => sql<AttemptCount>`INSERT INTO attempts (kind, subject, window_starts_at, window_ends_at, used)
          VALUES (${kind}, ${subject}, ${nowMs}, ${endsAt}, ${amount})
          ON CONFLICT (kind, subject) DO UPDATE SET
            used = CASE WHEN attempts.window_ends_at <= ${nowMs} THEN excluded.used ELSE attempts.used + excluded.used END,
            window_starts_at = CASE WHEN attempts.window_ends_at <= ${nowMs} THEN ${nowMs} ELSE attempts.window_starts_at END,
            window_ends_at = CASE WHEN attempts.window_ends_at <= ${nowMs} THEN ${endsAt} ELSE attempts.window_ends_at END
          RETURNING used, window_ends_at`,
      ),
      rows => rows[0]!,
    )
  },
})

export type SessionRow = Omit<Row<"sessions">, "token_hash">

/** The statements on sessions and links. Using a link deletes it, so that the second of two simultaneous uses is too late. */
export const makeSessionsRepository = (database: Database) => {
  const sessions = makeTable(database, "sessions")
  const links = makeTable(database, "mail_links")
  return {
    ...sessions,
    insertLink: links.insert,

    /** Uses up a link that has not expired. */
    takeLink: (token_hash: string, nowMs: number): Effect.Effect<number | undefined, Unavailable> =>
      Effect.map(links.take({ token_hash }), row =>
        row === undefined || row.expires_at <= nowMs ? undefined : row.account_id,
      ),
  }
}

/** How many lines of an account are kept. */
export const MAXIMUM_LINES = 10_000

export type AuditRow = Row<"audit_trail">

/**
 * The statements on the trail: lines that are only ever added, in the transaction of the change itself; the last {@link MAXIMUM_LINES} of an
 * account are kept. No line holds a key, a token or an address.
 */
export const makeAuditRepository = (database: Database) => {
  const nextId = takeId(database, "audit_trail_id")
  const { list, insert } = makeTable(database, "audit_trail")
  return {
    list,

    /** Lines of an account below a number, the newest first. */
    listBelow: (account_id: number, { beforeId, limit }: { readonly beforeId: number; readonly limit: number }) =>
      list({ account_id, id: below(beforeId) }, { order: ["id DESC"], limit }),

    add: (row: Omit<AuditRow, "id">): Effect.Effect<void, Unavailable> =>
      Effect.gen(function* () {
        yield* insert({ id: yield* nextId, ...row })
        yield* database.change(
          sql => sql`DELETE FROM audit_trail WHERE account_id = ${row.account_id} AND id <= (
            SELECT id FROM audit_trail WHERE account_id = ${row.account_id} ORDER BY id DESC LIMIT 1 OFFSET ${MAXIMUM_LINES})`,
        )
      }),
  }
}

/** The identity of a request. */
type KeptRequestName = Pick<Row<"kept_requests">, "key_id" | "idempotency_key">

/** The state of a request: it is the first, it is under way elsewhere, it was answered, or another request has its name. */
type ClaimedRequest =
  | { readonly kind: "claimed" }
  | { readonly kind: "under_way" }
  | { readonly kind: "answered"; readonly sealedAnswer: string }
  | { readonly kind: "reused" }

/**
 * The statements on kept requests: the first answer to a request, for a client that sends it again. A request is identified by the API key
 * that sent it and by the `Idempotency-Key` that the client gave it. The first process claims it, for as long as making an answer may take;
 * the claim of a process that died can be taken over. The caller seals the answer, because it may hold a secret. Times are epoch milliseconds.
 */
export const makeKeptRequestsRepository = (database: Database) => {
  const requests = makeTable(database, "kept_requests")
  return {
    /** Claims a request under a token of the caller, or returns its state. */
    claim: ({
      nowMs,
      ...row
    }: NewRow<"kept_requests"> & { readonly nowMs: number }): Effect.Effect<ClaimedRequest, Unavailable> =>
      Effect.gen(function* () {
        const taken = yield* database.change(
          sql => sql`INSERT INTO kept_requests ${sql.insert({ ...row })}
            ON CONFLICT (key_id, idempotency_key) DO UPDATE SET
              fingerprint = excluded.fingerprint, sealed_answer = NULL, claim = excluded.claim,
              claimed_until = excluded.claimed_until, expires_at = excluded.expires_at
            WHERE kept_requests.expires_at <= ${nowMs} OR (kept_requests.sealed_answer IS NULL
              AND kept_requests.claimed_until <= ${nowMs} AND kept_requests.fingerprint = excluded.fingerprint)
            RETURNING claim`,
        )
        if (taken.length > 0) return { kind: "claimed" }
        const { key_id, idempotency_key, fingerprint } = row
        const found = yield* requests.find({ key_id, idempotency_key })
        // Given back between the two statements: asking again claims it.
        if (found === undefined) return { kind: "under_way" }
        if (found.fingerprint !== fingerprint) return { kind: "reused" }
        const { sealed_answer } = found
        return sealed_answer === null ? { kind: "under_way" } : { kind: "answered", sealedAnswer: sealed_answer }
      }),

    /** Keeps the answer to a claimed request; one whose claim was taken over keeps nothing. */
    keep: (name: KeptRequestName, claim: string, sealed_answer: string) =>
      requests.update({ ...name, claim }, { sealed_answer }),

    /** Releases a claim: the request's answer is not kept. */
    release: (name: KeptRequestName, claim: string) => requests.remove({ ...name, claim, sealed_answer: null }),

    /** Deletes the oldest requests of an account, so that at most `maximum` are left. */
    trim: (accountId: number, maximum: number) =>
      database.run(
        sql => sql`DELETE FROM kept_requests
          WHERE key_id IN (SELECT id FROM api_keys WHERE account_id = ${accountId}) AND expires_at <= (
            SELECT expires_at FROM kept_requests
            WHERE key_id IN (SELECT id FROM api_keys WHERE account_id = ${accountId})
            ORDER BY expires_at DESC LIMIT 1 OFFSET ${maximum})`,
      ),
  }
}
