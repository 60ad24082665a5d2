/**
 * Who signed this text?
 *
 * An envelope is DSSE (https://github.com/secure-systems-lab/dsse): the exact bytes of a payload, its type, and Ed25519 signatures over both. The bytes
 * are signed as they are sent, so no canonical JSON is needed. The type is signed too, so a signature of one kind of payload never counts for
 * another. A public key is 32 bytes in base64url, and is its own name.
 */

/** Why a feed was not followed to a new dataset. */
export type FeedReason =
  | "offline"
  | "not_modified"
  | "bad_signature"
  | "expired_index"
  | "rolled_back"
  | "truncated"
  | "too_large"
  | "wrong_hash"
  | "wrong_format"
  | "too_many_changes"
  | "redirected"
  | "unsupported"

/** Received data that is refused. */
export class FeedRefusal extends Error {
  override readonly name = "FeedRefusal"
  readonly reason: FeedReason

  constructor(reason: FeedReason, message: string) {
    super(message)
    this.reason = reason
  }
}

export function refuse(reason: FeedReason, message: string): never {
  throw new FeedRefusal(reason, message)
}

/** A payload with its signatures. Payload and signatures are base64url. */
export interface Envelope {
  readonly payloadType: string
  readonly payload: string
  readonly signatures: readonly { readonly keyid: string; readonly sig: string }[]
}

/** Public keys, and how many different ones have to sign. */
export interface Role {
  readonly keys: readonly string[]
  readonly threshold: number
}

/** A private key, in a file or in a service that signs. */
export interface SigningKey {
  readonly keyid: string
  readonly sign: (message: Uint8Array<ArrayBuffer>) => Promise<Uint8Array>
}

/** Verifies that a key signed a message with Ed25519. */
export type VerifySignature = (key: Uint8Array, signature: Uint8Array, message: Uint8Array) => Promise<boolean>

const encodeText = (text: string): Uint8Array<ArrayBuffer> => new TextEncoder().encode(text)
export const parseBytes = (bytes: Uint8Array): unknown => JSON.parse(new TextDecoder().decode(bytes))

/** Reads base64url or base64; throws where it is neither. */
export const decode64 = (text: string): Uint8Array<ArrayBuffer> =>
  Uint8Array.from(atob(text.replace(/-/g, "+").replace(/_/g, "/")), letter => letter.charCodeAt(0))

export function encode64(bytes: Uint8Array): string {
  let text = ""
  for (const byte of bytes) text += String.fromCharCode(byte)
  return btoa(text).replace(/\+/g, "-").replace(/\//g, "_").replace(/=/g, "")
}

/** The SHA-256 in hexadecimal digits. */
export async function digest(bytes: Uint8Array<ArrayBuffer>): Promise<string> {
  const hash = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes))
  return Array.from(hash, byte => byte.toString(16).padStart(2, "0")).join("")
}

export const joinBytes = async (pieces: readonly BlobPart[]): Promise<Uint8Array<ArrayBuffer>> =>
  new Uint8Array(await new Blob(pieces as BlobPart[]).arrayBuffer())

/** The signed contents: the index of a feed, or a change of its keys. */
export type Signed = "index" | "trust"
const typeOf = (signed: Signed) => `application/vnd.landfall.${signed}.v1+json`

/** DSSE's pre-authentication encoding. A type is ASCII, so its length in characters is that in bytes. */
const encodeSigned = (type: string, body: Uint8Array<ArrayBuffer>) =>
  joinBytes([`DSSEv1 ${type.length} ${type} ${body.length} `, body])

/** Ed25519 of the runtime. A page over plain HTTP has no `subtle`, Chrome before 137 no Ed25519. Neither means that the feed is forged. */
export const verifySignature: VerifySignature = async (key, signature, message) => {
  try {
    const imported = await crypto.subtle.importKey("raw", key as BufferSource, "Ed25519", false, ["verify"])
    return await crypto.subtle.verify("Ed25519", imported, signature as BufferSource, message as BufferSource)
  } catch (cause) {
    if ((cause as Error).name !== "NotSupportedError") return false
    refuse("unsupported", "This runtime has no Ed25519: give `verify`.")
  }
}

/** Says whether enough keys of a role signed an envelope with the expected type, whatever type it claims. Throws if it is malformed. */
export async function isSigned(
  { payload, signatures }: Envelope,
  signed: Signed,
  { keys, threshold }: Role,
  verify: VerifySignature,
): Promise<boolean> {
  const message = await encodeSigned(typeOf(signed), decode64(payload))
  let count = 0
  for (const key of new Set(keys)) {
    const found = signatures.find(({ keyid }) => keyid === key)
    if (found && (await verify(decode64(key), decode64(found.sig), message)) && ++count >= threshold) return true
  }
  return false
}

export async function signValue(signed: Signed, value: unknown, keys: readonly SigningKey[]): Promise<Envelope> {
  const type = typeOf(signed)
  const body = encodeText(JSON.stringify(value))
  const message = await encodeSigned(type, body)
  const signatures = keys.map(async ({ keyid, sign }) => ({ keyid, sig: encode64(await sign(message)) }))
  return { payloadType: type, payload: encode64(body), signatures: await Promise.all(signatures) }
}
