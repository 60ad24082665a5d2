/** How is a line identified? By an id that the request carries and the answer repeats. */

/** The values that an id may have. */
export type LineId = string | number

/** The most characters of an id, which every answer repeats. */
export const LONGEST_ID = 200

/** Whether a value may be an id. */
export const isLineId = (id: unknown): id is LineId =>
  (typeof id === "string" && id.length <= LONGEST_ID) || typeof id === "number"
