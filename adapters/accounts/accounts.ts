/**
 * Who has an account, which keys belong to it, and who is calling?
 *
 * The rules on top of the repository: keys are kept sealed and found by hash, an account has one current key and any number of
 * team keys that act for it, and a deactivated key is unknown. A caller that was seen before is known without SQL. A change made
 * here counts at once; a change made by another process counts within {@link REVALIDATION_MS}; when the database cannot be read,
 * callers are believed for {@link MAXIMUM_AGE_MS} more. Nothing here writes a key or an address into a log.
 */
import { Clock, Context, Effect, Layer, Schema } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import {
  ACCOUNTS_REVISION,
  type AccountRow,
  type KeyRow,
  makeAccountsRepository,
} from "../storage/accounts-repository.ts"
import { readCounter } from "../storage/counter.ts"
import { type Account, type Caller, foldEmail, type TeamKey } from "./account.ts"
import { abbreviateApiKey, hashApiKey, isApiKey, type KeyKind, makeApiKey } from "./api-key.ts"
import { CallerCache } from "./caller-cache.ts"
import { DeploymentSecret } from "./deployment-secret.ts"
import { type PlanId, Plans } from "./plans.ts"
import { sealText, unsealText } from "./sealing.ts"

/** How long a change made by another process can go unnoticed. */
export const REVALIDATION_MS = 1_000
/** How long known callers are believed while the database cannot be read. */
export const MAXIMUM_AGE_MS = 30_000
/** How many callers are kept in memory. */
const CACHED_CALLERS = 100_000
/** How many active team keys an account may have. */
export const MAXIMUM_TEAM_KEYS = 100

/** Another account has this e-mail address. */
export class EmailTaken extends Schema.TaggedError<EmailTaken>()("EmailTaken", {}) {}
/** There is no account with this id. */
export class AccountNotFound extends Schema.TaggedError<AccountNotFound>()("AccountNotFound", {}) {}
/** The account has no team key with this id. */
export class TeamKeyNotFound extends Schema.TaggedError<TeamKeyNotFound>()("TeamKeyNotFound", {}) {}
/** The account has as many active team keys as it may have. */
export class TooManyTeamKeys extends Schema.TaggedError<TooManyTeamKeys>()("TooManyTeamKeys", { limit: Schema.Int }) {}

type Stored<Value, Failure = never> = Effect.Effect<Value, Failure | SqlError.SqlError>

/** What a new account starts with. */
export interface NewAccount {
  readonly name: string
  readonly email: string
  readonly plan: PlanId
  readonly isConfirmed: boolean
}

interface AccountsShape {
  /** Identifies a caller seen before, without SQL; undefined says nothing: ask {@link findCaller}. */
  readonly peekCaller: (key: string, nowMs: number) => Caller | undefined
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
    person: Pick<NewAccount, "name" | "email">,
  ) => Stored<{ readonly account: Account; readonly key: string | null; readonly isNew: boolean }>
  readonly findAccount: (id: number) => Stored<Account | null>
  readonly findAccountByEmail: (email: string) => Stored<Account | null>
  readonly confirmEmail: (accountId: number) => Stored<void, AccountNotFound>
  readonly setPlan: (accountId: number, plan: PlanId) => Stored<void, AccountNotFound>
  /** The account's current key, whole; null when it is deactivated. */
  readonly revealKey: (accountId: number) => Stored<string | null, AccountNotFound>
  /** Replaces the account's key: the old one stops working, team keys go on. */
  readonly regenerateKey: (accountId: number) => Stored<string, AccountNotFound>
  /** Deactivates the account's key; team keys go on. */
  readonly deactivateKey: (accountId: number) => Stored<void, AccountNotFound>
  /** Makes a team key; the whole key is in this answer and in no later one. */
  readonly createTeamKey: (
    accountId: number,
    name: string,
  ) => Stored<{ readonly teamKey: TeamKey; readonly key: string }, AccountNotFound | TooManyTeamKeys>
  /** Every team key, oldest first, deactivated ones too. */
  readonly listTeamKeys: (accountId: number) => Stored<readonly TeamKey[]>
  /** Deactivates a team key and keeps its record; once more changes nothing. */
  readonly deactivateTeamKey: (accountId: number, id: number) => Stored<TeamKey, TeamKeyNotFound>
}

const toAccount = (row: AccountRow): Account => ({
  id: row.id,
  name: row.name,
  email: row.email,
  plan: row.plan,
  isConfirmed: row.is_confirmed,
  createdAt: row.created_at,
})

const nowAsText = Effect.map(Clock.currentTimeMillis, ms => new Date(ms).toISOString())

const isUniqueViolation = (error: { readonly _tag: string }): boolean =>
  error._tag === "SqlError" && (error as SqlError.SqlError).reason._tag === "UniqueViolation"

const makeAccounts = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* makeAccountsRepository
  const plans = yield* Plans
  const secret = yield* DeploymentSecret
  const hashKey = secret.deriveKey("api key hash")
  const sealKey = secret.deriveKey("api key seal")
  const callers = new CallerCache({ maximumAgeMs: MAXIMUM_AGE_MS, capacity: CACHED_CALLERS })

  /** Runs a change of what callers are or may do, so that this process notices at once and every other one soon. */
  const changing = <A, E>(change: Effect.Effect<A, E>) =>
    sql.withTransaction(Effect.tap(change, rows.bumpRevision)).pipe(Effect.tap(Effect.sync(() => callers.clear())))

  const requireAccount = (id: number) =>
    Effect.flatMap(rows.findAccount(id), row =>
      row === undefined ? Effect.fail(new AccountNotFound()) : Effect.succeed(row),
    )

  const reveal = (row: KeyRow): Effect.Effect<string> => {
    const key = unsealText(sealKey, `api_keys/${row.id}`, row.sealed_key)
    return key === null
      ? Effect.die(new Error(`the sealed key ${row.id} does not open: its row was changed`))
      : Effect.succeed(key)
  }

  const insertKey = (accountId: number, kind: KeyKind, name: string) =>
    Effect.gen(function* () {
      const key = makeApiKey(kind)
      const id = yield* rows.nextKeyId
      const row: KeyRow = {
        id,
        account_id: accountId,
        kind,
        name,
        sealed_key: sealText(sealKey, `api_keys/${id}`, key),
        is_active: true,
        created_at: yield* nowAsText,
      }
      yield* rows.insertKey({ ...row, key_hash: hashApiKey(hashKey, key) })
      return { row, key }
    })

  const insertAccount = (account: NewAccount) =>
    Effect.gen(function* () {
      const row: AccountRow = {
        id: yield* rows.nextAccountId,
        name: account.name,
        email: account.email,
        plan: account.plan,
        is_confirmed: account.isConfirmed,
        created_at: yield* nowAsText,
      }
      yield* rows.insertAccount({ ...row, email_folded: foldEmail(account.email) })
      const { key } = yield* insertKey(row.id, "account", "")
      return { account: toAccount(row), key }
    })

  const listActiveKeys = (accountId: number, kind: KeyKind) =>
    Effect.map(rows.listKeys(accountId, kind), keys => keys.filter(key => key.is_active))

  const deactivateCurrentKey = (accountId: number) =>
    Effect.gen(function* () {
      yield* requireAccount(accountId)
      const keys = yield* listActiveKeys(accountId, "account")
      yield* Effect.forEach(keys, key => rows.deactivateKey(key.id), { discard: true })
    })

  const toTeamKey = (row: KeyRow): Effect.Effect<TeamKey> =>
    Effect.map(reveal(row), key => ({
      id: row.id,
      name: row.name,
      isActive: row.is_active,
      keyPrefix: abbreviateApiKey(key),
      createdAt: row.created_at,
    }))

  const findCaller: AccountsShape["findCaller"] = Effect.fnUntraced(function* (key) {
    if (!isApiKey(key)) return null
    const known = callers.find(key, yield* Clock.currentTimeMillis)
    if (known !== undefined) return known
    const clearings = callers.clearings
    const row = yield* rows.findCaller(hashApiKey(hashKey, key))
    if (row === undefined) return null
    const caller: Caller = Object.freeze({
      keyId: row.key_id,
      accountId: row.account_id,
      plan: plans.byId[row.plan],
      isConfirmed: row.is_confirmed,
      isTeamKey: row.kind === "team",
    })
    callers.remember(key, caller, clearings)
    return caller
  })

  const currentKey = (accountId: number) =>
    Effect.gen(function* () {
      const [row] = yield* listActiveKeys(accountId, "account")
      return row === undefined ? null : yield* reveal(row)
    })

  const accounts: AccountsShape = {
    peekCaller: (key, nowMs) => callers.find(key, nowMs),
    findCaller,

    createAccount: account =>
      sql
        .withTransaction(insertAccount(account))
        .pipe(Effect.mapError(error => (isUniqueViolation(error) ? new EmailTaken() : error))),

    ensureAccount: ({ name, email }) =>
      Effect.gen(function* () {
        const row = yield* rows.findAccountByEmail(foldEmail(email))
        if (row !== undefined) return { account: toAccount(row), key: yield* currentKey(row.id), isNew: false }
        return { ...(yield* insertAccount({ name, email, plan: "free", isConfirmed: false })), isNew: true }
      }).pipe(
        sql.withTransaction,
        // Where transactions run side by side, somebody else may have inserted the same address since it was looked for.
        Effect.retry({ times: 1, while: isUniqueViolation }),
      ),

    findAccount: id => Effect.map(rows.findAccount(id), row => (row === undefined ? null : toAccount(row))),

    findAccountByEmail: email =>
      Effect.map(rows.findAccountByEmail(foldEmail(email)), row => (row === undefined ? null : toAccount(row))),

    confirmEmail: id => changing(Effect.andThen(requireAccount(id), rows.confirmAccount(id))),

    setPlan: (id, plan) => changing(Effect.andThen(requireAccount(id), rows.setPlan(id, plan))),

    revealKey: id => sql.withTransaction(Effect.andThen(requireAccount(id), currentKey(id))),

    regenerateKey: id =>
      changing(
        Effect.andThen(
          deactivateCurrentKey(id),
          Effect.map(insertKey(id, "account", ""), made => made.key),
        ),
      ),

    deactivateKey: id => changing(deactivateCurrentKey(id)),

    createTeamKey: (accountId, name) =>
      Effect.gen(function* () {
        yield* requireAccount(accountId)
        const active = yield* listActiveKeys(accountId, "team")
        if (active.length >= MAXIMUM_TEAM_KEYS) return yield* new TooManyTeamKeys({ limit: MAXIMUM_TEAM_KEYS })
        const { row, key } = yield* insertKey(accountId, "team", name)
        return { teamKey: yield* toTeamKey(row), key }
      }).pipe(sql.withTransaction),

    listTeamKeys: accountId =>
      Effect.flatMap(rows.listKeys(accountId, "team"), keys => Effect.forEach(keys, toTeamKey)),

    deactivateTeamKey: (accountId, id) =>
      changing(
        Effect.gen(function* () {
          const row = (yield* rows.listKeys(accountId, "team")).find(key => key.id === id)
          if (row === undefined) return yield* new TeamKeyNotFound()
          yield* rows.deactivateKey(id)
          return yield* toTeamKey({ ...row, is_active: false })
        }),
      ),
  }
  return { accounts, callers }
})

/** Compares the revision of the accounts again and again, and forgets callers when another process has changed something. */
const watchRevision = (callers: CallerCache) =>
  Effect.gen(function* () {
    let known: number | undefined
    const compare = Effect.gen(function* () {
      const askedAt = yield* Clock.currentTimeMillis
      const revision = yield* readCounter(ACCOUNTS_REVISION)
      if (known !== undefined && revision !== known) callers.clear()
      known = revision
      callers.confirm(askedAt)
    })
    yield* compare
    const compareAgain = Effect.catchTag(compare, "SqlError", error =>
      Effect.logWarning("the accounts' revision cannot be read; known callers stay known for a while", error),
    )
    yield* Effect.forkScoped(Effect.forever(Effect.andThen(Effect.sleep(REVALIDATION_MS), compareAgain)))
  })

/** The accounts of this deployment. */
export class Accounts extends Context.Service<Accounts, AccountsShape>()("landfall/accounts/Accounts") {
  /** Needs the migrated storage. Fails with `SqlError`. */
  static readonly layer: Layer.Layer<Accounts, SqlError.SqlError, SqlClient.SqlClient | Plans | DeploymentSecret> =
    Layer.effect(
      Accounts,
      Effect.gen(function* () {
        const { accounts, callers } = yield* makeAccounts
        yield* watchRevision(callers)
        return accounts
      }),
    )
}
