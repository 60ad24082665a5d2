/**
 * Which keys does an account have, and how are they made, shown and deactivated?
 *
 * An account has one current key; a deactivated one no longer works and stays in the list. A whole key is shown only where
 * somebody asks for it.
 */
import { Effect, Schema } from "effect"
import type { AccountKey, TeamKey } from "./account.ts"
import type { AccountNotFound, AccountStore, Stored } from "./account-store.ts"
import type { KeyKind } from "./api-key.ts"

/** There is no key with this id. */
class KeyNotFound extends Schema.TaggedError<KeyNotFound>()("KeyNotFound", {}) {}

/** What can be done with the keys of accounts. */
export interface KeyRecords {
  /** The account's current key, whole; null when it is deactivated. */
  readonly revealKey: (accountId: number) => Stored<string | null, AccountNotFound>
  /** Replaces the account's key: the old one stops working, and team keys too if that is asked for. Gives the team keys that were active. */
  readonly regenerateKey: (
    accountId: number,
    options?: { readonly endsTeamKeys: boolean },
  ) => Stored<{ readonly key: string; readonly teamKeys: readonly TeamKey[] }, AccountNotFound>
  /** The account's current key; a new one where it was deactivated. */
  readonly ensureKey: (accountId: number) => Stored<string, AccountNotFound>
  /** Deactivates the account's key; team keys go on. */
  readonly deactivateKey: (accountId: number) => Stored<void, AccountNotFound>
  /** Every key of an account, oldest first, deactivated ones too. */
  readonly listKeys: (accountId: number) => Stored<readonly AccountKey[], AccountNotFound>
  /** A key, whole, whether it is active or not. */
  readonly revealKeyById: (
    keyId: number,
  ) => Stored<{ readonly accountKey: AccountKey; readonly key: string }, KeyNotFound>
  /** Deactivates a key of any kind; doing it again changes nothing. */
  readonly revokeKey: (keyId: number) => Stored<AccountKey, KeyNotFound>
}

/** Makes what can be done with the keys of a store. */
export function makeKeyRecords(store: AccountStore): KeyRecords {
  const { storage, rows, keys, note, changing, requireAccount, holdAccount } = store

  /** Deactivates every key of a kind. */
  const deactivateKeys = (accountId: number, kind: KeyKind) =>
    Effect.gen(function* () {
      yield* holdAccount(accountId)
      const active = yield* keys.listActive(accountId, kind)
      yield* Effect.forEach(active, key => rows.deactivateKey(key.id), { discard: true })
      const named = `${kind === "team" ? "team " : ""}key ${active.map(({ id }) => id).join(", ")}`
      if (active.length > 0) yield* note(accountId, "key_revoked", named)
    })

  /** Makes an account's own key. */
  const makeKey = (accountId: number) =>
    Effect.gen(function* () {
      const { row, key } = yield* keys.insert(accountId, "account", "")
      yield* note(accountId, "key_made", `key ${row.id}`)
      return key
    })

  const requireKey = (id: number) =>
    Effect.flatMap(rows.findKey(id), row => (row === undefined ? Effect.fail(new KeyNotFound()) : Effect.succeed(row)))

  return {
    revealKey: id => storage.transact(Effect.andThen(requireAccount(id), keys.findCurrent(id))),

    regenerateKey: (id, { endsTeamKeys } = { endsTeamKeys: false }) =>
      changing(
        Effect.gen(function* () {
          yield* deactivateKeys(id, "account")
          const found = yield* keys.listActive(id, "team")
          if (endsTeamKeys) yield* deactivateKeys(id, "team")
          const key = yield* makeKey(id)
          const teamKeys = yield* Effect.forEach(found, row => keys.describeTeam({ ...row, is_active: !endsTeamKeys }))
          return { key, teamKeys }
        }),
      ),

    ensureKey: id =>
      changing(
        Effect.gen(function* () {
          yield* holdAccount(id)
          return (yield* keys.findCurrent(id)) ?? (yield* makeKey(id))
        }),
      ),

    deactivateKey: id => changing(deactivateKeys(id, "account")),

    listKeys: id =>
      Effect.andThen(
        requireAccount(id),
        Effect.flatMap(rows.listKeys(id), found => Effect.forEach(found, keys.describe)),
      ),

    revealKeyById: id =>
      Effect.gen(function* () {
        const row = yield* requireKey(id)
        return { accountKey: yield* keys.describe(row), key: yield* keys.reveal(row) }
      }),

    revokeKey: id =>
      changing(
        Effect.gen(function* () {
          const row = yield* requireKey(id)
          yield* rows.deactivateKey(id)
          if (row.is_active)
            yield* note(row.account_id, "key_revoked", `${row.kind === "team" ? "team " : ""}key ${id}`)
          return yield* keys.describe({ ...row, is_active: false })
        }),
      ),
  }
}
