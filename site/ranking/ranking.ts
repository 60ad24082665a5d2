/**
 * How far does each passport reach, and how open is each destination? Every score with its parts, best first, computed once for each day and
 * method that is asked about.
 */
import {
  DEFAULT_WEIGHTS,
  lookupRequirement,
  type MobilityScore,
  type PairsDataset,
  REQUIREMENTS,
  type Requirement,
  rankPassports,
  scorePassport,
} from "landfall"
import { type Axis, type Method, WEIGHTS } from "./methods.ts"

export interface RankedPlace {
  /** The code of a passport, or of a destination. */
  readonly code: string
  readonly rank: number
  /** 0 to 1000. */
  readonly score: number
  /** Destinations other than home, or passports other than the country's own, by requirement. */
  readonly detail: Readonly<Record<Requirement, number>>
  readonly unknown: number
  /** The parts of a passport's score, 0 to 1000 each; null for a destination, which has one part. */
  readonly parts: { readonly access: number; readonly diversity: number; readonly economy: number } | null
}

/** The columns that a table can be ordered by. */
export type Column = "rank" | "name" | Requirement | "access" | "diversity" | "economy"

/** Ranks every passport or every destination of a dataset. */
export const rankAll = (dataset: PairsDataset, method: Method, axis: Axis): readonly RankedPlace[] =>
  axis === "passports" ? rankByReach(dataset, method) : rankByOpenness(dataset, method)

function rankByReach(dataset: PairsDataset, method: Method): readonly RankedPlace[] {
  const weights = WEIGHTS[method]
  const options = weights === undefined ? {} : { weights }
  const ranking = rankPassports(dataset, options)
  if (!ranking.ok) return []
  return ranking.value.passports.flatMap(({ passport }) => {
    const scored = scorePassport(dataset, passport, options)
    return scored.ok && scored.value.kind === "found" ? [describe(dataset, scored.value)] : []
  })
}

function describe(dataset: PairsDataset, { passport, rank, score, breakdown }: MobilityScore): RankedPlace {
  const { access, diversity, economy } = breakdown
  const known = REQUIREMENTS.reduce((sum, requirement) => sum + access.detail[requirement], 0)
  return {
    code: passport,
    rank,
    score,
    detail: access.detail,
    unknown: dataset.destinations.length - 1 - known,
    parts: { access: access.score, diversity: diversity.score, economy: economy.score },
  }
}

/**
 * A destination's score is the share of the other countries' passports that it admits, each with the method's worth; no record counts as
 * closed.
 */
function rankByOpenness(dataset: PairsDataset, method: Method): readonly RankedPlace[] {
  const weights = WEIGHTS[method]
  const counted: Readonly<Record<Requirement, number>> = {
    ...DEFAULT_WEIGHTS.requirements,
    ...(weights !== undefined && "requirements" in weights ? weights.requirements : {}),
  }
  const rows = dataset.destinations.map(code => {
    const detail = Object.fromEntries(REQUIREMENTS.map(each => [each, 0])) as Record<Requirement, number>
    const others = dataset.passports.filter(passport => passport !== code)
    let worth = 0
    let unknown = 0
    for (const passport of others) {
      const answer = lookupRequirement(dataset, passport, code)
      if (answer.kind !== "found") unknown++
      else {
        detail[answer.requirement]++
        worth += counted[answer.requirement]
      }
    }
    return { code, score: Math.round((10_000 * worth) / others.length) / 10, detail, unknown, parts: null }
  })
  rows.sort((one, other) => other.score - one.score || (one.code < other.code ? -1 : 1))
  // Equal scores share a rank.
  return rows.map(row => ({ ...row, rank: 1 + rows.findIndex(({ score }) => score === row.score) }))
}

/** Orders rows by a column, the greatest first, except ranks and names. */
export function orderRows(
  ranking: readonly RankedPlace[],
  column: Column,
  nameOf: (code: string) => string,
  compare: (one: string, other: string) => number,
): readonly RankedPlace[] {
  const figureOf = ({ rank, detail, parts }: RankedPlace): number => {
    if (column === "rank" || column === "name") return -rank
    if (column === "access" || column === "diversity" || column === "economy") return parts?.[column] ?? -rank
    return detail[column]
  }
  const byName = (one: RankedPlace, other: RankedPlace) => compare(nameOf(one.code), nameOf(other.code))
  return [...ranking].sort((one, other) =>
    column === "name" ? byName(one, other) : figureOf(other) - figureOf(one) || byName(one, other),
  )
}
