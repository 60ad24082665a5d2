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
import { makeTable, upTo } from "./table-statements.ts"
import type { NewRow, Row } from "./tables.ts"

/** The identity of a request. */
export type KeptRequestName = Pick<Row<"kept_requests">, "key_id" | "idempotency_key">

/** The state of a request: it is the first, it is under way elsewhere, it was answered, or another request has its name. */
export type ClaimedRequest =
  | { readonly kind: "claimed" }
  | { readonly kind: "under_way" }
  | { readonly kind: "answered"; readonly sealedAnswer: string }
  | { readonly kind: "reused" }

/** The statements on kept requests. */
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

    forgetExpired: (nowMs: number) => requests.remove({ expires_at: upTo(nowMs) }),

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
