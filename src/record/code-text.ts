/**
 * How are many codes written as one text? Run together, three letters a code: it compresses best and is split at once.
 */

/**
 * Splits codes that are run together.
 *
 * @example
 * ```ts
 * splitCodes("FRAJPN") // => ["FRA","JPN"]
 * ```
 */
export function splitCodes(text: string): readonly string[] {
  const codes: string[] = []
  for (let at = 0; at < text.length; at += 3) codes.push(text.slice(at, at + 3))
  return codes
}
