/**
 * Who is paid for referring customers?
 *
 * An affiliate has an address and an id that others put into links. The owner of an account names the affiliate who referred it, once,
 * before the first payment; nobody can refer an account of the own mailbox. A click counts once a day for each client's address, so it
 * cannot be inflated. Commissions are written together with payments (`billing.ts`).
 */
import { randomBytes } from "node:crypto"
import { Clock, Context, Effect, Layer } from "effect"
import { DeploymentSecret } from "../../platform/secrets/deployment-secret.ts"
import { Storage } from "../../platform/storage/storage.ts"
import type { Unavailable } from "../../platform/storage/storage-errors.ts"
import { utcMonthAt } from "../../platform/time/utc-calendar.ts"
import { type Account, foldEmail, mailboxOf } from "../accounts/account.ts"
import { nowAsText } from "../accounts/account-keys.ts"
import { makeAttempts } from "../accounts/attempts.ts"

/** The form of an affiliate's id. */
export const AFFILIATE_ID = /^aff_[a-f0-9]{8}$/

/** Why a referral is not noted. */
export const REFERRAL_REFUSALS = {
  no_affiliate: "There is no such affiliate.",
  self: "An affiliate cannot refer its own account.",
  paid_before: "A referral counts only before the first payment.",
} as const

export type Referral =
  | { readonly kind: "referred"; readonly by: string }
  | { readonly kind: "referred_before"; readonly by: string }
  | { readonly kind: keyof typeof REFERRAL_REFUSALS }

const EVER = { month: "0000-00", ms: 0 }

export class Affiliates extends Context.Service<Affiliates>()("landfall/billing/Affiliates", {
  make: Effect.gen(function* () {
    const storage = yield* Storage
    const attempts = makeAttempts(storage, yield* DeploymentSecret)
    const { affiliates, billing } = storage

    return {
      /** Fails with `Conflict` if the same address is being registered at this moment: a retry is safe. */
      register: (name: string, email: string) =>
        Effect.gen(function* () {
          const known = yield* affiliates.findByEmail(foldEmail(email))
          if (known !== undefined) return { id: known.id, isNew: false }
          const id = `aff_${randomBytes(4).toString("hex")}`
          yield* affiliates.insert({ id, name, email, email_folded: foldEmail(email), created_at: yield* nowAsText })
          return { id, isNew: true }
        }),

      /** Counts a click; false where there is no such affiliate. */
      click: (id: string, client: string) =>
        Effect.gen(function* () {
          if ((yield* affiliates.find(id)) === undefined) return false
          const { isAllowed } = yield* attempts.take("counted_click", `${id} ${client}`)
          if (isAllowed) yield* affiliates.addClick(id, utcMonthAt(yield* Clock.currentTimeMillis).name)
          return true
        }),

      /** Records who referred an account. */
      refer: (account: Account, id: string) =>
        Effect.gen(function* (): Effect.fn.Return<Referral, Unavailable> {
          const affiliate = yield* affiliates.find(id)
          if (affiliate === undefined) return { kind: "no_affiliate" }
          if (mailboxOf(affiliate.email) === mailboxOf(account.email)) return { kind: "self" }
          const before = yield* affiliates.findReferral(account.id)
          if (before === undefined) {
            if ((yield* billing.listOf(account.id)).length > 0) return { kind: "paid_before" }
            if (yield* affiliates.refer(account.id, id, yield* Clock.currentTimeMillis))
              return { kind: "referred", by: id }
          }
          const by = (before ?? (yield* affiliates.findReferral(account.id)))?.referred_by ?? id
          return { kind: by === id ? "referred" : "referred_before", by }
        }),

      /** The affiliate with an address, and with an id where one is given. */
      find: (email: string, id?: string) =>
        Effect.map(affiliates.findByEmail(foldEmail(email)), found =>
          found === undefined || (id !== undefined && found.id !== id) ? null : found,
        ),

      readTotals: (id: string) =>
        Effect.gen(function* () {
          const month = utcMonthAt(yield* Clock.currentTimeMillis)
          const thisMonth = yield* affiliates.readTotals(id, { month: month.name, ms: month.startsAt })
          return { lifetime: yield* affiliates.readTotals(id, EVER), thisMonth }
        }),
    }
  }),
}) {
  static readonly layer = Layer.effect(Affiliates, Affiliates.make)
}
