/**
 * Who is signed in, and which mailed links still work?
 *
 * Both are stored under the hash of a token only. Using a link deletes it, so that the second of two simultaneous uses is too
 * late. Instants are epoch milliseconds.
 */
import { Effect } from "effect"
import type { Database } from "./database.ts"
import type { Unavailable } from "./storage-errors.ts"

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

  forgetExpired: (nowMs: number): Effect.Effect<void, Unavailable> =>
    database.transact(
      Effect.andThen(
        database.change(sql => sql`DELETE FROM sessions WHERE expires_at <= ${nowMs}`),
        database.run(sql => sql`DELETE FROM mail_links WHERE expires_at <= ${nowMs}`),
      ),
    ),
})
