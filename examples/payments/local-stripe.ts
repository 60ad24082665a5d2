/**
 * The part of Stripe that is needed to buy, change and end a plan on this machine, without a Stripe account.
 *
 * It has the two pages that the service sends people to, one to pay and one to change the plan, and reports what was done there to the service in signed events. It finds the service by
 * the return address of the checkout. Nothing is paid, and its state is lost when it ends.
 *
 * Run it: `npx node examples/payments/local-stripe.ts` (or `node examples/payments/local-stripe.ts PORT`); it prints the settings for the service.
 */
import { createServer, type IncomingMessage } from "node:http"
import { listenHere, startOrExit } from "./listen.ts"
import { makeEvents, signBody } from "./stripe-events.ts"

const WEBHOOK_PATH = "/api/v1/visa/stripe/webhook"
const PERIOD_MS = 30 * 86_400_000
/** The price of every plan here. */
const PRICE_CENTS = 900

/** A customer's open payment page. */
interface Checkout {
  readonly accountId: number
  readonly plan: string
  readonly price: string
  readonly subscription: string
  readonly customer: string
  readonly successUrl: string
  readonly cancelUrl: string
  isPaid: boolean
}

/** A running instance. */
export interface LocalStripe extends AsyncDisposable {
  readonly url: string
  /** The settings of the service, as environment variables. */
  readonly settings: Readonly<Record<string, string>>
}

export interface LocalStripeOptions {
  /** 0 takes a free one. */
  readonly port?: number
  /** The secret that signs events. */
  readonly webhookSecret?: string
  /** The clock of the events. */
  readonly now?: () => number
}

const escapeText = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;")

const writePage = (title: string, body: string): string =>
  `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${title}</title><main><h1>${title}</h1>${body}</main></html>`

const button = (does: string, label: string): string =>
  `<form method="post"><input type="hidden" name="do" value="${does}"><p><button>${label}</button></p></form>`

const readForm = async (request: IncomingMessage): Promise<URLSearchParams> => {
  let body = ""
  for await (const piece of request.setEncoding("utf8")) body += piece
  return new URLSearchParams(body)
}

export async function startLocalStripe(options: LocalStripeOptions = {}): Promise<LocalStripe> {
  const { port = 0, webhookSecret = "whsec_local", now = Date.now } = options
  const checkouts = new Map<string, Checkout>()
  const customers = new Map<string, { checkout: Checkout; returnUrl: string }>()
  let count = 0
  let url = ""

  /** Sends the service events, one after the other. */
  const tell = async ({ successUrl }: Checkout, events: readonly string[]) => {
    for (const body of events) {
      const response = await fetch(new URL(WEBHOOK_PATH, successUrl), {
        method: "POST",
        headers: { "content-type": "application/json", "stripe-signature": signBody(body, webhookSecret, now()) },
        body,
      })
      if (!response.ok) throw new Error(`the service has answered ${response.status}: ${await response.text()}`)
    }
  }

  const eventsOf = ({ accountId, subscription, customer }: Checkout) => makeEvents(accountId, subscription, customer)

  const pay = async (checkout: Checkout) => {
    if (checkout.isPaid) return
    const events = eventsOf(checkout)
    const at = now()
    await tell(checkout, [
      events.completed(at, checkout.plan),
      events.updated(at, checkout.price, at + PERIOD_MS),
      events.paid(at, `in_${checkout.subscription}`, PRICE_CENTS),
    ])
    checkout.isPaid = true
  }

  const changes: Readonly<Record<string, (checkout: Checkout) => readonly string[]>> = {
    end: checkout => [eventsOf(checkout).deleted(now())],
    fail: checkout => [eventsOf(checkout).failed(now(), `in_${checkout.subscription}_next`)],
    paid: checkout => [eventsOf(checkout).paid(now(), `in_${checkout.subscription}_next`, PRICE_CENTS)],
  }

  /** The answer of a path: a page, JSON, or an address to go to. */
  type Reply = { readonly page: string } | { readonly json: object } | { readonly goTo: string } | null

  async function answer(request: IncomingMessage): Promise<Reply> {
    const form = await readForm(request)
    const [, first, second, third] = String(request.url).split("/")
    const isPost = request.method === "POST"
    if (first === "v1" && second === "prices" && third !== undefined && !isPost) {
      return { json: { id: third, object: "price", unit_amount: PRICE_CENTS, currency: "usd" } }
    }
    if (first === "v1" && second === "checkout" && third === "sessions" && isPost) {
      const id = `cs_local_${++count}`
      checkouts.set(id, {
        accountId: Number(form.get("client_reference_id")),
        plan: form.get("metadata[plan]") ?? "",
        price: form.get("line_items[0][price]") ?? "",
        subscription: `sub_local_${count}`,
        customer: form.get("customer") ?? `cus_local_${form.get("client_reference_id")}`,
        successUrl: form.get("success_url") ?? "",
        cancelUrl: form.get("cancel_url") ?? "",
        isPaid: false,
      })
      return { json: { id, object: "checkout.session", url: `${url}/pay/${id}` } }
    }
    if (first === "v1" && second === "billing_portal" && third === "sessions" && isPost) {
      const customer = form.get("customer") ?? ""
      const checkout = [...checkouts.values()].findLast(one => one.customer === customer && one.isPaid)
      if (checkout === undefined) return null
      customers.set(customer, { checkout, returnUrl: form.get("return_url") ?? "" })
      return { json: { id: "bps_local", object: "billing_portal.session", url: `${url}/portal/${customer}` } }
    }
    const checkout = first === "pay" ? checkouts.get(second ?? "") : undefined
    if (checkout !== undefined && isPost) {
      if (form.get("do") !== "pay") return { goTo: checkout.cancelUrl }
      await pay(checkout)
      return { goTo: checkout.successUrl }
    }
    if (checkout !== undefined) {
      const price = `<p>The plan ${escapeText(checkout.plan)}, $${PRICE_CENTS / 100}. Nothing is paid: this page replaces Stripe's.</p>`
      return { page: writePage("Pay", price + button("pay", "Pay") + button("cancel", "Cancel")) }
    }
    const customer = first === "portal" ? customers.get(second ?? "") : undefined
    if (customer === undefined) return null
    const change = isPost ? changes[form.get("do") ?? ""] : undefined
    if (change !== undefined) {
      await tell(customer.checkout, change(customer.checkout))
      return { goTo: customer.returnUrl }
    }
    const buttons = [
      button("end", "End the subscription"),
      button("fail", "Let the next payment fail"),
      button("paid", "Pay the next invoice"),
    ]
    const back = `<p><a href="${escapeText(customer.returnUrl)}">Back</a></p>`
    return { page: writePage("Subscription", buttons.join("") + back) }
  }

  const server = createServer((request, response) => {
    const send = (status: number, type: string, body: string, headers: Record<string, string> = {}) =>
      response.writeHead(status, { "content-type": type, ...headers }).end(body)
    answer(request).then(
      reply => {
        if (reply === null) return send(404, "application/json", '{"error":{"type":"invalid_request_error"}}')
        if ("page" in reply) return send(200, "text/html; charset=utf-8", reply.page)
        if ("json" in reply) return send(200, "application/json", JSON.stringify(reply.json))
        return send(303, "text/plain", "", { location: reply.goTo })
      },
      (cause: unknown) => send(502, "text/plain; charset=utf-8", String(cause)),
    )
  })
  url = await listenHere(server, port)
  const prices = Object.fromEntries(
    ["hobby", "starter", "pro", "business"].map(plan => [
      plan,
      { monthly: `price_${plan}`, annual: `price_${plan}_annual` },
    ]),
  )
  return {
    url,
    settings: {
      LANDFALL_STRIPE_SECRET_KEY: "sk_test_local",
      LANDFALL_STRIPE_WEBHOOK_SECRET: webhookSecret,
      LANDFALL_STRIPE_API_BASE: url,
      LANDFALL_STRIPE_PRICES: JSON.stringify(prices),
    },
    [Symbol.asyncDispose]: () =>
      new Promise<void>(resolve => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

if (import.meta.main) {
  const { url, settings } = await startOrExit(startLocalStripe({ port: Number(process.argv[2] ?? 12_111) }))
  console.log(`A local Stripe listens on ${url}. For the service, in its shell:\n`)
  for (const [name, value] of Object.entries(settings)) console.log(`export ${name}='${value}'`)
}
