/**
 * Is this delivery from the holder of the secret, unchanged, and made just now?
 *
 * Verification comes before parsing and needs the raw body. A scheme is chosen by the receiver, never by the request: a delivery is not accepted for a weaker signature than the chosen
 * one. This file does not read the clock: the time is an argument. The rules are those of the webhooks specification ("Signature" 3 and 4) and Standard Webhooks 1.0.
 */
import { failure, type Result, type SignatureError, success } from "../errors.ts"
import {
  type Claim,
  computeMac,
  equalMacs,
  findOtherOption,
  LAST_SECOND,
  type RequestHeaders,
  readBody,
  readClaim,
  readKeys,
  readSecrets,
  readsAsTimestamped,
  SECRET_PREFIX,
  SIGNATURE_HEADERS,
  type SignatureScheme,
} from "./signature.ts"

/** How old, or how far in the future, a delivery may be: 300 seconds, both ends included. */
const DEFAULT_TOLERANCE_SECONDS = 300

/** What came in, and what it is judged by. */
export type VerifyDeliveryOptions = {
  /** Which signature to judge: `svc` (`Svc-Signature`, the default), `body` (`Svc-Body-Signature`) or `standard`. */
  readonly scheme?: SignatureScheme | undefined
  /** The request's headers. At most 4,096 characters a header and 16 `v1` signatures are read. */
  readonly headers: RequestHeaders
  /** The body exactly as it came in, at most 1,048,576 bytes; never a parsed object. */
  readonly body: string | Uint8Array
  /** The secrets that are valid now, 1 to 16 of them, in any order; two while one is being rotated. */
  readonly secrets: readonly string[]
  /** The receiver's time in Unix seconds; a fraction is dropped. */
  readonly nowSeconds: number
  /** How many seconds a delivery may be old or early, both ends included; 300 by default. */
  readonly toleranceSeconds?: number | undefined
}

/** A verified delivery. Only signed values are in it: `timestampSeconds` and `id` are null where the scheme signs none. */
export type VerifiedDelivery = {
  readonly scheme: SignatureScheme
  /** When the attempt was signed, in Unix seconds. */
  readonly timestampSeconds: number | null
  /** The event's id, from `webhook-id`. */
  readonly id: string | null
}

/**
 * Verifies a delivery: one of its signatures must be made with one of the secrets, and its age must be within the tolerance.
 *
 * Times are in Unix seconds. An age of exactly `toleranceSeconds` is accepted and one second more is refused, towards the past
 * (replays) and the future alike. Every signature is compared with every secret's, in constant time. The scheme `body` signs
 * no time: it cannot see a replay, so that its receivers must drop events whose `id` they have had.
 *
 * Fails with `MissingSignature`, `MissingTimestamp`, `MissingId`, `MalformedSignature`, `MalformedTimestamp`, `MalformedId`,
 * `MalformedBody`, `TimestampTooOld`, `TimestampInFuture` or `SignatureMismatch` (answer 401), and with `BodyNotRaw`,
 * `MalformedSecret` or `MalformedOptions` (the receiver's own mistake). Never throws. No message shows a secret.
 * Source: the webhooks specification, "Signature" 3 and 4. Cost: one HMAC of the body for each secret, none for a stale delivery.
 *
 * @example
 * ```ts
 * const headers = { "svc-signature": "t=1614265330,v1=2e37df5d4a028c51a7f3133d64ae1e300d2c2c900f1b1d49d4369ad2530f8964" }
 * const secrets = ["whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"]
 * verifyDelivery({ headers, body: '{"test": 2432232314}', secrets, nowSeconds: 1614265630 }).ok // => true
 * const late = verifyDelivery({ headers, body: '{"test": 2432232314}', secrets, nowSeconds: 1614265631 })
 * !late.ok && late.error.tag // => "TimestampTooOld"
 * const parsed = verifyDelivery({ headers, body: JSON.parse('{"test": 2432232314}'), secrets, nowSeconds: 1614265330 })
 * !parsed.ok && parsed.error.tag // => "BodyNotRaw"
 * ```
 */
export function verifyDelivery(options: VerifyDeliveryOptions): Result<VerifiedDelivery, SignatureError> {
  try {
    return verify(options)
  } catch {
    // Only a caller's own getter or proxy can throw in there, and unreadable options are an error.
    const message = "The options cannot be read; expected {headers, body, secrets, nowSeconds}."
    return failure({ tag: "MalformedOptions", message })
  }
}

const OPTIONS = ["scheme", "headers", "body", "secrets", "nowSeconds", "toleranceSeconds"]

function verify(options: VerifyDeliveryOptions): Result<VerifiedDelivery, SignatureError> {
  const stray = findOtherOption(options, OPTIONS)
  if (stray !== null) return stray
  const { scheme = "svc", headers, body, secrets, nowSeconds } = options
  const { toleranceSeconds = DEFAULT_TOLERANCE_SECONDS } = options
  if (typeof scheme !== "string" || !Object.hasOwn(SIGNATURE_HEADERS, scheme)) {
    return failure({ tag: "MalformedOptions", message: "scheme is not one of svc, body and standard." })
  }
  if (!isSeconds(nowSeconds)) {
    const advice = nowSeconds > LAST_SECOND ? " Milliseconds? Divide them by 1000." : ""
    const message = `nowSeconds is not a number of Unix seconds from 0 to ${LAST_SECOND}.${advice}`
    return failure({ tag: "MalformedOptions", message })
  }
  if (!isSeconds(toleranceSeconds)) {
    const message = `toleranceSeconds is not a number of seconds from 0 to ${LAST_SECOND}.`
    return failure({ tag: "MalformedOptions", message })
  }
  const texts = readSecrets(secrets)
  if (!texts.ok) return texts
  const keys = readKeys(texts.value, scheme)
  if (!keys.ok) return keys
  const bytes = readBody(body)
  if (!bytes.ok) return bytes
  const claim = readClaim(scheme, headers)
  if (!claim.ok) return claim

  const { timestamp, id } = claim.value
  const timestampSeconds = timestamp === null ? null : Number(timestamp)
  if (timestampSeconds !== null) {
    const ageError = findAgeError(timestampSeconds, Math.floor(nowSeconds), toleranceSeconds)
    if (ageError !== null) return failure(ageError)
  }
  if (!matches(scheme, claim.value, keys.value, bytes.value)) {
    return failure({ tag: "SignatureMismatch", message: explainMismatch(scheme, bytes.value, texts.value) })
  }
  return success({ scheme, timestampSeconds, id })
}

function isSeconds(value: unknown): value is number {
  return typeof value === "number" && value >= 0 && value <= LAST_SECOND
}

function findAgeError(timestampSeconds: number, nowSeconds: number, toleranceSeconds: number): SignatureError | null {
  const age = nowSeconds - timestampSeconds
  if (age > toleranceSeconds) {
    const found = `The delivery was signed ${age} seconds ago, more than the ${toleranceSeconds} allowed`
    const message = `${found}: it is a replay, it was held up on its way, or this machine's clock is ahead.`
    return { tag: "TimestampTooOld", message }
  }
  if (-age > toleranceSeconds) {
    const found = `The delivery was signed ${-age} seconds in the future, more than the ${toleranceSeconds} allowed`
    return { tag: "TimestampInFuture", message: `${found}: this machine's clock or the sender's is wrong.` }
  }
  return null
}

function matches(scheme: SignatureScheme, claim: Claim, keys: readonly Uint8Array[], body: Uint8Array): boolean {
  // Without its timestamp such a body could be a timestamped signature's content; see readsAsTimestamped.
  if (scheme === "body" && readsAsTimestamped(body)) return false
  const before =
    scheme === "svc" ? `${claim.timestamp}.` : scheme === "standard" ? `${claim.id}.${claim.timestamp}.` : ""
  let found = false
  for (const key of keys) {
    const expected = computeMac(key, before, body)
    // No early exit: the time taken does not tell which secret or which signature it was.
    for (const signature of claim.signatures) found = equalMacs(expected, signature) || found
  }
  return found
}

function explainMismatch(scheme: SignatureScheme, body: Uint8Array, secrets: readonly string[]): string {
  const causes = [
    `No signature in the header ${SIGNATURE_HEADERS[scheme]} matches the body and the secret.`,
    "Is the body the very bytes that came in (not parsed and written again), and the secret this subscription's own?",
  ]
  if (body.length === 0) causes.push("The body is empty: was it read before?")
  if (scheme !== "standard" && !secrets.some(secret => secret.startsWith(SECRET_PREFIX))) {
    causes.push(`The secret does not begin with ${SECRET_PREFIX}, which is a part of the key.`)
  }
  return causes.join(" ")
}
