/**
 * How many bytes does the service hold for its clients, and whose are given up when they are too many?
 *
 * There is one account, of everything: the bodies of requests, from their headers until their answers are sent; requests that wait behind
 * an answer; answers that clients do not read; open streams. A client is an address, or the /48 network of an IPv6 address, and has a share. If all clients together hold too
 * much, what the client with the most holds is given up, its oldest first; so a client that holds little loses nothing to one that holds
 * much, and a crowd of slow clients loses to those whose bytes arrive at once.
 */

import type { IncomingMessage, RequestListener, ServerResponse } from "node:http"
import type { Socket } from "node:net"
import { MAXIMUM_BODY_BYTES, type Problem } from "../pipeline/http-message.ts"

export interface ByteLimits {
  /** For one client. */
  readonly bytesOfClient: number
  /** For all clients. */
  readonly bytes: number
  /** Whether nothing is given up for a client that holds more than the owner: the newest has to wait or go then. */
  readonly sparesSmaller?: boolean
}

/** A body for which there is no room is refused; a client with a full share gets its next answers when it has read some. */
export const HELD_LIMITS: ByteLimits = { bytesOfClient: 8_388_608, bytes: 16_777_216 }

/** A request without its body: its headers (at most 16 KiB), its objects and its connection. Without long headers, 11 KB were measured. */
const REQUEST_BYTES = 16_384

const NO_ROOM: Problem = {
  kind: "unavailable",
  message: "Too many bodies are under way. Send fewer at a time.",
  retryAfterSeconds: 1,
}

/** What is held for a client: the size may change until it is released. A class, because a flood holds thousands. */
export class Held {
  readonly name: string
  readonly client: Client
  readonly mayGiveUp: () => boolean
  bytes = 0
  isSecured = false
  isReleased = false
  readonly #all: HeldBytes
  readonly #giveUp: () => void

  constructor(all: HeldBytes, name: string, client: Client, giveUp: () => void, mayGiveUp: () => boolean) {
    this.#all = all
    this.name = name
    this.client = client
    this.#giveUp = giveUp
    this.mayGiveUp = mayGiveUp
  }

  resize(bytes: number): void {
    this.#all.resize(this, bytes)
  }

  /** From now on it is not given up. */
  secure(): void {
    this.#all.secure(this)
  }

  /** It is the newest from now on. */
  renew(): void {
    const { unsecured } = this.client
    if (unsecured.delete(this)) unsecured.add(this)
  }

  release(): void {
    this.#all.release(this)
  }

  giveUp(): void {
    this.release()
    this.#giveUp()
  }
}

interface Client {
  bytes: number
  count: number
  /** What can be given up, the oldest first. */
  readonly unsecured: Set<Held>
  readonly waiting: Set<() => void>
}

/** Something that closes, such as the response of `node:http`. */
interface Closing {
  readonly once: (event: "close", listener: () => void) => unknown
  readonly off: (event: "close", listener: () => void) => unknown
}

const isGivenUp = () => true

/** The name of all clients whose address is not known; they have no share of their own. */
const UNKNOWN_CLIENT = ""

export class HeldBytes {
  readonly #limits: ByteLimits
  /** How long a client may read nothing of an answer, in milliseconds. */
  readonly unreadMs: number
  readonly #clients = new Map<string, Client>()
  #bytes = 0
  #securedBytes = 0

  constructor(limits: ByteLimits, unreadMs: number = UNREAD_TIMEOUT_MS) {
    this.#limits = limits
    this.unreadMs = unreadMs
  }

  get bytes(): number {
    return this.#bytes
  }

  /** Says whether a client holds more than its share. */
  isFull(client: string): boolean {
    return this.#isOver(this.#clients.get(client)?.bytes ?? 0, client)
  }

  #isOver(bytes: number, client: string): boolean {
    return bytes > (client === UNKNOWN_CLIENT ? this.#limits.bytes : this.#limits.bytesOfClient)
  }

  /** Goes on at once, or when the client holds no more than its share; calls `giveUp` if the response closes before. */
  admit(response: Closing, readClient: () => string, start: () => void, giveUp?: () => void): void {
    const name = this.#bytes === 0 ? UNKNOWN_CLIENT : readClient()
    const client = this.#clients.get(name)
    if (client === undefined || !this.#isOver(client.bytes, name)) {
      start()
      return
    }
    const forget = () => {
      client.waiting.delete(goOn)
      giveUp?.()
    }
    const goOn = () => {
      response.off("close", forget)
      start()
    }
    client.waiting.add(goOn)
    response.once("close", forget)
  }

  /**
   * Holds bytes that are there already, such as an answer; so what is newest stays, however long it is. `mayGiveUp` is asked when something
   * has to be given up.
   */
  hold(name: string, bytes: number, giveUp: () => void, mayGiveUp = isGivenUp): Held {
    const client = this.#clients.get(name) ?? { bytes: 0, count: 0, unsecured: new Set(), waiting: new Set() }
    this.#clients.set(name, client)
    const held = new Held(this, name, client, giveUp, mayGiveUp)
    client.count++
    client.unsecured.add(held)
    this.resize(held, bytes)
    return held
  }

  resize(held: Held, bytes: number): void {
    if (held.isReleased) return
    this.#change(held, bytes)
    this.#makeRoom(held)
  }

  secure(held: Held): void {
    if (!held.client.unsecured.delete(held)) return
    held.isSecured = true
    this.#securedBytes += held.bytes
  }

  release(held: Held): void {
    if (held.isReleased) return
    held.isReleased = true
    const { client, name } = held
    client.unsecured.delete(held)
    client.count--
    this.#change(held, 0)
    this.#wake(name, client)
  }

  #change(held: Held, bytes: number): void {
    const by = bytes - held.bytes
    held.bytes = bytes
    held.client.bytes += by
    this.#bytes += by
    if (held.isSecured) this.#securedBytes += by
  }

  /**
   * Takes what a request with a body may come to, by its headers; one that does not say its length in digits may have the longest. Calls
   * `refuse` at once, and returns null, if there is no room for it, and later if it is given up.
   */
  takeBody(client: string, length: string | null | undefined, refuse: (why: Problem) => void): Held | null {
    const announced = /^\d{1,15}$/.test(length ?? "") ? Number(length) : MAXIMUM_BODY_BYTES
    const bytes = REQUEST_BYTES + Math.min(announced, MAXIMUM_BODY_BYTES)
    const held = this.take(client, bytes, () => refuse(NO_ROOM))
    if (held === null) refuse(NO_ROOM)
    return held
  }

  /** Holds bytes that are still to come; null if the client has no share left, or nothing can be given up for them. */
  take(client: string, bytes: number, giveUp: () => void): Held | null {
    if (this.#isOver((this.#clients.get(client)?.bytes ?? 0) + bytes, client)) return null
    if (this.#securedBytes + bytes > this.#limits.bytes) return null
    return this.hold(client, bytes, giveUp)
  }

  /** Lets requests go on that wait for their client to hold less. */
  #wake(name: string, client: Client): void {
    for (const goOn of client.waiting) {
      if (this.#isOver(client.bytes, name)) return
      client.waiting.delete(goOn)
      goOn()
    }
    if (client.count === 0 && this.#clients.get(name) === client) this.#clients.delete(name)
  }

  /** Gives up entries until all are within the limit, or until only the newest is left that can be given up. */
  #makeRoom(newest: Held): void {
    while (this.#bytes > this.#limits.bytes) {
      const oldest = this.#findOldestOfMost(newest)
      if (oldest === undefined) return
      oldest.giveUp()
    }
  }

  #findOldestOfMost(newest: Held): Held | undefined {
    // What is found belongs to a client that holds more than this.
    let most = this.#limits.sparesSmaller === true ? newest.client.bytes - 1 : 0
    let found: Held | undefined
    for (const { bytes, unsecured } of this.#clients.values()) {
      if (bytes <= most) continue
      for (const entry of unsecured) {
        if (entry === newest || !entry.mayGiveUp()) continue
        most = bytes
        found = entry
        break
      }
    }
    return found
  }
}

// How are clients limited that do not read their answers? A connection has one answer at a time: its next request is processed when the
// previous answer has left the process. What waits and what is not read is held. Bytes that many answers share (the reference, kept answers,
// files of the page) are not counted. A client that reads nothing for {@link UNREAD_TIMEOUT_MS} is disconnected.

/** How many requests of one connection may wait for earlier answers; a connection with more is closed. */
export const MAXIMUM_HELD_REQUESTS = 8
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
  socket.setTimeout(held.unreadMs)
  if (bytes === 0) return noteNothing
  const unread = held.hold(readClient(), bytes, () => response.destroy())
  response.once("close", () => unread.release())
  return later => unread.resize(later)
}
