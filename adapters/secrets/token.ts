/**
 * What does a sign-in token look like, and how is it looked up without being stored?
 *
 * 32 random bytes in base64url, in a link or in a cookie. The database holds an HMAC of it under the deployment's secret: the
 * token itself is never compared, so that no timing can be measured, and a copy of the database opens no session.
 */
import { createHmac, randomBytes } from "node:crypto"
import type { DeploymentSecret } from "./deployment-secret.ts"

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
export function makeHasher(secret: DeploymentSecret["Service"], purpose: string): (text: string) => string {
  const key = secret.deriveKey(purpose)
  return text => createHmac("sha256", key).update(text).digest("base64url")
}
