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

/** There is no account with this id. The declarations of other files name it, so it is exported. @public */
export class AccountNotFound extends Schema.TaggedError<AccountNotFound>()("AccountNotFound", {}) {}
/** Another account has this e-mail address. */
class EmailTaken extends Schema.TaggedError<EmailTaken>()("EmailTaken", {}) {}
/** The account has a running subscription, which its owner has to end first. */
export class StillSubscribed extends Schema.TaggedError<StillSubscribed>()("StillSubscribed", {}) {}
/** There is no such key, it is another account's, or it does not work any more. */
export class NoSuchKey extends Schema.TaggedError<NoSuchKey>()("NoSuchKey", {}) {}
/** The account has as many active named keys, or team keys, as it may have. */
export class TooManyKeys extends Schema.TaggedError<TooManyKeys>()("TooManyKeys", {
  limit: Schema.Int,
  isTeam: Schema.Boolean,
  message: Schema.String,
}) {}
/** The first key is not ended like the others: the account would have none. */
export class FirstKey extends Schema.TaggedError<FirstKey>()("FirstKey", {}) {}

export const MAXIMUM_TEAM_KEYS = 100
/** How many active named keys an account may have, its test keys among them. */
export const MAXIMUM_NAMED_KEYS = 20
/** How many keys that have ended an account's list shows; the oldest are deleted. */
export const MAXIMUM_ENDED_KEYS = 200

/** A key that was made; the whole of it is in this answer and in no later one. */
export interface MadeKey {
  readonly accountKey: AccountKey
  readonly key: string
}

/** The initial values of a new account. */
interface NewAccount {
  readonly name: string
  readonly email: string
  readonly plan: PlanId
  readonly isConfirmed: boolean
  readonly language?: Language
}

const isConflict = (error: unknown): error is Conflict => error instanceof Conflict

const KEY_KINDS = ["account", "team", "named", "test"] as const satisfies readonly KeyKind[]

const nameKind = (kind: KeyRow["kind"]): string => (kind === "team" || kind === "test" ? `${kind} key` : "key")

type CallerRow = NonNullable<Effect.Success<ReturnType<Storage["Service"]["accounts"]["findCaller"]>>>

const toCaller = (row: CallerRow, plans: Plans["Service"]): Caller => {
  const { scopes, expiresAt, allowedAddresses } = readLimits(row)
  return Object.freeze({
    keyId: row.key_id,
    accountId: row.account_id,
    plan: plans.byId[row.plan],
    isConfirmed: row.is_confirmed,
    apiVersion: row.api_version,
    scopes,
    expiresAt,
    replacedAt: row.replaced_at,
    allowedFrom: readAllowedFrom(allowedAddresses),
    isTest: row.kind === "test",
  })
}

/** Says whether a key works at a moment. */
const worksAt = ({ is_active, expires_at }: KeyRow, nowMs: number): boolean =>
  is_active && (expires_at === null || nowMs < expires_at)

/** The keys that work at a moment and were not replaced. */
const listCurrent = (found: readonly KeyRow[], nowMs: number): readonly KeyRow[] =>
  found.filter(key => worksAt(key, nowMs) && key.replaced_at === null)

// Which caller has this key, if it was seen before?
// A bounded map from whole keys to callers, in memory only, so that a request is identified without SQL. Its entries are valid only as long
// as {@link CallerCache.confirm} says that the database has not changed.

/** Callers by key. Times are epoch milliseconds. */
export class CallerCache {
  readonly #callers = new Map<string, Caller>()
  /** The accounts of keys that paid when they were last found. They survive a change: to be served first is no right. */
  readonly #payers = new Map<string, number>()
  #clearings = 0
  #confirmedAt = Number.NEGATIVE_INFINITY
  readonly #maximumAge: number
  readonly #capacity: number

  constructor(options: { readonly maximumAgeMs: number; readonly capacity: number }) {
    this.#maximumAge = options.maximumAgeMs
    this.#capacity = options.capacity
  }

  /** The caller of a key, or undefined when the database has to be asked. */
  find(key: string, nowMs: number): Caller | undefined {
    return nowMs - this.#confirmedAt > this.#maximumAge ? undefined : this.#callers.get(key)
  }

  /** The account of a key that was seen to pay, without waiting. */
  findPayer(key: string): number | undefined {
    return this.#payers.get(key)
  }

  /** How often the cache was cleared so far: read it before asking the database, and hand it to {@link remember}. */
  get clearings(): number {
    return this.#clearings
  }

  /**
   * Remembers whom a key belongs to, null for nobody, and whether the key pays; not the caller if the cache was cleared since the database
   * was asked: then the answer may be outdated. In a full cache the caller that was found first makes room.
   */
  remember(key: string, caller: Caller | null, clearingsBefore: number): void {
    this.#payers.delete(key)
    if (caller === null) return
    if (caller.plan.id !== "free") keepBounded(this.#payers, key, caller.accountId, this.#capacity)
    if (clearingsBefore === this.#clearings) keepBounded(this.#callers, key, caller, this.#capacity)
  }

  /** Forgets all callers. */
  clear(): void {
    this.#clearings++
    this.#callers.clear()
  }

  /** Notes that what is remembered agreed with the database at this moment. */
  confirm(nowMs: number): void {
    this.#confirmedAt = nowMs
  }

  /** How many callers are held. */
  get size(): number {
    return this.#callers.size
  }
}

function keepBounded<Value>(map: Map<string, Value>, key: string, value: Value, capacity: number): void {
  if (map.size >= capacity) map.delete(map.keys().next().value as string)
  map.set(key, value)
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

/**
 * A change of callers or their rights is written in one transaction with a new revision, so that other processes read again. An address has
 * one account; capital and small letters do not count. Erasing an account keeps its number and its counts, and nothing of the person. An
 * account has one first key. Named keys and test keys have the scopes, the end and the addresses that they were made with; team keys have
 * every scope except `team`. All share the account's plan and quota. A key is sealed in its own row, and found by a hash; a whole key is
 * shown only where somebody asks for it. A replaced key works for another day, next to the new one; a deactivated one stays in the list.
 */
export class Accounts extends Context.Service<Accounts>()("landfall/accounts/Accounts", {
  make: Effect.gen(function* () {
    const storage = yield* Storage
    const { accounts: rows, keys, transact } = storage
    const plans = yield* Plans
    const secret = yield* DeploymentSecret
    const { note } = makeAuditTrail(storage)
    const { adoptClaim } = makeReferrals(storage)
    const hash = makeHasher(secret, "api key hash")
    const { seal, open } = makeSealer(secret, { purpose: "api key seal", table: "api_keys" })
    const callers = new CallerCache({ maximumAgeMs: MAXIMUM_AGE_MS, capacity: CACHED_CALLERS })
    const outages = new OutageLog("the accounts' revision cannot be read; known callers stay known for a while")
    yield* watchRevision(callers, outages)

    /** Makes a change of callers or their rights, so that this process notices at once and every other one soon. */
    const changing = <Step extends Effect.Effect<unknown, unknown>, A>(change: () => Generator<Step, A, never>) =>
      transact(Effect.tap(Effect.gen(change), rows.bumpRevision)).pipe(Effect.tap(Effect.sync(() => callers.clear())))

    const orNotFound = Effect.flatMap((row: AccountRow | undefined) =>
      row === undefined || isErased(row) ? Effect.fail(new AccountNotFound()) : Effect.succeed(row),
    )
    const requireAccount = (id: number) => orNotFound(rows.find({ id }))
    /** Finds an account and locks it, so that two requests to replace its key run one after the other. */
    const holdAccount = (id: number) => orNotFound(rows.hold(id))

    const reveal = (row: KeyRow): Effect.Effect<string> => {
      const key = open(row.id, row.sealed_key)
      return key === null
        ? Effect.die(new Error(`the sealed key ${row.id} does not open: its row was changed`))
        : Effect.succeed(key)
    }
    const describe = (row: KeyRow) => Effect.map(reveal(row), key => describeKey(row, key))
    const describeAll = (found: readonly KeyRow[]) => Effect.forEach(found, describe)

    /** Every key of an account, oldest first, deactivated ones too. */
    const listAll = (account_id: number) => keys.list({ account_id }, { order: ["id"] })

    const insertKey = (accountId: number, kind: KeyKind, name: string, limits: KeyLimits = NO_LIMITS) =>
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
        yield* keys.insert({ ...row, key_hash: hash(key) })
        yield* keys.trimEnded(accountId, yield* Clock.currentTimeMillis, MAXIMUM_ENDED_KEYS)
        return { accountKey: describeKey(row, key), key } satisfies MadeKey
      })

    /** An account's own key, whole; null when it is deactivated. */
    const findFirstKey = (accountId: number) =>
      Effect.gen(function* () {
        const current = listCurrent(yield* listAll(accountId), yield* Clock.currentTimeMillis)
        const first = current.find(({ kind }) => kind === "account")
        return first === undefined ? null : yield* reveal(first)
      })

    /** Makes an account's own key. */
    const makeFirstKey = (accountId: number) =>
      Effect.gen(function* () {
        const { accountKey, key } = yield* insertKey(accountId, "account", "")
        yield* note(accountId, "key_made", `key ${accountKey.id}`)
        return key
      })

    const requireKey = (id: number) =>
      Effect.flatMap(keys.find({ id }), row => (row === undefined ? Effect.fail(new NoSuchKey()) : Effect.succeed(row)))

    const requireWorking = (account_id: number, id: number) =>
      Effect.gen(function* () {
        const row = yield* keys.find({ id, account_id })
        return row !== undefined && listCurrent([row], yield* Clock.currentTimeMillis).length > 0
          ? row
          : yield* new NoSuchKey()
      })

    /** All of them wait for the same row: at once they would hold every connection to the database. */
    const oneAtATime = Semaphore.makeUnsafe(1)

    const makeKey = (accountId: number, kind: Exclude<KeyKind, "account">, name: string, limits: KeyLimits) =>
      Effect.gen(function* () {
        yield* holdAccount(accountId)
        const isTeam = kind === "team"
        const limit = isTeam ? MAXIMUM_TEAM_KEYS : MAXIMUM_NAMED_KEYS
        const current = listCurrent(yield* listAll(accountId), yield* Clock.currentTimeMillis)
        const alike = current.filter(key => key.kind !== "account" && (key.kind === "team") === isTeam)
        const message = `An account may have at most ${limit} ${isTeam ? "active team keys" : "named keys that work"}.`
        if (alike.length >= limit) return yield* new TooManyKeys({ limit, isTeam, message })
        const made = yield* insertKey(accountId, kind, name, limits)
        const { id } = made.accountKey
        if (isTeam) yield* note(accountId, "team_key_made", `key ${id}`)
        else yield* note(accountId, "key_made", `${nameKind(kind)} ${id} for ${limits.scopes.join(", ")}`)
        return made
      }).pipe(transact, oneAtATime.withPermit)

    /** Deactivates keys of one kind and account. */
    const deactivate = (found: readonly KeyRow[]) =>
      Effect.gen(function* () {
        const [first] = found
        if (first === undefined) return
        for (const { id } of found) yield* keys.update({ id }, { is_active: false })
        const ids = found.map(({ id }) => id).join(", ")
        yield* note(first.account_id, "key_revoked", `${nameKind(first.kind)} ${ids}`)
      })

    /** Deactivates a key that may be deactivated already, and returns it as it is then. */
    const deactivateOne = (row: KeyRow) =>
      Effect.andThen(deactivate(row.is_active ? [row] : []), describe({ ...row, is_active: false }))

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
        const { accountKey, key } = yield* insertKey(row.id, "account", "")
        yield* note(row.id, "account_made", `plan ${row.plan}, key ${accountKey.id}`)
        return { account: toAccount(row), key }
      })

    /** Changes fields other than the address, of which no two can be in conflict. */
    const set = (id: number, fields: Partial<Omit<AccountRow, "id" | "email">>) => rows.update({ id }, fields)

    const findOne = (which: Parameters<typeof rows.find>[0]) =>
      Effect.map(rows.find(which), row => (row === undefined ? null : toAccount(row)))

    return {
      createAccount: (account: NewAccount) =>
        transact(insertAccount(account)).pipe(Effect.catchTag("Conflict", () => new EmailTaken())),

      /**
       * The account with this address and its current key (null if that is deactivated), or else a new one on the free plan, not confirmed. Both run the same statements, so that the time
       * does not reveal which it was. `admit` runs in any case; a new one is not made where it fails.
       */
      ensureAccount: <Failure = never>(
        { name, email, language }: Pick<NewAccount, "name" | "email" | "language">,
        admit: Effect.Effect<void, Failure | Unavailable> = Effect.void,
      ) =>
        Effect.gen(function* () {
          const row = yield* rows.find({ email_folded: foldEmail(email) })
          const admitted = yield* Effect.result(admit)
          if (row === undefined) yield* Effect.fromResult(admitted)
          const made: NewAccount = { name, email, plan: "free", isConfirmed: false, ...(language && { language }) }
          // The same statements in both cases: if there is an account, they use a random address and are rolled back.
          const account =
            row === undefined
              ? yield* transact(Effect.map(insertAccount(made), inserted => inserted.account))
              : yield* transact(
                  Effect.andThen(insertAccount({ ...made, email: crypto.randomUUID() }), new EmailTaken()),
                ).pipe(Effect.catchTag("EmailTaken", () => Effect.succeed(toAccount(row))))
          return { account, key: yield* findFirstKey(account.id), isNew: row === undefined }
        }).pipe(
          transact,
          // Another transaction may have inserted the same address since it was looked for.
          Effect.retry({ times: 1, while: isConflict }),
          Effect.catchIf(isConflict, Effect.die),
        ),

      findAccount: (id: number) => findOne({ id }),

      findAccountByEmail: (email: string) => findOne({ email_folded: foldEmail(email) }),

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
          const { accountKey, key } = yield* insertKey(id, "account", "")
          yield* note(id, "email_confirmed", `all earlier access has ended, key ${accountKey.id}`)
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
        transact(Effect.andThen(requireAccount(id), set(id, { language }))),

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
          if (subscriptions.some(({ state }) => isRunning(JSON.parse(state), nowMs)))
            return yield* new StillSubscribed()
          yield* storage.accountData.erase(id)
          yield* note(id, "erased", "")
        }),

      /** The account's current key, whole; null when it is deactivated. */
      revealKey: (id: number) => transact(Effect.andThen(requireAccount(id), findFirstKey(id))),

      /** Replaces the account's first key: the old one stops working, and on request all others too. Returns the others that were active. */
      regenerateKey: (id: number, { endsTeamKeys }: { readonly endsTeamKeys: boolean } = { endsTeamKeys: false }) =>
        changing(function* () {
          yield* holdAccount(id)
          const all = yield* listAll(id)
          const others = listCurrent(all, yield* Clock.currentTimeMillis).filter(({ kind }) => kind !== "account")
          for (const kind of endsTeamKeys ? KEY_KINDS : (["account"] as const))
            yield* deactivate(all.filter(key => key.is_active && key.kind === kind))
          const key = yield* makeFirstKey(id)
          const otherKeys = yield* Effect.forEach(others, row => describe({ ...row, is_active: !endsTeamKeys }))
          return { key, otherKeys }
        }),

      /** The account's current key; a new one where it was deactivated. */
      ensureKey: (id: number) =>
        changing(function* () {
          yield* holdAccount(id)
          return (yield* findFirstKey(id)) ?? (yield* makeFirstKey(id))
        }),

      /** Every key of an account, oldest first, deactivated ones too. */
      listKeys: (id: number) => Effect.andThen(requireAccount(id), Effect.flatMap(listAll(id), describeAll)),

      /** A key, whole, whether it is active or not. */
      revealKeyById: (id: number) =>
        Effect.gen(function* () {
          const row = yield* requireKey(id)
          return { accountKey: yield* describe(row), key: yield* reveal(row) }
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
          keys.list({ account_id, id: above(aboveId), ...(kind && { kind }) }, { order: ["id"], limit }),
          describeAll,
        ),

      createTeamKey: (accountId: number, name: string) =>
        makeKey(accountId, "team", name, { ...NO_LIMITS, scopes: TEAM_KEY_SCOPES }),

      /** Makes a named key, or with the mode `test` a test key. */
      createKey: (
        accountId: number,
        name: string,
        { mode = "live", ...limits }: KeyLimits & { readonly mode?: KeyMode },
      ) => makeKey(accountId, mode === "test" ? "test" : "named", name, limits),

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
          yield* keys.update({ id }, { replaced_at: replacedAt, expires_at: expiresAt })
          const made = yield* insertKey(accountId, old.kind, old.name, readLimits(old))
          yield* note(accountId, "key_replaced", `${nameKind(old.kind)} ${id} by ${made.accountKey.id}`)
          return made
        }),

      /** Deactivates a key of the account, of a kind if one is given, except the first one, and keeps its record; doing it again changes nothing. */
      endKey: (accountId: number, id: number, kind?: KeyKind) =>
        changing(function* () {
          const row = yield* keys.find({ id, account_id: accountId })
          if (row === undefined || (kind !== undefined && row.kind !== kind)) return yield* new NoSuchKey()
          if (row.kind === "account" && row.replaced_at === null) return yield* new FirstKey()
          return yield* deactivateOne(row)
        }),

      /** Identifies a caller without SQL; undefined if it is not in the cache: use `findCaller`. */
      peekCaller: (key: string, nowMs: number) => callers.find(key, nowMs),

      /** Identifies the caller with a key, or null for one that is unknown or deactivated; `judgeKey` says whether it has expired. */
      findCaller: (key: string) =>
        Effect.gen(function* () {
          if (!isApiKey(key)) return null
          const known = callers.find(key, yield* Clock.currentTimeMillis)
          if (known !== undefined) return known
          const { clearings } = callers
          const row = yield* rows
            .findCaller(hash(key))
            .pipe(withDeadline(FIND_TIMEOUT_MS, Effect.fail(makeUnavailable("busy", storage.label))))
          const caller = row === undefined ? null : toCaller(row, plans)
          callers.remember(key, caller, clearings)
          return caller
        }),

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
