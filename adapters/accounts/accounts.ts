/**
 * Who has an account, which keys belong to it, and who is the caller?
 *
 * These are the rules on top of the repository: keys are stored sealed and found by hash, an account has one first key and others that act
 * for it, and a deactivated key is unknown. A caller that was seen before is known without SQL. A change made here counts at once; a change
 * made by another process counts within {@link REVALIDATION_MS}. If the database cannot be read, known callers stay valid for {@link
 * MAXIMUM_AGE_MS} more. Keys and addresses are never logged here.
 */
import { Clock, Context, Effect, Layer, Schema, Semaphore } from "effect"
import type { Language } from "../../src/full.ts"
import { Plans } from "../plans/plans.ts"
import { isRunning } from "../plans/subscription-state.ts"
import { DeploymentSecret } from "../secrets/deployment-secret.ts"
import { makeHasher, makeSealer } from "../secrets/sealing.ts"
import type { PlanId } from "../settings/feature-options.ts"
import type { AccountRow, KeyRow } from "../storage/accounts-repository.ts"
import { withDeadline } from "../storage/database.ts"
import { OutageLog } from "../storage/outage-log.ts"
import { Storage } from "../storage/storage.ts"
import { Conflict, makeUnavailable, type Unavailable } from "../storage/storage-errors.ts"
import { above } from "../storage/table-statements.ts"
import { type AccountKey, type Caller, describeKey, foldEmail, isErased, readLimits, toAccount } from "./account.ts"
import { makeAuditTrail, nowAsText } from "./audit-trail.ts"
import {
  isApiKey,
  type KeyKind,
  type KeyLimits,
  type KeyMode,
  makeApiKey,
  NO_LIMITS,
  OVERLAP_MS,
  readAllowedFrom,
  TEAM_KEY_SCOPES,
} from "./key-limits.ts"
import { makeReferrals } from "./referrals.ts"

// How are accounts read and changed, so that every process notices?
// Through the repository's rows, with sealed keys and the audit trail. A change of callers or their rights is written in one transaction
// with a new revision, so that other processes read again.

/** There is no account with this id. The declarations of other files name it, so it is exported. @public */
export class AccountNotFound extends Schema.TaggedError<AccountNotFound>()("AccountNotFound", {}) {}

/** What is read from or written to the storage. */
export type Stored<Value, Failure = never> = Effect.Effect<Value, Failure | Unavailable>

// How are the keys of accounts stored, and shown again?
// A key is sealed with the deployment's secret in its own row, and found by a hash. Lists show only its first characters; the whole key is
// shown only on request.

/** How many keys that have ended an account's list shows; the oldest are deleted. */
export const MAXIMUM_ENDED_KEYS = 200

/** Opens the accounts and keys of a storage; `onChange` runs after each change of callers or their rights. */
const openAccountStore = Effect.fnUntraced(function* (onChange: () => void) {
  const storage = yield* Storage
  const rows = storage.accounts
  const { note } = makeAuditTrail(storage)
  const secret = yield* DeploymentSecret
  const hash = makeHasher(secret, "api key hash")
  const { seal, open } = makeSealer(secret, { purpose: "api key seal", table: "api_keys" })

  const reveal = (row: KeyRow): Effect.Effect<string> => {
    const key = open(row.id, row.sealed_key)
    return key === null
      ? Effect.die(new Error(`the sealed key ${row.id} does not open: its row was changed`))
      : Effect.succeed(key)
  }

  const describe = (row: KeyRow): Effect.Effect<AccountKey> => Effect.map(reveal(row), key => describeKey(row, key))

  const describeAll = (found: readonly KeyRow[]) => Effect.forEach(found, describe)

  /** Every key of an account, oldest first, deactivated ones too. */
  const list = (account_id: number) => storage.keys.list({ account_id }, { order: ["id"] })

  /** The keys of some kinds that work and were not replaced. */
  const listCurrent = (
    accountId: number,
    ...kinds: readonly KeyKind[]
  ): Effect.Effect<readonly KeyRow[], Unavailable> =>
    Effect.gen(function* () {
      const nowMs = yield* Clock.currentTimeMillis
      const found = yield* list(accountId)
      return found.filter(key => kinds.includes(key.kind) && worksAt(key, nowMs) && key.replaced_at === null)
    })

  const keys = {
    reveal,
    describe,
    describeAll,
    list,
    listCurrent,

    /** Hashes a key as it is looked up. */
    hash,

    insert: (accountId: number, kind: KeyKind, name: string, limits: KeyLimits = NO_LIMITS) =>
      Effect.gen(function* () {
        const key = makeApiKey(kind)
        const id = yield* rows.nextKeyId
        const row: KeyRow = {
          id,
          account_id: accountId,
          kind,
          name,
          sealed_key: seal(id, key),
          is_active: true,
          created_at: yield* nowAsText,
          scopes: limits.scopes.join(","),
          allowed_addresses: limits.allowedAddresses.join(","),
          expires_at: limits.expiresAt,
          replaced_at: null,
          last_used_at: null,
          used: 0,
        }
        yield* storage.keys.insert({ ...row, key_hash: hash(key) })
        yield* storage.keys.trimEnded(accountId, yield* Clock.currentTimeMillis, MAXIMUM_ENDED_KEYS)
        return { row, key }
      }),

    /** An account's own key, whole; null when it is deactivated. */
    findCurrent: (accountId: number): Effect.Effect<string | null, Unavailable> =>
      Effect.flatMap(listCurrent(accountId, "account"), ([row]) =>
        row === undefined ? Effect.succeed(null) : reveal(row),
      ),
  }

  const orNotFound = Effect.flatMap((row: AccountRow | undefined) =>
    row === undefined || isErased(row) ? Effect.fail(new AccountNotFound()) : Effect.succeed(row),
  )
  return {
    storage,
    rows,
    keys,
    note,
    /** Makes a change of callers or their rights, so that this process notices at once and every other one soon. */
    changing: <Step extends Effect.Effect<unknown, unknown>, A>(change: () => Generator<Step, A, never>) =>
      storage.transact(Effect.tap(Effect.gen(change), rows.bumpRevision)).pipe(Effect.tap(Effect.sync(onChange))),
    requireAccount: (id: number) => orNotFound(rows.find({ id })),
    /** Finds an account and locks it, so that two requests to replace its key run one after the other. */
    holdAccount: (id: number) => orNotFound(rows.hold(id)),
  }
})

type AccountStore = Effect.Success<ReturnType<typeof openAccountStore>>

/** Says whether a key works at a moment. */
const worksAt = ({ is_active, expires_at }: KeyRow, nowMs: number): boolean =>
  is_active && (expires_at === null || nowMs < expires_at)

// Which keys does an account have, and how is a key replaced?
// It has one first key; a whole key is shown only where somebody asks for it. Named keys and test keys have the scopes, the end and the addresses that they were made with; team keys have every scope except `team`.
// All share the account's plan and quota. A replaced key works for another day, next to the new one. A deactivated one stays in the list.

export const MAXIMUM_TEAM_KEYS = 100
/** How many active named keys an account may have, its test keys among them. */
export const MAXIMUM_NAMED_KEYS = 20

/** There is no such key, it is another account's, or it does not work any more. */
class NoSuchKey extends Schema.TaggedError<NoSuchKey>()("NoSuchKey", {}) {}
/** The account has as many active named keys, or team keys, as it may have. */
export class TooManyKeys extends Schema.TaggedError<TooManyKeys>()("TooManyKeys", {
  limit: Schema.Int,
  isTeam: Schema.Boolean,
}) {}
/** The first key is not ended like the others: the account would have none. */
class FirstKey extends Schema.TaggedError<FirstKey>()("FirstKey", {}) {}

/** A key that was made; the whole of it is in this answer and in no later one. */
export interface MadeKey {
  readonly accountKey: AccountKey
  readonly key: string
}

const nameKind = (kind: KeyRow["kind"]): string => (kind === "team" || kind === "test" ? `${kind} key` : "key")

/** Makes what can be done with the keys of a store. */
function makeKeyRecords({ storage, keys, note, changing, requireAccount, holdAccount }: AccountStore) {
  const oneAtATime = Semaphore.makeUnsafe(1)

  /** All of them wait for the same row: at once they would hold every connection to the database. */
  const inTurn = <Step extends Effect.Effect<unknown, unknown>, A>(work: () => Generator<Step, A, never>) =>
    oneAtATime.withPermit(storage.transact(Effect.gen(work)))

  const find = (account_id: number, id: number) => storage.keys.find({ id, account_id })

  const requireWorking = (accountId: number, id: number) =>
    Effect.gen(function* () {
      const row = yield* find(accountId, id)
      const works = row !== undefined && row.replaced_at === null && worksAt(row, yield* Clock.currentTimeMillis)
      return works ? row : yield* new NoSuchKey()
    })

  const make = (accountId: number, kind: Exclude<KeyKind, "account">, name: string, limits: KeyLimits) =>
    inTurn(function* () {
      yield* holdAccount(accountId)
      const isTeam = kind === "team"
      const limit = isTeam ? MAXIMUM_TEAM_KEYS : MAXIMUM_NAMED_KEYS
      const active = yield* isTeam ? keys.listCurrent(accountId, kind) : keys.listCurrent(accountId, "named", "test")
      if (active.length >= limit) return yield* new TooManyKeys({ limit, isTeam })
      const { row, key } = yield* keys.insert(accountId, kind, name, limits)
      if (isTeam) yield* note(accountId, "team_key_made", `key ${row.id}`)
      else yield* note(accountId, "key_made", `${nameKind(kind)} ${row.id} for ${limits.scopes.join(", ")}`)
      return { accountKey: yield* keys.describe(row), key }
    })

  const deactivate = (accountId: number, found: readonly KeyRow[], named: string) =>
    Effect.gen(function* () {
      yield* Effect.forEach(found, ({ id }) => storage.keys.update({ id }, { is_active: false }), { discard: true })
      if (found.length > 0) yield* note(accountId, "key_revoked", `${named} ${found.map(({ id }) => id).join(", ")}`)
    })

  /** Deactivates a key that may be deactivated already, and returns it as it is then. */
  const deactivateOne = (row: KeyRow) =>
    Effect.andThen(
      deactivate(row.account_id, row.is_active ? [row] : [], nameKind(row.kind)),
      keys.describe({ ...row, is_active: false }),
    )

  /** Makes an account's own key. */
  const makeKey = (accountId: number) =>
    Effect.gen(function* () {
      const { row, key } = yield* keys.insert(accountId, "account", "")
      yield* note(accountId, "key_made", `key ${row.id}`)
      return key
    })

  const requireKey = (id: number) =>
    Effect.flatMap(storage.keys.find({ id }), row =>
      row === undefined ? Effect.fail(new NoSuchKey()) : Effect.succeed(row),
    )

  return {
    /** The account's current key, whole; null when it is deactivated. */
    revealKey: (id: number) => storage.transact(Effect.andThen(requireAccount(id), keys.findCurrent(id))),

    /** Replaces the account's first key: the old one stops working, and on request all others too. Returns the others that were active. */
    regenerateKey: (id: number, { endsTeamKeys }: { readonly endsTeamKeys: boolean } = { endsTeamKeys: false }) =>
      changing(function* () {
        yield* holdAccount(id)
        const found = yield* keys.listCurrent(id, "team", "named", "test")
        const active = Map.groupBy(yield* keys.list(id), ({ is_active, kind }) => is_active && kind)
        yield* deactivate(id, active.get("account") ?? [], "key")
        if (endsTeamKeys) {
          yield* deactivate(id, active.get("team") ?? [], "team key")
          yield* deactivate(id, [...(active.get("named") ?? []), ...(active.get("test") ?? [])], "key")
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

    /** Every key of an account, oldest first, deactivated ones too. */
    listKeys: (id: number) => Effect.andThen(requireAccount(id), Effect.flatMap(keys.list(id), keys.describeAll)),

    /** A key, whole, whether it is active or not. */
    revealKeyById: (id: number) =>
      Effect.gen(function* () {
        const row = yield* requireKey(id)
        return { accountKey: yield* keys.describe(row), key: yield* keys.reveal(row) }
      }),

    /** Deactivates a key of any kind; doing it again changes nothing. */
    revokeKey: (id: number) =>
      changing(function* () {
        return yield* deactivateOne(yield* requireKey(id))
      }),

    /** Keys of a kind or of all, oldest first, deactivated ones too. */
    listKeyPage: (
      account_id: number,
      {
        kind,
        aboveId,
        limit,
      }: { readonly kind?: KeyKind | undefined; readonly aboveId: number; readonly limit: number },
    ) =>
      Effect.flatMap(
        storage.keys.list({ account_id, id: above(aboveId), ...(kind && { kind }) }, { order: ["id"], limit }),
        keys.describeAll,
      ),

    createTeamKey: (accountId: number, name: string) =>
      make(accountId, "team", name, { ...NO_LIMITS, scopes: TEAM_KEY_SCOPES }),

    /** Makes a named key, or with the mode `test` a test key. */
    createKey: (
      accountId: number,
      name: string,
      { mode = "live", ...limits }: KeyLimits & { readonly mode?: KeyMode },
    ) => make(accountId, mode === "test" ? "test" : "named", name, limits),

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
        yield* storage.keys.update({ id }, { replaced_at: replacedAt, expires_at: expiresAt })
        const { row, key } = yield* keys.insert(accountId, old.kind, old.name, readLimits(old))
        yield* note(accountId, "key_replaced", `${nameKind(old.kind)} ${id} by ${row.id}`)
        return { accountKey: yield* keys.describe(row), key }
      }),

    /** Deactivates a key of the account, of a kind if one is given, except the first one, and keeps its record; doing it again changes nothing. */
    endKey: (accountId: number, id: number, kind?: KeyKind) =>
      changing(function* () {
        const row = yield* find(accountId, id)
        if (row === undefined || (kind !== undefined && row.kind !== kind)) return yield* new NoSuchKey()
        if (row.kind === "account" && row.replaced_at === null) return yield* new FirstKey()
        return yield* deactivateOne(row)
      }),
  }
}

// Who has an account, on which plan, and how is it changed?
// An address has one account; capital and small letters do not count. Erasing an account keeps its number and its counts, and nothing of
// the person.

/** Another account has this e-mail address. */
class EmailTaken extends Schema.TaggedError<EmailTaken>()("EmailTaken", {}) {}
/** The account has a running subscription, which its owner has to end first. */
class StillSubscribed extends Schema.TaggedError<StillSubscribed>()("StillSubscribed", {}) {}

/** The initial values of a new account. */
interface NewAccount {
  readonly name: string
  readonly email: string
  readonly plan: PlanId
  readonly isConfirmed: boolean
  readonly language?: Language
}

const isConflict = (error: unknown): error is Conflict => error instanceof Conflict

/** Makes what can be done with the accounts of a store. */
function makeAccountRecords(store: AccountStore) {
  const { storage, rows, keys, note, changing, requireAccount, holdAccount } = store
  const { adoptClaim } = makeReferrals(storage)

  const insertAccount = (account: NewAccount) =>
    Effect.gen(function* () {
      const row: AccountRow = {
        id: yield* rows.nextAccountId,
        name: account.name,
        email: account.email,
        plan: account.plan,
        is_confirmed: account.isConfirmed,
        is_disabled: false,
        api_version: null,
        language: account.language ?? null,
        created_at: yield* nowAsText,
      }
      yield* rows.insertUnique({ ...row, email_folded: foldEmail(account.email) })
      const { row: keyRow, key } = yield* keys.insert(row.id, "account", "")
      yield* note(row.id, "account_made", `plan ${row.plan}, key ${keyRow.id}`)
      return { account: toAccount(row), key }
    })

  /** Changes fields other than the address, of which no two can be in conflict. */
  const set = (id: number, fields: Partial<Omit<AccountRow, "id" | "email">>) => rows.update({ id }, fields)

  return {
    createAccount: (account: NewAccount) =>
      storage.transact(insertAccount(account)).pipe(Effect.catchTag("Conflict", () => new EmailTaken())),

    /**
     * The account with this address and its current key (null if that is deactivated), or else a new one on the free plan, not confirmed. Both run the same statements, so that the time
     * does not reveal which it was. `admit` runs in any case; a new one is not made where it fails.
     */
    ensureAccount: <Failure = never>(
      { name, email, language }: Pick<NewAccount, "name" | "email" | "language">,
      admit: Stored<void, Failure> = Effect.void,
    ) =>
      Effect.gen(function* () {
        const row = yield* rows.find({ email_folded: foldEmail(email) })
        const admitted = yield* Effect.result(admit)
        if (row === undefined) yield* Effect.fromResult(admitted)
        const made: NewAccount = { name, email, plan: "free", isConfirmed: false, ...(language && { language }) }
        // The same statements in both cases: if there is an account, they use a random address and are rolled back.
        const account =
          row === undefined
            ? yield* storage.transact(Effect.map(insertAccount(made), inserted => inserted.account))
            : yield* storage
                .transact(Effect.andThen(insertAccount({ ...made, email: crypto.randomUUID() }), new EmailTaken()))
                .pipe(Effect.catchTag("EmailTaken", () => Effect.succeed(toAccount(row))))
        return { account, key: yield* keys.findCurrent(account.id), isNew: row === undefined }
      }).pipe(
        storage.transact,
        // Another transaction may have inserted the same address since it was looked for.
        Effect.retry({ times: 1, while: isConflict }),
        Effect.catchIf(isConflict, Effect.die),
      ),

    findAccount: (id: number) => Effect.map(rows.find({ id }), row => (row === undefined ? null : toAccount(row))),

    findAccountByEmail: (email: string) =>
      Effect.map(rows.find({ email_folded: foldEmail(email) }), row => (row === undefined ? null : toAccount(row))),

    /** Up to a number of accounts with ids above a given one, in the order of their ids. */
    listAccounts: ({ afterId, limit }: { readonly afterId: number; readonly limit: number }) =>
      Effect.map(rows.list({ id: above(afterId) }, { order: ["id"], limit }), found => found.map(toAccount)),

    /**
     * Confirms the address: ends every earlier key, session, webhook and device, because somebody else may have registered it, and
     * makes a new key. Returns that key, or null if the address was confirmed before.
     */
    confirmEmail: (id: number) =>
      changing(function* () {
        const { is_confirmed, email } = yield* holdAccount(id)
        if (is_confirmed) return null
        yield* adoptClaim({ id, email })
        yield* storage.accountData.endAccess(id)
        yield* set(id, { is_confirmed: true })
        const { row, key } = yield* keys.insert(id, "account", "")
        yield* note(id, "email_confirmed", `all earlier access has ended, key ${row.id}`)
        return key
      }),

    /** Changes the address, which then has to be confirmed; ends every key, session, webhook and device. */
    changeEmail: (id: number, email: string) =>
      changing(function* () {
        yield* holdAccount(id)
        yield* rows.changeEmail(id, email, foldEmail(email))
        yield* storage.accountData.endAccess(id)
        yield* note(id, "email_changed", "all earlier access has ended")
      }).pipe(Effect.catchTag("Conflict", () => new EmailTaken())),

    setPlan: (id: number, plan: PlanId) =>
      changing(function* () {
        const before = yield* holdAccount(id)
        if (before.plan === plan) return
        yield* set(id, { plan })
        yield* note(id, "plan_changed", `${before.plan} to ${plan}`)
      }),

    /** Pins the version of the lookup that is answered where a request names none; null pins none. */
    setApiVersion: (id: number, version: string | null) =>
      changing(function* () {
        yield* requireAccount(id)
        yield* set(id, { api_version: version })
      }),

    /** Chooses the language of mails that the service sends on its own. */
    setLanguage: (id: number, language: Language) =>
      storage.transact(Effect.andThen(requireAccount(id), set(id, { language }))),

    /** Disables an account, or enables it again: while it is disabled, none of its keys works. */
    setDisabled: (id: number, isDisabled: boolean) =>
      changing(function* () {
        yield* requireAccount(id)
        yield* set(id, { is_disabled: isDisabled })
        yield* note(id, isDisabled ? "disabled" : "enabled", "")
      }),

    /** Erases the person from an account, for good: its keys, sessions and webhooks are deleted, its counts stay. */
    erase: (id: number) =>
      changing(function* () {
        yield* holdAccount(id)
        const nowMs = yield* Clock.currentTimeMillis
        const subscriptions = yield* storage.billing.listOf(id)
        if (subscriptions.some(({ state }) => isRunning(JSON.parse(state), nowMs))) return yield* new StillSubscribed()
        yield* storage.accountData.erase(id)
        yield* note(id, "erased", "")
      }),
  }
}

// Which caller has this key, if it was seen before?
// A bounded map from whole keys to callers, in memory only, so that a request is identified without SQL. It holds two generations: when the
// young one is full it becomes the old one, and callers that are still in use move over. Its entries are valid only as long as {@link
// CallerCache.confirm} says that the database has not changed.

/** Callers by key. Times are epoch milliseconds. */
export class CallerCache {
  #young = new Map<string, Caller>()
  #old = new Map<string, Caller>()
  /** The accounts of keys that paid when they were last found. They survive a change: to be served first is no right. */
  readonly #payers = new Map<string, number>()
  #clearings = 0
  #confirmedAt = Number.NEGATIVE_INFINITY
  readonly #maximumAge: number
  readonly #capacity: number

  constructor(options: { readonly maximumAgeMs: number; readonly capacity: number }) {
    this.#maximumAge = options.maximumAgeMs
    this.#capacity = options.capacity / 2
  }

  /** The caller of a key, or undefined when the database has to be asked. */
  find(key: string, nowMs: number): Caller | undefined {
    if (nowMs - this.#confirmedAt > this.#maximumAge) return undefined
    const caller = this.#young.get(key)
    if (caller !== undefined) return caller
    const older = this.#old.get(key)
    if (older !== undefined) this.#keep(key, older)
    return older
  }

  /** The account of a key that was seen to pay, without waiting. */
  findPayer(key: string): number | undefined {
    return this.#payers.get(key)
  }

  /** Notes whether the key that was looked up pays; null for one that is unknown. */
  notePayer(key: string, caller: Caller | null): void {
    this.#payers.delete(key)
    if (caller === null || caller.plan.id === "free") return
    if (this.#payers.size >= this.#capacity) this.#payers.clear()
    this.#payers.set(key, caller.accountId)
  }

  /** How often the cache was cleared so far: read it before asking the database, and hand it to {@link remember}. */
  get clearings(): number {
    return this.#clearings
  }

  /** Remembers a caller, unless the cache was cleared since the database was asked: then the answer may be outdated. */
  remember(key: string, caller: Caller, clearingsBefore: number): void {
    if (clearingsBefore === this.#clearings) this.#keep(key, caller)
  }

  #keep(key: string, caller: Caller): void {
    if (this.#young.size >= this.#capacity) {
      this.#old = this.#young
      this.#young = new Map()
    }
    this.#young.set(key, caller)
  }

  /** Forgets all callers. */
  clear(): void {
    this.#clearings++
    this.#young = new Map()
    this.#old = new Map()
  }

  /** Notes that what is remembered agreed with the database at this moment. */
  confirm(nowMs: number): void {
    this.#confirmedAt = nowMs
  }

  /** How many callers are held, those of the old generation included. */
  get size(): number {
    return this.#young.size + this.#old.size
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

export interface AccountsState {
  /** Callers who are known without SQL. */
  readonly cachedCallers: number
  /** How often the revision could not be read, so that changes by other processes may have been missed. */
  readonly revisionFailures: number
}

/** Finds the caller of a key, in memory first. */
const makeCallerFinder = ({ storage, rows, keys }: AccountStore, plans: Plans["Service"], callers: CallerCache) =>
  Effect.fnUntraced(function* (key: string): Effect.fn.Return<Caller | null, Unavailable> {
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

export class Accounts extends Context.Service<Accounts>()("landfall/accounts/Accounts", {
  make: Effect.gen(function* () {
    const callers = new CallerCache({ maximumAgeMs: MAXIMUM_AGE_MS, capacity: CACHED_CALLERS })
    const outages = new OutageLog("the accounts' revision cannot be read; known callers stay known for a while")
    const store = yield* openAccountStore(() => callers.clear())
    yield* watchRevision(callers, outages)
    return {
      ...makeAccountRecords(store),
      ...makeKeyRecords(store),
      /** Identifies a caller without SQL; undefined if it is not in the cache: use `findCaller`. */
      peekCaller: (key: string, nowMs: number) => callers.find(key, nowMs),
      /** Identifies the caller with a key, or null for one that is unknown or deactivated; `judgeKey` says whether it has expired. */
      findCaller: makeCallerFinder(store, yield* Plans, callers),
      /** The account of a key that has a paid plan, as far as that is known without SQL; it may have changed since. */
      findPayer: (key: string) => callers.findPayer(key),
      readState: (): AccountsState => ({ cachedCallers: callers.size, revisionFailures: outages.failures }),
    }
  }),
}) {
  /** Needs the storage. Fails with `Unavailable`. */
  static readonly layer = Layer.effect(Accounts, Accounts.make)
}

// What does the owner of an account have a right to?
// To see everything that is kept (GDPR, article 15, as JSON for article 20), and to be forgotten (article 17). Erasing leaves what accounting
// needs, under the account's number: counts, plans, payments. It cannot be undone: the keys stop working, and the address is free again.

const NOTE =
  "Everything that is kept under this account, by table. Left out are hashes and sealed texts (keys, secrets, tokens), which only the service can read: sign in to see the key itself."

/** Everything that is kept of an account. */
export const exportAccount = (accountId: number, nowMs: number) =>
  Effect.flatMap(Storage, ({ accountData }) =>
    Effect.map(accountData.read(accountId), data => ({
      exported_at: new Date(nowMs).toISOString(),
      account_id: accountId,
      note: NOTE,
      data,
    })),
  )
