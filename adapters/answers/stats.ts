/** How much does the service know? */
import { type Dataset, dateEvidence, type EvidenceLevel, parseCivilDate } from "../../src/engine.ts"
import { LANGUAGES } from "../../src/full.ts"
import { listLanguages } from "./answer-languages.ts"
import { API_VERSION, bothWays, countPairs, describeMeta } from "./answer-outcome.ts"
import { toWire } from "./wire-names.ts"

// How old is what each source says? The days on which it was read, copied or checked by a compiler, and how many answers rest on it.

/** What is known about the age of a source. */
export interface SourceAge {
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
