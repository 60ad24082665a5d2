/**
 * Who has an account, which keys belong to it, and who is the caller?
 *
 * These are the rules on top of the repository: keys are stored sealed and found by hash, an account has one first key and others that act
 * for it, and a deactivated key is unknown. A caller that was seen before is known without SQL. A change made here counts at once; a change
 * made by another process counts within {@link REVALIDATION_MS}. If the database cannot be read, known callers stay valid for {@link
 * MAXIMUM_AGE_MS} more. Keys and addresses are never logged here.
 */
import { Clock, Context, Effect, Layer, Schema } from "effect"
import { Plans } from "../plans/plans.ts"
import type { DeploymentSecret } from "../secrets/deployment-secret.ts"
import type { KeyRow } from "../storage/accounts-repository.ts"
import { withDeadline } from "../storage/database.ts"
import { OutageLog } from "../storage/outage-log.ts"
import { Storage } from "../storage/storage.ts"
import { makeUnavailable, type Unavailable } from "../storage/storage-errors.ts"
import type { Caller } from "./account.ts"
import { readLimits } from "./account-keys.ts"
import { makeAccountRecords } from "./account-records.ts"
import { type AccountStore, openAccountStore, type Stored } from "./account-store.ts"
import { isApiKey } from "./api-key.ts"
import { CallerCache } from "./caller-cache.ts"
import { readAllowedFrom } from "./key-limits.ts"
import { makeNamedKeyRecords } from "./named-key-records.ts"

// Which keys does an account have? It has one first key; a deactivated one no longer works and stays in the list. A whole key is shown only
// where somebody asks for it.

/** There is no key with this id. */
class KeyNotFound extends Schema.TaggedError<KeyNotFound>()("KeyNotFound", {}) {}

/** Makes what can be done with the keys of a store. */
function makeKeyRecords(store: AccountStore) {
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

/** How long a change made by another process can go unnoticed. */
export const REVALIDATION_MS = 1_000
/** How long known callers stay valid while the database cannot be read. */
export const MAXIMUM_AGE_MS = 30_000
/** How long a request waits for the database before it gets the answer that it is not available. */
const FIND_TIMEOUT_MS = 1_000
/** How many callers are kept in memory. */
const CACHED_CALLERS = 100_000

interface AccountsShape
  extends ReturnType<typeof makeAccountRecords>,
    ReturnType<typeof makeKeyRecords>,
    ReturnType<typeof makeNamedKeyRecords> {
  /** Identifies a caller without SQL, or null for an unknown key; undefined if it is not in the cache: use {@link findCaller}. */
  readonly peekCaller: (key: string, nowMs: number) => Caller | null | undefined
  /** Identifies the caller with a key, or null for one that is unknown or deactivated; `judgeKey` says whether it has expired. */
  readonly findCaller: (key: string) => Stored<Caller | null>
  /** The account of a key that has a paid plan, as far as that is known without SQL; it may have changed since. */
  readonly findPayer: (key: string) => number | undefined
  readonly readState: () => AccountsState
}

export interface AccountsState {
  /** Callers who are known without SQL. */
  readonly cachedCallers: number
  /** How often the revision could not be read, so that changes by other processes may have been missed. */
  readonly revisionFailures: number
}

/** Finds the caller of a key, in memory first. */
const makeCallerFinder = ({ storage, rows, keys }: AccountStore, plans: Plans["Service"], callers: CallerCache) =>
  Effect.fnUntraced(function* (key: string) {
    if (!isApiKey(key)) return null
    const known = callers.find(key, yield* Clock.currentTimeMillis)
    if (known !== undefined) return known
    const clearings = callers.clearings
    const row = yield* rows
      .findCaller(keys.hash(key))
      .pipe(withDeadline(FIND_TIMEOUT_MS, Effect.fail(makeUnavailable("busy", storage.label))))
    if (row === undefined) {
      callers.notePayer(key, null)
      return null
    }
    const limits = readLimits(row)
    const caller: Caller = Object.freeze({
      keyId: row.key_id,
      accountId: row.account_id,
      plan: plans.byId[row.plan],
      isConfirmed: row.is_confirmed,
      apiVersion: row.api_version,
      scopes: limits.scopes,
      expiresAt: limits.expiresAt,
      replacedAt: row.replaced_at,
      allowedFrom: readAllowedFrom(limits.allowedAddresses),
      isTest: row.kind === "test",
    })
    callers.notePayer(key, caller)
    callers.remember(key, caller, clearings)
    return caller
  })

/** Polls the revision of the accounts, and forgets all callers when another process has changed something. */
const watchRevision = (callers: CallerCache, outages: OutageLog) =>
  Effect.gen(function* () {
    const { accounts } = yield* Storage
    let known: number | undefined
    const compare = Effect.gen(function* () {
      const askedAt = yield* Clock.currentTimeMillis
      const revision = yield* accounts.readRevision
      if (known !== undefined && revision !== known) callers.clear()
      known = revision
      callers.confirm(askedAt)
    })
    yield* compare
    yield* Effect.forkScoped(Effect.forever(Effect.andThen(Effect.sleep(REVALIDATION_MS), outages.watch(compare))))
  })

export class Accounts extends Context.Service<Accounts, AccountsShape>()("landfall/accounts/Accounts") {
  /** Needs the storage. Fails with `Unavailable`. */
  static readonly layer: Layer.Layer<Accounts, Unavailable, Storage | Plans | DeploymentSecret> = Layer.effect(
    Accounts,
    Effect.gen(function* () {
      const callers = new CallerCache({ maximumAgeMs: MAXIMUM_AGE_MS, capacity: CACHED_CALLERS })
      const outages = new OutageLog("the accounts' revision cannot be read; known callers stay known for a while")
      const store = yield* openAccountStore(() => callers.clear())
      yield* watchRevision(callers, outages)
      return {
        ...makeAccountRecords(store),
        ...makeKeyRecords(store),
        ...makeNamedKeyRecords(store),
        peekCaller: (key, nowMs) => callers.find(key, nowMs),
        findPayer: key => callers.findPayer(key),
        findCaller: makeCallerFinder(store, yield* Plans, callers),
        readState: () => ({ cachedCallers: callers.size, revisionFailures: outages.failures }),
      }
    }),
  )
}
