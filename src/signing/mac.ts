/**
 * Which bytes does a signature cover, and what is their HMAC?
 *
 * Three schemes: `svc` (`Svc-Signature`: `<timestamp>.<raw body>`), `body` (`Svc-Body-Signature`: the raw body alone) and
 * `standard` (Standard Webhooks 1.0: `<id>.<timestamp>.<raw body>`). The HMAC-SHA256 (RFC 2104, FIPS 180-4) is a pure library's,
 * so that it is synchronous in every runtime. This file knows no header, clock or secret store.
 */
import { hmac } from "@noble/hashes/hmac.js"
import { sha256 } from "@noble/hashes/sha2.js"
import { utf8ToBytes } from "@noble/hashes/utils.js"

/** How a delivery is signed. */
export type SignatureScheme = "svc" | "body" | "standard"

/** Bytes in a signature. */
export const MAC_BYTES = 32

/** The last Unix second that is read: eleven digits. Today's time in milliseconds is beyond it, and so is refused. */
export const LAST_SECOND = 99_999_999_999

/** Unix seconds as they are signed: digits only and no leading zero, so that a number has one spelling. */
export const SECONDS_PATTERN = /^(?:0|[1-9][0-9]{0,10})$/

/** An id as it is signed: 1 to 256 visible ASCII characters. No full stop: it separates the signed parts. */
export const ID_PATTERN = /^[\x21-\x2d\x2f-\x7e]{1,256}$/

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
