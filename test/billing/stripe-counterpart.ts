/** Stripe's side on this machine: the two requests that the service makes, and events signed with the secret of the tests. */
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { signBody as sign } from "../../examples/payments/stripe-events.ts"

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
      const [, , name, id] = path.split("/")
      if (name === "prices") return send(200, { id, object: "price", unit_amount: 2900, currency: "eur" })
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

/** Signs a body at an instant. */
export const signBody = (payload: string, atMs: number, secret = WEBHOOK_SECRET): string => sign(payload, secret, atMs)
