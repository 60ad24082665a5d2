/**
 * What was paid: which events has the payment provider sent, what has each affiliate earned, and which calls were paid for one by one?
 *
 * Events are stored once, by their id, with the names by which others refer to them. One process at a time folds the state of a
 * subscription from them: the first statement takes a lock until the transaction ends. Amounts are whole cents; a commission belongs to one
 * invoice, and is rewritten when a part of that invoice is refunded. An authorisation of a single call is identified by network, asset,
 * payer and nonce, and claimed by the request that it pays for: of two requests with the same one, on any nodes, one gets it. After delivery
 * it is never claimed again. An expired claim, whose process died, can be taken over.
 */
import { Effect } from "effect"
import type { Database } from "./database.ts"
import { bumpCounter, makeTable, otherThan, upTo } from "./table-statements.ts"
import type { Row } from "./tables.ts"

/** The names by which events refer to one another. */
export type EventNames = Partial<
  Readonly<Record<"subscriptionIds" | "invoiceIds" | "paymentIds", readonly string[] | undefined>>
>
/** A subscription, with its current plan; its state is JSON. */
export type SubscriptionRow = Row<"subscriptions">

/** The statements on events and subscriptions. */
export const makeBillingRepository = (database: Database) => {
  const events = makeTable(database, "billing_events")
  const subscriptions = makeTable(database, "subscriptions")
  return {
    ...subscriptions,

    save: (row: SubscriptionRow) => subscriptions.put([row], "id"),
    listOf: (account_id: number) => subscriptions.list({ account_id }, { order: ["id"] }),

    /** Makes all other changes of subscriptions wait until the transaction ends. */
    hold: Effect.asVoid(bumpCounter(database, "billing_revision")),

    /** Keeps an event, as it was understood; says whether it is new. */
    addEvent: (row: Row<"billing_events">) =>
      database.hasChanged(
        sql => sql`INSERT INTO billing_events ${sql.insert({ ...row })} ON CONFLICT (id) DO NOTHING RETURNING id`,
      ),

    /** Events that have any of some names. */
    listEvents: (names: EventNames) =>
      Effect.map(
        Effect.all([
          events.findAll("subscription_id", names.subscriptionIds ?? []),
          events.findAll("invoice_id", names.invoiceIds ?? []),
          events.findAll("payment_id", names.paymentIds ?? []),
        ]),
        found => [...new Map(found.flat().map(row => [row.id, row])).values()],
      ),

    /** Subscriptions whose plan changes by itself before an instant, up to a number. */
    listDue: (nowMs: number, limit: number) =>
      subscriptions.list({ next_change_at: upTo(nowMs) }, { order: ["next_change_at"], limit }),
  }
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
  const accounts = makeTable(database, "accounts")
  const claims = makeTable(database, "referral_claims")
  const commissions = makeTable(database, "commissions")
  return {
    ...makeTable(database, "affiliates", ["email_folded"]),

    addClick: (affiliateId: string, month: string) =>
      database.run(
        sql => sql`INSERT INTO affiliate_clicks (affiliate_id, month, clicks) VALUES (${affiliateId}, ${month}, 1)
            ON CONFLICT (affiliate_id, month) DO UPDATE SET clicks = affiliate_clicks.clicks + 1`,
      ),

    /** The affiliate who referred an account, and when; undefined if there is none. */
    findReferral: (id: number) =>
      Effect.map(accounts.find({ id, referred_by: otherThan(null) }), row =>
        row === undefined ? undefined : { referred_by: row.referred_by!, referred_at: row.referred_at! },
      ),

    /** Records who referred an account, unless that is recorded already; says whether it was written. */
    refer: (id: number, referred_by: string, referred_at: number) =>
      accounts.hasChanged({ id, referred_by: null }, { referred_by, referred_at }),

    /** Forgets who referred an account; says whether there was one. */
    decline: (id: number) =>
      accounts.hasChanged({ id, referred_by: otherThan(null) }, { referred_by: null, referred_at: null }),

    /** Records a claim, unless the address has one that counts. */
    claim: (row: Row<"referral_claims">) =>
      database.run(
        sql => sql`INSERT INTO referral_claims ${sql.insert({ ...row })} ON CONFLICT (email_hash) DO UPDATE SET
            account_id = excluded.account_id, affiliate_id = excluded.affiliate_id, made_at = excluded.made_at
            WHERE referral_claims.account_id IS NULL`,
      ),

    /** Removes the claim that counts for an account, and returns it. */
    takeClaim: (account_id: number) => claims.take({ account_id }),

    saveCommission: (row: Row<"commissions">) =>
      commissions.put([row], "invoice_id", ["paid_cents", "refunded_cents", "commission_cents"]),

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

/** One payment. Instants are epoch milliseconds; `settlement` is the facilitator's answer, as JSON. */
export type PaymentRow = Omit<Row<"payments">, "claim">
/** The identity of an authorisation. */
export type PaymentName = Pick<PaymentRow, "network" | "asset" | "payer" | "nonce">

/** The statements on payments. */
export const makePaymentsRepository = (database: Database) => {
  const payments = makeTable(database, "payments", ["claim"])
  return {
    ...payments,
    nextId: bumpCounter(database, "payments_id"),

    /**
     * Claims an authorisation that is new, has failed, or whose claim has expired undelivered; undefined where it is claimed by
     * another request, or used.
     */
    claim: ({ network, asset, payer, nonce }: PaymentName, more: Omit<Row<"payments">, keyof PaymentName | Later>) =>
      database.changeOne(sql => {
        const row = { network, asset, payer, nonce, ...more, state: "claimed" }
        return sql<PaymentRow>`INSERT INTO payments ${sql.insert(row)}
          ON CONFLICT (network, asset, payer, nonce) DO UPDATE SET
            claim = excluded.claim, claimed_until = excluded.claimed_until, question = excluded.question,
            state = CASE WHEN payments.state = 'failed' THEN 'claimed' ELSE payments.state END
          WHERE payments.delivered_at IS NULL AND payments.claimed_until <= ${more.created_at}
          RETURNING ${payments.columns}`
      }),

    /** Writes the outcome of a claimed payment; a claim that was taken over writes nothing. */
    settle: (id: number, claim: string, outcome: Pick<PaymentRow, "state" | "claimed_until"> & Partial<PaymentRow>) =>
      payments.update({ id, claim }, { error: null, ...outcome }),

    /** Claims payments whose settlement is unknown, up to a number. */
    claimOpen: (claim: string, nowMs: number, claimedUntil: number, limit: number) =>
      database.change(
        sql => sql<PaymentRow>`UPDATE payments SET claim = ${claim}, claimed_until = ${claimedUntil}
          WHERE id IN (
            SELECT id FROM payments WHERE state IN ('settling', 'unknown') AND claimed_until <= ${nowMs}
            ORDER BY claimed_until LIMIT ${limit} ${database.skipLocked}
          ) RETURNING ${payments.columns}`,
      ),
  }
}

/** What is not known of a payment that is claimed. */
type Later = "state" | "settlement" | "error" | "settled_at" | "delivered_at"
