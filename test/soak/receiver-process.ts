/**
 * The receiver of the soak: `node receiver-process.ts SEED`. It verifies every delivery in all three styles by the time of the soak, treats it
 * as the plan says, and remembers it. Told `secrets {…}` (by path) it answers where it listens; told `count` it says how many came, and told
 * `report` what came to which path, each as a line of JSON.
 */
import { createHash } from "node:crypto"
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { verifyDelivery } from "../../src/engine.ts"
import { followInput, readMovedMs } from "./moved-clock.ts"
import { ASKED_SECONDS, planTreatment, type Treatment } from "./plan.ts"

/** One request of a delivery. */
export interface Reception {
  /** When it was signed, in Unix seconds by the time of the soak. */
  readonly signedSeconds: number
  readonly treatment: Treatment
}

/** All requests of a delivery. */
export interface ReceivedDelivery {
  readonly path: string
  readonly eventId: string
  readonly bodyHash: string
  readonly receptions: Reception[]
}

const seed = Number(process.argv[2])
let secrets: Readonly<Record<string, string>> = {}
let requests = 0
const deliveries = new Map<string, ReceivedDelivery>()
/** What must never happen: a signature that is wrong, an id with another body. */
const faults: string[] = []

function receive(request: IncomingMessage, response: ServerResponse, body: string): void {
  requests++
  const path = request.url as string
  const { id: eventId } = JSON.parse(body) as { readonly id: string }
  const nowSeconds = Math.floor(readMovedMs() / 1_000)
  for (const scheme of ["svc", "body", "standard"] as const) {
    const options = { scheme, headers: request.headers, body, secrets: [secrets[path] as string], nowSeconds }
    const verified = verifyDelivery(options as Parameters<typeof verifyDelivery>[0])
    if (!verified.ok) faults.push(`${path} ${eventId} ${scheme}: ${verified.error.tag}`)
  }
  if (request.headers["webhook-id"] !== eventId) faults.push(`${path} ${eventId}: the header names another event`)
  const bodyHash = createHash("sha256").update(body).digest("base64url")
  const key = `${path} ${eventId}`
  const delivery = deliveries.get(key) ?? { path, eventId, bodyHash, receptions: [] }
  deliveries.set(key, delivery)
  if (delivery.bodyHash !== bodyHash) faults.push(`${key}: came with another body`)
  const wasAccepted = delivery.receptions.some(({ treatment }) => treatment === "accept")
  const treatment = planTreatment(seed, { path, eventId, request: delivery.receptions.length + 1, wasAccepted })
  delivery.receptions.push({ signedSeconds: Number(request.headers["webhook-timestamp"]), treatment })
  if (treatment === "accept") response.writeHead(204).end()
  else if (treatment === "refuse") response.writeHead(500).end("no")
  else if (treatment === "ask to wait") response.writeHead(503, { "retry-after": String(ASKED_SECONDS) }).end()
  else if (treatment === "reset") request.socket.resetAndDestroy()
}

const server = createServer((request, response) => {
  const chunks: Buffer[] = []
  request.on("data", (chunk: Buffer) => chunks.push(chunk))
  // What was broken off on its way here never came.
  request.on("error", () => undefined)
  request.on("end", () => receive(request, response, Buffer.concat(chunks).toString("utf8")))
})
server.listen(0, "127.0.0.1", () => {
  console.log(JSON.stringify({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }))
})

followInput(line => {
  if (line === "count") console.log(JSON.stringify({ requests }))
  else if (line === "report") console.log(JSON.stringify({ requests, faults, deliveries: [...deliveries.values()] }))
  else secrets = JSON.parse(line)
})
