/**
 * How is the address of a machine read, and which client sent a request?
 *
 * Hosts to listen on, which of them are reached from this machine only, and the proxies whose `X-Forwarded-For` is trusted.
 */
import { BlockList, isIP, SocketAddress } from "node:net"
import { Context, Layer } from "effect"
import { readListEnd } from "./header-list.ts"

/** Writes a host and a port as the authority of a URL: IPv6 addresses in brackets. */
export function formatAuthority(host: string, port: number): string {
  return `${isIP(host) === 6 ? `[${host}]` : host}:${port}`
}

/** Reads a host as it is listened on, without the brackets of an IPv6 address. A host that a URL cannot hold cannot be reached. */
export function readHost(text: string): string | undefined {
  const host = text.replace(/^\[(.*)\]$/, "$1")
  const url = /[\s/@?#\\]/.test(host) ? null : URL.parse(`http://${formatAuthority(host, 1)}`)
  return url?.port === "1" ? host : undefined
}

// IPv4 addresses in IPv6 form match the IPv4 entries.
const loopback = new BlockList()
loopback.addSubnet("127.0.0.0", 8, "ipv4")
loopback.addAddress("::1", "ipv6")

/**
 * Says whether a host is reached from this machine only.
 *
 * @example
 * ```ts
 * isLoopbackHost("localhost") // => true
 * isLoopbackHost("::1") // => true
 * isLoopbackHost("0.0.0.0") // => false
 * ```
 */
export function isLoopbackHost(host: string): boolean {
  const bare = host.replace(/^\[(.*)\]$/, "$1").toLowerCase()
  const version = isIP(bare)
  if (version !== 0) return loopback.check(bare, version === 4 ? "ipv4" : "ipv6")
  return bare === "localhost" || bare.endsWith(".localhost")
}

/** A set of addresses, such as those of the proxies whose `X-Forwarded-For` is trusted. */
export interface TrustedProxies {
  readonly trusts: (address: string) => boolean
}

export const noProxies: TrustedProxies = { trusts: () => false }

const MAPPED = "::ffff:0.0.0.0"
const mapped = new BlockList()
mapped.addSubnet(MAPPED, 96, "ipv6")

/** Says whether a block has more addresses than any private one: clients behind it could invent their own addresses. */
function isTooLarge(address: string, prefix: number): boolean {
  if (isIP(address) === 4) return prefix < 8
  if (prefix < 7) return true
  // IPv4 addresses in IPv6 form are IPv4 addresses.
  const block = new BlockList()
  block.addSubnet(address, prefix, "ipv6")
  return prefix < 96 + 8 && (block.check(MAPPED, "ipv6") || mapped.check(address, "ipv6"))
}

/** Reads addresses and CIDR blocks of proxies. A block is at most as large as 10.0.0.0/8 or fc00::/7. */
export const readProxies = (text: string): TrustedProxies | undefined => readBlocks(text, isTooLarge)

/** Reads addresses and CIDR blocks, separated by commas; undefined for any other text, and for a block that is refused. */
export function readBlocks(
  text: string,
  isRefused: (address: string, prefix: number) => boolean = () => false,
): TrustedProxies | undefined {
  const list = new BlockList()
  for (const item of text.split(",")) {
    const [address = "", prefix, ...rest] = item.trim().split("/")
    const version = isIP(address)
    const width = version === 4 ? 32 : 128
    if (version === 0 || rest.length > 0) return undefined
    if (prefix !== undefined && !(/^\d{1,3}$/.test(prefix) && Number(prefix) <= width)) return undefined
    if (prefix !== undefined && isRefused(address, Number(prefix))) return undefined
    list.addSubnet(address, prefix === undefined ? width : Number(prefix), version === 4 ? "ipv4" : "ipv6")
  }
  return {
    trusts: address => {
      const version = isIP(address)
      return version !== 0 && list.check(address, version === 4 ? "ipv4" : "ipv6")
    },
  }
}

// Which client sent a request?
// The socket's address, unless that is a proxy which the operator trusts: then the last address of `X-Forwarded-For` that is not a trusted
// proxy, because an unknown sender wrote everything before it. Addresses are used for limits only and never logged.

/** Headers that a proxy adds: a request that carries one came through a proxy. */
const FORWARDING_HEADERS = [
  "forwarded",
  "via",
  "x-forwarded-for",
  "x-forwarded-host",
  "x-forwarded-proto",
  "x-real-ip",
] as const

/** What is known of the sender of a request. */
interface Sender {
  /** The remote address of the socket; undefined if the host does not know it. */
  readonly socketAddress: string | undefined
  /** Reads a header by its name in lower case. */
  readonly header: (name: string) => string | undefined
}

/** Says whether a proxy has forwarded a request. */
export function isForwarded(request: Sender): boolean {
  return FORWARDING_HEADERS.some(name => request.header(name) !== undefined)
}

/** An IPv4 address that came over an IPv6 socket is still that IPv4 address. */
function unmapAddress(address: string): string {
  return address.toLowerCase().startsWith("::ffff:") && address.includes(".") ? address.slice(7) : address
}

/** Reads one element of `X-Forwarded-For`, which may have a port, or answers null. */
function readHop(hop: string): string | null {
  const bare = /^\[([^\]]+)\](?::\d+)?$/.exec(hop)?.[1] ?? (isIP(hop) === 0 ? hop.replace(/:\d+$/, "") : hop)
  const version = isIP(bare)
  if (version !== 6) return version === 0 ? null : bare
  // In the same spelling as sockets, so that ::ffff:cb00:7105 and ::ffff:203.0.113.5 are one client.
  return unmapAddress(new SocketAddress({ address: bare, family: "ipv6" }).address)
}

/**
 * Finds the address of the client; null if the server does not know it.
 *
 * @example
 * ```ts
 * findClientAddress("::ffff:192.0.2.7", undefined, { trusts: () => false }) // => "192.0.2.7"
 * findClientAddress("10.0.0.2", "203.0.113.9, 10.0.0.9", { trusts: address => address.startsWith("10.") }) // => "203.0.113.9"
 * ```
 */
export function findClientAddress(
  socketAddress: string | undefined,
  forwardedFor: string | undefined,
  proxies: TrustedProxies,
): string | null {
  if (socketAddress === undefined) return null
  let address = unmapAddress(socketAddress)
  if (forwardedFor === undefined) return address
  const hops = [...readListEnd(forwardedFor)]
  while (hops.length > 0 && proxies.trusts(address)) {
    const hop = readHop(hops.pop() as string)
    if (hop === null) break
    address = hop
  }
  return address
}

/**
 * Returns the name under which limits, bytes and connections count a client: an IPv4 address, or the /48 network of an IPv6 address, because
 * one holder may have all of its 65,536 /64 networks.
 *
 * @example
 * ```ts
 * nameClient("2001:db8:0:7:a:b:c:d") // => "2001:db8:0::/48"
 * nameClient("192.0.2.7") // => "192.0.2.7"
 * ```
 */
export const nameClient = (address: string): string => pickClient(nameNetworks(address))

const pickClient = ([wide, narrow]: readonly [string, string]) => (narrow.includes(":") ? wide : narrow)

/**
 * Returns the networks of an address that the fair queue counts, the wide one first: the /48 and the /64 of an IPv6 address, because a
 * holder may have a whole /48; the /24 of an IPv4 address, and the address.
 *
 * @example
 * ```ts
 * nameNetworks("2001:db8:0:7:a:b:c:d") // => ["2001:db8:0::/48", "2001:db8:0:7::/64"]
 * nameNetworks("192.0.2.7") // => ["192.0.2.0/24", "192.0.2.7"]
 * ```
 */
export function nameNetworks(address: string): readonly [wide: string, narrow: string] {
  if (isIP(address) !== 6) return [`${address.slice(0, address.lastIndexOf(".") + 1)}0/24`, address]
  const [head = "", tail] = (address.split("%")[0] as string).toLowerCase().split("::")
  const front = head === "" ? [] : head.split(":")
  const back = tail === undefined || tail === "" ? [] : tail.split(":")
  const missing = tail === undefined ? 0 : Math.max(0, 8 - front.length - back.length)
  const groups = [...front, ...new Array<string>(missing).fill("0"), ...back]
  const names = groups.slice(0, 4).map(group => group.replace(/^0+(?=.)/, ""))
  return [`${names.slice(0, 3).join(":")}::/48`, `${names.join(":")}::/64`]
}

interface Hosts {
  readonly remoteAddr?: { readonly hostname?: unknown }
  readonly incoming?: { readonly socket?: { readonly remoteAddress?: unknown } }
  readonly requestIP?: (request: Request) => { readonly address?: unknown } | null
}

/**
 * Finds the client's address in what a host has passed. A fetch handler gets a second argument, which differs between runtimes: `Deno.serve`
 * passes the remote address, `Bun.serve` a server that knows it, Hono on Node passes Node's own message, a worker its bindings. Only a valid
 * address is accepted.
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

/** The version of the Internet Protocol of an address; null for none. */
export const familyOf = (address: string | null): "IPv4" | "IPv6" | null => {
  const version = address === null ? 0 : isIP(address)
  return version === 0 ? null : version === 4 ? "IPv4" : "IPv6"
}

/** Tells clients apart, trusting some proxies. */
export function makeClients(proxies: TrustedProxies) {
  const readAddress = (request: Sender) =>
    findClientAddress(request.socketAddress, request.header("x-forwarded-for"), proxies)
  const findNetworks = (request: Sender) => nameNetworks(readAddress(request) ?? "")
  return {
    /** The networks under which the fair queue counts a request; the same for all without a known address. */
    networks: findNetworks,
    /** The name under which limits, bytes and connections count a request; one name for all clients without a known address. */
    name: (request: Sender) => pickClient(findNetworks(request)),
    /** The address of the client; null if the server does not know it. */
    address: readAddress,
  }
}

export class Clients extends Context.Service<Clients, ReturnType<typeof makeClients>>()("landfall/http/Clients") {
  static readonly layer = (proxies: TrustedProxies) => Layer.succeed(Clients, makeClients(proxies))
}
