/** How much does the service know? */
import type { Dataset } from "../../src/engine.ts"
import { LANGUAGES } from "../../src/full.ts"
import { listLanguages } from "./answer-languages.ts"
import { bothWays } from "./answer-outcome.ts"
import { API_VERSION, countPairs, describeMeta } from "./meta.ts"
import { listSourceAges } from "./source-ages.ts"
import { toWire } from "./wire-names.ts"

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
