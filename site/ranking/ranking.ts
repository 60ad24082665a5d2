/** How far does each passport reach? Every score with its parts, best first, computed once for each day that is asked about. */
import {
  type Dataset,
  type MobilityScore,
  REQUIREMENTS,
  type Requirement,
  rankPassports,
  scorePassport,
} from "landfall"

/** One row of the ranking. */
export interface RankedPassport {
  readonly passport: string
  readonly rank: number
  readonly score: number
  /** Destinations other than home, by what is asked. */
  readonly detail: Readonly<Record<Requirement, number>>
  readonly unknown: number
  /** The parts of the score, 0 to 1000 each. */
  readonly parts: { readonly access: number; readonly diversity: number; readonly economy: number }
}

/** The columns that a table can be ordered by. */
export type Column = "rank" | "name" | Requirement | "access" | "diversity" | "economy"

/** Ranks every passport of a dataset. */
export function rankAll(dataset: Dataset): readonly RankedPassport[] {
  const ranking = rankPassports(dataset)
  if (!ranking.ok) return []
  return ranking.value.passports.flatMap(({ passport }) => {
    const scored = scorePassport(dataset, passport)
    return scored.ok && scored.value.kind === "found" ? [describe(dataset, scored.value)] : []
  })
}

function describe(dataset: Dataset, { passport, rank, score, breakdown }: MobilityScore): RankedPassport {
  const { access, diversity, economy } = breakdown
  const known = REQUIREMENTS.reduce((sum, requirement) => sum + access.detail[requirement], 0)
  return {
    passport,
    rank,
    score,
    detail: access.detail,
    unknown: dataset.destinations.length - 1 - known,
    parts: { access: access.score, diversity: diversity.score, economy: economy.score },
  }
}

/** Orders rows by a column, the greatest first, except ranks and names. */
export function orderRows(
  ranking: readonly RankedPassport[],
  column: Column,
  nameOf: (code: string) => string,
  compare: (one: string, other: string) => number,
): readonly RankedPassport[] {
  const figureOf = ({ rank, detail, parts }: RankedPassport): number => {
    if (column === "rank" || column === "name") return -rank
    return column === "access" || column === "diversity" || column === "economy" ? parts[column] : detail[column]
  }
  const byName = (one: RankedPassport, other: RankedPassport) => compare(nameOf(one.passport), nameOf(other.passport))
  return [...ranking].sort((one, other) =>
    column === "name" ? byName(one, other) : figureOf(other) - figureOf(one) || byName(one, other),
  )
}
