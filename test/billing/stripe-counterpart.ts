/** Stripe's side on this machine: the two requests that the service makes, and events signed as Stripe signs them, by its own library. */
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import Stripe from "stripe"

export const WEBHOOK_SECRET = "whsec_of_the_tests"

/** A request of the service, its form read. */
export interface StripeRequest {
  readonly path: string
  readonly authorization: string | undefined
  readonly form: Readonly<Record<string, string>>
}

export interface StripeCounterpart extends AsyncDisposable {
  readonly url: string
  readonly requests: StripeRequest[]
  /** How many of the next requests fail. */
  failures: number
}

/** Starts it on a free port. */
export async function startStripe(): Promise<StripeCounterpart> {
  const requests: StripeRequest[] = []
  const state = { failures: 0 }
  const server = createServer((request, response) => {
    let body = ""
    request.on("data", piece => {
      body += piece
    })
    request.on("end", () => {
      const path = String(request.url)
      requests.push({
        path,
        authorization: request.headers.authorization,
        form: Object.fromEntries(new URLSearchParams(body)),
      })
      const send = (status: number, answer: object) => {
        response.writeHead(status, {
          "content-type": "application/json",
          "request-id": "req_1",
          "stripe-should-retry": "false",
        })
        response.end(JSON.stringify(answer))
      }
      if (state.failures > 0) {
        state.failures--
        return send(500, { error: { type: "api_error", message: "customer ana@example.org" } })
      }
      const name = path.split("/")[2]
      if (name === "checkout")
        return send(200, { id: "cs_1", object: "checkout.session", url: "http://pay.example/cs_1" })
      if (name === "billing_portal")
        return send(200, { id: "bps_1", object: "billing_portal.session", url: "http://pay.example/portal" })
      send(404, { error: { type: "invalid_request_error", message: "No such thing" } })
    })
  })
  await new Promise<void>(resolve => server.listen(0, "127.0.0.1", resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    get failures() {
      return state.failures
    },
    set failures(to) {
      state.failures = to
    },
    [Symbol.asyncDispose]: () => new Promise<void>(resolve => server.close(() => resolve())),
  }
}

/** The settings of a service that sells by it. */
export const stripeEnv = (url: string) => ({
  LANDFALL_STRIPE_SECRET_KEY: "sk_test_of_the_tests",
  LANDFALL_STRIPE_WEBHOOK_SECRET: WEBHOOK_SECRET,
  LANDFALL_STRIPE_API_BASE: url,
  LANDFALL_STRIPE_PRICES: JSON.stringify({
    hobby: { monthly: "price_hobby", annual: "price_hobby_annual" },
    pro: { monthly: "price_pro" },
    business: { monthly: "price_business" },
  }),
})

const stripe = new Stripe("sk_test_of_the_tests")

/** Signs a body at an instant. */
export const signBody = (payload: string, atMs: number, secret = WEBHOOK_SECRET): string =>
  stripe.webhooks.generateTestHeaderString({ payload, secret, timestamp: Math.floor(atMs / 1_000) })

let counted = 0

/** An event as Stripe writes it. */
export const writeEvent = (type: string, atMs: number, object: object): string =>
  JSON.stringify({ id: `evt_${++counted}`, object: "event", type, created: Math.floor(atMs / 1_000), data: { object } })

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
