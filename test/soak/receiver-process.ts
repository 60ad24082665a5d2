/**
 * The receiver of the soak: `node receiver-process.ts SEED`. It verifies every delivery in all three styles by the time of the soak, treats it
 * as the plan says, and remembers it. At `/push` it is the service that pushes go to. Told the secrets of all paths, or of some that were rotated, it
 * goes on with them; told `count` it says how many deliveries came, and told `report` what came to which path, each as a line of JSON.
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
  /** The installation that its envelope names. */
  readonly installation: unknown
  readonly receptions: Reception[]
}

/** What a device was sent and has taken. */
export interface TakenPush {
  readonly token: string
  readonly destination: string
  readonly eventId: string
}

/** The secrets of a path, and from when to when (Unix seconds) both of them sign; without a rotation there is one. */
export interface PathSecrets {
  readonly current: string
  readonly before?: { readonly secret: string; readonly fromSeconds: number; readonly untilSeconds: number }
}

/** How long processes may take to learn of a rotation, by the real clock, on a machine that others use too. */
const LEARN_SECONDS = 10

const seed = Number(process.argv[2])
let secrets: Readonly<Record<string, PathSecrets>> = {}
let requests = 0
/** Deliveries to a path after its secret was rotated, by whether the old one signed too. */
const rotated = { both: 0, newOnly: 0 }
const pushes: TakenPush[] = []
const pushRequests = new Map<string, number>()
const deliveries = new Map<string, ReceivedDelivery>()
/** What must never happen: a signature that is wrong, an id with another body. */
const faults: string[] = []
/** Deliveries that no known secret has signed. One of the three styles has room for one signature: the new secret's, of which this process may hear later. */
let doubtful: (() => string | null)[] = []

function receive(request: IncomingMessage, response: ServerResponse, body: string): void {
  requests++
  const path = request.url as string
  const { id: eventId, installation } = JSON.parse(body) as { readonly id: string; readonly installation: unknown }
  const nowSeconds = Math.floor(readMovedMs() / 1_000)
  const { before } = secrets[path] as PathSecrets
  const verify = (scheme: string, known: readonly string[]) => {
    const options = { scheme, headers: request.headers, body, secrets: known, nowSeconds }
    return verifyDelivery(options as Parameters<typeof verifyDelivery>[0])
  }
  const signedSeconds = Number(request.headers["webhook-timestamp"])
  for (const scheme of ["svc", "body", "standard"] as const) {
    const check = () => {
      const { current, before } = secrets[path] as PathSecrets
      const verified = verify(scheme, before === undefined ? [current] : [current, before.secret])
      return verified.ok ? null : `${path} ${eventId} ${scheme}: ${verified.error.tag}`
    }
    if (check() !== null) doubtful.push(check)
  }
  if (before !== undefined && signedSeconds > before.fromSeconds + LEARN_SECONDS) {
    const isSignedBefore = verify("standard", [before.secret]).ok
    if (!verify("standard", [(secrets[path] as PathSecrets).current]).ok)
      faults.push(`${path} ${eventId}: the new secret does not sign`)
    if (isSignedBefore && signedSeconds > before.untilSeconds + LEARN_SECONDS)
      faults.push(`${path} ${eventId}: the old secret still signs`)
    rotated[isSignedBefore ? "both" : "newOnly"]++
  }
  if (request.headers["webhook-id"] !== eventId) faults.push(`${path} ${eventId}: the header names another event`)
  const bodyHash = createHash("sha256").update(body).digest("base64url")
  const key = `${path} ${eventId}`
  const delivery = deliveries.get(key) ?? { path, eventId, bodyHash, installation, receptions: [] }
  deliveries.set(key, delivery)
  if (delivery.bodyHash !== bodyHash) faults.push(`${key}: came with another body`)
  const wasAccepted = delivery.receptions.some(({ treatment }) => treatment === "accept")
  const treatment = planTreatment(seed, { path, eventId, request: delivery.receptions.length + 1, wasAccepted })
  delivery.receptions.push({ signedSeconds, treatment })
  if (treatment === "accept") response.writeHead(204).end()
  else if (treatment === "refuse") response.writeHead(500).end("no")
  else if (treatment === "ask to wait") response.writeHead(503, { "retry-after": String(ASKED_SECONDS) }).end()
  else if (treatment === "reset") request.socket.resetAndDestroy()
}

/** A push service that takes some messages only later. */
function receivePush(response: ServerResponse, body: string): void {
  const push = JSON.parse(body) as TakenPush
  const key = `${push.token} ${push.eventId}`
  const request = (pushRequests.get(key) ?? 0) + 1
  pushRequests.set(key, request)
  const treatment = planTreatment(seed, { path: push.token, eventId: push.eventId, request, wasAccepted: request > 3 })
  if (treatment === "accept") pushes.push(push)
  response.writeHead(treatment === "accept" ? 204 : 503).end()
}

const server = createServer((request, response) => {
  const chunks: Buffer[] = []
  request.on("data", (chunk: Buffer) => chunks.push(chunk))
  // What was broken off on its way here never came.
  request.on("error", () => undefined)
  request.on("end", () => {
    const body = Buffer.concat(chunks).toString("utf8")
    if (request.url === "/push") receivePush(response, body)
    else receive(request, response, body)
  })
})
server.listen(0, "127.0.0.1", () => {
  console.log(JSON.stringify({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }))
})

followInput(line => {
  if (line === "count") console.log(JSON.stringify({ requests }))
  else if (line === "report")
    console.log(
      JSON.stringify({
        faults: [...faults, ...doubtful.map(check => check())],
        rotated,
        pushes,
        deliveries: [...deliveries.values()],
      }),
    )
  else {
    secrets = { ...secrets, ...JSON.parse(line) }
    doubtful = doubtful.filter(check => check() !== null)
  }
})
