/**
 * With what does a stranger try the service in the first minute?
 *
 * The first start of a development server on an empty database makes one confirmed account for each plan. Their whole keys are in
 * that one answer, for printing, and in no later one; the keys go on working. A production server makes none.
 */
import { Effect } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import { makeAccountsRepository } from "../storage/accounts-repository.ts"
import { Accounts } from "./accounts.ts"
import { PLAN_IDS, type PlanId } from "./plans.ts"

/** A demo account's plan and its whole key. */
export interface DemoAccount {
  readonly plan: PlanId
  readonly key: string
}

/**
 * Makes the demo accounts, lowest plan first; answers none in production mode or when there are accounts already.
 *
 * Fails with `SqlError`; then none was made.
 */
export const makeDemoAccounts = (
  mode: "development" | "production",
): Effect.Effect<readonly DemoAccount[], SqlError.SqlError, SqlClient.SqlClient | Accounts> =>
  Effect.gen(function* () {
    if (mode === "production") return []
    const sql = yield* SqlClient.SqlClient
    const rows = yield* makeAccountsRepository
    const accounts = yield* Accounts
    // `.invalid` is a name that no mail can ever reach (RFC 2606).
    const makeOne = (plan: PlanId) =>
      Effect.map(
        accounts.createAccount({ name: `Demo ${plan}`, email: `${plan}@demo.invalid`, plan, isConfirmed: true }),
        ({ key }): DemoAccount => ({ plan, key }),
      )
    const makeMissing = Effect.gen(function* () {
      const isFirstStart = (yield* rows.countAccounts) === 0
      return isFirstStart ? yield* Effect.forEach(PLAN_IDS, makeOne) : []
    })
    // An address is taken when another server makes the same accounts at this moment: then that one shows the keys.
    return yield* Effect.catchTag(sql.withTransaction(makeMissing), "EmailTaken", () => Effect.succeed([]))
  })
