/**
 * In which form does a client get a body: in which encoding, or not again, because it has it?
 *
 * The encoding is the one of br, zstd and gzip with the highest weight (RFC 9110, section 12.5.3); of equal weights the first of these. Small bodies are
 * not compressed. Compression runs off the event loop, and kept answers are kept compressed too.
 */
import { hash } from "node:crypto"
import { promisify } from "node:util"
import { brotliCompress, constants, gzip, zstdCompress } from "node:zlib"
import Negotiator from "negotiator"
import { readList } from "../../validation/header-list.ts"
import { hasValidator, type MeteredAnswer } from "./endpoint.ts"
import { type Answer, isWhole, type Soon } from "./http-message.ts"
import { type Exchange, isKept, type KeptAnswer } from "./pipeline.ts"

/** Bodies from this size on are compressed where the client accepts it. */
const COMPRESSED_FROM_BYTES = 2_048

/** Kept bodies from this length on are sent from bytes that are made once; copying a shorter text costs less. */
const SHARED_FROM_LENGTH = 16_384

const IDENTITY = "identity"

/** Fast rather than small: an answer is compressed once and read once. */
const BROTLI_QUALITY = 4

const compressBrotli = promisify(brotliCompress)
const compressGzip = promisify(gzip)
const compressZstd = promisify(zstdCompress)

const COMPRESSORS: Readonly<Record<string, (bytes: Uint8Array) => Promise<Uint8Array>>> = {
  br: bytes =>
    compressBrotli(bytes, {
      params: {
        [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY,
        [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length,
      },
    }),
  zstd: bytes => compressZstd(bytes),
  gzip: bytes => compressGzip(bytes),
}

/** The library supports an order for equal weights, which its types do not have yet. */
interface OrderedNegotiator {
  encodings(available: readonly string[], options: { readonly preferred: readonly string[] }): string[]
}

const OFFERED = [...Object.keys(COMPRESSORS), IDENTITY]

/**
 * Chooses an encoding for an `Accept-Encoding` header; null leaves the body as it is.
 *
 * @example
 * ```ts
 * chooseEncoding("br;q=0.1, gzip;q=0.9") // => "gzip"
 * chooseEncoding("gzip, br") // => "br"
 * chooseEncoding("gzip;q=0") // => null
 * ```
 */
export function chooseEncoding(acceptEncoding: string | undefined): string | null {
  if (acceptEncoding === undefined) return null
  const headers = { "accept-encoding": readList(acceptEncoding).join() }
  const negotiator = new Negotiator({ headers }) as OrderedNegotiator
  const [chosen = IDENTITY] = negotiator.encodings(OFFERED, { preferred: OFFERED })
  return chosen === IDENTITY ? null : chosen
}

const VARY = "Accept-Encoding"

function hasHeader({ headers }: Answer, name: string): boolean {
  for (let at = 0; at < headers.length; at += 2) if (headers[at] === name) return true
  return false
}

const withBytes = (answer: Answer, encoding: string | null, body: Uint8Array): Answer => ({
  status: answer.status,
  contentType: answer.contentType,
  headers: encoding === null ? answer.headers : [...answer.headers, "content-encoding", encoding],
  body,
  ...(isKept(answer) ? { sharesBody: true } : {}),
})

/** Returns a kept answer uncompressed, in bytes that all requests share. */
function shareBytes(answer: KeptAnswer): Answer {
  const { body } = answer
  if (typeof body !== "string") return answer
  let bytes = answer.encoded.get(IDENTITY)
  if (!(bytes instanceof Uint8Array)) {
    bytes = Buffer.from(body)
    answer.keptIn.keepBytes(answer, IDENTITY, bytes)
  }
  return withBytes(answer, null, bytes)
}

/** Bytes that are compressed already. */
const PACKED = /^(?:image\/png|font\/)/

/** The body that may be compressed, or the parts of which it is made when there is room for it. */
function findContent(answer: Answer): string | Uint8Array | Iterable<string> | undefined {
  const { body, contentType } = answer
  if (typeof body === "string") return body
  if (body instanceof Uint8Array) return isKept(answer) && !PACKED.test(contentType) ? body : undefined
  return "parts" in body ? body.parts : undefined
}

/** Joins the parts of a text, between which others have their turn: to make all of them takes tens of milliseconds. */
async function joinParts(exchange: Exchange, parts: Iterable<string>): Promise<string> {
  let text = ""
  for (const part of parts) {
    text += part
    const turn = exchange.giveWay()
    if (turn !== undefined) await turn
  }
  return text
}

/** Compresses a body where that is worth it, and says in `vary` that the answer depends on `Accept-Encoding`. */
export function compress(exchange: Exchange, answer: Answer): Soon<Answer> {
  const { added, request } = exchange
  const content = findContent(answer)
  if (content === undefined || content === "") return answer
  if (!hasHeader(answer, "vary")) added.push("vary", VARY)
  // A character of a string takes at most three bytes.
  if (isThere(content) && content.length * 3 < COMPRESSED_FROM_BYTES) return answer
  if (hasHeader(answer, "content-encoding")) return answer
  const encoding = chooseEncoding(request.header("accept-encoding"))
  if (encoding === null) {
    return isKept(answer) && answer.body.length >= SHARED_FROM_LENGTH ? shareBytes(answer) : answer
  }
  const known = isKept(answer) ? answer.encoded.get(encoding) : undefined
  if (known instanceof Uint8Array) return withBytes(answer, encoding, known)
  const compressBytes = COMPRESSORS[encoding]
  if (compressBytes === undefined || (isThere(content) && isShort(content))) return answer
  const make = async () => compressBytes(Buffer.from(isThere(content) ? content : await joinParts(exchange, content)))
  // A compressor takes megabytes for itself. A kept answer may have been compressed meanwhile.
  return exchange.withRoom(async () => {
    const made = isKept(answer)
      ? (answer.encoded.get(encoding) ?? answer.keptIn.keepEncoded(answer, encoding, make))
      : make()
    return withBytes(answer, encoding, await made)
  })
}

const isThere = (content: string | Uint8Array | Iterable<string>): content is string | Uint8Array =>
  typeof content === "string" || content instanceof Uint8Array

/** Whether a body is too short to be compressed; a character takes at least a byte. */
const isShort = (content: string | Uint8Array): boolean =>
  content.length < COMPRESSED_FROM_BYTES && Buffer.byteLength(content) < COMPRESSED_FROM_BYTES

// Does a client have this answer already?
// Answers of some rows have a validator of their body. A client that sends it back in `If-None-Match` gets 304 without a body (RFC 9110,
// section 13.1.2), which costs nothing. The validator is weak, because the same answer is sent in several encodings.

/** Long enough that two answers to a question never share it by chance: 132 bits. */
const VALIDATOR_LENGTH = 22

const validatorOf = (body: string | Uint8Array): string =>
  `W/"${hash("sha256", body, "base64url").slice(0, VALIDATOR_LENGTH)}"`

/** Gives the answer of a row its validator; a body that is written while it is sent has none. */
export function validate({ row }: Exchange, answer: MeteredAnswer): MeteredAnswer {
  if (answer.status !== 200 || !isWhole(answer) || !hasValidator(row)) return answer
  return { ...answer, headers: [...answer.headers, "etag", validatorOf(answer.body)] }
}

const opaqueOf = (validator: string): string => validator.replace(/^W\//, "")

/**
 * Says whether a list of validators contains one; `*` matches any. The comparison is weak (RFC 9110, section 8.8.3.2), so only the text
 * between the quotes counts.
 */
export function namesValidator(list: string | undefined, validator: string): boolean {
  if (list === validator) return true
  const opaque = opaqueOf(validator)
  return readList(list).some(one => one === "*" || opaqueOf(one) === opaque)
}

/** Sends 304 instead of an answer that the client has. `*` does not show that it has one, so it is read after the answer is charged. */
export function revalidate({ request }: Exchange, answer: Answer, isCharged = false): Answer {
  const known = answer.status === 200 ? request.header("if-none-match") : undefined
  if (known === undefined || (!isCharged && readList(known).includes("*"))) return answer
  const at = answer.headers.indexOf("etag")
  if (at < 0 || !namesValidator(known, answer.headers[at + 1] as string)) return answer
  return { status: 304, contentType: "", headers: answer.headers, body: "" }
}
