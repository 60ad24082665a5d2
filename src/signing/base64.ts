/**
 * Which bytes does a base64 text encode?
 *
 * Standard alphabet with padding (RFC 4648 §4), canonical only: no blanks, no missing padding, no stray bits in the last character. There
 * is one text for each value, so a changed character of a signature is always a changed signature. It is our own code because no function
 * for it exists in every JavaScript runtime.
 */

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
