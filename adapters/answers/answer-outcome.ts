/**
 * What is the answer to a question, before any transport is involved?
 *
 * A body with the field names of the wire, or the sentence that says why there is none. HTTP makes a status of it, the command line
 * an exit code, and neither reads what the other has written.
 */

import { type Dataset, dateEvidence, type EvidenceLevel, parseCivilDate } from "../../src/engine.ts"
import { LANGUAGES, type Language, type LocalisedFacts } from "../../src/full.ts"
import { DEFAULT_LANGUAGE, listLanguages } from "./answer-languages.ts"
import { toWire } from "./wire-names.ts"

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

// What is in `meta`, beside every record of the visa service? The version of the interface and of the data, and the coverage.

/** The version of the visa service's interface. */
export const API_VERSION = "1.1.0"

/** How many pairs a dataset has a record for, and how many of them come from an imported table. */
interface PairCounts {
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

// How old is what each source says? The days on which it was read, copied or checked by a compiler, and how many answers rest on it.

/** What is known about the age of a source. */
interface SourceAge {
  readonly id: string
  /** How its answers are known. */
  readonly evidence: EvidenceLevel
  readonly pairs: number
  /** The first and the last day (`YYYY-MM-DD`) of a look at it; null where no day is known. */
  readonly oldestOn: string | null
  readonly newestOn: string | null
  /** Days since the oldest look, on the dataset's day; null where no day is known. */
  readonly ageDays: number | null
}

/**
 * Lists the sources of a dataset's answers, those of most pairs first.
 *
 * It counts a source's own days: that a second source said the same later makes an answer younger, and not its source. Cannot fail. Some milliseconds.
 */
function listSourceAges(dataset: Dataset): readonly SourceAge[] {
  const { pairs, answers, asOfDay } = dataset
  const counts = new Uint32Array(answers.length)
  for (const answer of pairs) counts[answer]!++
  const ages = new Map<string, SourceAge>()
  for (const [at, answer] of answers.entries()) {
    const evidence = answer.kind === "found" ? dateEvidence(dataset, answer) : null
    if (answer.kind !== "found" || answer.source === null || evidence === null || counts[at] === 0) continue
    const { id } = answer.source
    const { level, on } = evidence
    const key = `${level} ${id}`
    const known = ages.get(key)
    // Days as text are in the order of time.
    const days = [known?.oldestOn, known?.newestOn, on].filter(day => day != null).sort()
    const oldestOn = days[0] ?? null
    ages.set(key, {
      id,
      evidence: level,
      pairs: (known?.pairs ?? 0) + counts[at]!,
      oldestOn,
      newestOn: days.at(-1) ?? null,
      ageDays: oldestOn === null ? null : Math.max(0, asOfDay - (parseCivilDate(oldestOn) as number)),
    })
  }
  return [...ages.values()].sort((a, b) => b.pairs - a.pairs || (a.id < b.id ? -1 : 1))
}

/** The statistics of a dataset, flat and in `data`. */
export function describeStats(dataset: Dataset) {
  const { recorded, imported } = countPairs(dataset)
  const statistics = {
    coverage: {
      visa_details: recorded,
      passports: dataset.passports.length,
      destinations: dataset.destinations.length,
      passport_index_pairs: imported,
      translations: recorded * LANGUAGES.length,
      languages: LANGUAGES.length,
    },
    sources: toWire(listSourceAges(dataset)),
    supported_languages: listLanguages(),
    api_version: API_VERSION,
  }
  return bothWays(statistics, describeMeta(dataset))
}
