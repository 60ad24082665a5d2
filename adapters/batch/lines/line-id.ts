/**
 * How is a line identified? By an id that the request carries and the answer repeats, kept as its JSON bytes, because it is
 * copied and seldom read.
 */

/** The values that an id may have. */
export type LineId = string | number

/** An id as JSON, between two places of some UTF-8. */
export interface WrittenId {
  readonly bytes: Uint8Array
  readonly from: number
  readonly to: number
}

/** The most characters of an id, which every answer repeats. */
export const LONGEST_ID = 200

/** Whether a value may be an id. */
export const isLineId = (id: unknown): id is LineId =>
  (typeof id === "string" && id.length <= LONGEST_ID) || typeof id === "number"

export function writeId(id: LineId): WrittenId {
  const bytes = new TextEncoder().encode(JSON.stringify(id))
  return { bytes, from: 0, to: bytes.length }
}

export const readId = ({ bytes, from, to }: WrittenId): LineId =>
  JSON.parse(new TextDecoder().decode(bytes.subarray(from, to)))
