/**
 * Which keys does an account have, and how are they made, shown and deactivated?
 *
 * An account has one first key; a deactivated one no longer works and stays in the list. A whole key is shown only where
 * somebody asks for it.
 */
import { Effect, Schema } from "effect"
import type { KeyRow } from "../storage/accounts-repository.ts"
import type { AccountStore } from "./account-store.ts"

/** There is no key with this id. */
class KeyNotFound extends Schema.TaggedError<KeyNotFound>()("KeyNotFound", {}) {}

/** Makes what can be done with the keys of a store. */
export function makeKeyRecords(store: AccountStore) {
  const { storage, rows, keys, note, changing, requireAccount, holdAccount } = store

  const deactivate = (accountId: number, found: readonly KeyRow[], named: string) =>
    Effect.gen(function* () {
      yield* Effect.forEach(found, key => rows.deactivateKey(key.id), { discard: true })
      if (found.length > 0) yield* note(accountId, "key_revoked", `${named} ${found.map(({ id }) => id).join(", ")}`)
    })

  /** Deactivates the first key, and those that it has replaced. */
  function* deactivateFirst(accountId: number) {
    yield* holdAccount(accountId)
    const found = yield* rows.listKeys(accountId)
    const first = found.filter(({ kind, is_active }) => kind === "account" && is_active)
    yield* deactivate(accountId, first, "key")
  }

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
    /** The account's current key, whole; null when it is deactivated. */
    revealKey: (id: number) => storage.transact(Effect.andThen(requireAccount(id), keys.findCurrent(id))),

    /** Replaces the account's first key: the old one stops working, and on request all others too. Returns the others that were active. */
    regenerateKey: (id: number, { endsTeamKeys }: { readonly endsTeamKeys: boolean } = { endsTeamKeys: false }) =>
      changing(function* () {
        yield* deactivateFirst(id)
        const found = yield* keys.listCurrent(id, "team", "named", "test")
        if (endsTeamKeys) {
          const active = (yield* rows.listKeys(id)).filter(key => key.is_active)
          const { team = [], others = [] } = Object.groupBy(active, ({ kind }) => (kind === "team" ? kind : "others"))
          yield* deactivate(id, team, "team key")
          yield* deactivate(id, others, "key")
        }
        const key = yield* makeKey(id)
        const otherKeys = yield* Effect.forEach(found, row => keys.describe({ ...row, is_active: !endsTeamKeys }))
        return { key, otherKeys }
      }),

    /** The account's current key; a new one where it was deactivated. */
    ensureKey: (id: number) =>
      changing(function* () {
        yield* holdAccount(id)
        return (yield* keys.findCurrent(id)) ?? (yield* makeKey(id))
      }),

    /** Deactivates the account's first key; the others go on. */
    deactivateKey: (id: number) => changing(() => deactivateFirst(id)),

    /** Every key of an account, oldest first, deactivated ones too. */
    listKeys: (id: number) => Effect.andThen(requireAccount(id), Effect.flatMap(rows.listKeys(id), keys.describeAll)),

    /** A key, whole, whether it is active or not. */
    revealKeyById: (id: number) =>
      Effect.gen(function* () {
        const row = yield* requireKey(id)
        return { accountKey: yield* keys.describe(row), key: yield* keys.reveal(row) }
      }),

    /** Deactivates a key of any kind; doing it again changes nothing. */
    revokeKey: (id: number) =>
      changing(function* () {
        const row = yield* requireKey(id)
        yield* rows.deactivateKey(id)
        if (row.is_active) yield* note(row.account_id, "key_revoked", `${row.kind === "team" ? "team " : ""}key ${id}`)
        return yield* keys.describe({ ...row, is_active: false })
      }),
  }
}
