/**
 * Which key does a subscription's secret stand for?
 *
 * A secret is shown to the customer once, as `whsec_` and the base64 of 32 random bytes. Two readings of "keyed by the secret"
 * are in use and both are served, each where its verifiers expect it:
 * - `svc` and `body`: the secret's own characters, `whsec_` included, as UTF-8 bytes. The specification says "keyed by the
 *   subscription secret", a customer sees a string, and the verifiers of this header format take the string whole.
 * - `standard`: the bytes that the base64 after `whsec_` stands for, as Standard Webhooks 1.0 lays down (24 to 64 bytes).
 * Messages never show a secret, not even in part.
 */
import { utf8ToBytes } from "@noble/hashes/utils.js"
import { failure, type Result, type SignatureError, success } from "../errors.ts"
import { decodeBase64 } from "./base64.ts"
import type { SignatureScheme } from "./mac.ts"

/** The prefix of every secret of ours. */
export const SECRET_PREFIX = "whsec_"

/** How many secrets can sign or verify one delivery. */
const SECRETS_MAX = 16

/** How many characters a secret can have. */
const SECRET_CHARACTERS_MAX = 256

const WHITESPACE = "A line break or blank is often left by a file, a copy or an environment variable: remove it."

function findFault(secret: unknown): string | null {
  if (typeof secret !== "string")
    return `is ${secret === null ? "null" : `of type ${typeof secret}`}; expected a string.`
  if (secret === "") return `is empty; expected the secret that was shown when the subscription was made.`
  if (secret.length > SECRET_CHARACTERS_MAX) {
    return `has ${secret.length} characters; expected at most ${SECRET_CHARACTERS_MAX}.`
  }
  if (/^\s|\s$/.test(secret)) return `has whitespace at its ${/^\s/.test(secret) ? "start" : "end"}. ${WHITESPACE}`
  if (/\s/.test(secret)) return `has whitespace in it. ${WHITESPACE}`
  if (!/^[\x21-\x7e]+$/.test(secret))
    return "has a character that is not visible ASCII; copy it again from where it was shown."
  return null
}

/** Reads a list of 1 to {@link SECRETS_MAX} secrets, of 1 to {@link SECRET_CHARACTERS_MAX} visible ASCII characters each. */
export function readSecrets(secrets: unknown): Result<readonly string[], SignatureError> {
  if (!Array.isArray(secrets)) {
    const found = secrets === null ? "null" : `of type ${typeof secrets}`
    return failure({ tag: "MalformedSecret", message: `secrets is ${found}; expected a list, such as [secret].` })
  }
  const count = secrets.length
  if (count === 0 || count > SECRETS_MAX) {
    const message = `secrets has ${count} entries; expected 1 to ${SECRETS_MAX}.`
    return failure({ tag: "MalformedSecret", message })
  }
  const read: string[] = []
  for (let i = 0; i < count; i++) {
    const secret: unknown = secrets[i]
    const fault = findFault(secret)
    if (fault !== null) return failure({ tag: "MalformedSecret", message: `secrets[${i}] ${fault}` })
    read.push(secret as string)
  }
  return success(read)
}

/** Turns secrets into the keys of a scheme; `MalformedSecret` when `standard` finds no base64 of 24 to 64 bytes. */
export function readKeys(
  secrets: readonly string[],
  scheme: SignatureScheme,
): Result<readonly Uint8Array[], SignatureError> {
  if (scheme !== "standard") return success(secrets.map(utf8ToBytes))
  const keys: Uint8Array[] = []
  for (const [i, secret] of secrets.entries()) {
    const key = readStandardKey(secret)
    if (typeof key === "string") {
      const message = `secrets[${i}] ${key}; expected ${SECRET_PREFIX} and the base64, with padding, of 24 to 64 bytes.`
      return failure({ tag: "MalformedSecret", message })
    }
    keys.push(key)
  }
  return success(keys)
}

/** Reads the key of Standard Webhooks in a secret, or says why there is none. */
export function readStandardKey(secret: string): Uint8Array | string {
  const key = decodeBase64(secret.startsWith(SECRET_PREFIX) ? secret.slice(SECRET_PREFIX.length) : secret)
  if (key === null) return "is not base64"
  return key.length < 24 || key.length > 64 ? `stands for ${key.length} bytes` : key
}
