/**
 * Who is paid for referring customers?
 *
 * An affiliate has an address and an id that others put into links. The owner of an account names the affiliate who referred it
 * (`referrals.ts`), and may decline. Anybody may claim it for an address, and learns nothing about it: the claim counts if the address had an
 * account that was not confirmed, and when it is. A click counts once a day for each client's address, so it cannot be inflated. Commissions
 * are written together with payments (`billing.ts`).
 */
import { randomBytes } from "node:crypto"
import { Clock, Context, Effect, Layer } from "effect"
import { foldEmail } from "../accounts/account.ts"
import { makeAttempts } from "../accounts/attempts.ts"
import { makeAuditTrail, nowAsText } from "../accounts/audit-trail.ts"
import { makeReferrals } from "../accounts/referrals.ts"
import { DeploymentSecret } from "../secrets/deployment-secret.ts"
import { makeHasher } from "../secrets/sealing.ts"
import { Storage } from "../storage/storage.ts"
import { utcMonthAt } from "../time/utc-calendar.ts"

/** The form of an affiliate's id. */
export const AFFILIATE_ID = /^aff_[a-f0-9]{8}$/

const EVER = { month: "0000-00", ms: 0 }

export class Affiliates extends Context.Service<Affiliates>()("landfall/billing/Affiliates", {
  make: Effect.gen(function* () {
    const storage = yield* Storage
    const secret = yield* DeploymentSecret
    const attempts = makeAttempts(storage, secret)
    const hash = makeHasher(secret, "referral claim")
    const { accounts, affiliates, transact } = storage
    const { note } = makeAuditTrail(storage)
    const { isOwn, refer } = makeReferrals(storage)

    return {
      /** Fails with `Conflict` if the same address is being registered at this moment: a retry is safe. */
      register: (name: string, email: string) =>
        Effect.gen(function* () {
          const known = yield* affiliates.find({ email_folded: foldEmail(email) })
          if (known !== undefined) return { id: known.id, isNew: false }
          const id = `aff_${randomBytes(4).toString("hex")}`
          yield* affiliates.insertUnique({
            id,
            name,
            email,
            email_folded: foldEmail(email),
            created_at: yield* nowAsText,
          })
          return { id, isNew: true }
        }),

      /** Counts a click; false where there is no such affiliate. */
      click: (id: string, client: string) =>
        Effect.gen(function* () {
          if ((yield* affiliates.find({ id })) === undefined) return false
          const { isAllowed } = yield* attempts.take("counted_click", `${id} ${client}`)
          if (isAllowed) yield* affiliates.addClick(id, utcMonthAt(yield* Clock.currentTimeMillis).name)
          return true
        }),

      refer,

      /** Records a claim that somebody makes for an address; false where there is no such affiliate. The same work for every address. */
      claim: (id: string, email: string) =>
        Effect.gen(function* () {
          const affiliate = yield* affiliates.find({ id })
          if (affiliate === undefined) return false
          const account = yield* accounts.find({ email_folded: foldEmail(email) })
          const counts = account !== undefined && !account.is_confirmed && !isOwn(affiliate, email)
          yield* affiliates.claim({
            email_hash: hash(foldEmail(email)),
            account_id: counts ? account.id : null,
            affiliate_id: id,
            made_at: yield* Clock.currentTimeMillis,
          })
          return true
        }),

      /** The owner of an account declines whoever is recorded to have referred it; what was earned before stays. */
      decline: (accountId: number) =>
        transact(
          Effect.gen(function* () {
            if (yield* affiliates.decline(accountId)) yield* note(accountId, "referral_declined", "")
          }),
        ),

      /** The affiliate with an address, and with an id where one is given. */
      find: (email: string, id?: string) =>
        Effect.map(affiliates.find({ email_folded: foldEmail(email) }), found =>
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
