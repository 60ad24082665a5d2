/**
 * How are clients limited that do not read their answers?
 *
 * A connection has one answer at a time: its next request is processed when the previous answer has left the process. What waits and what is
 * not read is in the account of `held-bytes.ts`. Bytes that many answers share (the reference, kept answers, files of the page) are not counted. A client that reads
 * nothing for {@link UNREAD_TIMEOUT_MS} is disconnected.
 */
import type { IncomingMessage, RequestListener, ServerResponse } from "node:http"
import type { Socket } from "node:net"
import { type Held, type HeldBytes, UNKNOWN_CLIENT } from "./held-bytes.ts"

/** How many requests of one connection may wait for earlier answers; a connection with more is closed. */
export const MAXIMUM_HELD_REQUESTS = 100
/** How long a client may read nothing of an answer. */
const UNREAD_TIMEOUT_MS = 30_000

/** The objects of a waiting request, without its headers and its body. */
const HELD_REQUEST_BYTES = 3_072
/** What arrives at once, so at most so much of a body has come with the headers of a waiting request. */
const ARRIVAL_BYTES = 65_536

// Several listeners of one server share its connections.
const heldBySocket = new WeakMap<Socket, Set<Held>>()

/** How many bytes a request takes that waits for the answer before it. */
function measureHeld({ headers, rawHeaders }: IncomingMessage): number {
  const body = headers["transfer-encoding"] === undefined ? Number(headers["content-length"] ?? 0) : ARRIVAL_BYTES
  return rawHeaders.reduce((sum, { length }) => sum + length, HELD_REQUEST_BYTES + Math.min(body, ARRIVAL_BYTES))
}

/**
 * Closes a connection and discards what it has sent. Node would make thousands of requests from one piece of 64 KB, and keep them until the
 * connections of all arrived pieces are closed: 200 of them filled a heap of 384 MB.
 */
function hangUp(socket: Socket): void {
  if (socket.destroyed) return
  // Node makes an error for each request that waits; their traces took most of the time of a flood.
  const { stackTraceLimit } = Error
  socket.prependOnceListener("close", () => {
    Error.stackTraceLimit = 0
  })
  socket.once("close", () => {
    Error.stackTraceLimit = stackTraceLimit
  })
  socket.destroy()
  // Node names no way to its parser in public. Where this is not one, the rest is parsed for nothing.
  const { parser } = socket as Socket & { readonly parser?: { onIncoming?: unknown } | null }
  if (typeof parser?.onIncoming === "function") parser.onIncoming = () => -1
}

/** Calls a listener with one request of a connection at a time. */
export function oneAtATime(listener: RequestListener, held: HeldBytes): RequestListener {
  return (message, response) => {
    // Node gives a response its socket when the previous one has been sent.
    if (response.socket !== null) {
      listener(message, response)
      return
    }
    const { socket } = message
    if (socket.destroyed) return
    const waiting = heldBySocket.get(socket) ?? new Set()
    // Whose address a proxy may have named in a header is not known yet.
    const own =
      waiting.size < MAXIMUM_HELD_REQUESTS && held.take(UNKNOWN_CLIENT, measureHeld(message), () => hangUp(socket))
    if (!own) {
      hangUp(socket)
      return
    }
    if (!heldBySocket.has(socket)) {
      heldBySocket.set(socket, waiting)
      socket.once("close", () => {
        for (const each of waiting) each.release()
      })
    }
    waiting.add(own)
    socket.pause()
    response.once("socket", () => {
      waiting.delete(own)
      own.release()
      socket.setTimeout(0)
      if (waiting.size === 0) socket.resume()
      listener(message, response)
    })
  }
}

/** Says how many bytes of an answer wait now. */
export type NoteBytes = (bytes: number) => void

const noteNothing: NoteBytes = () => {}

/**
 * Holds an answer that was sent and not yet read; `bytes` are those that no other answer shares. The returned function changes the number
 * later, because a download is sent in pieces.
 */
export function holdUnread(
  held: HeldBytes,
  { socket }: IncomingMessage,
  response: ServerResponse,
  bytes: number,
  readClient: () => string,
): NoteBytes {
  if (socket.destroyed) return noteNothing
  // Node sees whether anything is taken, and closes a connection where nothing is.
  socket.setTimeout(UNREAD_TIMEOUT_MS)
  if (bytes === 0) return noteNothing
  const { release, resize } = held.hold(readClient(), bytes, () => response.destroy())
  response.once("close", release)
  return resize
}
