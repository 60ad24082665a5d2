/**
 * Who has an account, which keys belong to it, and who is calling?
 *
 * The rules on top of the repository: keys are kept sealed and found by hash, an account has one current key and any number of
 * team keys that act for it, and a deactivated key is unknown. A caller that was seen before is known without SQL. A change made
 * here counts at once; a change made by another process counts within {@link REVALIDATION_MS}; when the database cannot be read,
 * callers are believed for {@link MAXIMUM_AGE_MS} more. Nothing here writes a key or an address into a log.
 */
import { Clock, Context, Effect, Layer, Schema } from "effect"
import type { Language } from "../../src/full.ts"
import { isRunning } from "../billing/subscription-state.ts"
import type { AccountRow } from "../storage/accounts-repository.ts"
import { withDeadline } from "../storage/deadline.ts"
import { OutageLog } from "../storage/outage-log.ts"
import { Storage } from "../storage/storage.ts"
import { makeUnavailable, type Unavailable } from "../storage/storage-errors.ts"
import { type Account, type AccountKey, type Caller, foldEmail, isErased, type TeamKey } from "./account.ts"
import { makeAccountKeys, nowAsText } from "./account-keys.ts"
import { isApiKey } from "./api-key.ts"
import { makeAuditTrail } from "./audit-trail.ts"
import { CallerCache } from "./caller-cache.ts"
import { DeploymentSecret } from "./deployment-secret.ts"
import { type PlanId, Plans } from "./plans.ts"

/** How long a change made by another process can go unnoticed. */
export const REVALIDATION_MS = 1_000
/** How long known callers are believed while the database cannot be read. */
export const MAXIMUM_AGE_MS = 30_000
/** How long a request waits for the database before it is told that it is not available. */
export const FIND_TIMEOUT_MS = 1_000
/** How many callers are kept in memory. */
const CACHED_CALLERS = 100_000
/** How many active team keys an account may have. */
export const MAXIMUM_TEAM_KEYS = 100

/** Another account has this e-mail address. */
export class EmailTaken extends Schema.TaggedError<EmailTaken>()("EmailTaken", {}) {}
/** There is no account with this id. */
export class AccountNotFound extends Schema.TaggedError<AccountNotFound>()("AccountNotFound", {}) {}
/** There is no key with this id. */
export class KeyNotFound extends Schema.TaggedError<KeyNotFound>()("KeyNotFound", {}) {}
/** The account has no team key with this id. */
export class TeamKeyNotFound extends Schema.TaggedError<TeamKeyNotFound>()("TeamKeyNotFound", {}) {}
/** The account has a subscription that goes on, which its owner has to end first. */
export class StillSubscribed extends Schema.TaggedError<StillSubscribed>()("StillSubscribed", {}) {}
/** The account has as many active team keys as it may have. */
export class TooManyTeamKeys extends Schema.TaggedError<TooManyTeamKeys>()("TooManyTeamKeys", { limit: Schema.Int }) {}

type Stored<Value, Failure = never> = Effect.Effect<Value, Failure | Unavailable>

/** What a new account starts with. */
export interface NewAccount {
  readonly name: string
  readonly email: string
  readonly plan: PlanId
  readonly isConfirmed: boolean
  readonly language?: Language
}

interface AccountsShape {
  /** Identifies a caller without SQL, or null for a key that nobody has; undefined says nothing: ask {@link findCaller}. */
  readonly peekCaller: (key: string, nowMs: number) => Caller | null | undefined
  /** Identifies the caller with an active key, or null for a key that is unknown or deactivated. */
  readonly findCaller: (key: string) => Stored<Caller | null>
  readonly createAccount: (
    account: NewAccount,
  ) => Stored<{ readonly account: Account; readonly key: string }, EmailTaken>
  /**
   * The account with this address and its current key (null if that is deactivated), or else a new one on the free plan, not
   * confirmed.
   */
  readonly ensureAccount: (
    person: Pick<NewAccount, "name" | "email" | "language">,
  ) => Stored<{ readonly account: Account; readonly key: string | null; readonly isNew: boolean }>
  readonly findAccount: (id: number) => Stored<Account | null>
  readonly findAccountByEmail: (email: string) => Stored<Account | null>
  /** At most so many accounts with ids above one, in the order of their ids. */
  readonly listAccounts: (options: { readonly afterId: number; readonly limit: number }) => Stored<readonly Account[]>
  readonly confirmEmail: (accountId: number) => Stored<void, AccountNotFound>
  readonly setPlan: (accountId: number, plan: PlanId) => Stored<void, AccountNotFound>
  /** Pins the version of the lookup that is answered where a request names none; null pins none. */
  readonly setApiVersion: (accountId: number, version: string | null) => Stored<void, AccountNotFound>
  /** Chooses the language of mails that nobody asks for at the moment. */
  readonly setLanguage: (accountId: number, language: Language) => Stored<void, AccountNotFound>
  /** Ends an account, or lets it in again: while it is disabled none of its keys opens anything. */
  readonly setDisabled: (accountId: number, isDisabled: boolean) => Stored<void, AccountNotFound>
  /** Erases the person from everything of an account, for good: its keys, sessions and webhooks are gone, its counts stay. */
  readonly erase: (accountId: number) => Stored<void, AccountNotFound | StillSubscribed>
  /** The account's current key, whole; null when it is deactivated. */
  readonly revealKey: (accountId: number) => Stored<string | null, AccountNotFound>
  /** Replaces the account's key: the old one stops working, team keys go on. */
  readonly regenerateKey: (accountId: number) => Stored<string, AccountNotFound>
  /** The account's current key, made anew where it was deactivated. */
  readonly ensureKey: (accountId: number) => Stored<string, AccountNotFound>
  /** Deactivates the account's key; team keys go on. */
  readonly deactivateKey: (accountId: number) => Stored<void, AccountNotFound>
  /** Every key of an account, oldest first, deactivated ones too. */
  readonly listKeys: (accountId: number) => Stored<readonly AccountKey[], AccountNotFound>
  /** A key, whole, whether it is active or not. */
  readonly revealKeyById: (
    keyId: number,
  ) => Stored<{ readonly accountKey: AccountKey; readonly key: string }, KeyNotFound>
  /** Deactivates a key of any kind; once more changes nothing. */
  readonly revokeKey: (keyId: number) => Stored<AccountKey, KeyNotFound>
  /** Makes a team key; the whole key is in this answer and in no later one. */
  readonly createTeamKey: (
    accountId: number,
    name: string,
  ) => Stored<{ readonly teamKey: TeamKey; readonly key: string }, AccountNotFound | TooManyTeamKeys>
  /** Every team key, oldest first, deactivated ones too. */
  readonly listTeamKeys: (accountId: number) => Stored<readonly TeamKey[]>
  /** Deactivates a team key and keeps its record; once more changes nothing. */
  readonly deactivateTeamKey: (accountId: number, id: number) => Stored<TeamKey, TeamKeyNotFound>
  readonly readState: () => AccountsState
}

/** How the accounts are doing, as numbers. */
export interface AccountsState {
  /** Callers who are known without SQL. */
  readonly cachedCallers: number
  /** How often it could not be found out whether another process has changed something. */
  readonly revisionFailures: number
}

const toAccount = (row: AccountRow): Account => ({
  id: row.id,
  name: row.name,
  email: row.email,
  plan: row.plan,
  isConfirmed: row.is_confirmed,
  isDisabled: row.is_disabled,
  apiVersion: row.api_version,
  language: row.language,
  createdAt: row.created_at,
})

const makeAccounts = Effect.gen(function* () {
  const storage = yield* Storage
  const rows = storage.accounts
  const plans = yield* Plans
  const keys = makeAccountKeys(rows, yield* DeploymentSecret)
  const { note } = makeAuditTrail(storage)
  const callers = new CallerCache({ maximumAgeMs: MAXIMUM_AGE_MS, capacity: CACHED_CALLERS })
  const outages = new OutageLog("the accounts' revision cannot be read; known callers stay known for a while")

  /** Runs a change of what callers are or may do, so that this process notices at once and every other one soon. */
  const changing = <A, E>(change: Effect.Effect<A, E>) =>
    storage.transact(Effect.tap(change, rows.bumpRevision)).pipe(Effect.tap(Effect.sync(() => callers.clear())))

  const orNotFound = Effect.flatMap((row: AccountRow | undefined) =>
    row === undefined || isErased(row) ? Effect.fail(new AccountNotFound()) : Effect.succeed(row),
  )
  const requireAccount = (id: number) => orNotFound(rows.findAccount(id))
  /** Finds an account and makes other changes of it wait, so that of two that replace its key one comes second. */
  const holdAccount = (id: number) => orNotFound(rows.holdAccount(id))

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
      yield* rows.insertAccount({ ...row, email_folded: foldEmail(account.email) })
      const { row: keyRow, key } = yield* keys.insert(row.id, "account", "")
      yield* note(row.id, "account_made", `plan ${row.plan}, key ${keyRow.id}`)
      return { account: toAccount(row), key }
    })

  const deactivateCurrentKey = (accountId: number) =>
    Effect.gen(function* () {
      yield* holdAccount(accountId)
      const active = yield* keys.listActive(accountId, "account")
      yield* Effect.forEach(active, key => rows.deactivateKey(key.id), { discard: true })
      if (active.length > 0) yield* note(accountId, "key_revoked", `key ${active.map(({ id }) => id).join(", ")}`)
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

  const findCaller: AccountsShape["findCaller"] = Effect.fnUntraced(function* (key) {
    if (!isApiKey(key)) return null
    const known = callers.find(key, yield* Clock.currentTimeMillis)
    if (known !== undefined) return known
    const clearings = callers.clearings
    const row = yield* rows
      .findCaller(keys.hash(key))
      .pipe(withDeadline(FIND_TIMEOUT_MS, Effect.fail(makeUnavailable("busy", storage.label))))
    if (row === undefined) return null
    const caller: Caller = Object.freeze({
      keyId: row.key_id,
      accountId: row.account_id,
      plan: plans.byId[row.plan],
      isConfirmed: row.is_confirmed,
      isTeamKey: row.kind === "team",
      apiVersion: row.api_version,
    })
    callers.remember(key, caller, clearings)
    return caller
  })

  const accounts: AccountsShape = {
    peekCaller: (key, nowMs) => callers.find(key, nowMs),
    findCaller,

    createAccount: account =>
      storage.transact(insertAccount(account)).pipe(Effect.catchTag("Conflict", () => new EmailTaken())),

    ensureAccount: ({ name, email, language }) =>
      Effect.gen(function* () {
        const row = yield* rows.findAccountByEmail(foldEmail(email))
        if (row !== undefined) return { account: toAccount(row), key: yield* keys.findCurrent(row.id), isNew: false }
        const made: NewAccount = { name, email, plan: "free", isConfirmed: false, ...(language && { language }) }
        return { ...(yield* insertAccount(made)), isNew: true }
      }).pipe(
        storage.transact,
        // Where transactions run side by side, somebody else may have inserted the same address since it was looked for.
        Effect.retry({ times: 1, while: error => error._tag === "Conflict" }),
        Effect.catchTag("Conflict", Effect.die),
      ),

    findAccount: id => Effect.map(rows.findAccount(id), row => (row === undefined ? null : toAccount(row))),

    findAccountByEmail: email =>
      Effect.map(rows.findAccountByEmail(foldEmail(email)), row => (row === undefined ? null : toAccount(row))),

    confirmEmail: id =>
      changing(
        Effect.flatMap(requireAccount(id), ({ is_confirmed }) =>
          is_confirmed ? Effect.void : Effect.andThen(rows.confirmAccount(id), note(id, "email_confirmed", "")),
        ),
      ),

    listAccounts: options => Effect.map(rows.listAccounts(options), found => found.map(toAccount)),

    setDisabled: (id, isDisabled) =>
      changing(
        Effect.gen(function* () {
          yield* requireAccount(id)
          yield* rows.setDisabled(id, isDisabled)
          yield* note(id, isDisabled ? "disabled" : "enabled", "")
        }),
      ),

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

    erase: id =>
      changing(
        Effect.gen(function* () {
          yield* holdAccount(id)
          const nowMs = yield* Clock.currentTimeMillis
          const subscriptions = yield* storage.billing.listOf(id)
          if (subscriptions.some(({ state }) => isRunning(JSON.parse(state), nowMs)))
            return yield* new StillSubscribed()
          yield* storage.accountData.erase(id)
          yield* note(id, "erased", "")
        }),
      ),

    setApiVersion: (id, version) => changing(Effect.andThen(requireAccount(id), rows.setApiVersion(id, version))),

    setLanguage: (id, language) => storage.transact(Effect.andThen(requireAccount(id), rows.setLanguage(id, language))),

    setPlan: (id, plan) =>
      changing(
        Effect.gen(function* () {
          const before = yield* holdAccount(id)
          if (before.plan === plan) return
          yield* rows.setPlan(id, plan)
          yield* note(id, "plan_changed", `${before.plan} to ${plan}`)
        }),
      ),

    revealKey: id => storage.transact(Effect.andThen(requireAccount(id), keys.findCurrent(id))),

    regenerateKey: id => changing(Effect.andThen(deactivateCurrentKey(id), makeKey(id))),

    ensureKey: id =>
      changing(
        Effect.gen(function* () {
          yield* holdAccount(id)
          return (yield* keys.findCurrent(id)) ?? (yield* makeKey(id))
        }),
      ),

    deactivateKey: id => changing(deactivateCurrentKey(id)),

    createTeamKey: (accountId, name) =>
      Effect.gen(function* () {
        yield* holdAccount(accountId)
        const active = yield* keys.listActive(accountId, "team")
        if (active.length >= MAXIMUM_TEAM_KEYS) return yield* new TooManyTeamKeys({ limit: MAXIMUM_TEAM_KEYS })
        const { row, key } = yield* keys.insert(accountId, "team", name)
        yield* note(accountId, "team_key_made", `key ${row.id}`)
        return { teamKey: yield* keys.describeTeam(row), key }
      }).pipe(storage.transact),

    listTeamKeys: accountId =>
      Effect.flatMap(keys.listTeam(accountId), found => Effect.forEach(found, keys.describeTeam)),

    deactivateTeamKey: (accountId, id) =>
      changing(
        Effect.gen(function* () {
          const row = (yield* keys.listTeam(accountId)).find(key => key.id === id)
          if (row === undefined) return yield* new TeamKeyNotFound()
          yield* rows.deactivateKey(id)
          if (row.is_active) yield* note(accountId, "key_revoked", `team key ${id}`)
          return yield* keys.describeTeam({ ...row, is_active: false })
        }),
      ),

    readState: () => ({ cachedCallers: callers.size, revisionFailures: outages.failures }),
  }
  return { accounts, callers, outages }
})

/** Compares the revision of the accounts again and again, and forgets callers when another process has changed something. */
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

/** The accounts of this deployment. */
export class Accounts extends Context.Service<Accounts, AccountsShape>()("landfall/accounts/Accounts") {
  /** Needs the storage. Fails with `Unavailable`. */
  static readonly layer: Layer.Layer<Accounts, Unavailable, Storage | Plans | DeploymentSecret> = Layer.effect(
    Accounts,
    Effect.gen(function* () {
      const { accounts, callers, outages } = yield* makeAccounts
      yield* watchRevision(callers, outages)
      return accounts
    }),
  )
}
