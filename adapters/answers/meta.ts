/** What is in `meta`, beside every record of the visa service? The version of the interface and of the data, and the coverage. */

import type { Dataset } from "../../src/engine.ts"
import { LANGUAGES, type Language, type LocalisedFacts } from "../../src/full.ts"
import { DEFAULT_LANGUAGE } from "./answer-languages.ts"

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
