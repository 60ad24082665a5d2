/** What is a line found again by? An id that the request carries and the answer repeats, kept as the bytes in which JSON has it: it is copied, and seldom read. */

/** What a request may carry to be found again by. */
export type LineId = string | number

/** An id as JSON, between two places of some UTF-8. */
export interface WrittenId {
  readonly bytes: Uint8Array
  readonly from: number
  readonly to: number
}

/** An id stands in every answer, so it is short: so many characters. */
export const LONGEST_ID = 200

/** Whether a value may be an id. */
export const isLineId = (id: unknown): id is LineId =>
  (typeof id === "string" && id.length <= LONGEST_ID) || typeof id === "number"

/** Writes an id as JSON. */
export function writeId(id: LineId): WrittenId {
  const bytes = new TextEncoder().encode(JSON.stringify(id))
  return { bytes, from: 0, to: bytes.length }
}

/** Reads an id back. */
export const readId = ({ bytes, from, to }: WrittenId): LineId =>
  JSON.parse(new TextDecoder().decode(bytes.subarray(from, to)))
