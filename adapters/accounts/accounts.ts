/**
 * Who has an account, which keys belong to it, and who is the caller?
 *
 * These are the rules on top of the repository: keys are stored sealed and found by hash, an account has one first key and others that act
 * for it, and a deactivated key is unknown. A caller that was seen before is known without SQL. A change made here counts at once; a change
 * made by another process counts within {@link REVALIDATION_MS}. If the database cannot be read, known callers stay valid for {@link
 * MAXIMUM_AGE_MS} more. Keys and addresses are never logged here.
 */
import { Clock, Context, Effect, Layer } from "effect"
import { Plans } from "../plans/plans.ts"
import type { DeploymentSecret } from "../secrets/deployment-secret.ts"
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
import { makeKeyRecords } from "./key-records.ts"
import { makeNamedKeyRecords } from "./named-key-records.ts"

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
