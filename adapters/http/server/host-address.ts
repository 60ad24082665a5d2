/**
 * Where does a runtime give the client's address?
 *
 * A fetch handler gets a second argument, which differs between runtimes: `Deno.serve` passes the remote address, `Bun.serve` a server that
 * knows it, Hono on Node passes Node's own message, a worker its bindings. Only a valid address is accepted.
 */
import { isIP } from "node:net"

interface Hosts {
  readonly remoteAddr?: { readonly hostname?: unknown }
  readonly incoming?: { readonly socket?: { readonly remoteAddress?: unknown } }
  readonly requestIP?: (request: Request) => { readonly address?: unknown } | null
}

/**
 * Finds the client's address in what a host has passed.
 *
 * @example
 * ```ts
 * findAddress("192.0.2.7", new Request("http://localhost")) // => "192.0.2.7"
 * findAddress({ remoteAddr: { transport: "tcp", hostname: "192.0.2.7", port: 5 } }, new Request("http://localhost")) // => "192.0.2.7"
 * findAddress({ DB: "bindings" }, new Request("http://localhost")) // => undefined
 * ```
 */
export function findAddress(host: unknown, request: Request): string | undefined {
  if (typeof host === "string") return isIP(host) === 0 ? undefined : host
  if (typeof host !== "object" || host === null) return undefined
  const { remoteAddr, incoming, requestIP } = host as Hosts
  const found = remoteAddr?.hostname ?? incoming?.socket?.remoteAddress ?? readRequestIp(host, requestIP, request)
  return typeof found === "string" && isIP(found) !== 0 ? found : undefined
}

function readRequestIp(host: object, requestIP: Hosts["requestIP"], request: Request): unknown {
  return typeof requestIP === "function" ? requestIP.call(host, request)?.address : undefined
}
