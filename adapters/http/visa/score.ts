/** `GET /api/v1/visa/score` and `/score/compare`: how much of the world does a passport open? */
import { type ComparedPassport, comparePassports, type Dataset, scorePassport } from "../../../src/index.ts"
import { type Answer, answerError, answerJson } from "../answer.ts"
import { describeAnswer } from "./meta.ts"

/** Scores change when the dataset or the day does. */
const CACHED = ["cache-control", "public, max-age=300"]

function answerBothWays(dataset: Dataset, record: object): Answer {
  return answerJson(200, { ...record, data: record, meta: describeAnswer(dataset) }, CACHED)
}

/** Answers 200, or 404 for a passport of which nothing is recorded. */
export function answerScore(dataset: Dataset, passport: string): Answer {
  const result = scorePassport(dataset, passport)
  if (!result.ok) return answerError(400, result.error.message)
  const found = result.value
  if (found.kind !== "found") return answerError(404, found.message)
  const { access, diversity, economy } = found.breakdown
  return answerBothWays(dataset, {
    passport: found.passport,
    score: found.score,
    rank: found.rank,
    total_ranked: found.totalRanked,
    percentile: found.percentile,
    visa_free_count: found.visaFreeCount,
    breakdown: { access, diversity, economy: { score: economy.score, gdp_share: economy.gdpShare } },
  })
}

const describeSide = ({ code, score, rank }: ComparedPassport) => ({ code, score, rank })

/** Answers 200, or 404 for a passport of which nothing is recorded. */
export function answerComparison(dataset: Dataset, passports: { passport1: string; passport2: string }): Answer {
  const result = comparePassports(dataset, passports)
  if (!result.ok) return answerError(400, result.error.message)
  const found = result.value
  if (found.kind !== "found") return answerError(404, found.message)
  const { combined } = found
  return answerBothWays(dataset, {
    passport1: describeSide(found.passport1),
    passport2: describeSide(found.passport2),
    combined: {
      score: combined.score,
      total_accessible: combined.totalAccessible,
      only_passport1_count: combined.onlyPassport1Count,
      only_passport2_count: combined.onlyPassport2Count,
      both_count: combined.bothCount,
      neither_count: combined.neitherCount,
    },
    only_passport1: found.onlyPassport1,
    only_passport2: found.onlyPassport2,
  })
}
