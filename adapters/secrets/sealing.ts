/**
 * How is a secret kept in a database that may be copied, and how is a sign-in token looked up without being stored?
 *
 * AES-256-GCM under a key that is derived from the deployment's secret for one purpose. The sealed text is bound to a name, for
 * example the id of its row, and cannot be opened after it was moved to another row. Layout, in base64: 12 bytes nonce, 16 bytes
 * tag, ciphertext.
 *
 * A token is 32 random bytes in base64url, in a link or in a cookie. The database holds an HMAC of it under the deployment's secret: the
 * token itself is never compared, so that no timing can be measured, and a copy of the database opens no session.
 */
import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes } from "node:crypto"

const NONCE_BYTES = 12
const TAG_BYTES = 16
const KEY_BYTES = 32

/** Derives the 32-byte key of one purpose from a secret (HKDF, RFC 5869, with SHA-256). */
export function deriveKey(secret: Uint8Array, purpose: string): Uint8Array {
  return new Uint8Array(hkdfSync("sha256", secret, "landfall", purpose, KEY_BYTES))
}

/** Seals a text with a 32-byte key, bound to a name. The same text has a different sealed text each time. */
export function sealText(key: Uint8Array, boundTo: string, text: string): string {
  const nonce = randomBytes(NONCE_BYTES)
  const cipher = createCipheriv("aes-256-gcm", key, nonce).setAAD(Buffer.from(boundTo))
  const ciphertext = Buffer.concat([cipher.update(text, "utf8"), cipher.final()])
  return Buffer.concat([nonce, cipher.getAuthTag(), ciphertext]).toString("base64")
}

/** Opens a sealed text; null if the key or the name differs or a byte was changed. */
export function unsealText(key: Uint8Array, boundTo: string, sealed: string): string | null {
  const bytes = Buffer.from(sealed, "base64")
  if (bytes.length < NONCE_BYTES + TAG_BYTES) return null
  const nonce = bytes.subarray(0, NONCE_BYTES)
  const tag = bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES)
  const decipher = createDecipheriv("aes-256-gcm", key, nonce, { authTagLength: TAG_BYTES })
  decipher.setAAD(Buffer.from(boundTo)).setAuthTag(tag)
  try {
    const text = Buffer.concat([decipher.update(bytes.subarray(NONCE_BYTES + TAG_BYTES)), decipher.final()])
    return text.toString("utf8")
  } catch {
    return null
  }
}

/** What derives a key for each purpose: the secret of the deployment. */
interface KeySource {
  readonly deriveKey: (purpose: string) => Uint8Array
}

/** Seals and opens the texts of one purpose, each bound to a row of a table by the name of that row. */
export const makeSealer = (
  secret: KeySource,
  { purpose, table }: { readonly purpose: string; readonly table: string },
) => {
  const key = secret.deriveKey(purpose)
  return {
    seal: (row: number | string, text: string) => sealText(key, `${table}/${row}`, text),
    /** Null where the row was changed. */
    open: (row: number | string, sealed: string) => unsealText(key, `${table}/${row}`, sealed),
  }
}

const TOKEN = /^[A-Za-z0-9_-]{43}$/

export const makeToken = (): string => randomBytes(32).toString("base64url")

/**
 * Says whether a text is spelled as a token, so that anything else is refused without asking the database.
 *
 * @example
 * ```ts
 * isToken("a".repeat(43)) // => true
 * isToken("a".repeat(10000)) // => false
 * ```
 */
export const isToken = (text: string): boolean => TOKEN.test(text)

/** Hashes texts for one purpose: one text has different hashes for two purposes. */
export function makeHasher(secret: KeySource, purpose: string): (text: string) => string {
  const key = secret.deriveKey(purpose)
  return text => createHmac("sha256", key).update(text).digest("base64url")
}
