/**
 * What is the answer to a question, before any transport is involved?
 *
 * A body with the field names of the wire, or the sentence that says why there is none. HTTP makes a status of it, the command line
 * an exit code, and neither reads what the other has written.
 */

import type { Dataset } from "../../src/engine.ts"
import { LANGUAGES, type Language, type LocalisedFacts } from "../../src/full.ts"
import { DEFAULT_LANGUAGE } from "./answer-languages.ts"
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

// What is in `meta`, beside every record of the visa service? The version of the interface and of the data, and the coverage.

/** The version of the visa service's interface. */
export const API_VERSION = "1.1.0"

/** How many pairs a dataset has a record for, and how many of them come from an imported table. */
export interface PairCounts {
  readonly recorded: number
  readonly imported: number
}

const counts = new WeakMap<Dataset, PairCounts>()

/** Counts the pairs of a dataset; once for each dataset. */
export function countPairs(dataset: Dataset): PairCounts {
  const known = counts.get(dataset)
  if (known !== undefined) return known
  const isRecorded = dataset.answers.map(answer => answer.kind === "found")
  const isImported = dataset.answers.map(answer => answer.kind === "found" && answer.source?.imported === true)
  let recorded = 0
  let imported = 0
  for (const answer of dataset.pairs) {
    if (isRecorded[answer]) recorded++
    if (isImported[answer]) imported++
  }
  const counted = { recorded, imported }
  counts.set(dataset, counted)
  return counted
}

/** The `meta` beside a record. */
export function describeMeta(dataset: Dataset, lang: Language = DEFAULT_LANGUAGE) {
  return {
    lang,
    api_version: API_VERSION,
    dataset_version: dataset.version,
    coverage: `${countPairs(dataset).recorded} pairs`,
    languages: LANGUAGES.length,
  }
}

/** The `meta` beside a record: if its facts belong to another dataset than its pairs, it says to which. */
export function describeRecordMeta({ dataset, facts, locale }: LocalisedFacts, lang: Language = locale.language) {
  const meta = describeMeta(dataset, lang)
  return facts.version === dataset.version ? meta : { ...meta, facts_version: facts.version, facts_as_of: facts.asOf }
}
