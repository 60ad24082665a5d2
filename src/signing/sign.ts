/**
 * Which headers prove to a receiver that a delivery is ours, unchanged and fresh?
 *
 * One delivery carries three signatures, so that a receiver picks the one that its tools know: `Svc-Signature` (the webhooks
 * specification, "Signature"), `Svc-Body-Signature` over the raw body (the visa service's receivers) and the three headers of
 * Standard Webhooks 1.0. This file does not know the clock, the event or where a secret is kept.
 */
import { failure, type Result, type SignatureError, success } from "../errors.ts"
import {
  computeMac,
  encodeBase64,
  findOtherOption,
  ID_PATTERN,
  LAST_SECOND,
  readBody,
  readKeys,
  readSecrets,
  readStandardKey,
  readsAsTimestamped,
  SECRET_PREFIX,
} from "./signature.ts"

/** The options of signing. */
export type SignDeliveryOptions = {
  /** The event's id, the same at every attempt: 1 to 256 visible ASCII characters without a full stop. */
  readonly id: string
  /** When this attempt is made, in whole Unix seconds: a retry is signed again, otherwise receivers refuse it as a replay. */
  readonly timestampSeconds: number
  /** The body exactly as it will be sent: at most 1,048,576 bytes, text counted and signed as UTF-8. */
  readonly body: string | Uint8Array
  /** `whsec_` and base64 of 24 to 64 bytes each, or what else a receiver keeps behind `whsec_`; newest first, 1 to 16 of them. */
  readonly secrets: readonly string[]
}

/** The headers of one signed attempt, names in lower case. */
export type SignedDeliveryHeaders = {
  readonly "svc-signature": string
  readonly "svc-body-signature": string
  readonly "webhook-id": string
  readonly "webhook-timestamp": string
  /** Left out where no secret is the base64 of a key, so that Standard Webhooks could not verify it. */
  readonly "webhook-signature"?: string
}

/**
 * Signs one attempt of a delivery in all three schemes and returns its headers.
 *
 * `timestampSeconds` is in whole Unix seconds. With several secrets (the old one signs for 24 hours after a rotation)
 * `svc-signature` and `webhook-signature` carry a `v1` for each, in the order given. `svc-body-signature` has room for one value
 * and carries that of the first secret, the newest: after a leak nobody should go on trusting the old one. An attempt that is
 * refused because the receiver does not have the new secret yet is tried again.
 *
 * A secret that is not the base64 of 24 to 64 bytes signs in `svc-signature` and `svc-body-signature`, which are keyed with its
 * characters, and not in `webhook-signature`, which is keyed with those bytes.
 *
 * Fails with `MalformedId`, `MalformedTimestamp`, `MalformedSecret`, `BodyNotRaw`, `MalformedBody` or `MalformedOptions`.
 * Source: the webhooks specification, "Signature" 1 and 2; Standard Webhooks 1.0, "Signature scheme". Cost: three HMACs of the
 * body, and two more for each further secret.
 *
 * @example
 * ```ts
 * const secrets = ["whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"]
 * const signed = signDelivery({ id: "msg_p5jXN8AQM9LWM0D4loKWxJek", timestampSeconds: 1614265330, body: '{"test": 2432232314}', secrets })
 * signed.ok && signed.value["webhook-signature"] // => "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="
 * signed.ok && signed.value["svc-signature"].slice(0, 16) // => "t=1614265330,v1="
 * ```
 */
export function signDelivery(options: SignDeliveryOptions): Result<SignedDeliveryHeaders, SignatureError> {
  try {
    return sign(options)
  } catch {
    // Only a caller's own getter or proxy can throw in there.
    const message = "The options cannot be read; expected {id, timestampSeconds, body, secrets}."
    return failure({ tag: "MalformedOptions", message })
  }
}

const OPTIONS = ["id", "timestampSeconds", "body", "secrets"]

function sign(options: SignDeliveryOptions) {
  const stray = findOtherOption(options, OPTIONS)
  if (stray !== null) return stray
  const { id, timestampSeconds, body, secrets } = options
  if (typeof id !== "string" || !ID_PATTERN.test(id)) {
    const message = "id is not 1 to 256 visible ASCII characters without a full stop, which separates the signed parts."
    return failure({ tag: "MalformedId", message })
  }
  if (!Number.isInteger(timestampSeconds) || timestampSeconds < 0 || timestampSeconds > LAST_SECOND) {
    const advice = timestampSeconds > LAST_SECOND ? " Milliseconds? Divide them by 1000 and drop the fraction." : ""
    const message = `timestampSeconds is not a whole number of Unix seconds from 0 to ${LAST_SECOND}.${advice}`
    return failure({ tag: "MalformedTimestamp", message })
  }
  const bytes = readBody(body)
  if (!bytes.ok) return bytes
  if (readsAsTimestamped(bytes.value)) {
    const message =
      "body begins with digits and a full stop, so its body signature could pass for a timestamped one; a delivery is a JSON object."
    return failure({ tag: "MalformedBody", message })
  }
  const texts = readSecrets(secrets)
  if (!texts.ok) return texts
  const unmarked = texts.value.findIndex(secret => !secret.startsWith(SECRET_PREFIX))
  if (unmarked >= 0) {
    const message = `secrets[${unmarked}] does not begin with ${SECRET_PREFIX}; expected the secret whole, as it is shown.`
    return failure({ tag: "MalformedSecret", message })
  }
  const textKeys = readKeys(texts.value, "svc")
  if (!textKeys.ok) return textKeys

  const timestamp = `${timestampSeconds}`
  const hex = textKeys.value.map(key => `v1=${encodeHex(computeMac(key, `${timestamp}.`, bytes.value))}`)
  const base64: string[] = []
  for (const secret of texts.value) {
    const key = readStandardKey(secret)
    if (typeof key === "string") continue
    base64.push(`v1,${encodeBase64(computeMac(key, `${id}.${timestamp}.`, bytes.value))}`)
  }
  return success({
    "svc-signature": `t=${timestamp},${hex.join(",")}`,
    "svc-body-signature": `sha256=${encodeHex(computeMac(textKeys.value[0] as Uint8Array, "", bytes.value))}`,
    "webhook-id": id,
    "webhook-timestamp": timestamp,
    ...(base64.length === 0 ? undefined : { "webhook-signature": base64.join(" ") }),
  })
}

const encodeHex = (bytes: Uint8Array): string => Array.from(bytes, byte => byte.toString(16).padStart(2, "0")).join("")
