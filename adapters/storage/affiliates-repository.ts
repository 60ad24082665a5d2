/**
 * Which affiliates exist, whom have they referred, and what have they earned? Amounts are whole cents; a commission belongs to one invoice,
 * and is rewritten when a part of that invoice is refunded.
 */
import { Effect } from "effect"
import type { Database } from "./database.ts"
import type { Conflict, Unavailable } from "./storage-errors.ts"

export interface AffiliateRow {
  readonly id: string
  readonly name: string
  readonly email: string
  readonly created_at: string
}

/** What somebody says about who referred the owner of an address. */
export interface ReferralClaimRow {
  readonly email_hash: string
  /** The account for which it counts; null for none. */
  readonly account_id: number | null
  readonly affiliate_id: string
  readonly made_at: number
}

/** An affiliate's commission for one invoice. */
export interface CommissionRow {
  readonly invoice_id: string
  readonly affiliate_id: string
  readonly account_id: number
  readonly month: string
  readonly paid_cents: number
  readonly refunded_cents: number
  readonly commission_cents: number
}

/** The totals of an affiliate over some time. */
export interface AffiliateTotals {
  readonly clicks: number
  readonly referrals: number
  readonly conversions: number
  readonly revenue_cents: number
  readonly commission_cents: number
}

/** The statements on affiliates. */
export const makeAffiliatesRepository = (database: Database) => {
  const columns = database.sql.literal("id, name, email, created_at")
  return {
    insert: (row: AffiliateRow & { readonly email_folded: string }): Effect.Effect<void, Conflict | Unavailable> =>
      Effect.asVoid(database.insert(sql => sql`INSERT INTO affiliates ${sql.insert({ ...row })}`)),

    find: (id: string) => database.askOne(sql => sql<AffiliateRow>`SELECT ${columns} FROM affiliates WHERE id = ${id}`),

    findByEmail: (emailFolded: string) =>
      database.askOne(sql => sql<AffiliateRow>`SELECT ${columns} FROM affiliates WHERE email_folded = ${emailFolded}`),

    addClick: (affiliateId: string, month: string) =>
      database.run(
        sql => sql`INSERT INTO affiliate_clicks (affiliate_id, month, clicks) VALUES (${affiliateId}, ${month}, 1)
            ON CONFLICT (affiliate_id, month) DO UPDATE SET clicks = affiliate_clicks.clicks + 1`,
      ),

    /** The affiliate who referred an account, and when; undefined if there is none. */
    findReferral: (accountId: number) =>
      database.askOne(
        sql => sql<{ referred_by: string; referred_at: number }>`SELECT referred_by, referred_at FROM accounts
            WHERE id = ${accountId} AND referred_by IS NOT NULL`,
      ),

    /** Records who referred an account, unless that is recorded already; says whether it was written. */
    refer: (accountId: number, affiliateId: string, nowMs: number) =>
      database.hasChanged(
        sql => sql`UPDATE accounts SET referred_by = ${affiliateId}, referred_at = ${nowMs}
            WHERE id = ${accountId} AND referred_by IS NULL RETURNING id`,
      ),

    /** Forgets who referred an account; says whether there was one. */
    decline: (accountId: number) =>
      database.hasChanged(
        sql => sql`UPDATE accounts SET referred_by = NULL, referred_at = NULL
            WHERE id = ${accountId} AND referred_by IS NOT NULL RETURNING id`,
      ),

    /** Records a claim, unless the address has one that counts. */
    claim: (row: ReferralClaimRow) =>
      database.run(
        sql => sql`INSERT INTO referral_claims ${sql.insert({ ...row })} ON CONFLICT (email_hash) DO UPDATE SET
            account_id = excluded.account_id, affiliate_id = excluded.affiliate_id, made_at = excluded.made_at
            WHERE referral_claims.account_id IS NULL`,
      ),

    /** Removes the claim that counts for an account, and returns it. */
    takeClaim: (accountId: number) =>
      database.changeOne(
        sql => sql<{ affiliate_id: string }>`DELETE FROM referral_claims WHERE account_id = ${accountId}
            RETURNING affiliate_id`,
      ),

    forgetClaims: (beforeMs: number) =>
      database.run(sql => sql`DELETE FROM referral_claims WHERE made_at < ${beforeMs}`),

    /** Deletes affiliates from before a day that nobody has ever clicked, named or been referred by. */
    forgetUnused: (before: string) =>
      database.run(
        sql => sql`DELETE FROM affiliates WHERE created_at < ${before}
            AND id NOT IN (SELECT affiliate_id FROM affiliate_clicks)
            AND id NOT IN (SELECT affiliate_id FROM referral_claims)
            AND id NOT IN (SELECT affiliate_id FROM commissions)
            AND id NOT IN (SELECT referred_by FROM accounts WHERE referred_by IS NOT NULL)`,
      ),

    saveCommission: (row: CommissionRow) =>
      database.run(
        sql => sql`INSERT INTO commissions ${sql.insert({ ...row })} ON CONFLICT (invoice_id) DO UPDATE SET
            paid_cents = excluded.paid_cents, refunded_cents = excluded.refunded_cents,
            commission_cents = excluded.commission_cents`,
      ),

    /** The totals of an affiliate since an instant, and in the months from a given one on. */
    readTotals: (id: string, since: { readonly month: string; readonly ms: number }) =>
      Effect.map(
        database.ask(
          sql => sql<AffiliateTotals>`SELECT
            (SELECT CAST(COALESCE(SUM(clicks), 0) AS BIGINT) FROM affiliate_clicks
              WHERE affiliate_id = ${id} AND month >= ${since.month}) AS clicks,
            (SELECT COUNT(*) FROM accounts WHERE referred_by = ${id} AND referred_at >= ${since.ms}) AS referrals,
            CAST(COUNT(DISTINCT account_id) AS INTEGER) AS conversions,
            CAST(COALESCE(SUM(paid_cents - refunded_cents), 0) AS BIGINT) AS revenue_cents,
            CAST(COALESCE(SUM(commission_cents), 0) AS BIGINT) AS commission_cents
            FROM commissions WHERE affiliate_id = ${id} AND month >= ${since.month}`,
        ),
        ([totals]) => totals!,
      ),
  }
}
