/**
 * A payer and a facilitator of x402 that agree on everything: for tests of what the service does around a payment. The published client and facilitator are in
 * `test/peers/x402.test.ts`, which checks the payment itself.
 */
import { createServer } from "node:http"
import { listenHere } from "../../examples/payments/listen.ts"

const PAYER = `0x${"3".repeat(40)}`
const TRANSACTION = `0x${"1".padStart(64, "0")}`

/** A running facilitator. */
export interface StandIn extends AsyncDisposable {
  /** The settings of the service, as environment variables. */
  readonly settings: Readonly<Record<string, string>>
  /** How many payments were settled. */
  readonly settled: () => number
}

export async function startFacilitator(): Promise<StandIn> {
  let settled = 0
  const server = createServer((request, response) => {
    const isSettlement = request.url === "/settle"
    if (isSettlement) settled++
    const said = isSettlement ? { success: true, transaction: TRANSACTION } : { isValid: true }
    response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify({ ...said, payer: PAYER }))
  })
  const url = await listenHere(server, 0)
  return {
    settings: { LANDFALL_X402_PAY_TO: `0x${"1".repeat(40)}`, LANDFALL_X402_FACILITATOR_URL: url },
    settled: () => settled,
    [Symbol.asyncDispose]: () =>
      new Promise<void>(resolve => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

const readHeader = (header: string | null) => JSON.parse(Buffer.from(header ?? "", "base64").toString("utf8"))

/** Pays for one call as it was asked to, with a signature that only the facilitator above takes. */
export async function payOnce(url: string) {
  const { accepts } = (await (await fetch(url)).json()) as { readonly accepts: readonly Record<string, string>[] }
  const [accepted = {}] = accepts
  const { amount: value, payTo: to } = accepted
  const authorization = { from: PAYER, to, value, nonce: `0x${"5".repeat(64)}` }
  const payment = { x402Version: 2, accepted, payload: { signature: "0x", authorization } }
  const headers = { "payment-signature": Buffer.from(JSON.stringify(payment)).toString("base64") }
  const response = await fetch(url, { headers })
  return {
    status: response.status,
    body: (await response.json()) as unknown,
    settlement: readHeader(response.headers.get("payment-response")) as { readonly success: boolean },
  }
}
