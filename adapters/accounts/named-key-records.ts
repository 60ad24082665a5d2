/**
 * Which keys act for an account besides its first one, and how is a key replaced?
 *
 * Named keys and test keys have the scopes, the end and the addresses that they were made with; team keys have every scope except `team`.
 * All share the account's plan and quota. A replaced key works for another day, next to the new one. A deactivated one stays in the list.
 */
import { Clock, Effect, Schema, Semaphore } from "effect"
import type { KeyRow } from "../storage/accounts-repository.ts"
import type { AccountKey } from "./account.ts"
import { readLimits, worksAt } from "./account-keys.ts"
import type { AccountStore } from "./account-store.ts"
import { type KeyLimits, type KeyMode, NO_LIMITS, OVERLAP_MS, TEAM_KEY_SCOPES } from "./key-limits.ts"

export const MAXIMUM_TEAM_KEYS = 100
/** How many active named keys an account may have, its test keys among them. */
export const MAXIMUM_NAMED_KEYS = 20

/** The account has no team key with this id. */
class TeamKeyNotFound extends Schema.TaggedError<TeamKeyNotFound>()("TeamKeyNotFound", {}) {}
class TooManyTeamKeys extends Schema.TaggedError<TooManyTeamKeys>()("TooManyTeamKeys", { limit: Schema.Int }) {}
/** The account has no such key, or it does not work any more. */
class NoSuchKey extends Schema.TaggedError<NoSuchKey>()("NoSuchKey", {}) {}
/** The account has as many active named keys as it may have. */
class TooManyKeys extends Schema.TaggedError<TooManyKeys>()("TooManyKeys", { limit: Schema.Int }) {}
/** The first key is not ended like the others: the account would have none. */
class FirstKey extends Schema.TaggedError<FirstKey>()("FirstKey", {}) {}

/** Keys above a number, up to a number of them. */
export interface KeyPage {
  readonly aboveId: number
  readonly limit: number
}

const WHOLE: KeyPage = { aboveId: 0, limit: Number.MAX_SAFE_INTEGER }

/** A key that was made; the whole of it is in this answer and in no later one. */
export interface MadeKey {
  readonly accountKey: AccountKey
  readonly key: string
}

const nameKind = (kind: KeyRow["kind"]): string => (kind === "team" || kind === "test" ? `${kind} key` : "key")

/** Makes the operations on the keys of a store besides the first ones. */
export function makeNamedKeyRecords(store: AccountStore) {
  const { storage, rows, keys, note, changing, holdAccount } = store
  const oneAtATime = Semaphore.makeUnsafe(1)

  /** All of them wait for the same row: at once they would hold every connection to the database. */
  const inTurn = <Step extends Effect.Effect<unknown, unknown>, A>(work: () => Generator<Step, A, never>) =>
    oneAtATime.withPermit(storage.transact(Effect.gen(work)))

  const find = (accountId: number, id: number) =>
    Effect.map(rows.findKey(id), row => (row?.account_id === accountId ? row : undefined))

  const end = (row: KeyRow) =>
    Effect.gen(function* () {
      yield* rows.deactivateKey(row.id)
      if (row.is_active) yield* note(row.account_id, "key_revoked", `${nameKind(row.kind)} ${row.id}`)
      return yield* keys.describe({ ...row, is_active: false })
    })

  const requireWorking = (accountId: number, id: number) =>
    Effect.gen(function* () {
      const row = yield* find(accountId, id)
      const works = row !== undefined && row.replaced_at === null && worksAt(row, yield* Clock.currentTimeMillis)
      return works ? row : yield* new NoSuchKey()
    })

  return {
    createTeamKey: (accountId: number, name: string) =>
      inTurn(function* () {
        yield* holdAccount(accountId)
        const active = yield* keys.listCurrent(accountId, "team")
        if (active.length >= MAXIMUM_TEAM_KEYS) return yield* new TooManyTeamKeys({ limit: MAXIMUM_TEAM_KEYS })
        const { row, key } = yield* keys.insert(accountId, "team", name, { ...NO_LIMITS, scopes: TEAM_KEY_SCOPES })
        yield* note(accountId, "team_key_made", `key ${row.id}`)
        return { teamKey: yield* keys.describe(row), key }
      }),

    /** Team keys, oldest first, deactivated ones too. */
    listTeamKeys: (accountId: number, page = WHOLE) =>
      Effect.flatMap(rows.listKeysAbove(accountId, { kind: "team", ...page }), keys.describeAll),

    /** Keys of every kind, in the same order. */
    listKeyPage: (accountId: number, page: KeyPage) =>
      Effect.flatMap(rows.listKeysAbove(accountId, page), keys.describeAll),

    /** Deactivates a team key and keeps its record; doing it again changes nothing. */
    deactivateTeamKey: (accountId: number, id: number) =>
      changing(function* () {
        const row = yield* find(accountId, id)
        return row?.kind === "team" ? yield* end(row) : yield* new TeamKeyNotFound()
      }),

    /** Makes a named key, or with the mode `test` a test key. */
    createKey: (
      accountId: number,
      name: string,
      { mode = "live", ...limits }: KeyLimits & { readonly mode?: KeyMode },
    ) =>
      inTurn(function* () {
        yield* holdAccount(accountId)
        const kind = mode === "test" ? "test" : "named"
        const active = yield* keys.listCurrent(accountId, "named", "test")
        if (active.length >= MAXIMUM_NAMED_KEYS) return yield* new TooManyKeys({ limit: MAXIMUM_NAMED_KEYS })
        const { row, key } = yield* keys.insert(accountId, kind, name, limits)
        yield* note(accountId, "key_made", `${nameKind(kind)} ${row.id} for ${limits.scopes.join(", ")}`)
        return { accountKey: yield* keys.describe(row), key }
      }),

    readScopes: (accountId: number, id: number) =>
      Effect.map(requireWorking(accountId, id), row => readLimits(row).scopes),

    /**
     * Makes a key like another one, which works for {@link OVERLAP_MS} more, or until it expires. A key that was replaced before is
     * not replaced again.
     */
    rotateKey: (accountId: number, id: number) =>
      changing(function* () {
        yield* holdAccount(accountId)
        const old = yield* requireWorking(accountId, id)
        const replacedAt = yield* Clock.currentTimeMillis
        const expiresAt = Math.min(replacedAt + OVERLAP_MS, old.expires_at ?? Number.POSITIVE_INFINITY)
        yield* rows.replaceKey(id, { replacedAt, expiresAt })
        const { row, key } = yield* keys.insert(accountId, old.kind, old.name, readLimits(old))
        yield* note(accountId, "key_replaced", `${nameKind(old.kind)} ${id} by ${row.id}`)
        return { accountKey: yield* keys.describe(row), key }
      }),

    /** Deactivates a key of the account, except the first one; doing it again changes nothing. */
    endKey: (accountId: number, id: number) =>
      changing(function* () {
        const row = yield* find(accountId, id)
        if (row === undefined) return yield* new NoSuchKey()
        if (row.kind === "account" && row.replaced_at === null) return yield* new FirstKey()
        return yield* end(row)
      }),
  }
}
