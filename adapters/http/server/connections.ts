/**
 * How many connections are there at once, and which one is closed for a new one?
 *
 * A connection takes 6 KB, and up to 23 KB while its headers arrive. If there are too many, one of the address with the most is closed (the
 * /48 network of an IPv6 address): the one that has waited for its client for the longest, because it sends nothing, sends slowly, or does
 * not read its answer. A request that is being answered is not given up for a new connection. So an address that opens thousands closes its
 * own, and no address has a limit that a proxy in front of the service, with all its clients, would reach.
 */
import type { IncomingMessage } from "node:http"
import type { Socket } from "node:net"
import { nameClient } from "../pipeline/client-address.ts"

const MAXIMUM_CONNECTIONS = 2_000

/** A connection, with the request on it that is not answered yet. */
interface Connection {
  readonly client: string
  message: IncomingMessage | null
}

/** Whether the service waits for the client, and not the client for the service. */
const waitsForClient = (socket: Socket, { message }: Connection): boolean =>
  message === null || !message.complete || socket.writableLength > 0

export class Connections {
  readonly #maximum: number
  readonly #all = new Map<Socket, Connection>()
  /** The connections of each client, those first on which nothing has happened for the longest. */
  readonly #byClient = new Map<string, Set<Socket>>()

  constructor(maximum: number = MAXIMUM_CONNECTIONS) {
    this.#maximum = maximum
  }

  get size(): number {
    return this.#all.size
  }

  [Symbol.iterator](): Iterator<Socket> {
    return this.#all.keys()
  }

  /** Adds a connection until it closes, and closes one where there are too many. */
  add(socket: Socket): void {
    const client = nameClient(socket.remoteAddress ?? "")
    const own = this.#byClient.get(client) ?? new Set<Socket>()
    this.#byClient.set(client, own)
    own.add(socket)
    this.#all.set(socket, { client, message: null })
    if (this.#all.size > this.#maximum) this.#closeOne(socket)
  }

  remove(socket: Socket): void {
    const connection = this.#all.get(socket)
    if (connection === undefined) return
    this.#all.delete(socket)
    const own = this.#byClient.get(connection.client)
    own?.delete(socket)
    if (own?.size === 0) this.#byClient.delete(connection.client)
  }

  /** Notes the request on a connection, or null when it was answered. */
  note(socket: Socket, message: IncomingMessage | null): void {
    const connection = this.#all.get(socket)
    if (connection === undefined) return
    connection.message = message
    const own = this.#byClient.get(connection.client)
    own?.delete(socket)
    own?.add(socket)
  }

  #closeOne(newest: Socket): void {
    let most = new Set<Socket>()
    for (const own of this.#byClient.values()) if (own.size > most.size) most = own
    let closed = newest
    for (const socket of most) {
      if (socket === newest || !waitsForClient(socket, this.#all.get(socket) as Connection)) continue
      closed = socket
      break
    }
    this.remove(closed)
    closed.destroy()
  }
}
