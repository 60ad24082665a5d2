/**
 * How are bytes written as a text for a bundle?
 *
 * One printable character a byte: gzip packs that as well as the bytes themselves, and it is read without a decoder.
 */

// The 93 printable ASCII characters that need no escape in a JavaScript string, then letters from U+0100 on.
const ASCII_PLACES = 93

function characterOf(byte: number): number {
  if (byte >= ASCII_PLACES) return 0x100 + byte - ASCII_PLACES
  const unit = 32 + byte + (byte >= 2 ? 1 : 0)
  return unit >= 92 ? unit + 1 : unit
}

/**
 * Writes bytes as a text.
 *
 * @example
 * ```ts
 * writeByteText(new Uint8Array([0, 1, 92])) // => " !~"
 * ```
 */
export function writeByteText(bytes: Uint8Array): string {
  let text = ""
  for (const byte of bytes) text += String.fromCharCode(characterOf(byte))
  return text
}

/** Reads a text back as bytes; an invalid character is read as 0. */
export function readByteText(text: string): Uint8Array {
  const bytes = new Uint8Array(text.length)
  const byteOf = readCharacters()
  for (let at = 0; at < text.length; at++) bytes[at] = byteOf[text.charCodeAt(at)] as number
  return bytes
}

/** By character: its byte. */
export function readCharacters(): Uint8Array {
  const byteOf = new Uint8Array(0x200)
  for (let byte = 0; byte < 256; byte++) byteOf[characterOf(byte)] = byte
  return byteOf
}
