/**
 * Signing and verifying a delivery of 2 KB, against `node:crypto`, `standardwebhooks` and the verifier of `stripe`.
 *
 * Ours is JavaScript that runs anywhere, synchronously; the native ones are expected to win, and are printed.
 */
import { createHmac, timingSafeEqual } from "node:crypto"
import { signDelivery, verifyDelivery } from "landfall"
import { Webhook } from "standardwebhooks"
import Stripe from "stripe"
import type { Case } from "./measure.ts"

const secret = `whsec_${Buffer.alloc(32, 7).toString("base64")}`
const id = "evt_1"
const body = JSON.stringify({ id, type: "visa.policy_changed", data: "x".repeat(2000) })
const nowSeconds = Math.floor(Date.now() / 1000)
const signed = signDelivery({ id, timestampSeconds: nowSeconds, body, secrets: [secret] })
if (!signed.ok) throw new Error(signed.error.message)
const headers: Record<string, string> = { ...signed.value }
const standard = new Webhook(secret)
const stripe = new Stripe("sk_test_unused")
const svcHeader = headers["svc-signature"] as string

const repeat = (once: () => boolean) => (count: number) => {
  let sum = 0
  for (let i = 0; i < count; i++) sum += once() ? 1 : 0
  return sum
}
const verifying = (name: string, once: () => boolean): Case => ({
  name,
  run: repeat(once),
  validate: () => String(once()),
})

const hmac = (text: string) => createHmac("sha256", secret).update(text).digest("hex")

export const verifyCases: readonly Case[] = [
  verifying("landfall verifyDelivery", () => verifyDelivery({ headers, body, secrets: [secret], nowSeconds }).ok),
  verifying("standardwebhooks verify", () => standard.verify(body, headers) !== null),
  verifying(
    "stripe constructEvent (native HMAC, parses the body)",
    () => stripe.webhooks.constructEvent(body, svcHeader, secret) !== null,
  ),
  verifying("node:crypto by hand", () => {
    const [, v1 = ""] = svcHeader.split(",v1=")
    return timingSafeEqual(Buffer.from(hmac(`${nowSeconds}.${body}`), "hex"), Buffer.from(v1, "hex"))
  }),
]

// Ours makes three signatures in one call, so the peers make the same three.
export const signCases: readonly Case[] = [
  {
    name: "landfall signDelivery, all three schemes",
    run: repeat(() => signDelivery({ id, timestampSeconds: nowSeconds, body, secrets: [secret] }).ok),
    validate: () =>
      JSON.stringify([headers["svc-signature"], headers["svc-body-signature"], headers["webhook-signature"]]),
  },
  ((): Case => {
    const key = Buffer.from(secret.slice(6), "base64")
    const sign = () => [
      `t=${nowSeconds},v1=${hmac(`${nowSeconds}.${body}`)}`,
      `sha256=${hmac(body)}`,
      `v1,${createHmac("sha256", key).update(`${id}.${nowSeconds}.${body}`).digest("base64")}`,
    ]
    return {
      name: "node:crypto by hand, the same three",
      run: repeat(() => sign().length === 3),
      validate: () => JSON.stringify(sign()),
    }
  })(),
]
