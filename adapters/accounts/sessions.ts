/**
 * Who is signed in?
 *
 * A mailed link works once and for {@link LINK_MS}. Following it proves that the address is theirs, so it confirms the address
 * and begins a session of {@link SESSION_MS}. The database holds only the hash of a session's token. A session of a disabled
 * account opens nothing, and the sessions of an erased account are deleted.
 */

import { Clock, Context, Effect, Layer } from "effect"
import { DeploymentSecret } from "../secrets/deployment-secret.ts"
import { isToken, makeHasher, makeToken } from "../secrets/sealing.ts"
import type { SessionRow } from "../storage/accounts-repository.ts"
import { Storage } from "../storage/storage.ts"
import type { Unavailable } from "../storage/storage-errors.ts"
import { above } from "../storage/table-statements.ts"
import type { Account } from "./account.ts"
import { Accounts } from "./accounts.ts"
import { actingAs, makeAuditTrail } from "./audit-trail.ts"

/** How long a mailed link works. */
export const LINK_MINUTES = 30
const LINK_MS = LINK_MINUTES * 60_000
/** How long a session lasts. */
export const SESSION_DAYS = 30
const SESSION_MS = SESSION_DAYS * 86_400_000

/** How long after following a link the owner may see keys and erase the account. */
const FRESH_MS = 3_600_000

/** The owner of a session. */
export interface SignedIn {
  readonly account: Account
  readonly token: string
  /** Whether the link was followed within {@link FRESH_MS}: required to show a key or to do something that cannot be undone. */
  readonly isFresh: boolean
}

/** Makes and hashes the tokens of links: all that is needed to mail one. */
export const makeLinks = ({ sessions }: Storage["Service"], secret: DeploymentSecret["Service"]) => {
  const hash = makeHasher(secret, "mail link hash")
  return {
    hash,
    /** Makes a link's token for an account; its time starts now. */
    make: (accountId: number): Effect.Effect<string, Unavailable> =>
      Effect.gen(function* () {
        const token = makeToken()
        const expiresAt = (yield* Clock.currentTimeMillis) + LINK_MS
        yield* sessions.insertLink({ token_hash: hash(token), account_id: accountId, expires_at: expiresAt })
        return token
      }),
  }
}

export class Sessions extends Context.Service<Sessions>()("landfall/accounts/Sessions", {
  make: Effect.gen(function* () {
    const storage = yield* Storage
    const accounts = yield* Accounts
    const secret = yield* DeploymentSecret
    const hash = makeHasher(secret, "session hash")
    const links = makeLinks(storage, secret)
    const { sessions } = storage
    const { note } = makeAuditTrail(storage)
    const noteEnd = (accountId: number) => actingAs("owner")(note(accountId, "sessions_ended", ""))

    const begin = (accountId: number, family: SessionRow["family"] = null) =>
      Effect.gen(function* () {
        const token = makeToken()
        const nowMs = yield* Clock.currentTimeMillis
        const row = {
          token_hash: hash(token),
          account_id: accountId,
          created_at: nowMs,
          expires_at: nowMs + SESSION_MS,
          family,
        }
        yield* sessions.insert(row)
        return token
      })

    return {
      /** Starts a session; returns its token, which is stored nowhere. */
      begin,
      end: (token: string) => (isToken(token) ? sessions.remove({ token_hash: hash(token) }) : Effect.void),
      /** The account of a session, disabled or not; null for a token that opens none. */
      find: (token: string) =>
        Effect.gen(function* () {
          if (!isToken(token)) return null
          const nowMs = yield* Clock.currentTimeMillis
          const row = yield* sessions.find({ token_hash: hash(token), expires_at: above(nowMs) })
          if (row === undefined) return null
          const account = yield* accounts.findAccount(row.account_id)
          return account === null ? null : { account, token, isFresh: nowMs - row.created_at < FRESH_MS }
        }),
      endAll: (accountId: number) =>
        storage.transact(Effect.andThen(sessions.remove({ account_id: accountId }), noteEnd(accountId))),
      /** The sessions of the signed-in user that have not ended, the newest first. Instants are epoch milliseconds. */
      list: ({ account, token }: SignedIn) =>
        Effect.gen(function* () {
          const nowMs = yield* Clock.currentTimeMillis
          const notEnded = { account_id: account.id, expires_at: above(nowMs) }
          const found = yield* sessions.list(notEnded, { order: ["created_at DESC"] })
          const own = hash(token)
          return found.map(({ token_hash, created_at, expires_at, family }) => ({
            beganAt: created_at,
            expiresAt: expires_at,
            family,
            isCurrent: token_hash === own,
          }))
        }),
      /**
       * Uses up a mailed link: confirms the address if that was not done before, which ends everything that gave access until then, and
       * begins a session; null for a link that is not valid.
       */
      follow: (linkToken: string, family: SessionRow["family"]) =>
        Effect.gen(function* () {
          if (!isToken(linkToken)) return null
          const accountId = yield* sessions.takeLink(links.hash(linkToken), yield* Clock.currentTimeMillis)
          const account = accountId === undefined ? null : yield* accounts.findAccount(accountId)
          if (account === null || account.isDisabled) return null
          const hasConfirmed = (yield* accounts.confirmEmail(account.id)) !== null
          const token = yield* begin(account.id, family)
          return { account: { ...account, isConfirmed: true }, token, isFresh: true, hasConfirmed }
        }).pipe(
          Effect.catchTag("AccountNotFound", () => Effect.succeed(null)),
          storage.transact,
          actingAs("owner"),
        ),
    }
  }),
}) {
  static readonly layer = Layer.effect(Sessions, Sessions.make)
}
