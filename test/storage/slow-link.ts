/** A PostgreSQL that is far away: a proxy on the loopback address that keeps all bytes for a while in both directions, and counts round trips. */
import { once } from "node:events"
import { type AddressInfo, connect, createServer, type Socket } from "node:net"

/** A running proxy. */
export interface SlowLink {
  /** The address of the same database through the proxy. */
  readonly url: string
  /** How often a client has said something after the server had. */
  readonly countRoundTrips: () => number
  readonly stop: () => void
}

/** Starts a proxy to the server of an address; a round trip through it takes so many milliseconds longer. */
export async function startSlowLink(databaseUrl: string, roundTripMs: number): Promise<SlowLink> {
  const url = new URL(databaseUrl)
  const [host, port] = [url.hostname, Number(url.port || 5_432)]
  const sockets = new Set<Socket>()
  let roundTrips = 0
  const server = createServer({ noDelay: true }, client => {
    const far = connect({ host, port, noDelay: true })
    let isServerLast = true
    client.on("data", () => {
      if (isServerLast) roundTrips++
      isServerLast = false
    })
    for (const [from, to] of [
      [client, far],
      [far, client],
    ] as const) {
      sockets.add(from)
      from.on("data", bytes => setTimeout(() => to.writable && to.write(bytes), roundTripMs / 2))
      from.on("error", () => to.destroy())
      from.on("close", () => {
        sockets.delete(from)
        setTimeout(() => to.end(), roundTripMs / 2)
      })
    }
    far.on("data", () => {
      isServerLast = true
    })
  })
  await once(server.listen(0, "127.0.0.1"), "listening")
  url.hostname = "127.0.0.1"
  url.port = String((server.address() as AddressInfo).port)
  return {
    url: url.href,
    countRoundTrips: () => roundTrips,
    stop: () => {
      server.close()
      for (const socket of sockets) socket.destroy()
    },
  }
}
