/**
 * A receiver of webhooks, with two common verifiers: that of Standard Webhooks, and Stripe's for `Svc-Signature`.
 *
 * It reads the raw body, verifies before it parses, answers at once and works afterwards, and handles an event once, because an event can come twice under one id. One verifier is enough;
 * both are here to choose from.
 *
 * Run it: `WEBHOOK_SECRET=whsec_... node examples/receive-webhook.ts`
 */
import { createServer, type IncomingHttpHeaders, type Server } from "node:http"
import { Webhook } from "standardwebhooks"
import Stripe from "stripe"

/** The fields of every webhook; `data` depends on the type. */
export interface WebhookEvent {
  readonly id: string
  readonly type: string
  readonly created_at: string
  readonly api_version: string
  readonly data: Readonly<Record<string, unknown>>
}

const LONGEST_BODY = 1_048_576
/** How many ids are remembered here; a real receiver keeps them in its database, for thirty days. */
const IDS_MAX = 100_000

/** Throws if the body was not signed with the secret, or too long ago. */
function verify(body: string, headers: IncomingHttpHeaders, secret: string): WebhookEvent {
  new Webhook(secret).verify(body, headers as Record<string, string>)
  return Stripe.webhooks.constructEvent(body, headers["svc-signature"] ?? "", secret) as unknown as WebhookEvent
}

/** Makes a receiver; `handle` gets every event once. */
export function makeReceiver(secret: string, handle: (event: WebhookEvent) => void | Promise<void>): Server {
  const handled = new Set<string>()
  return createServer((request, response) => {
    const chunks: Buffer[] = []
    let length = 0
    request.on("data", (chunk: Buffer) => {
      length += chunk.length
      if (length <= LONGEST_BODY) chunks.push(chunk)
    })
    request.on("end", async () => {
      let event: WebhookEvent
      try {
        event = verify(Buffer.concat(chunks).toString("utf8"), request.headers, secret)
      } catch {
        response.writeHead(401).end()
        return
      }
      const isNew = !handled.has(event.id)
      if (handled.size >= IDS_MAX) handled.clear()
      handled.add(event.id)
      // At once: a receiver that answers later than ten seconds gets the same event again.
      response.writeHead(204).end()
      if (isNew) await handle(event)
    })
  })
}

if (import.meta.main) {
  const secret = process.env.WEBHOOK_SECRET
  if (secret === undefined) throw new Error("WEBHOOK_SECRET is not set: it was shown when the webhook was made")
  const server = makeReceiver(secret, ({ id, type, data }) => console.log(id, type, JSON.stringify(data)))
  server.listen(3000, "127.0.0.1", () => console.log("http://127.0.0.1:3000"))
}
