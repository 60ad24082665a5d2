/**
 * Who is signed in, and which mailed links still work?
 *
 * Both are stored under the hash of a token only. Using a link deletes it, so that the second of two simultaneous uses is too
 * late. Instants are epoch milliseconds.
 */
import { Effect } from "effect"
import type { Database } from "./database.ts"
import type { Unavailable } from "./storage-errors.ts"

// How often was something tried lately?
// One count for each kind of attempt and subject, in a window that begins with the first attempt. Subjects are hashes, so that
// the database does not say who tried. The count is shared by every process, because guessing spreads over all of them.

/** The count after an attempt. */
export interface AttemptCount {
  readonly used: number
  readonly window_ends_at: number
}

/** The statements on attempts. */
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

  /** Deletes windows that have ended. */
  forgetEnded: (nowMs: number) => database.run(sql => sql`DELETE FROM attempts WHERE window_ends_at <= ${nowMs}`),
})

export interface SessionRow {
  readonly account_id: number
  readonly created_at: number
  readonly expires_at: number
  /** Over which network the link was followed; null where it is not known. */
  readonly family: AddressFamily | null
}

/** The versions of the Internet Protocol: the only stored information about a user's network. */
export type AddressFamily = "IPv4" | "IPv6"

/** The statements on sessions and links. */
export const makeSessionsRepository = (database: Database) => ({
  insert: (row: SessionRow & { readonly token_hash: string }) =>
    database.run(sql => sql`INSERT INTO sessions ${sql.insert({ ...row })}`),

  find: (tokenHash: string, nowMs: number) =>
    database.askOne(
      sql => sql<SessionRow>`SELECT account_id, created_at, expires_at, family FROM sessions
          WHERE token_hash = ${tokenHash} AND expires_at > ${nowMs}`,
    ),

  remove: (tokenHash: string) => database.run(sql => sql`DELETE FROM sessions WHERE token_hash = ${tokenHash}`),

  /** Sessions of an account that have not ended, the newest first. */
  listOf: (accountId: number, nowMs: number) =>
    database.ask(
      sql => sql<
        SessionRow & { readonly token_hash: string }
      >`SELECT token_hash, account_id, created_at, expires_at, family
        FROM sessions
        WHERE account_id = ${accountId} AND expires_at > ${nowMs} ORDER BY created_at DESC`,
    ),

  removeAll: (accountId: number) => database.run(sql => sql`DELETE FROM sessions WHERE account_id = ${accountId}`),

  insertLink: (row: { readonly token_hash: string; readonly account_id: number; readonly expires_at: number }) =>
    database.run(sql => sql`INSERT INTO mail_links ${sql.insert({ ...row })}`),

  /** Uses up a link that has not expired. */
  takeLink: (tokenHash: string, nowMs: number): Effect.Effect<number | undefined, Unavailable> =>
    Effect.map(
      database.changeOne(
        sql => sql<{ account_id: number; expires_at: number }>`DELETE FROM mail_links WHERE token_hash = ${tokenHash}
          RETURNING account_id, expires_at`,
      ),
      row => (row === undefined || row.expires_at <= nowMs ? undefined : row.account_id),
    ),

  forgetExpired: (nowMs: number) =>
    database.runAll(sql => [
      sql`DELETE FROM sessions WHERE expires_at <= ${nowMs}`,
      sql`DELETE FROM mail_links WHERE expires_at <= ${nowMs}`,
    ]),
})
