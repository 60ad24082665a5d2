/**
 * Which keys does an account have, and how are they made, shown and deactivated?
 *
 * An account has one first key; a deactivated one no longer works and stays in the list. A whole key is shown only where
 * somebody asks for it.
 */
import { Effect, Schema } from "effect"
import type { KeyRow } from "../../platform/storage/accounts-repository.ts"
import type { AccountKey } from "./account.ts"
import type { AccountNotFound, AccountStore, Stored } from "./account-store.ts"

/** There is no key with this id. */
class KeyNotFound extends Schema.TaggedError<KeyNotFound>()("KeyNotFound", {}) {}

/** The operations on the keys of accounts. */
export interface KeyRecords {
  /** The account's current key, whole; null when it is deactivated. */
  readonly revealKey: (accountId: number) => Stored<string | null, AccountNotFound>
  /** Replaces the account's first key: the old one stops working, and on request all others too. Returns the others that were active. */
  readonly regenerateKey: (
    accountId: number,
    options?: { readonly endsTeamKeys: boolean },
  ) => Stored<{ readonly key: string; readonly otherKeys: readonly AccountKey[] }, AccountNotFound>
  /** The account's current key; a new one where it was deactivated. */
  readonly ensureKey: (accountId: number) => Stored<string, AccountNotFound>
  /** Deactivates the account's first key; the others go on. */
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

  /** Deactivates keys. */
  const deactivate = (accountId: number, found: readonly KeyRow[], named: string) =>
    Effect.gen(function* () {
      yield* Effect.forEach(found, key => rows.deactivateKey(key.id), { discard: true })
      if (found.length > 0) yield* note(accountId, "key_revoked", `${named} ${found.map(({ id }) => id).join(", ")}`)
    })

  /** Deactivates the first key, and those that it has replaced. */
  const deactivateFirst = (accountId: number) =>
    Effect.gen(function* () {
      yield* holdAccount(accountId)
      const found = yield* rows.listKeys(accountId)
      yield* deactivate(
        accountId,
        found.filter(({ kind, is_active }) => kind === "account" && is_active),
        "key",
      )
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
          yield* deactivateFirst(id)
          const found = yield* keys.listCurrent(id, "team", "named", "test")
          if (endsTeamKeys) {
            const all = (yield* rows.listKeys(id)).filter(key => key.is_active)
            yield* deactivate(
              id,
              all.filter(({ kind }) => kind === "team"),
              "team key",
            )
            yield* deactivate(
              id,
              all.filter(({ kind }) => kind === "named" || kind === "test"),
              "key",
            )
          }
          const key = yield* makeKey(id)
          const otherKeys = yield* Effect.forEach(found, row => keys.describe({ ...row, is_active: !endsTeamKeys }))
          return { key, otherKeys }
        }),
      ),

    ensureKey: id =>
      changing(
        Effect.gen(function* () {
          yield* holdAccount(id)
          return (yield* keys.findCurrent(id)) ?? (yield* makeKey(id))
        }),
      ),

    deactivateKey: id => changing(deactivateFirst(id)),

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
