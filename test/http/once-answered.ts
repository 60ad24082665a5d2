/**
 * Answers that need a payment, a mail, or what another answer named, and those that can be given once: asked as their users ask, one after the
 * other, of a service with counterparts of Stripe, of a payment facilitator and of a mail server.
 */
import { startLocalStripe } from "../../examples/payments/local-stripe.ts"
import { signBody, writeEvent } from "../../examples/payments/stripe-events.ts"
import { linkOf, startMailServer } from "../mail/mail-server.ts"
import { payOnce, startFacilitator } from "../payments/stand-in.ts"
import type { ContractRow } from "./contract-row.ts"
import { makeReply, type Reply, startTestService } from "./service.ts"

const V1 = "/api/v1/visa"
const EMAIL = "ada@example.org"
const PAID = "/api/x402/visa"

/** Presses a button on a page of Stripe's counterpart that an answer names. */
const press = (answer: Reply, button: string) =>
  fetch(String(answer.read("url")), { method: "POST", body: new URLSearchParams({ do: button }), redirect: "manual" })

/** Asks them all; `keep` gets each with the row of the contract that it would be. */
export async function askOnce(keep: (row: ContractRow, reply: Reply) => void): Promise<void> {
  await using mails = await startMailServer()
  await using stripe = await startLocalStripe()
  await using facilitator = await startFacilitator()
  await using running = await startTestService({
    env: { LANDFALL_SMTP_URL: `smtp://127.0.0.1:${mails.port}`, ...stripe.settings, ...facilitator.settings },
  })

  const ask = async (
    name: string,
    body: unknown,
    headers: Record<string, string>,
    { method = "POST", status = 200, path = `${V1}${name}` } = {},
  ) => {
    const sent = typeof body === "string" ? body : JSON.stringify(body)
    const reply = await running.ask(path, {
      method,
      headers: { ...(body === undefined ? {} : { "content-type": "application/json" }), ...headers },
      ...(body === undefined ? {} : { body: sent }),
    })
    const endpoint = `${V1}${name}`
    keep({ claim: name, endpoint, path, ask: { method }, status }, reply)
    return reply
  }

  await ask("/register", { name: "Ada", email: EMAIL }, {})
  await mails.until(() => mails.received.length > 0)
  const token = new URL(linkOf(mails.received[0])).searchParams.get("token")
  const confirmed = await ask("/auth/confirm", { token }, {})
  const cookie = String(confirmed.headers["set-cookie"]?.[0]).split(";")[0] as string

  const affiliate = await ask("/affiliate/register", { name: "Ana", email: "ana@example.org" }, {}, { status: 201 })
  const id = String(affiliate.read("affiliate_id"))
  await ask("/affiliate/track-click", { affiliate_id: id }, {})
  await ask("/affiliate/apply-referral", { referral_code: id, email: EMAIL }, {})
  await ask(
    "/affiliate/stats",
    undefined,
    {},
    {
      path: `${V1}/affiliate/stats?affiliate_id=${id}&email=ana@example.org`,
      method: "GET",
    },
  )

  const checkout = await ask("/stripe/checkout", { plan: "pro", billing: "monthly" }, { cookie })
  await press(checkout, "pay")
  const portal = await ask("/stripe/portal", undefined, { cookie })
  const event = writeEvent("customer.created", Date.now(), { id: "cus_1" })
  const signature = signBody(event, stripe.settings.LANDFALL_STRIPE_WEBHOOK_SECRET as string, Date.now())
  await ask("/stripe/webhook", event, { "stripe-signature": signature })

  const asBusiness = { "x-api-key": running.keys.business }
  const made = await ask("/keys", { name: "Shop", scopes: ["visa"] }, asBusiness, { status: 201 })
  const path = `${V1}/keys/${made.read("key.id")}`
  await ask("/keys/{id}/rotate", undefined, asBusiness, { path: `${path}/rotate`, status: 201 })
  await ask("/keys/{id}", undefined, asBusiness, { path, method: "DELETE" })
  const team = await ask("/team-keys", { name: "Tokyo desk" }, asBusiness, { status: 201 })
  await ask("/team-keys", undefined, asBusiness, {
    path: `${V1}/team-keys?id=${team.read("team_key.id")}`,
    method: "DELETE",
  })

  const paid = await payOnce(`${running.url}${PAID}?passport=IND&destination=DEU`)
  const headers = { "content-type": "application/json" }
  const row = { claim: "is paid", endpoint: PAID, path: PAID, ask: { method: "GET" }, status: 200 }
  keep(row, makeReply(paid.status, headers, Buffer.from(JSON.stringify(paid.body))))
  await press(portal, "end")
  await ask("/auth/account/erase", { email: EMAIL }, { cookie })
}
