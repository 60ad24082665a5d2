/**
 * How can a developer see the first webhook arrive?
 *
 * A receiver on this machine shows each delivery and answers at once as a good receiver does: 204 if it is verified, 401 if not.
 * It keeps only the ids that it has seen.
 */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { Clock, Effect, Queue, Schema } from "effect"
import { describeReceived, type Received } from "./describe-received.ts"

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
