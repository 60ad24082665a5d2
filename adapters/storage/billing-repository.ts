/**
 * Which events has the payment provider sent, and what is the state of each subscription?
 *
 * Events are stored once, by their id, with the names by which others refer to them. One process at a time folds the state of a
 * subscription from them: the first statement takes a lock until the transaction ends.
 */
import { Effect } from "effect"
import { bumpCounter } from "./counter.ts"
import type { Database } from "./database.ts"
import type { Unavailable } from "./storage-errors.ts"

/** One event, as it was understood. */
export interface BillingEventRow {
  readonly id: string
  readonly subscription_id: string | null
  readonly invoice_id: string | null
  readonly payment_id: string | null
  readonly created_at: number
  readonly body: string
}

export interface SubscriptionRow {
  readonly id: string
  readonly account_id: number | null
  readonly customer_id: string | null
  /** Its current plan. */
  readonly plan: string
  /** JSON. */
  readonly state: string
  readonly failed_at: number | null
  readonly next_change_at: number | null
}

const EVENT = "id, subscription_id, invoice_id, payment_id, created_at, body"
const SUBSCRIPTION = "id, account_id, customer_id, plan, state, failed_at, next_change_at"

/** The statements on events and subscriptions. */
export const makeBillingRepository = (database: Database) => {
  const { sql } = database
  const eventColumns = sql.literal(EVENT)
  const columns = sql.literal(SUBSCRIPTION)
  return {
    /** Makes all other changes of subscriptions wait until the transaction ends. */
    hold: Effect.asVoid(bumpCounter(database, "billing_revision")),

    /** Keeps an event; says whether it is new. */
    addEvent: (row: BillingEventRow) =>
      database.hasChanged(
        query => query`INSERT INTO billing_events ${query.insert({ ...row })} ON CONFLICT (id) DO NOTHING RETURNING id`,
      ),

    /** Events that have any of some names. */
    listEvents: (names: {
      readonly subscriptionIds?: readonly string[]
      readonly invoiceIds?: readonly string[]
      readonly paymentIds?: readonly string[]
    }): Effect.Effect<readonly BillingEventRow[], Unavailable> =>
      Effect.map(
        Effect.forEach(
          [
            ["subscription_id", names.subscriptionIds ?? []],
            ["invoice_id", names.invoiceIds ?? []],
            ["payment_id", names.paymentIds ?? []],
          ] as const,
          ([column, ids]) =>
            database.askAll(
              ids,
              (query, some) =>
                query<BillingEventRow>`SELECT ${eventColumns} FROM billing_events WHERE ${query.in(column, some)}`,
            ),
        ),
        found => [...new Map(found.flat().map(row => [row.id, row])).values()],
      ),

    find: (id: string) =>
      database.askOne(query => query<SubscriptionRow>`SELECT ${columns} FROM subscriptions WHERE id = ${id}`),

    listOf: (accountId: number) =>
      database.ask(
        query =>
          query<SubscriptionRow>`SELECT ${columns} FROM subscriptions WHERE account_id = ${accountId} ORDER BY id`,
      ),

    /** Subscriptions whose plan changes by itself before an instant, up to a number. */
    listDue: (nowMs: number, limit: number) =>
      database.ask(
        query => query<SubscriptionRow>`SELECT ${columns} FROM subscriptions
          WHERE next_change_at IS NOT NULL AND next_change_at <= ${nowMs} ORDER BY next_change_at LIMIT ${limit}`,
      ),

    save: (row: SubscriptionRow) =>
      database.run(
        query => query`INSERT INTO subscriptions ${query.insert({ ...row })} ON CONFLICT (id) DO UPDATE SET
            account_id = excluded.account_id, customer_id = excluded.customer_id, plan = excluded.plan, state = excluded.state,
            failed_at = excluded.failed_at, next_change_at = excluded.next_change_at`,
      ),
  }
}
