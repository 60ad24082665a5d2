/**
 * Who has referred an account?
 *
 * The owner of an account names the affiliate, before the first payment; nobody can refer an account of the own mailbox. What strangers
 * claim about an address waits until it is confirmed, and follows the same rules then. The first referral that counts stays.
 */
import { Clock, Effect } from "effect"
import type { StorageShape } from "../storage/storage.ts"
import type { Unavailable } from "../storage/storage-errors.ts"
import { type Account, mailboxOf } from "./account.ts"

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

/** Who referred an account, over the rows of a storage. */
export const makeReferrals = ({ affiliates, billing }: Pick<StorageShape, "affiliates" | "billing">) => {
  const isOwn = (affiliate: { readonly email: string }, email: string) =>
    mailboxOf(affiliate.email) === mailboxOf(email)

  /** Records who referred an account. */
  const refer = (account: Pick<Account, "id" | "email">, id: string) =>
    Effect.gen(function* (): Effect.fn.Return<Referral, Unavailable> {
      const affiliate = yield* affiliates.find({ id })
      if (affiliate === undefined) return { kind: "no_affiliate" }
      if (isOwn(affiliate, account.email)) return { kind: "self" }
      const before = yield* affiliates.findReferral(account.id)
      if (before === undefined) {
        if ((yield* billing.listOf(account.id)).length > 0) return { kind: "paid_before" }
        if (yield* affiliates.refer(account.id, id, yield* Clock.currentTimeMillis)) return { kind: "referred", by: id }
      }
      const by = (before ?? (yield* affiliates.findReferral(account.id)))?.referred_by ?? id
      return { kind: by === id ? "referred" : "referred_before", by }
    })

  return {
    isOwn,
    refer,
    /** Records the referral that was claimed for an account before its address is confirmed now. */
    adoptClaim: (account: Pick<Account, "id" | "email">): Effect.Effect<void, Unavailable> =>
      Effect.flatMap(affiliates.takeClaim(account.id), claim =>
        claim === undefined ? Effect.void : Effect.asVoid(refer(account, claim.affiliate_id)),
      ),
  }
}
