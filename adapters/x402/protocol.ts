/**
 * How is a payment asked for and shown (x402, version 2)?
 *
 * Each header is JSON in base64: `PAYMENT-REQUIRED` says what it costs, `PAYMENT-SIGNATURE` shows a signed
 * `TransferWithAuthorization` (EIP-3009), `PAYMENT-RESPONSE` says how it was settled. The payment is checked strictly; the
 * facilitator says whether its signature is valid.
 */

import type { PaymentPlace } from "../settings/feature-options.ts"
import type { PaymentName } from "../storage/payments-repository.ts"
import { isFields, readJsonFields } from "../validation/fields.ts"

export const X402_VERSION = 2
/** 0.03 USD in a stablecoin of six decimals. */
const PRICE_UNITS = "30000"
/** How long a payer may take. */
const TIMEOUT_SECONDS = 120

/** The amount and the recipient. */
export interface Requirements {
  readonly scheme: "exact"
  readonly network: string
  readonly asset: string
  readonly amount: string
  readonly payTo: string
  readonly maxTimeoutSeconds: number
  readonly extra: { readonly name: string; readonly version: string }
}

/** The price of a call. The name and version are those of USDC's signatures (EIP-712). */
export const makeRequirements = ({ network, asset, payTo }: PaymentPlace): Requirements => ({
  scheme: "exact",
  network,
  asset,
  amount: PRICE_UNITS,
  payTo,
  maxTimeoutSeconds: TIMEOUT_SECONDS,
  extra: { name: "USD Coin", version: "2" },
})

/** The answer to a request without a payment. */
export const describeRequired = (requirements: Requirements, url: string, error: string) => ({
  x402Version: X402_VERSION,
  error,
  resource: { url, description: "The full visa record of one pair.", mimeType: "application/json" },
  accepts: [requirements],
})

export const writeHeader = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString("base64")

export interface ShownPayment {
  readonly name: PaymentName
  /** As the facilitator takes it. */
  readonly payload: unknown
}

const ADDRESS = /^0x[0-9a-f]{40}$/i
const NONCE = /^0x[0-9a-f]{64}$/i

/** Writes a text or a number; nothing else, which may be nested too deeply to be written. */
const writeScalar = (value: unknown): string =>
  typeof value === "string" || typeof value === "number" ? String(value) : ""

/** Reads a header; null for a malformed one, a sentence for a payment of something else. */
export function readPayment(header: string, requirements: Requirements): ShownPayment | string | null {
  const payload = readJsonFields(Buffer.from(header, "base64").toString("utf8"))
  if (payload === null || !isFields(payload.accepted) || !isFields(payload.payload)) return null
  const { authorization } = payload.payload
  if (!isFields(authorization) || typeof payload.payload.signature !== "string") return null
  const { from, nonce, to, value } = authorization
  if (typeof from !== "string" || typeof nonce !== "string" || !ADDRESS.test(from) || !NONCE.test(nonce)) return null
  if (payload.x402Version !== X402_VERSION) return "This is another version of the protocol."
  const { accepted } = payload
  const isSame = (["scheme", "network", "asset", "amount", "payTo"] as const).every(
    key => writeScalar(accepted[key]).toLowerCase() === requirements[key].toLowerCase(),
  )
  const pays =
    writeScalar(to).toLowerCase() === requirements.payTo.toLowerCase() && writeScalar(value) === requirements.amount
  if (!isSame || !pays) return "This pays for something else."
  const { network, asset } = requirements
  const name = { network, asset: asset.toLowerCase(), payer: from.toLowerCase(), nonce: nonce.toLowerCase() }
  return { name, payload }
}
