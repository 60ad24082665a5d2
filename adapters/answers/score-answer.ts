/** How much of the world does a passport open, and which destinations does one of two open that the other does not? */
import { type ComparedPassport, comparePassports, type Dataset, scorePassport } from "../../src/engine.ts"
import { bothWays, describeMeta, found, noRecord, refused } from "./answer-outcome.ts"

/** A passport's score, its rank, and the parts of the score. */
export function describeScore(dataset: Dataset, passport: string) {
  const result = scorePassport(dataset, passport)
  if (!result.ok) return refused(result.error.message)
  const score = result.value
  if (score.kind !== "found") return noRecord(score.message)
  const { access, diversity, economy } = score.breakdown
  const record = {
    passport: score.passport,
    score: score.score,
    rank: score.rank,
    total_ranked: score.totalRanked,
    percentile: score.percentile,
    visa_free_count: score.visaFreeCount,
    breakdown: { access, diversity, economy: { score: economy.score, gdp_share: economy.gdpShare } },
  }
  return found(bothWays(record, describeMeta(dataset)))
}

const describeSide = ({ code, score, rank }: ComparedPassport) => ({ code, score, rank })

/** Two passports side by side, and both together. */
export function describeComparison(dataset: Dataset, passports: { passport1: string; passport2: string }) {
  const result = comparePassports(dataset, passports)
  if (!result.ok) return refused(result.error.message)
  const compared = result.value
  if (compared.kind !== "found") return noRecord(compared.message)
  const { combined } = compared
  const record = {
    passport1: describeSide(compared.passport1),
    passport2: describeSide(compared.passport2),
    combined: {
      score: combined.score,
      total_accessible: combined.totalAccessible,
      only_passport1_count: combined.onlyPassport1Count,
      only_passport2_count: combined.onlyPassport2Count,
      both_count: combined.bothCount,
      neither_count: combined.neitherCount,
    },
    only_passport1: compared.onlyPassport1,
    only_passport2: compared.onlyPassport2,
  }
  return found(bothWays(record, describeMeta(dataset)))
}
