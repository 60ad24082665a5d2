/**
 * How is the address of a machine read?
 *
 * Hosts to listen on, which of them are reached from this machine only, and the proxies whose `X-Forwarded-For` is trusted.
 */
import { BlockList, isIP } from "node:net"

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
