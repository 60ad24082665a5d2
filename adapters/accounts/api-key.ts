/**
 * What does an API key look like, and how is it looked up without being stored?
 *
 * A key is its prefix and 32 random bytes in base64url (43 characters), so that it can be neither guessed nor mistaken for
 * another kind. The database holds an HMAC of it to find it by; this file knows neither database nor account.
 */
import { createHmac, randomBytes } from "node:crypto"

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

/** The HMAC-SHA256 of a key, in base64: what it is looked up by. */
export function hashApiKey(hashKey: Uint8Array, key: string): string {
  return createHmac("sha256", hashKey).update(key).digest("base64")
}
