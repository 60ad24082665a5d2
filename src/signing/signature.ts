/**
 * What do a delivery's headers claim: which signatures, made when, for which event?
 *
 * The headers come from an unknown sender and are not trusted. They are bounded (4,096 characters a header, 16 signatures) and strict: one
 * spelling for each value, every value at most once. Entries of other versions (`v0=`, `v1a,`) are skipped, so that a sender can add a
 * scheme without breaking its receivers; so is a malformed `v1` beside a well-formed one, as in Stripe's verifiers.
 */

import { hmac } from "@noble/hashes/hmac.js"
import { sha256 } from "@noble/hashes/sha2.js"
import { isBytes, utf8ToBytes } from "@noble/hashes/utils.js"
import { failure, type Result, type SignatureError, success } from "../errors.ts"

/** How many characters one header can have. */
const HEADER_CHARACTERS_MAX = 4_096

/** How many `v1` signatures one header can carry. */
const SIGNATURES_MAX = 16

/** The headers of a request: a fetch API `Headers`, or a record of names (in any case) and values, as Node's servers pass it. */
type RequestHeaders =
  | { get(name: string): string | null }
  | { readonly [name: string]: string | readonly string[] | undefined }

/** The contents of a scheme's headers; `timestamp` and `id` are null if the scheme signs none. */
type Claim = {
  readonly signatures: readonly Uint8Array[]
  readonly timestamp: string | null
  readonly id: string | null
}

type ClaimError = Result<never, SignatureError>

/** The header that carries the signatures of a scheme. */
const SIGNATURE_HEADERS = {
  svc: "svc-signature",
  body: "svc-body-signature",
  standard: "webhook-signature",
} as const satisfies Record<SignatureScheme, string>

/** Reads what the headers of a scheme claim. */
function readClaim(scheme: SignatureScheme, headers: unknown): Result<Claim, SignatureError> {
  if (typeof headers !== "object" || headers === null) {
    const found = headers === null ? "null" : `of type ${typeof headers}`
    return failure({ tag: "MalformedOptions", message: `headers is ${found}; expected the request's headers.` })
  }
  const name = SIGNATURE_HEADERS[scheme]
  const header = readHeader(headers as RequestHeaders, name, "MissingSignature", "MalformedSignature")
  if (!header.ok) return header
  if (scheme === "svc") return readSvcHeader(header.value)
  if (scheme === "body") return readBodyHeader(header.value)

  const id = readHeader(headers as RequestHeaders, "webhook-id", "MissingId", "MalformedId")
  if (!id.ok) return id
  if (!ID_PATTERN.test(id.value)) {
    const message = "The header webhook-id is not 1 to 256 visible ASCII characters without a full stop."
    return failure({ tag: "MalformedId", message })
  }
  const timestamp = readHeader(headers as RequestHeaders, "webhook-timestamp", "MissingTimestamp", "MalformedTimestamp")
  if (!timestamp.ok) return timestamp
  if (!SECONDS_PATTERN.test(timestamp.value)) return refuseTimestamp("The header webhook-timestamp", timestamp.value)
  return readStandardHeader(header.value, timestamp.value, id.value)
}

function readHeader(
  headers: RequestHeaders,
  name: string,
  missing: SignatureError["tag"],
  malformed: SignatureError["tag"],
): Result<string, SignatureError> {
  let value = findHeader(headers, name)
  if (Array.isArray(value) && value.length < 2) value = value[0]
  if (value === undefined || value === null || value === "") {
    const message = `The header ${name} is missing: is this request a delivery, and does every proxy in front of this server forward its headers?`
    return failure({ tag: missing, message })
  }
  if (typeof value !== "string") {
    const found = Array.isArray(value) ? `was given ${value.length} times` : `is of type ${typeof value}`
    return failure({ tag: malformed, message: `The header ${name} ${found}; expected one string.` })
  }
  if (value.length > HEADER_CHARACTERS_MAX) {
    const message = `The header ${name} has ${value.length} characters; expected at most ${HEADER_CHARACTERS_MAX}.`
    return failure({ tag: malformed, message })
  }
  return success(value)
}

function findHeader(headers: RequestHeaders, name: string): unknown {
  if (typeof headers.get === "function") return headers.get(name)
  const record = headers as Readonly<Record<string, unknown>>
  if (Object.hasOwn(record, name)) return record[name]
  for (const key of Object.keys(record)) if (key.toLowerCase() === name) return record[key]
  return undefined
}

function readSvcHeader(header: string): Result<Claim, SignatureError> {
  let timestamp: string | null = null
  let malformed = 0
  const signatures: Uint8Array[] = []
  for (const pair of header.split(",")) {
    const equals = pair.indexOf("=")
    if (equals < 1 || /^\s/.test(pair)) return refuseShape(SIGNATURE_HEADERS.svc, "t=<seconds>,v1=<hex>")
    const key = pair.slice(0, equals)
    const value = pair.slice(equals + 1)
    if (key === "t") {
      if (timestamp !== null) return refuseShape(SIGNATURE_HEADERS.svc, "one t")
      timestamp = value
    } else if (key === "v1") {
      const signature = decodeHexMac(value)
      if (signature === null) malformed++
      else signatures.push(signature)
    }
  }
  if (timestamp === null) {
    const message = "The header svc-signature has no timestamp t=<seconds>, so the age of the delivery cannot be told."
    return failure({ tag: "MissingTimestamp", message })
  }
  if (!SECONDS_PATTERN.test(timestamp)) return refuseTimestamp("t in the header svc-signature", timestamp)
  const expected = "every v1 as 64 lower-case hex digits"
  return countSignatures(SIGNATURE_HEADERS.svc, { signatures, timestamp, id: null }, malformed, expected)
}

function readBodyHeader(header: string): Result<Claim, SignatureError> {
  const signature = header.startsWith("sha256=") ? decodeHexMac(header.slice("sha256=".length)) : null
  if (signature === null) return refuseShape(SIGNATURE_HEADERS.body, "sha256= and 64 lower-case hex digits")
  return success({ signatures: [signature], timestamp: null, id: null })
}

function readStandardHeader(header: string, timestamp: string, id: string): Result<Claim, SignatureError> {
  let malformed = 0
  const signatures: Uint8Array[] = []
  for (const entry of header.split(" ")) {
    const comma = entry.indexOf(",")
    if (comma < 1) return refuseShape(SIGNATURE_HEADERS.standard, "v1,<base64>, several with one blank between them")
    if (entry.slice(0, comma) !== "v1") continue
    const signature = decodeBase64(entry.slice(comma + 1))
    if (signature?.length === MAC_BYTES) signatures.push(signature)
    else malformed++
  }
  const expected = `every v1 as the base64 of ${MAC_BYTES} bytes`
  return countSignatures(SIGNATURE_HEADERS.standard, { signatures, timestamp, id }, malformed, expected)
}

/** 64 lower-case hex digits as bytes, else null; upper case is refused, so that a signature has one spelling. */
function decodeHexMac(text: string): Uint8Array | null {
  if (!/^[0-9a-f]{64}$/.test(text)) return null
  return Uint8Array.from(text.match(/../g) as string[], digits => Number.parseInt(digits, 16))
}

function countSignatures(
  name: string,
  claim: Claim,
  malformed: number,
  expected: string,
): Result<Claim, SignatureError> {
  if (claim.signatures.length === 0 && malformed > 0) return refuseShape(name, expected)
  const count = claim.signatures.length + malformed
  if (count === 0) return failure({ tag: "MissingSignature", message: `The header ${name} has no v1 signature.` })
  if (count > SIGNATURES_MAX) return refuseShape(name, `at most ${SIGNATURES_MAX} v1 signatures, found ${count}`)
  return success(claim)
}

function refuseShape(name: string, expected: string): ClaimError {
  return failure({ tag: "MalformedSignature", message: `The header ${name} is malformed; expected ${expected}.` })
}

function refuseTimestamp(where: string, found: string): ClaimError {
  const shown = JSON.stringify(found.slice(0, 24))
  const message = `${where} is ${shown}; expected Unix seconds: 1 to 11 digits, no leading zero.`
  return failure({ tag: "MalformedTimestamp", message })
}

// ---- Secrets

// Which key does a subscription's secret stand for?
//
// A secret is shown to the customer once, as `whsec_` and the base64 of 32 random bytes. Two readings of "keyed by the secret"
// are in use and both are served, each where its verifiers expect it:
// - `svc` and `body`: the secret's own characters, `whsec_` included, as UTF-8 bytes. The specification says "keyed by the
//   subscription secret", a customer sees a string, and the verifiers of this header format take the string whole.
// - `standard`: the bytes that the base64 after `whsec_` stands for, as Standard Webhooks 1.0 lays down (24 to 64 bytes).
// Messages never show a secret, not even in part.

/** The prefix of every secret of ours. */
const SECRET_PREFIX = "whsec_"

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
function readSecrets(secrets: unknown): Result<readonly string[], SignatureError> {
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
function readKeys(secrets: readonly string[], scheme: SignatureScheme): Result<readonly Uint8Array[], SignatureError> {
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
function readStandardKey(secret: string): Uint8Array | string {
  const key = decodeBase64(secret.startsWith(SECRET_PREFIX) ? secret.slice(SECRET_PREFIX.length) : secret)
  if (key === null) return "is not base64"
  return key.length < 24 || key.length > 64 ? `stands for ${key.length} bytes` : key
}

// ---- Authentication codes

// Which bytes does a signature cover, and what is their HMAC?
//
// Three schemes: `svc` (`Svc-Signature`: `<timestamp>.<raw body>`), `body` (`Svc-Body-Signature`: the raw body alone) and
// `standard` (Standard Webhooks 1.0: `<id>.<timestamp>.<raw body>`). The HMAC-SHA256 (RFC 2104, FIPS 180-4) is a pure library's,
// so that it is synchronous in every runtime. This file knows no header, clock or secret store.

/** How a delivery is signed. */
export type SignatureScheme = "svc" | "body" | "standard"

/** Bytes in a signature. */
const MAC_BYTES = 32

/** The last Unix second that is read: eleven digits. Today's time in milliseconds is beyond it, and so is refused. */
const LAST_SECOND = 99_999_999_999

/** Says whether a number is beyond {@link LAST_SECOND}. What is no number is not compared, which would run its code or write its dates in local time. */
const isBeyond = (value: unknown): boolean => typeof value === "number" && value > LAST_SECOND

/** Unix seconds as they are signed: digits only and no leading zero, so that a number has one spelling. */
const SECONDS_PATTERN = /^(?:0|[1-9][0-9]{0,10})$/

/** An id as it is signed: 1 to 256 visible ASCII characters. No full stop: it separates the signed parts. */
const ID_PATTERN = /^[\x21-\x2d\x2f-\x7e]{1,256}$/

/** Computes one signature over the parts before the body and the body; nothing is joined or copied. */
export function computeMac(key: Uint8Array, before: string, body: Uint8Array): Uint8Array {
  const mac = hmac.create(sha256, key)
  if (before !== "") mac.update(utf8ToBytes(before))
  return mac.update(body).digest()
}

/** Says whether two signatures are the same, reading all of their bytes whatever these are (as constant as JavaScript can be). */
export function equalMacs(a: Uint8Array, b: Uint8Array): boolean {
  let difference = a.length ^ b.length
  for (let i = 0; i < MAC_BYTES; i++) difference |= (a[i] ?? 0) ^ (b[i] ?? 0)
  return difference === 0
}

// ---- Bodies

// Which bytes were sent as the body?
//
// A signature covers the bytes on the wire and nothing else: a body that was parsed and written again is another body, even
// when it means the same. So this file takes text or bytes, and refuses everything that must have been parsed before.

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
function readBody(body: unknown): Result<Uint8Array, SignatureError> {
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
function readsAsTimestamped(body: Uint8Array): boolean {
  let digits = 0
  while (digits < body.length && (body[digits] as number) >= 48 && (body[digits] as number) <= 57) digits++
  return digits > 0 && body[digits] === 46
}

// ---- Options

// Has a caller given an option that does not exist?
//
// With a misspelt `toleranceSeconds` the default would silently apply, so every unknown name is refused.

/** Finds an unknown option; null if there is none. */
function findOtherOption(
  options: object,
  known: readonly string[],
): { readonly ok: false; readonly error: SignatureError } | null {
  for (const name in options) {
    if (known.includes(name)) continue
    const message = `There is no option ${JSON.stringify(name.slice(0, 40))}; known: ${known.join(", ")}.`
    return failure({ tag: "MalformedOptions", message })
  }
  return null
}

// ---- Base64

// Which bytes does a base64 text encode?
//
// Standard alphabet with padding (RFC 4648 §4), canonical only: no blanks, no missing padding, no stray bits in the last character. There
// is one text for each value, so a changed character of a signature is always a changed signature. It is our own code because no function
// for it exists in every JavaScript runtime.

const ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"

/** The six bits of each ASCII character, -1 for invalid ones. */
const SIX_BITS = /* @__PURE__ */ (() => {
  const table = new Int8Array(128).fill(-1)
  for (let i = 0; i < 64; i++) table[ALPHABET.charCodeAt(i)] = i
  return table
})()

/**
 * Writes bytes as base64 with padding. Cannot fail.
 *
 * @example
 * ```ts
 * encodeBase64(Uint8Array.of(77, 97)) // => "TWE="
 * ```
 */
export function encodeBase64(bytes: Uint8Array): string {
  let text = ""
  for (let at = 0; at < bytes.length; at += 3) {
    const left = bytes.length - at
    const group = ((bytes[at] ?? 0) << 16) | ((bytes[at + 1] ?? 0) << 8) | (bytes[at + 2] ?? 0)
    text += ALPHABET.charAt(group >> 18) + ALPHABET.charAt((group >> 12) & 63)
    text += left > 1 ? ALPHABET.charAt((group >> 6) & 63) : "="
    text += left > 2 ? ALPHABET.charAt(group & 63) : "="
  }
  return text
}

/**
 * Reads canonical base64 with padding, or null for any other text. Cannot fail.
 *
 * @example
 * ```ts
 * Array.from(decodeBase64("TWE=")) // => [77, 97]
 * decodeBase64("TWF=") // => null
 * ```
 */
export function decodeBase64(text: string): Uint8Array | null {
  if (text.length % 4 !== 0) return null
  const padding = text.endsWith("==") ? 2 : text.endsWith("=") ? 1 : 0
  const bytes = new Uint8Array((text.length / 4) * 3 - padding)
  let held = 0
  let heldBits = 0
  let written = 0
  for (let i = 0; i < text.length - padding; i++) {
    const value = SIX_BITS[text.charCodeAt(i)] ?? -1
    if (value < 0) return null
    held = (held << 6) | value
    heldBits += 6
    if (heldBits >= 8) {
      heldBits -= 8
      bytes[written++] = held >> heldBits
      held &= (1 << heldBits) - 1
    }
  }
  // Unused bits must be zero, otherwise several texts would encode the same bytes.
  return held === 0 ? bytes : null
}

// ---- Signing

// Which headers prove to a receiver that a delivery is ours, unchanged and fresh?
//
// One delivery carries three signatures, so that a receiver picks the one that its tools know: `Svc-Signature` (the webhooks
// specification, "Signature"), `Svc-Body-Signature` over the raw body (the visa service's receivers) and the three headers of
// Standard Webhooks 1.0. This file does not know the clock, the event or where a secret is kept.

/** The options of signing. */
type SignDeliveryOptions = {
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
type SignedDeliveryHeaders = {
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

const SIGN_OPTIONS = ["id", "timestampSeconds", "body", "secrets"]

function sign(options: SignDeliveryOptions) {
  const stray = findOtherOption(options, SIGN_OPTIONS)
  if (stray !== null) return stray
  const { id, timestampSeconds, body, secrets } = options
  if (typeof id !== "string" || !ID_PATTERN.test(id)) {
    const message = "id is not 1 to 256 visible ASCII characters without a full stop, which separates the signed parts."
    return failure({ tag: "MalformedId", message })
  }
  if (!Number.isInteger(timestampSeconds) || timestampSeconds < 0 || timestampSeconds > LAST_SECOND) {
    const advice = isBeyond(timestampSeconds) ? " Milliseconds? Divide them by 1000 and drop the fraction." : ""
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
  const textKeys = texts.value.map(utf8ToBytes)
  const timestamp = `${timestampSeconds}`
  const hex = textKeys.map(key => `v1=${encodeHex(computeMac(key, `${timestamp}.`, bytes.value))}`)
  const base64: string[] = []
  for (const secret of texts.value) {
    const key = readStandardKey(secret)
    if (typeof key === "string") continue
    base64.push(`v1,${encodeBase64(computeMac(key, `${id}.${timestamp}.`, bytes.value))}`)
  }
  return success({
    "svc-signature": `t=${timestamp},${hex.join(",")}`,
    "svc-body-signature": `sha256=${encodeHex(computeMac(textKeys[0] as Uint8Array, "", bytes.value))}`,
    "webhook-id": id,
    "webhook-timestamp": timestamp,
    ...(base64.length === 0 ? undefined : { "webhook-signature": base64.join(" ") }),
  })
}

const encodeHex = (bytes: Uint8Array): string => Array.from(bytes, byte => byte.toString(16).padStart(2, "0")).join("")

// ---- Verifying

// Is this delivery from the holder of the secret, unchanged, and made just now?
//
// Verification comes before parsing and needs the raw body. A scheme is chosen by the receiver, never by the request: a delivery is not accepted for a weaker signature than the chosen
// one. This file does not read the clock: the time is an argument. The rules are those of the webhooks specification ("Signature" 3 and 4) and Standard Webhooks 1.0.

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
type VerifiedDelivery = {
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

const VERIFY_OPTIONS = ["scheme", "headers", "body", "secrets", "nowSeconds", "toleranceSeconds"]

function verify(options: VerifyDeliveryOptions): Result<VerifiedDelivery, SignatureError> {
  const stray = findOtherOption(options, VERIFY_OPTIONS)
  if (stray !== null) return stray
  const { scheme = "svc", headers, body, secrets, nowSeconds } = options
  const { toleranceSeconds = DEFAULT_TOLERANCE_SECONDS } = options
  if (typeof scheme !== "string" || !Object.hasOwn(SIGNATURE_HEADERS, scheme)) {
    return failure({ tag: "MalformedOptions", message: "scheme is not one of svc, body and standard." })
  }
  if (!isSeconds(nowSeconds)) {
    const advice = isBeyond(nowSeconds) ? " Milliseconds? Divide them by 1000." : ""
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
