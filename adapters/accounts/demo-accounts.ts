/**
 * With which keys can a newcomer try the service at once?
 *
 * The first start of a development server on an empty database makes one confirmed account for each plan. Their whole keys are in
 * that one answer, for printing, and in no later one; the keys go on working. A production server makes none and ends those that it finds,
 * because keys and links that were printed on a terminal must not open a public service.
 */
import { Effect } from "effect"
import { PLAN_IDS, type PlanId } from "../settings/feature-options.ts"
import { Storage } from "../storage/storage.ts"
import type { Unavailable } from "../storage/storage-errors.ts"
import { Accounts } from "./accounts.ts"
import { NO_LIMITS, TEAM_KEY_SCOPES } from "./key-limits.ts"

/** A demo account's plan and its whole key. */
export interface DemoAccount {
  readonly plan: PlanId
  readonly key: string
  /** A test key, of the account of the highest plan; null for the others. */
  readonly testKey: string | null
}

/** The plan whose account has a test key, because it has every feature. */
const TESTED_PLAN: PlanId = "business"

// `.invalid` is a name that no mail can ever reach (RFC 2606).
const addressOf = (plan: PlanId) => `${plan}@demo.invalid`

/**
 * Makes the demo accounts, lowest plan first; answers none in production mode or when there are accounts already.
 *
 * Fails with `Unavailable`; then none was made.
 */
export const makeDemoAccounts = (
  mode: "development" | "production",
): Effect.Effect<readonly DemoAccount[], Unavailable, Storage | Accounts> =>
  Effect.gen(function* () {
    if (mode === "production") return []
    const storage = yield* Storage
    const accounts = yield* Accounts
    const makeOne = (plan: PlanId) =>
      Effect.gen(function* () {
        const owner = { name: `Demo ${plan}`, email: addressOf(plan), plan, isConfirmed: true } as const
        const { account, key } = yield* accounts.createAccount(owner)
        const limits = { ...NO_LIMITS, scopes: TEAM_KEY_SCOPES, mode: "test" } as const
        const test = plan === TESTED_PLAN ? yield* accounts.createKey(account.id, "Test", limits) : null
        return { plan, key, testKey: test?.key ?? null } satisfies DemoAccount
      }).pipe(Effect.catchTags({ AccountNotFound: Effect.die, TooManyKeys: Effect.die }))
    const makeMissing = Effect.gen(function* () {
      const isFirstStart = (yield* storage.accounts.count({})) === 0
      return isFirstStart ? yield* Effect.forEach(PLAN_IDS, makeOne) : []
    })
    // An address is taken if another server makes the same accounts at this moment: then that server shows the keys.
    return yield* Effect.catchTag(storage.transact(makeMissing), "EmailTaken", () => Effect.succeed([]))
  })

/**
 * Deactivates every key of the demo accounts, for good, and disables the accounts, so that no session or mailed link makes another key;
 * without demo accounts nothing happens.
 *
 * Fails with `Unavailable`; then a key may still work.
 */
export const endDemoAccounts: Effect.Effect<void, Unavailable, Accounts> = Effect.gen(function* () {
  const accounts = yield* Accounts
  for (const plan of PLAN_IDS) {
    const account = yield* accounts.findAccountByEmail(addressOf(plan))
    if (account === null) continue
    if (!account.isDisabled) yield* accounts.setDisabled(account.id, true)
    const active = (yield* accounts.listKeys(account.id)).filter(({ isActive }) => isActive)
    yield* Effect.forEach(active, key => accounts.revokeKey(key.id), { discard: true })
  }
}).pipe(Effect.catchTags({ AccountNotFound: Effect.die, NoSuchKey: Effect.die }))
