/**
 * How are accounts read and changed, so that every process notices?
 *
 * Through the repository's rows, with sealed keys and the audit trail. A change of callers or their rights is written in one transaction
 * with a new revision, so that other processes read again.
 */
import { Effect, Schema } from "effect"
import { DeploymentSecret } from "../secrets/deployment-secret.ts"
import type { AccountRow } from "../storage/accounts-repository.ts"
import { Storage } from "../storage/storage.ts"
import type { Unavailable } from "../storage/storage-errors.ts"
import { isErased } from "./account.ts"
import { makeAccountKeys } from "./account-keys.ts"
import { makeAuditTrail } from "./audit-trail.ts"

/** There is no account with this id. The declarations of other files name it, so it is exported. @public */
export class AccountNotFound extends Schema.TaggedError<AccountNotFound>()("AccountNotFound", {}) {}

/** What is read from or written to the storage. */
export type Stored<Value, Failure = never> = Effect.Effect<Value, Failure | Unavailable>

/** Opens the accounts of a storage; `onChange` runs after each change of callers or their rights. */
export const openAccountStore = (onChange: () => void) =>
  Effect.gen(function* () {
    const storage = yield* Storage
    const rows = storage.accounts
    const keys = makeAccountKeys(rows, yield* DeploymentSecret)
    const { note } = makeAuditTrail(storage)

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
      requireAccount: (id: number) => orNotFound(rows.findAccount(id)),
      /** Finds an account and locks it, so that two requests to replace its key run one after the other. */
      holdAccount: (id: number) => orNotFound(rows.holdAccount(id)),
    }
  })

export type AccountStore = Effect.Success<ReturnType<typeof openAccountStore>>
