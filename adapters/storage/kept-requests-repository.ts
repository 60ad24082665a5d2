/**
 * How is the first answer to a request kept, for a client that sends the request again?
 *
 * A request is identified by the API key that sent it and by the `Idempotency-Key` that the client gave it. The first process
 * claims it, for as long as making an answer may take; the claim of a process that died can be taken over. The caller seals the
 * answer, because it may hold a secret. Times are epoch milliseconds.
 */
import { Effect } from "effect"
import type { Database } from "./database.ts"
import type { Unavailable } from "./storage-errors.ts"

/** The identity of a request. */
export interface KeptRequestName {
  readonly keyId: number
  readonly idempotencyKey: string
}

/** The state of a request: it is the first, it is under way elsewhere, it was answered, or another request has its name. */
export type ClaimedRequest =
  | { readonly kind: "claimed" }
  | { readonly kind: "under_way" }
  | { readonly kind: "answered"; readonly sealedAnswer: string }
  | { readonly kind: "reused" }

/** The statements on kept requests. */
export const makeKeptRequestsRepository = (database: Database) => ({
  /** Claims a request under a token of the caller, or returns its state. */
  claim: ({
    keyId,
    idempotencyKey,
    fingerprint,
    claim,
    nowMs,
    claimedUntil,
    expiresAt,
  }: KeptRequestName & {
    readonly fingerprint: string
    readonly claim: string
    readonly nowMs: number
    readonly claimedUntil: number
    readonly expiresAt: number
  }): Effect.Effect<ClaimedRequest, Unavailable> =>
    Effect.gen(function* () {
      const taken = yield* database.change(
        sql => sql<{ claim: string }>`INSERT INTO kept_requests
          (key_id, idempotency_key, fingerprint, sealed_answer, claim, claimed_until, expires_at)
          VALUES (${keyId}, ${idempotencyKey}, ${fingerprint}, ${null}, ${claim}, ${claimedUntil}, ${expiresAt})
          ON CONFLICT (key_id, idempotency_key) DO UPDATE SET
            fingerprint = excluded.fingerprint, sealed_answer = NULL, claim = excluded.claim,
            claimed_until = excluded.claimed_until, expires_at = excluded.expires_at
          WHERE kept_requests.expires_at <= ${nowMs} OR (kept_requests.sealed_answer IS NULL
            AND kept_requests.claimed_until <= ${nowMs} AND kept_requests.fingerprint = excluded.fingerprint)
          RETURNING claim`,
      )
      if (taken.length > 0) return { kind: "claimed" }
      const [row] = yield* database.ask(
        sql => sql<{ fingerprint: string; sealed_answer: string | null }>`SELECT fingerprint, sealed_answer
          FROM kept_requests WHERE key_id = ${keyId} AND idempotency_key = ${idempotencyKey}`,
      )
      // Given back between the two statements: asking again claims it.
      if (row === undefined) return { kind: "under_way" }
      if (row.fingerprint !== fingerprint) return { kind: "reused" }
      return row.sealed_answer === null ? { kind: "under_way" } : { kind: "answered", sealedAnswer: row.sealed_answer }
    }),

  /** Keeps the answer to a claimed request; one whose claim was taken over keeps nothing. */
  keep: ({ keyId, idempotencyKey }: KeptRequestName, claim: string, sealedAnswer: string) =>
    database.run(
      sql => sql`UPDATE kept_requests SET sealed_answer = ${sealedAnswer}
          WHERE key_id = ${keyId} AND idempotency_key = ${idempotencyKey} AND claim = ${claim}`,
    ),

  /** Releases a claim: the request's answer is not kept. */
  release: ({ keyId, idempotencyKey }: KeptRequestName, claim: string) =>
    database.run(
      sql => sql`DELETE FROM kept_requests WHERE key_id = ${keyId} AND idempotency_key = ${idempotencyKey}
          AND claim = ${claim} AND sealed_answer IS NULL`,
    ),

  /** Deletes the oldest requests of an account, so that at most `maximum` are left. */
  trim: (accountId: number, maximum: number) =>
    database.run(
      sql => sql`DELETE FROM kept_requests
          WHERE key_id IN (SELECT id FROM api_keys WHERE account_id = ${accountId}) AND expires_at <= (
            SELECT expires_at FROM kept_requests
            WHERE key_id IN (SELECT id FROM api_keys WHERE account_id = ${accountId})
            ORDER BY expires_at DESC LIMIT 1 OFFSET ${maximum})`,
    ),

  forgetExpired: (nowMs: number) => database.run(sql => sql`DELETE FROM kept_requests WHERE expires_at <= ${nowMs}`),
})
