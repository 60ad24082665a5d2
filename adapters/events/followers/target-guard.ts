/**
 * To which addresses may a subscription make the service send something?
 *
 * A subscriber names an address, and the service can reach more addresses than the subscriber can. Only https to public addresses
 * is accepted. A name is resolved once for a connection, every address of it is checked, and the connection goes to one of those,
 * so that a name that resolves differently the second time gains nothing. A literal address never reaches the resolver and is
 * judged with the URL.
 */

import { type LookupAddress, lookup } from "node:dns"
import { BlockList, isIP, type LookupFunction } from "node:net"
import { Context } from "effect"
import { sayExpected } from "../../validation/fields.ts"

export type Resolve = (host: string, done: (error: Error | null, addresses: readonly LookupAddress[]) => void) => void

const askSystem: Resolve = (host, done) => {
  lookup(host, { all: true, verbatim: true }, (error, addresses) => done(error, addresses ?? []))
}

// https://www.iana.org/assignments/iana-ipv4-special-registry and multicast; all that is not for everybody.
const SPECIAL_IPV4 = [
  ["0.0.0.0", 8],
  ["10.0.0.0", 8],
  ["100.64.0.0", 10],
  ["127.0.0.0", 8],
  // The host of a virtual machine on Azure: it looks public, and is not.
  ["168.63.129.16", 32],
  ["169.254.0.0", 16],
  ["172.16.0.0", 12],
  ["192.0.0.0", 24],
  ["192.0.2.0", 24],
  ["192.31.196.0", 24],
  ["192.52.193.0", 24],
  ["192.88.99.0", 24],
  ["192.168.0.0", 16],
  ["192.175.48.0", 24],
  ["198.18.0.0", 15],
  ["198.51.100.0", 24],
  ["203.0.113.0", 24],
  ["224.0.0.0", 3],
] as const

// Of IPv6 only 2000::/3 is assigned to the public; these ranges inside it are not (the special registry), including translated and
// tunnelled addresses.
const SPECIAL_IPV6 = [
  ["2001::", 23],
  ["2001:db8::", 32],
  ["2002::", 16],
  ["2620:4f:8000::", 48],
  ["3fff::", 20],
] as const

const special = new BlockList()
for (const [address, prefix] of SPECIAL_IPV4) special.addSubnet(address, prefix, "ipv4")
for (const [address, prefix] of SPECIAL_IPV6) special.addSubnet(address, prefix, "ipv6")
const given = new BlockList()
given.addSubnet("2000::", 3, "ipv6")

/**
 * Says whether an address is public.
 *
 * @example
 * ```ts
 * isPublicAddress("93.184.216.34") // => true
 * isPublicAddress("169.254.169.254") // => false
 * isPublicAddress("::ffff:93.184.216.34") // => false
 * isPublicAddress("2606:4700::1111") // => true
 * ```
 */
export function isPublicAddress(address: string): boolean {
  const version = isIP(address)
  if (version === 4) return !special.check(address, "ipv4")
  // A scope, as in fe80::1%eth0, belongs to one machine.
  return version === 6 && !address.includes("%") && given.check(address, "ipv6") && !special.check(address, "ipv6")
}

export interface TargetRules {
  /** Takes http and private addresses too: for development. */
  readonly allowsPrivate: boolean
}

/** Where subscriptions of this process may point to. */
export class Targets extends Context.Service<Targets, TargetRules>()("landfall/followers/Targets") {}

/** A permitted URL, or the reason against it. */
type ReadTarget = { readonly ok: true; readonly url: URL } | { readonly ok: false; readonly message: string }

/** The longest URL that is kept. */
const LONGEST_URL = 2_048

/** The messages for a host that is not public, and for one without any address: names inside of a network stay secret. */
const NOT_PUBLIC = "The host has no public address"

/** Judges a URL as far as that is possible without a resolver. */
export function readTarget(text: unknown, { allowsPrivate }: TargetRules): ReadTarget {
  const refuse = (message: string): ReadTarget => ({ ok: false, message })
  const scheme = allowsPrivate ? "an http or https URL" : "an https URL"
  if (typeof text !== "string" || text.length > LONGEST_URL) {
    return refuse(sayExpected(`${scheme} of at most ${LONGEST_URL} characters`, text))
  }
  const url = URL.parse(text)
  if (url === null || !(url.protocol === "https:" || (allowsPrivate && url.protocol === "http:"))) {
    return refuse(`Expected ${scheme}, such as https://example.org/hooks`)
  }
  if (url.username !== "" || url.password !== "") return refuse("A user or a password is not allowed in the URL")
  if (url.hash !== "") return refuse("A fragment is not allowed in the URL")
  if (allowsPrivate) return { ok: true, url }
  const port = url.port === "" ? 443 : Number(url.port)
  if (port !== 443 && port < 1_024) return refuse("The port has to be 443 or above 1023")
  const host = url.hostname.replace(/^\[|\]$/g, "")
  if (isIP(host) !== 0 && !isPublicAddress(host)) return refuse(NOT_PUBLIC)
  if (/^(.*\.)?(localhost|local|internal)\.?$/.test(host) || !/[.:]/.test(host)) return refuse(NOT_PUBLIC)
  return { ok: true, url }
}

/** Why a connection is not made. */
const refused = () => Object.assign(new Error("the host has no public address"), { code: "EADDRREFUSED" })

/** Resolves names for connections, so that the checked addresses are the ones connected to. One address that is not public refuses the name. */
export const guardLookup = ({ allowsPrivate }: TargetRules, resolve: Resolve = askSystem): LookupFunction => {
  const isAllowed = (address: string) => allowsPrivate || isPublicAddress(address)
  return (host, options, done) =>
    resolve(host, (error, addresses) => {
      const [first] = addresses
      if (error !== null || first === undefined || !addresses.every(({ address }) => isAllowed(address))) {
        return done(refused(), "", 4)
      }
      // Node asks for all addresses when it tries several.
      if (options.all) return (done as unknown as (error: null, all: LookupAddress[]) => void)(null, [...addresses])
      done(null, first.address, first.family)
    })
}
