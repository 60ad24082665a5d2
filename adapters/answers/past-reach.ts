/** How far did passports reach on past days, under the names of the wire? */
import { type Dataset, scorePassport } from "../../src/engine.ts"
import { compareRanks, type History, listTableDays, pastDataset } from "../../src/history.ts"

/** Scores a passport on the day of every table since a day, the oldest first; empty for an unknown passport. */
export function listReach(history: History, dataset: Dataset, passport: string, sinceOn: string) {
  return listTableDays(history, sinceOn).flatMap(on => {
    const view = pastDataset(history, dataset, on)
    const scored = view.ok ? scorePassport(view.value, passport) : view
    if (!scored.ok || scored.value.kind !== "found") return []
    const { score, rank, totalRanked, visaFreeCount } = scored.value
    return [{ on, score, rank, total_ranked: totalRanked, visa_free_count: visaFreeCount }]
  })
}

/** Compares the ranks of two past days, those that gained most ranks first. */
export function listRankChanges(
  history: History,
  dataset: Dataset,
  days: { readonly before: string; readonly after: string },
) {
  return compareRanks(history, dataset, days).map(({ passport, scoreBefore, score, rankBefore, rank }) => {
    const gain = Math.round((score - scoreBefore) * 10) / 10
    return { passport, score_before: scoreBefore, score, gain, rank_before: rankBefore, rank }
  })
}
