/**
 * What do a delivery's headers claim: which signatures, made when, for which event?
 *
 * The headers come from an unknown sender and are not trusted. They are bounded (4,096 characters a header, 16 signatures) and strict: one
 * spelling for each value, every value at most once. Entries of other versions (`v0=`, `v1a,`) are skipped, so that a sender can add a
 * scheme without breaking its receivers; so is a malformed `v1` beside a well-formed one, as in Stripe's verifiers.
 */
import { failure, type Result, type SignatureError, success } from "../errors.ts"
import { decodeBase64 } from "./base64.ts"
import { ID_PATTERN, MAC_BYTES, SECONDS_PATTERN, type SignatureScheme } from "./mac.ts"

/** How many characters one header can have. */
const HEADER_CHARACTERS_MAX = 4_096

/** How many `v1` signatures one header can carry. */
const SIGNATURES_MAX = 16

/** The headers of a request: a fetch API `Headers`, or a record of names (in any case) and values, as Node's servers pass it. */
export type RequestHeaders =
  | { get(name: string): string | null }
  | { readonly [name: string]: string | readonly string[] | undefined }

/** The contents of a scheme's headers; `timestamp` and `id` are null if the scheme signs none. */
export type Claim = {
  readonly signatures: readonly Uint8Array[]
  readonly timestamp: string | null
  readonly id: string | null
}

type ClaimError = Result<never, SignatureError>

/** The header that carries the signatures of a scheme. */
export const SIGNATURE_HEADERS = {
  svc: "svc-signature",
  body: "svc-body-signature",
  standard: "webhook-signature",
} as const satisfies Record<SignatureScheme, string>

/** Reads what the headers of a scheme claim. */
export function readClaim(scheme: SignatureScheme, headers: unknown): Result<Claim, SignatureError> {
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
  return Uint8Array.from({ length: MAC_BYTES }, (_, at) => Number.parseInt(text.slice(2 * at, 2 * at + 2), 16))
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
