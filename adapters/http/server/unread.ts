/**
 * How are clients limited that do not read their answers?
 *
 * A connection has one answer at a time: its next request is processed when the previous answer has left the process. Requests of a client
 * with too many unread bytes wait until it has read some, and if all clients together have too many, connections are closed
 * (`held-bytes.ts`). Bytes that many answers share (the reference, kept answers, files of the page) are not counted. A client that reads
 * nothing for {@link UNREAD_TIMEOUT_MS} is disconnected.
 */
import type { IncomingMessage, RequestListener, ServerResponse } from "node:http"
import type { Socket } from "node:net"
import type { ByteLimits, HeldBytes } from "./held-bytes.ts"

/** How many requests of one connection may wait for earlier answers; a connection with more is closed. */
export const MAXIMUM_HELD_REQUESTS = 100
/** How long a client may read nothing of an answer. */
const UNREAD_TIMEOUT_MS = 30_000

/** Answers that wait to be read; beyond a client's share, its next requests wait. */
export const UNREAD_LIMITS: ByteLimits = { bytesOfClient: 8_388_608, bytes: 16_777_216 }

/** How many bytes of requests of all connections may wait; a connection that adds more is closed. */
const MAXIMUM_HELD_BYTES = 33_554_432
/** The objects of a waiting request, without its headers and its body. */
const HELD_REQUEST_BYTES = 3_072
/** What arrives at once, so at most so much of a body has come with the headers of a waiting request. */
const ARRIVAL_BYTES = 65_536

// Several listeners of one server share its connections.
const heldBySocket = new WeakMap<Socket, { requests: number; bytes: number }>()
let heldBytes = 0

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
  socket.destroy()
  // Node names no way to its parser in public. Where this is not one, the rest is parsed for nothing.
  const { parser } = socket as Socket & { readonly parser?: { onIncoming?: unknown } | null }
  if (typeof parser?.onIncoming === "function") parser.onIncoming = () => -1
}

/** Calls a listener with one request of a connection at a time. */
export function oneAtATime(listener: RequestListener, maximumBytes = MAXIMUM_HELD_BYTES): RequestListener {
  return (message, response) => {
    // Node gives a response its socket when the previous one has been sent.
    if (response.socket !== null) {
      listener(message, response)
      return
    }
    const { socket } = message
    if (socket.destroyed) return
    const bytes = measureHeld(message)
    const held = heldBySocket.get(socket) ?? { requests: 0, bytes: 0 }
    if (held.requests >= MAXIMUM_HELD_REQUESTS || heldBytes + bytes > maximumBytes) {
      hangUp(socket)
      return
    }
    const note = (requests: number, change: number) => {
      held.requests += requests
      held.bytes += change
      heldBytes += change
    }
    if (!heldBySocket.has(socket)) socket.once("close", () => note(-held.requests, -held.bytes))
    heldBySocket.set(socket, held)
    note(1, bytes)
    socket.pause()
    response.once("socket", () => {
      note(-1, -bytes)
      socket.setTimeout(0)
      if (held.requests === 0) socket.resume()
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
  unread: HeldBytes,
  { socket }: IncomingMessage,
  response: ServerResponse,
  bytes: number,
  readClient: () => string,
): NoteBytes {
  if (socket.destroyed) return noteNothing
  // Node sees whether anything is taken, and closes a connection where nothing is.
  socket.setTimeout(UNREAD_TIMEOUT_MS)
  if (bytes === 0) return noteNothing
  const held = unread.hold(readClient(), bytes, () => response.destroy())
  response.once("close", held.release)
  return held.resize
}
