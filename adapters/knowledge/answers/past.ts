/** How far did passports reach on past days, under the names of the wire? */
import { type Dataset, scorePassport } from "../../../src/engine.ts"
import { compareRanks, type History, listTableDays, pastDataset } from "../../../src/history.ts"

/** How far a passport reached on the day of a table. */
export interface ReachPoint {
  readonly on: string
  readonly score: number
  readonly rank: number
  readonly total_ranked: number
  readonly visa_free_count: number
}

/** Scores a passport on the day of every table since a day, the oldest first; empty for an unknown passport. */
export function listReach(
  history: History,
  dataset: Dataset,
  passport: string,
  sinceOn: string,
): readonly ReachPoint[] {
  return listTableDays(history, sinceOn).flatMap(on => {
    const view = pastDataset(history, dataset, on)
    const scored = view.ok ? scorePassport(view.value, passport) : view
    if (!scored.ok || scored.value.kind !== "found") return []
    const { score, rank, totalRanked, visaFreeCount } = scored.value
    return [{ on, score, rank, total_ranked: totalRanked, visa_free_count: visaFreeCount }]
  })
}

/** How a passport's rank and score differ between two days. */
export interface RankChange {
  readonly passport: string
  readonly score_before: number
  readonly score: number
  readonly gain: number
  readonly rank_before: number
  readonly rank: number
}

/** Compares the ranks of two past days, those that gained most ranks first. */
export function listRankChanges(
  history: History,
  dataset: Dataset,
  days: { readonly before: string; readonly after: string },
): readonly RankChange[] {
  return compareRanks(history, dataset, days).map(({ passport, scoreBefore, score, rankBefore, rank }) => {
    const gain = Math.round((score - scoreBefore) * 10) / 10
    return { passport, score_before: scoreBefore, score, gain, rank_before: rankBefore, rank }
  })
}
