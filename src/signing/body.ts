/**
 * Which bytes were sent as the body?
 *
 * A signature covers the bytes on the wire and nothing else: a body that was parsed and written again is another body, even
 * when it means the same. So this file takes text or bytes, and refuses everything that must have been parsed before.
 */
import { isBytes, utf8ToBytes } from "@noble/hashes/utils.js"
import { failure, type Result, type SignatureError, success } from "../errors.ts"

/** How many bytes a signed body can have (1 MiB), so that a stranger cannot keep a receiver busy. */
const BODY_BYTES_MAX = 1_048_576

function refuseParsed(body: unknown): Result<never, SignatureError> {
  if (body instanceof ArrayBuffer) {
    return failure({ tag: "BodyNotRaw", message: "body is an ArrayBuffer; give new Uint8Array(body)." })
  }
  const found =
    body === null || body === undefined
      ? `body is ${body}`
      : typeof body === "object"
        ? "body is an object, so it was parsed before it was signed or verified"
        : `body is of type ${typeof body}`
  const advice =
    "Give the raw request body, the very string or bytes that are sent (such as await request.text()), and parse it afterwards."
  return failure({ tag: "BodyNotRaw", message: `${found}. ${advice}` })
}

function refuseLength(): Result<never, SignatureError> {
  return failure({
    tag: "MalformedBody",
    message: `body is longer than ${BODY_BYTES_MAX} bytes, the most that is signed.`,
  })
}

const LONE_SURROGATE = /\p{Surrogate}/u

/** Reads a raw body as bytes: text as UTF-8, bytes as they are, at most {@link BODY_BYTES_MAX} of them. */
export function readBody(body: unknown): Result<Uint8Array, SignatureError> {
  if (typeof body !== "string" && !isBytes(body)) return refuseParsed(body)
  if (body.length > BODY_BYTES_MAX) return refuseLength()
  if (typeof body !== "string") return success(body)
  if (LONE_SURROGATE.test(body)) {
    // An encoder would replace it, and two different texts would have one signature.
    const message = "body has half of a surrogate pair, which no UTF-8 bytes stand for; give the bytes that came in."
    return failure({ tag: "MalformedBody", message })
  }
  const bytes = utf8ToBytes(body)
  return bytes.length > BODY_BYTES_MAX ? refuseLength() : success(bytes)
}

/**
 * Says whether a body reads as `<digits>.<anything>`.
 *
 * `svc` and `body` sign with one key, so the `svc` signature of a body B at time t is also the `body` signature of the text
 * `t.B`. No event looks like this (an event is a JSON object), and such a body is neither signed nor accepted without its
 * timestamp.
 */
export function readsAsTimestamped(body: Uint8Array): boolean {
  let digits = 0
  while (digits < body.length && (body[digits] as number) >= 48 && (body[digits] as number) <= 57) digits++
  return digits > 0 && body[digits] === 46
}
