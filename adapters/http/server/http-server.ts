/**
 * How does the service listen on a port, limit connections, and stop?
 *
 * The whole table is built before the port opens, so no request can come too early. When stopping, open streams are closed at once. For as
 * long as the operator says, other requests are answered and told to close their connections, so that balancers notice. Then no connection
 * is accepted, and requests under way have {@link DRAIN_MS} to finish. Then the counts are saved and the database is closed.
 */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http"
import { type AddressInfo, type Socket, Server as TcpServer } from "node:net"
import { Deferred, Effect, Schedule, Schema } from "effect"
import { UPLOAD_MS } from "../../batch/jobs/jobs.ts"
import type { ServiceConfig } from "../../settings/config.ts"
import type { Site } from "../../settings/site-links.ts"
import { Clients, formatAuthority, nameClient } from "../../validation/addresses.ts"
import { toHeaderRecord } from "../pipeline/http-message.ts"
import { Lifecycle, MountedSite, ThisProcess } from "../pipeline/process-state.ts"
import { HELD_LIMITS, type Held, HeldBytes, oneAtATime } from "./held-bytes.ts"
import { BODY_TIMEOUT_MS, listRefusalHeaders, makeNodeListener, refuse, TOO_SLOW } from "./node-host.ts"
import { makeService } from "./service.ts"

/** How long requests under way may take to finish when the service stops. */
export const DRAIN_MS = 10_000

/** The limits of the server, in bytes and milliseconds. A client that is slower, or sends more, is refused. */
export const LIMITS = {
  /** Request line and headers together. */
  maxHeaderSize: 16_384,
  headersTimeout: 10_000,
  /** For a body that is read at once; a streamed one has {@link UPLOAD_MS}. */
  requestTimeout: BODY_TIMEOUT_MS,
  keepAliveTimeout: 65_000,
  connectionsCheckingInterval: 2_000,
} as const

/** The port could not be opened. */
export class NotListening extends Schema.TaggedError<NotListening>()("NotListening", { message: Schema.String }) {}

/** The address of the server. */
export interface Listening {
  readonly host: string
  readonly port: number
  readonly url: string
}

/** Listens on an address, which the named settings have, until the scope ends; `stop` ends it. */
export const listenOn = <R>(
  server: Server,
  { host, port }: { readonly host: string; readonly port: number },
  names: string,
  stop: Effect.Effect<unknown, never, R>,
) =>
  Effect.acquireRelease(
    Effect.callback<AddressInfo, NotListening>(resume => {
      server.once("error", cause => {
        const reason = (cause as NodeJS.ErrnoException).code === "EADDRINUSE" ? "it is in use" : cause.message
        const message = `${names}: the server cannot listen on ${formatAuthority(host, port)}: ${reason}.`
        resume(Effect.fail(new NotListening({ message })))
      })
      server.listen(port, host, () => resume(Effect.succeed(server.address() as AddressInfo)))
    }),
    () => stop,
  )

const UNREADABLE = ["400 Bad Request", "The request cannot be read."] as const
const REFUSALS: Readonly<Record<string, readonly [status: string, error: string]>> = {
  HPE_HEADER_OVERFLOW: ["431 Request Header Fields Too Large", "The headers are too large."],
  ERR_HTTP_REQUEST_TIMEOUT: ["408 Request Timeout", TOO_SLOW],
}

const toHeaderLines = (headers: readonly string[]): string[] =>
  Object.entries(toHeaderRecord(headers)).map(([name, value]) => `${name}: ${value}`)

/** Answers anything but HTTP, also in JSON, and closes the connection. */
function refuseMalformed(error: NodeJS.ErrnoException, socket: Socket): void {
  if (!socket.writable || error.code === "ECONNRESET") {
    socket.destroy()
    return
  }
  const [status, message] = REFUSALS[error.code ?? ""] ?? UNREADABLE
  const body = JSON.stringify({ error: message })
  const head = [`HTTP/1.1 ${status}`, ...toHeaderLines(listRefusalHeaders(body))]
  socket.end(`${head.join("\r\n")}\r\n\r\n${body}`)
}

/**
 * RFC 9112, section 3.2: a request of HTTP/1.1 without a host is refused, and every request with two, because a proxy may have used the
 * other. Node does the first only for requests with a body, and uses the first of two.
 */
function isHostUnclear({ headers, httpVersion, rawHeaders }: IncomingMessage): boolean {
  if (headers.host === undefined) return httpVersion !== "1.0"
  let count = 0
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] as string
    if (name.length === 4 && name.toLowerCase() === "host") count++
  }
  return count > 1
}

/** RFC 9110, section 10.1.1: an expectation that is not `100-continue` is not met. Node would say so without a body. */
function refuseExpectation(_: IncomingMessage, response: ServerResponse): void {
  refuse(response, 417, "The only expectation that is met is 100-continue.")
}

const IDLE_CHECK = Schedule.spaced("20 millis")
/** After this many checks without traffic on any connection, all can be closed without losing a request. */
const QUIET_CHECKS = 12
/** After this many checks the server stops waiting for idle connections. */
const MAXIMUM_QUIET_CHECKS = 100

/** Waits until connections in use have got the answer that tells them to close. */
const awaitQuiet = (sockets: Connections) =>
  Effect.suspend(() => {
    let before = -1
    let quietFor = 0
    const check = Effect.sync(() => {
      let bytes = 0
      for (const { bytesRead, bytesWritten } of sockets.keys()) bytes += bytesRead + bytesWritten
      quietFor = bytes === before ? quietFor + 1 : 0
      before = bytes
      return sockets.size === 0 || quietFor >= QUIET_CHECKS
    })
    return Effect.repeat(check, { schedule: IDLE_CHECK, times: MAXIMUM_QUIET_CHECKS, until: isQuiet => isQuiet })
  })

/** The phase of the event loop in which every connection that was made has been accepted. */
const afterAccepting = Effect.callback<void>(resume => {
  setImmediate(() => resume(Effect.void))
})

/** Waits until no request is under way, or until it has waited long enough. */
const drain = (server: Server, sockets: Connections, drainSeconds: number) => {
  // A connection becomes idle when its request ends, and a client may keep it for long.
  const closeIdle = Effect.repeat(
    Effect.sync(() => {
      server.closeIdleConnections()
      // Node counts a connection that has not sent anything yet as busy.
      for (const socket of sockets.keys()) if (socket.bytesRead === 0) socket.destroy()
    }),
    IDLE_CHECK,
  )
  return Effect.gen(function* () {
    if (drainSeconds > 0) {
      yield* Effect.sleep(drainSeconds * 1_000)
      yield* afterAccepting
    }
    const closed = yield* Deferred.make<void>()
    // An HTTP server closes idle connections when it closes, and a client may be about to use one. Bun's is no TCP server.
    const { close } = server instanceof TcpServer ? TcpServer.prototype : server
    close.call(server, () => Deferred.doneUnsafe(closed, Effect.void))
    yield* awaitQuiet(sockets)
    yield* Effect.sync(() => server.close())
    yield* Effect.timeoutOption(Effect.race(Deferred.await(closed), closeIdle), DRAIN_MS)
    yield* Effect.sync(() => server.closeAllConnections())
  })
}

/** Sets the address of a site after the port is known, and its contact if that is a page of the site. */
export function moveSite(site: Site, publicUrl: string): void {
  if (new URL(site.publicUrl).port !== "0") return
  if (site.contact.startsWith(`${site.publicUrl}/`))
    site.contact = publicUrl + site.contact.slice(site.publicUrl.length)
  site.publicUrl = publicUrl
}

// How many connections are there at once, and which one is closed for a new one?
// A connection takes 6 KB, and up to 23 KB while its headers arrive. If there are too many, one of the address with the most is closed (the
// /48 network of an IPv6 address): the one that has waited for its client for the longest, because it sends nothing, sends slowly, or does
// not read its answer. A request that is being answered is not given up for a new connection. So an address that opens thousands closes its
// own, and no address has a limit that a proxy in front of the service, with all its clients, would reach.

const MAXIMUM_CONNECTIONS = 2_000

/** A connection, with the request on it that is not answered yet, in the account of all connections, in which each counts as one. */
interface Connection {
  readonly held: Held
  message: IncomingMessage | null
}

type Connections = Map<Socket, Connection>

/** Whether the service waits for the client, and not the client for the service. */
const waitsForClient = (socket: Socket, { message }: Connection): boolean =>
  message === null || !message.complete || socket.writableLength > 0

/** Options for tests and measurements. */
export interface ServerOptions {
  /** Whether answers are kept for repeated questions; true by default. */
  readonly keepsAnswers?: boolean
  readonly limits?: Partial<Record<keyof typeof LIMITS, number>>
  readonly held?: HeldBytes
  readonly maximumConnections?: number
}

/**
 * Runs the service until its scope ends; gives the address on which it listens.
 *
 * Fails with `NotListening`.
 */
export const runServer = Effect.fnUntraced(function* (
  config: ServiceConfig,
  {
    limits,
    maximumConnections = MAXIMUM_CONNECTIONS,
    held = new HeldBytes(HELD_LIMITS),
    ...answers
  }: ServerOptions = {},
) {
  const clients = yield* Clients
  const lifecycle = yield* Lifecycle
  const site = yield* MountedSite
  const thisProcess = yield* ThisProcess
  const pipeline = yield* makeService({ accessLog: config.accessLog, ...answers })
  const { requestTimeout } = { ...LIMITS, ...limits }
  const listener = makeNodeListener(pipeline, { nameClient: clients.name, held, bodyTimeoutMs: requestTimeout })

  const sockets: Connections = new Map()
  const counted = new HeldBytes({
    bytes: maximumConnections,
    bytesOfClient: maximumConnections,
    sparesSmaller: true,
  })
  const note = (socket: Socket, message: IncomingMessage | null) => {
    const connection = sockets.get(socket)
    if (connection === undefined) return
    connection.message = message
    connection.held.renew()
  }
  const server = createServer(
    { ...LIMITS, ...limits, requestTimeout: UPLOAD_MS, requireHostHeader: false },
    oneAtATime((request, response) => {
      note(request.socket, request)
      response.once("close", () => note(request.socket, null))
      if (lifecycle.isStopping()) response.shouldKeepAlive = false
      if (isHostUnclear(request)) return refuse(response, 400, UNREADABLE[1])
      listener(request, response)
    }, held),
  )
  server.on("connection", (socket: Socket) => {
    const close = () => socket.destroy()
    const connection: Connection = {
      message: null,
      held: counted.hold(nameClient(socket.remoteAddress ?? ""), 1, close, () => waitsForClient(socket, connection)),
    }
    sockets.set(socket, connection)
    thisProcess.acceptedConnections++
    thisProcess.openConnections = sockets.size
    socket.once("close", () => {
      connection.held.release()
      sockets.delete(socket)
      thisProcess.openConnections = sockets.size
    })
    // No other one can be closed for it.
    if (counted.bytes > maximumConnections) close()
  })
  server.on("clientError", refuseMalformed)
  server.on("checkExpectation", oneAtATime(refuseExpectation, held))
  const stop = Effect.andThen(lifecycle.stop, drain(server, sockets, config.drainSeconds))
  const address = yield* listenOn(server, config, "LANDFALL_HOST, LANDFALL_PORT", stop)
  const listening: Listening = {
    host: address.address,
    port: address.port,
    url: `http://${formatAuthority(config.host, address.port)}`,
  }
  // The port that the system chose is known only now.
  moveSite(site, listening.url)
  return listening
})
