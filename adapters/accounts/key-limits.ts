/**
 * What may a key be used for, until when, and from where?
 *
 * A key has scopes, each a part of the service. It may have an end and a list of addresses. A replaced key works for {@link OVERLAP_MS}
 * more, so that programs can switch to the new one without a refused request. A key cannot give other keys more rights than it has.
 */

import { randomBytes } from "node:crypto"
import { readBlocks, type TrustedProxies } from "../validation/addresses.ts"

/** The parts of the service that a key may be used for; `webhooks` includes devices, `team` the keys themselves and the audit trail. */
export const SCOPES = ["visa", "lookup", "spots", "webhooks", "jobs", "team"] as const
export type Scope = (typeof SCOPES)[number]

/** The scopes of a team key, and the most of a test key: all except that of the keys themselves. */
export const TEAM_KEY_SCOPES: readonly Scope[] = SCOPES.filter(scope => scope !== "team")

/** Whether an operation is about live data, or about data made for tests. */
export type KeyMode = "live" | "test"

/** How long a key works after it was replaced. */
export const OVERLAP_MS = 24 * 3_600_000

/** How many addresses or blocks a key may be bound to. */
export const MAXIMUM_ADDRESSES = 20

export interface KeyLimits {
  readonly scopes: readonly Scope[]
  /** Epoch milliseconds; null for a key without an end. */
  readonly expiresAt: number | null
  /** Addresses and CIDR blocks; empty for a key that works from everywhere. */
  readonly allowedAddresses: readonly string[]
}

/** The limits of an account's own key. */
export const NO_LIMITS: KeyLimits = { scopes: SCOPES, expiresAt: null, allowedAddresses: [] }

/** The limits of a key, as requests are judged by them. */
export interface JudgedLimits {
  readonly scopes: readonly Scope[]
  readonly expiresAt: number | null
  /** When the key was replaced, as an epoch millisecond; null for one that was not. */
  readonly replacedAt: number | null
  /** From where it works; null for everywhere. */
  readonly allowedFrom: TrustedProxies | null
  /** Whether it is a test key. */
  readonly isTest: boolean
}

export const ANY_REQUEST: JudgedLimits = {
  scopes: SCOPES,
  expiresAt: null,
  replacedAt: null,
  allowedFrom: null,
  isTest: false,
}

/** Why a key may not be used for a request. */
export type KeyRefusal =
  | { readonly kind: "expired"; readonly expiredAt: number }
  | { readonly kind: "address"; readonly address: string | null }
  | { readonly kind: "scope"; readonly scope: Scope }
  | { readonly kind: "mode"; readonly mode: KeyMode }
  /** It would store something for an account whose address is not confirmed. */
  | { readonly kind: "unconfirmed" }

/** Reads an address or a CIDR block; undefined for any other text. */
export const readAllowedAddress = (text: string): string | undefined =>
  !text.includes(",") && readBlocks(text) !== undefined ? text : undefined

/** The addresses that a list allows; null for an empty list. */
export const readAllowedFrom = (addresses: readonly string[]): TrustedProxies | null =>
  addresses.length === 0 ? null : (readBlocks(addresses.join(",")) ?? { trusts: () => false })

interface JudgedRequest {
  readonly scope: Scope
  /** Which keys it takes; both where it is absent. */
  readonly mode?: KeyMode | undefined
  readonly nowMs: number
  readonly readAddress: () => string | null
}

/** Says why a key may not be used for a request, or null where it may; `readAddress` is asked only where it matters. */
export function judgeKey(
  { scopes, expiresAt, allowedFrom, isTest }: JudgedLimits,
  { scope, mode, nowMs, readAddress }: JudgedRequest,
): KeyRefusal | null {
  if (expiresAt !== null && nowMs >= expiresAt) return { kind: "expired", expiredAt: expiresAt }
  if (allowedFrom !== null) {
    const address = readAddress()
    if (address === null || !allowedFrom.trusts(address)) return { kind: "address", address }
  }
  if (!scopes.includes(scope)) return { kind: "scope", scope }
  return mode === undefined || isTest === (mode === "test") ? null : { kind: "mode", mode }
}

/** Explains why a key may not be used. */
export function explainKeyRefusal(refusal: KeyRefusal): string {
  switch (refusal.kind) {
    case "expired":
      return `This key expired at ${new Date(refusal.expiredAt).toISOString()}.`
    case "address":
      return `This key may not be used from ${refusal.address ?? "an address that is not known"}.`
    case "scope":
      return `This key does not have the scope ${refusal.scope}.`
    case "mode":
      return refusal.mode === "test"
        ? "This needs a test key (svc_test_…)."
        : "A test key may not be used for this: it would change what is live."
    case "unconfirmed":
      return "Nothing is stored for an account whose e-mail address is not confirmed: follow the mailed link first."
  }
}

/** Why a key may not make or replace another one; null where it may. */
type HandingOut = { readonly kind: "bound" } | { readonly kind: "scope"; readonly scope: Scope }

/** Judges whether a key may hand out a key with some scopes: it would live on when the first one has ended. */
export function judgeHandingOut(holder: JudgedLimits, scopes: readonly Scope[]): HandingOut | null {
  if (holder.expiresAt !== null || holder.allowedFrom !== null) return { kind: "bound" }
  const missing = scopes.find(scope => !holder.scopes.includes(scope))
  return missing === undefined ? null : { kind: "scope", scope: missing }
}

// What does an API key look like, and how is it looked up without being stored?
// A key is its prefix and 32 random bytes in base64url (43 characters), so that it can be neither guessed nor mistaken for another kind.
// The database holds an HMAC of it to find it by; this file knows neither database nor account.

/** An account's first key, a key of its team, or another one that has a name. All share the account's quota; a test key has a small one of its own. */
export type KeyKind = "account" | "team" | "named" | "test"

const PREFIXES: Readonly<Record<KeyKind, string>> = {
  account: "svc_visa_",
  team: "svc_visa_team_",
  named: "svc_visa_",
  test: "svc_test_",
}
// An account's key cannot be read as a team key: it is five characters shorter.
const API_KEY = /^(svc_visa_(?:team_)?|svc_test_)([A-Za-z0-9_-]{43})$/

/** Makes a new key from 32 bytes of the system's randomness. */
export function makeApiKey(kind: KeyKind): string {
  return PREFIXES[kind] + randomBytes(32).toString("base64url")
}

/**
 * Says whether a text is spelled as a key of either kind, so that anything else is refused without asking the database.
 *
 * @example
 * ```ts
 * isApiKey("svc_visa_" + "a".repeat(43)) // => true
 * isApiKey("svc_visa_" + "a".repeat(10000)) // => false
 * ```
 */
export function isApiKey(text: string): boolean {
  return API_KEY.test(text)
}

/**
 * Shows enough of a key to tell it from others: its prefix and six characters. Empty for anything but a key.
 *
 * @example
 * ```ts
 * abbreviateApiKey("svc_visa_team_" + "0123456789".repeat(4) + "abc") // => "svc_visa_team_012345"
 * ```
 */
export function abbreviateApiKey(key: string): string {
  const [, prefix = "", random = ""] = API_KEY.exec(key) ?? []
  return prefix + random.slice(0, 6)
}

/**
 * Hides a key but for its prefix and last four characters. Anything but a key is hidden completely.
 *
 * @example
 * ```ts
 * maskApiKey("svc_visa_" + "a".repeat(39) + "wxyz") // => "svc_visa_****wxyz"
 * ```
 */
export function maskApiKey(key: string): string {
  const [, prefix = "", random = ""] = API_KEY.exec(key) ?? []
  return `${prefix}****${random.slice(-4)}`
}
