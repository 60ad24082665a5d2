/**
 * Who has an account, on which plan, and how is it changed?
 *
 * An address has one account; capital and small letters do not count. Erasing an account keeps its number and its counts, and
 * nothing of the person.
 */
import { Clock, Effect, Schema } from "effect"
import type { Language } from "../../src/full.ts"
import { isRunning } from "../plans/subscription-state.ts"
import type { PlanId } from "../settings/feature-options.ts"
import type { AccountRow } from "../storage/accounts-repository.ts"
import { Conflict } from "../storage/storage-errors.ts"
import { type Account, foldEmail } from "./account.ts"
import { nowAsText } from "./account-keys.ts"
import type { AccountStore, Stored } from "./account-store.ts"
import { makeReferrals } from "./referrals.ts"

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

/** Makes what can be done with the accounts of a store. */
export function makeAccountRecords(store: AccountStore) {
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
      yield* rows.insertAccount({ ...row, email_folded: foldEmail(account.email) })
      const { row: keyRow, key } = yield* keys.insert(row.id, "account", "")
      yield* note(row.id, "account_made", `plan ${row.plan}, key ${keyRow.id}`)
      return { account: toAccount(row), key }
    })

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
        const row = yield* rows.findAccountByEmail(foldEmail(email))
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

    findAccount: (id: number) => Effect.map(rows.findAccount(id), row => (row === undefined ? null : toAccount(row))),

    findAccountByEmail: (email: string) =>
      Effect.map(rows.findAccountByEmail(foldEmail(email)), row => (row === undefined ? null : toAccount(row))),

    /** Up to a number of accounts with ids above a given one, in the order of their ids. */
    listAccounts: (options: { readonly afterId: number; readonly limit: number }) =>
      Effect.map(rows.listAccounts(options), found => found.map(toAccount)),

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
        yield* rows.confirmAccount(id)
        const { row, key } = yield* keys.insert(id, "account", "")
        yield* note(id, "email_confirmed", `all earlier access has ended, key ${row.id}`)
        return key
      }),

    /** Changes the address, which then has to be confirmed; ends every key, session, webhook and device. */
    changeEmail: (id: number, email: string) =>
      changing(function* () {
        yield* holdAccount(id)
        yield* rows.setEmail(id, email, foldEmail(email))
        yield* storage.accountData.endAccess(id)
        yield* note(id, "email_changed", "all earlier access has ended")
      }).pipe(Effect.catchTag("Conflict", () => new EmailTaken())),

    setPlan: (id: number, plan: PlanId) =>
      changing(function* () {
        const before = yield* holdAccount(id)
        if (before.plan === plan) return
        yield* rows.setPlan(id, plan)
        yield* note(id, "plan_changed", `${before.plan} to ${plan}`)
      }),

    /** Pins the version of the lookup that is answered where a request names none; null pins none. */
    setApiVersion: (id: number, version: string | null) =>
      changing(function* () {
        yield* requireAccount(id)
        yield* rows.setApiVersion(id, version)
      }),

    /** Chooses the language of mails that the service sends on its own. */
    setLanguage: (id: number, language: Language) =>
      storage.transact(Effect.andThen(requireAccount(id), rows.setLanguage(id, language))),

    /** Disables an account, or enables it again: while it is disabled, none of its keys works. */
    setDisabled: (id: number, isDisabled: boolean) =>
      changing(function* () {
        yield* requireAccount(id)
        yield* rows.setDisabled(id, isDisabled)
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
