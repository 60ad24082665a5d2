/**
 * A program without an account that pays for one call, with the published client of x402.
 *
 * Its wallet is a key that is made for this run: the local facilitator does not check its balance.
 *
 * Run it: `npx node examples/payments/pay-one-call.ts 'http://127.0.0.1:8787/api/x402/visa?passport=IND&destination=DEU'`
 */
import { x402Client } from "@x402/core/client"
import { ExactEvmScheme } from "@x402/evm/exact/client"
import { decodePaymentResponseHeader, wrapFetchWithPayment } from "@x402/fetch"
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts"
import { NETWORK } from "./local-facilitator.ts"

/** The result of a call. */
export interface PaidCall {
  readonly status: number
  readonly body: unknown
  /** How it was settled; null if nothing was paid. */
  readonly settlement: { readonly success: boolean; readonly transaction: string } | null
}

/** Pays for one call with a wallet of its own. */
export async function payOneCall(url: string): Promise<PaidCall> {
  const wallet = privateKeyToAccount(generatePrivateKey())
  const client = new x402Client().register(NETWORK, new ExactEvmScheme(wallet))
  const response = await wrapFetchWithPayment(fetch, client)(url)
  const header = response.headers.get("payment-response")
  return {
    status: response.status,
    body: await response.json(),
    settlement: header === null ? null : decodePaymentResponseHeader(header),
  }
}

if (import.meta.main) {
  const [, , url] = process.argv
  if (url === undefined) throw new Error("the address of a call is expected")
  console.log(JSON.stringify(await payOneCall(url), null, 2))
}
