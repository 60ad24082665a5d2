/** Events as Stripe writes and signs them, for tests and local services: the fields of each that the service reads. */
import { randomUUID } from "node:crypto"
import Stripe from "stripe"

/** Signs a body at an instant, as Stripe's own library does. */
export const signBody = (payload: string, secret: string, atMs: number): string =>
  Stripe.webhooks.generateTestHeaderString({ payload, secret, timestamp: Math.floor(atMs / 1_000) })

/** An event, as JSON. */
export const writeEvent = (type: string, atMs: number, object: object): string =>
  JSON.stringify({
    id: `evt_${randomUUID()}`,
    object: "event",
    type,
    created: Math.floor(atMs / 1_000),
    data: { object },
  })

/** The events of one subscription of an account. */
export const makeEvents = (accountId: number, subscription = "sub_1", customer = "cus_1") => {
  const metadata = { account_id: String(accountId) }
  return {
    completed: (atMs: number, plan: string) =>
      writeEvent("checkout.session.completed", atMs, {
        id: "cs_1",
        customer,
        subscription,
        client_reference_id: String(accountId),
        payment_status: "paid",
        metadata: { ...metadata, plan },
      }),
    updated: (atMs: number, price: string, endsMs: number, more: object = {}) =>
      writeEvent("customer.subscription.updated", atMs, {
        id: subscription,
        customer,
        status: "active",
        metadata,
        items: { data: [{ price: { id: price }, current_period_end: Math.floor(endsMs / 1_000) }] },
        ...more,
      }),
    paid: (atMs: number, invoice: string, cents: number) =>
      writeEvent("invoice.paid", atMs, {
        id: invoice,
        customer,
        amount_paid: cents,
        currency: "usd",
        parent: { subscription_details: { subscription, metadata } },
      }),
    failed: (atMs: number, invoice: string) =>
      writeEvent("invoice.payment_failed", atMs, {
        id: invoice,
        customer,
        parent: { subscription_details: { subscription, metadata } },
      }),
    matched: (atMs: number, invoice: string, payment: string) =>
      writeEvent("invoice_payment.paid", atMs, {
        id: "inpay_1",
        invoice,
        payment: { type: "payment_intent", payment_intent: payment },
      }),
    refunded: (atMs: number, payment: string, cents: number, isWhole: boolean) =>
      writeEvent("charge.refunded", atMs, {
        id: "ch_1",
        customer,
        payment_intent: payment,
        amount_refunded: cents,
        refunded: isWhole,
      }),
    deleted: (atMs: number) =>
      writeEvent("customer.subscription.deleted", atMs, { id: subscription, customer, metadata }),
  }
}
