/** `GET /api/v1/visa/stats`: how much does the service know? */
import type { Dataset } from "../../../src/index.ts"
import { type Answer, answerJson } from "../answer.ts"
import { LANGUAGES } from "./languages.ts"
import { API_VERSION, countPairs, describeAnswer } from "./meta.ts"

/** How long an answer may be kept. */
export const STATS_MAX_AGE_SECONDS = 3_600

/** Answers 200 with the statistics, flat and in `data`. */
export function answerStats(dataset: Dataset): Answer {
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
    supported_languages: LANGUAGES,
    api_version: API_VERSION,
  }
  return answerJson(200, { ...statistics, data: statistics, meta: describeAnswer(dataset) }, [
    "cache-control",
    `public, max-age=${STATS_MAX_AGE_SECONDS}`,
  ])
}
