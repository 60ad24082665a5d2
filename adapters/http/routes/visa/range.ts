/**
 * Which part of a body does a client want?
 *
 * One part in bytes (RFC 9110, section 14.2). A malformed range, or several, means all of it; a part that begins after the end is refused.
 */

/** From a byte up to another, the second one excluded. */
export interface ByteRange {
  readonly from: number
  readonly to: number
}

/**
 * Reads a `Range` header; null asks for all.
 *
 * @example
 * ```ts
 * readRange("bytes=2-4", 10) // => {"from": 2, "to": 5}
 * readRange("bytes=-3", 10) // => {"from": 7, "to": 10}
 * readRange("bytes=10-", 10) // => "not_satisfiable"
 * readRange("lines=1-2", 10) // => null
 * ```
 */
export function readRange(header: string | undefined, size: number): ByteRange | "not_satisfiable" | null {
  const [, first = "", last = ""] = /^bytes=(\d{0,15})-(\d{0,15})$/.exec(header?.trim() ?? "") ?? []
  if (first === "" && last === "") return null
  if (first === "") {
    const length = Math.min(Number(last), size)
    return length === 0 ? "not_satisfiable" : { from: size - length, to: size }
  }
  const from = Number(first)
  const to = last === "" ? size : Math.min(Number(last) + 1, size)
  if (last !== "" && Number(last) < from) return null
  return from >= size ? "not_satisfiable" : { from, to }
}
