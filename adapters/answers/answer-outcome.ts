/**
 * What is the answer to a question, before any transport is involved?
 *
 * A body with the field names of the wire, or the sentence that says why there is none. HTTP makes a status of it, the command line
 * an exit code, and neither reads what the other has written.
 */

/** A body, or why there is none: nothing is recorded, or the question is not one that can be answered. */
export type Outcome<Body> =
  | { readonly kind: "found"; readonly body: Body }
  | { readonly kind: "no_record"; readonly message: string }
  | { readonly kind: "refused"; readonly message: string }

export const found = <Body>(body: Body): Outcome<Body> => ({ kind: "found", body })

export const noRecord = (message: string): Outcome<never> => ({ kind: "no_record", message })

export const refused = (message: string): Outcome<never> => ({ kind: "refused", message })

/** A body with its record at the top and again in `data`: the specification lists it flat, and published clients read `data`. */
export const bothWays = <Record extends object, Meta>(record: Record, meta: Meta) => ({ ...record, data: record, meta })

/**
 * The JSON of a body with its record at the top and in `data`; the record is written once.
 *
 * @example
 * ```ts
 * writeBothWays(bothWays({ a: 1 }, { lang: "en" })) // => "{\"a\":1,\"data\":{\"a\":1},\"meta\":{\"lang\":\"en\"}}"
 * ```
 */
export function writeBothWays({ data, meta }: { readonly data: object; readonly meta: unknown }): string {
  const record = JSON.stringify(data)
  return `${record.slice(0, -1)},"data":${record},"meta":${JSON.stringify(meta)}}`
}

/** The JSON of a body whose data is written already. */
export const writeWithMeta = (data: string, meta: unknown): string => `{"data":${data},"meta":${JSON.stringify(meta)}}`
