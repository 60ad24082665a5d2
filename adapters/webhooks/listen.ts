/**
 * How can a developer see the first webhook arrive?
 *
 * A receiver on this machine shows each delivery and answers at once as a good receiver does: 204 if it is verified, 401 if not.
 * It keeps only the ids that it has seen.
 */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { Clock, Effect, Queue, Schema } from "effect"
import { type SignatureScheme, verifyDelivery } from "../../src/engine.ts"
import { type Fields, isFields, readJsonFields, showValue } from "../validation/fields.ts"

// What did the receiver get, and is it genuine? The event in a line or two, and the result of each of the three signatures by the verifier
// for receivers. Without a secret nothing can be verified, and the text says so.

/** The answer to the sender, and what is shown. */
type Received = ReturnType<typeof describeReceived>

const SCHEMES: readonly (readonly [scheme: SignatureScheme, header: string])[] = [
  ["svc", "Svc-Signature"],
  ["body", "Svc-Body-Signature"],
  ["standard", "webhook-signature"],
]

/** One line without control characters for the terminal. */
const plain = (value: unknown): string =>
  (typeof value === "string" ? value : showValue(value)).replace(/\p{C}/gu, "\ufffd").slice(0, 200)

function describeTerms(terms: unknown): string {
  if (!isFields(terms)) return "nothing known"
  const days = typeof terms.stay_days === "number" ? ` ${terms.stay_days} days` : ""
  return `${plain(terms.requirement)}${days}`
}

function describeData(event: Fields): string {
  const { data } = event
  if (!isFields(data)) return plain(data)
  if (typeof data.passport !== "string") return plain(data.message ?? data)
  const pair = `${plain(data.passport)} to ${plain(data.destination)}`
  if (event.type === "visa.source_updated") return `${pair}: other sources`
  const from = typeof data.effective_from === "string" ? ` from ${plain(data.effective_from.slice(0, 10))} on` : ""
  return `${pair}: ${describeTerms(data.previous)} → ${describeTerms(data.current)}${from} (${plain(data.severity)})`
}

/**
 * Reads and verifies a delivery; `isKnown` says whether its event was received before. Returns the status of the answer to the sender, the
 * lines to show, and the record for programs.
 */
function describeReceived(
  {
    headers,
    body,
  }: { readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>; readonly body: string },
  given: {
    readonly secret: string | null
    readonly nowSeconds: number
    readonly isKnown: (eventId: string) => boolean
  },
) {
  const { secret, nowSeconds, isKnown } = given
  const verified = SCHEMES.map(([scheme, header]) => {
    if (secret === null) return { scheme, header, ok: false, message: "not verified: no --secret was given" }
    const options = { scheme, headers, body, secrets: [secret], nowSeconds } as Parameters<typeof verifyDelivery>[0]
    const result = verifyDelivery(options)
    return { scheme, header, ok: result.ok, message: result.ok ? "verified" : result.error.message }
  })
  const isBelieved = verified.every(({ ok }) => ok)
  const event = readJsonFields(body)
  const eventId = typeof event?.id === "string" ? event.id : null
  const isAgain = eventId !== null && (isBelieved || secret === null) && isKnown(eventId)
  const title =
    event === null
      ? "no event: the body is not a JSON object"
      : `${plain(event.type)}  ${plain(event.id)}${isAgain ? "  (has come before: same id)" : ""}`
  const signatures =
    isBelieved || secret === null
      ? [`  ${isBelieved ? "all three signatures are verified" : verified[0]?.message}`]
      : verified.map(({ header, message }) => `  ${header}: ${message}`)
  return {
    status: event === null ? 400 : isBelieved || secret === null ? 204 : 401,
    lines: [title, ...(event === null ? [] : [`  ${describeData(event)}`]), ...signatures],
    record: {
      verified: secret === null ? null : Object.fromEntries(verified.map(({ scheme, ok }) => [scheme, ok])),
      has_come_before: isAgain,
      event,
    },
  }
}

/** The port could not be opened. */
export class NotListening extends Schema.TaggedError<NotListening>()("NotListening", { message: Schema.String }) {}

/** The most of a body that is read: as much as is ever signed. */
const BODY_BYTES_MAX = 1_048_576
/** How many ids are remembered. */
const IDS_MAX = 10_000

/** Starts a receiver on this machine; returns its address and the deliveries. It stops with the scope. */
export const startListener = Effect.fnUntraced(function* (options: {
  readonly port: number
  readonly secret: string | null
}) {
  const clock = yield* Clock.Clock
  const came = yield* Queue.unbounded<Received>()
  const ids = new Set<string>()
  const isKnown = (id: string) => {
    if (ids.has(id)) return true
    if (ids.size >= IDS_MAX) ids.clear()
    ids.add(id)
    return false
  }
  const finish = (request: IncomingMessage, response: ServerResponse, body: string) => {
    const nowSeconds = Math.floor(clock.currentTimeMillisUnsafe() / 1_000)
    const { headers } = request
    const received = describeReceived({ headers, body }, { secret: options.secret, nowSeconds, isKnown })
    response.writeHead(received.status).end()
    Queue.offerUnsafe(came, received)
  }
  const server = createServer((request, response) => {
    if (request.method !== "POST") {
      response.writeHead(405, { allow: "POST" }).end("Webhooks are POSTs.\n")
      return
    }
    const chunks: Buffer[] = []
    let length = 0
    request.on("data", (chunk: Buffer) => {
      length += chunk.length
      if (length <= BODY_BYTES_MAX) chunks.push(chunk)
    })
    request.on("end", () => {
      if (length > BODY_BYTES_MAX) response.writeHead(413).end()
      else finish(request, response, Buffer.concat(chunks).toString("utf8"))
    })
  })
  const listening = Effect.callback<AddressInfo, NotListening>(resume => {
    server.once("error", cause => {
      const isTaken = (cause as NodeJS.ErrnoException).code === "EADDRINUSE"
      const message = `--port: cannot listen on 127.0.0.1:${options.port}: ${isTaken ? "it is in use" : cause.message}`
      resume(Effect.fail(new NotListening({ message })))
    })
    server.listen(options.port, "127.0.0.1", () => resume(Effect.succeed(server.address() as AddressInfo)))
  })
  const { port } = yield* Effect.acquireRelease(listening, () =>
    Effect.sync(() => {
      server.close()
      server.closeAllConnections()
    }),
  )
  return { url: `http://127.0.0.1:${port}`, next: Queue.take(came) }
})
