/**
 * How are clients limited that do not read their answers?
 *
 * A connection has one answer at a time: its next request is processed when the previous answer has left the process. Requests of a client
 * with too many unread bytes wait until it has read some. If all clients together have too many, connections of the client with the most
 * are closed, those that wait longest first. Bytes that many answers share (the reference, kept answers, files of the page) are not
 * counted. A client that reads nothing for {@link UNREAD_TIMEOUT_MS} is disconnected.
 */
import type { IncomingMessage, RequestListener, ServerResponse } from "node:http"
import type { Socket } from "node:net"

/** How many requests of one connection may wait for earlier answers; a connection with more is closed. */
export const MAXIMUM_HELD_REQUESTS = 100
/** How long a client may read nothing of an answer. */
const UNREAD_TIMEOUT_MS = 30_000

export interface UnreadLimits {
  /** For the connections of one client (an address); beyond it, its next requests wait. */
  readonly bytesOfClient: number
  /** For all connections; beyond it, some are closed. One answer may always wait, however long it is. */
  readonly bytes: number
}

const UNREAD_LIMITS: UnreadLimits = { bytesOfClient: 8_388_608, bytes: 16_777_216 }

/** How many requests of all connections may wait; a connection that adds more is closed. */
const MAXIMUM_HELD_IN_ALL = 10_000

// Several listeners of one server share its connections.
const heldBySocket = new WeakMap<Socket, number>()
let heldInAll = 0

function noteHeld(socket: Socket, change: number): void {
  heldInAll += change
  heldBySocket.set(socket, (heldBySocket.get(socket) ?? 0) + change)
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
export function oneAtATime(listener: RequestListener, maximumInAll = MAXIMUM_HELD_IN_ALL): RequestListener {
  return (message, response) => {
    // Node gives a response its socket when the previous one has been sent.
    if (response.socket !== null) {
      listener(message, response)
      return
    }
    const { socket } = message
    if (socket.destroyed) return
    const held = heldBySocket.get(socket)
    if ((held ?? 0) >= MAXIMUM_HELD_REQUESTS || heldInAll >= maximumInAll) {
      hangUp(socket)
      return
    }
    if (held === undefined) socket.once("close", () => noteHeld(socket, -(heldBySocket.get(socket) ?? 0)))
    noteHeld(socket, 1)
    socket.pause()
    response.once("socket", () => {
      noteHeld(socket, -1)
      socket.setTimeout(0)
      if (heldBySocket.get(socket) === 0) socket.resume()
      listener(message, response)
    })
  }
}

interface Unread {
  readonly response: ServerResponse
  bytes: number
}

/** Says how many bytes of an answer wait now. */
export type NoteBytes = (bytes: number) => void

const noteNothing: NoteBytes = () => {}

/** One client with unread answers, those that wait longest first, and its waiting requests. */
interface SlowClient {
  bytes: number
  readonly unread: Set<Unread>
  readonly held: Set<() => void>
}

/** The answers that wait to be read. */
export class UnreadAnswers {
  readonly #limits: UnreadLimits
  readonly #clients = new Map<string, SlowClient>()
  #bytes = 0

  constructor(limits: UnreadLimits = UNREAD_LIMITS) {
    this.#limits = limits
  }

  /** The number of waiting bytes. */
  get bytes(): number {
    return this.#bytes
  }

  /** Says whether a client has too much to read. */
  isFull(client: string): boolean {
    return (this.#clients.get(client)?.bytes ?? 0) > this.#limits.bytesOfClient
  }

  /** Goes on at once or when the client has read enough; calls `giveUp` where it leaves before. */
  admit(response: ServerResponse, readClient: () => string, start: () => void, giveUp?: () => void): void {
    const slow = this.#bytes === 0 ? undefined : this.#clients.get(readClient())
    if (slow === undefined || slow.bytes <= this.#limits.bytesOfClient) {
      start()
      return
    }
    const forget = () => {
      slow.held.delete(goOn)
      giveUp?.()
    }
    const goOn = () => {
      response.off("close", forget)
      start()
    }
    slow.held.add(goOn)
    response.once("close", forget)
  }

  /**
   * Adds an answer that was sent and not yet read; `bytes` are those that no other answer shares. The returned function changes the number
   * later, because a download is sent in pieces.
   */
  add({ socket }: IncomingMessage, response: ServerResponse, bytes: number, readClient: () => string): NoteBytes {
    if (socket.destroyed) return noteNothing
    // Node sees whether anything is taken, and closes a connection where nothing is.
    socket.setTimeout(UNREAD_TIMEOUT_MS)
    if (bytes === 0) return noteNothing
    const name = readClient()
    const client = this.#clients.get(name) ?? { bytes: 0, unread: new Set(), held: new Set() }
    this.#clients.set(name, client)
    const unread = { response, bytes }
    client.unread.add(unread)
    client.bytes += bytes
    this.#bytes += bytes
    response.once("close", () => this.#remove(name, client, unread))
    if (this.#bytes > this.#limits.bytes) this.#closeSlowest(unread)
    return now => {
      if (!client.unread.has(unread)) return
      client.bytes += now - unread.bytes
      this.#bytes += now - unread.bytes
      unread.bytes = now
      if (this.#bytes > this.#limits.bytes) this.#closeSlowest(unread)
    }
  }

  #remove(name: string, client: SlowClient, unread: Unread): void {
    if (!client.unread.delete(unread)) return
    client.bytes -= unread.bytes
    this.#bytes -= unread.bytes
    for (const goOn of client.held) {
      if (client.bytes > this.#limits.bytesOfClient) return
      client.held.delete(goOn)
      goOn()
    }
    if (client.unread.size === 0 && this.#clients.get(name) === client) this.#clients.delete(name)
  }

  /** Closes connections until the waiting bytes are within the limit; not the newest, which may be the only one. */
  #closeSlowest(newest: Unread): void {
    const byBytes = [...this.#clients].sort(([, one], [, other]) => other.bytes - one.bytes)
    for (const [name, client] of byBytes) {
      for (const unread of client.unread) {
        if (this.#bytes <= this.#limits.bytes) return
        if (unread === newest) continue
        unread.response.destroy()
        this.#remove(name, client, unread)
      }
    }
  }
}
