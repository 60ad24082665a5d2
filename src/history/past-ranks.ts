/** How have the ranks of passports changed between two days of the past? */
import type { Dataset } from "../dataset/open.ts"
import { type RankedPassport, rankPassports } from "../mobility/score.ts"
import type { History } from "./past.ts"
import { pastDataset } from "./past-dataset.ts"

/** The scores and ranks of a passport on two days. */
export interface RankMove {
  readonly passport: string
  readonly scoreBefore: number
  readonly score: number
  readonly rankBefore: number
  readonly rank: number
}

/**
 * Lists the days of a history's tables from a day on (`YYYY-MM-DD`), the oldest first; all of them without a day. Cannot fail.
 *
 * @example
 * ```ts
 * listTableDays(embeddedHistory())[0] // => "2020-11-19"
 * ```
 */
export function listTableDays({ series }: History, sinceOn = ""): readonly string[] {
  return series.flatMap(({ kind, dates }) => (kind === "seen" ? dates.filter(on => on >= sinceOn) : []))
}

/**
 * Compares the ranks of two past days. The passport that gained most ranks comes first; of equal gains the one whose score gained more, then by code.
 * Passports that are ranked on only one of the days are left out. Empty for a day that the history does not have.
 *
 * @example
 * ```ts
 * const days = { before: "2020-11-19", after: "2024-01-05" }
 * compareRanks(embeddedHistory(), embeddedDataset(), days).length // => 199
 * ```
 */
export function compareRanks(
  history: History,
  dataset: Dataset,
  { before, after }: { readonly before: string; readonly after: string },
): readonly RankMove[] {
  const earlier = new Map(rankOn(history, dataset, before).map(row => [row.passport, row]))
  const moves = rankOn(history, dataset, after).flatMap(({ passport, score, rank }) => {
    const was = earlier.get(passport)
    return was === undefined ? [] : [{ passport, scoreBefore: was.score, score, rankBefore: was.rank, rank }]
  })
  return moves.sort(
    (a, b) => gainedRanks(b) - gainedRanks(a) || gainedScore(b) - gainedScore(a) || (a.passport < b.passport ? -1 : 1),
  )
}

const gainedRanks = ({ rankBefore, rank }: RankMove): number => rankBefore - rank

const gainedScore = ({ scoreBefore, score }: RankMove): number => score - scoreBefore

function rankOn(history: History, dataset: Dataset, on: string): readonly RankedPassport[] {
  const view = pastDataset(history, dataset, on)
  const ranking = view.ok ? rankPassports(view.value) : view
  return ranking.ok ? ranking.value.passports : []
}
