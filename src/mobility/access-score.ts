/**
 * How much of the world do some passports open, as one number?
 *
 * Three shares from 0 to 1: of destinations, of regions and of the world's gross domestic product (World Bank, current US dollars), each destination counting by how it is entered.
 * Destinations without a record count as closed, because a score contains no guesses. A share is 1 only where everything that counts is open without any demand.
 */
import { REQUIREMENTS } from "../dataset/requirement.ts"
import { RANKS, type Tally } from "./tally.ts"
import type { Weights } from "./weights.ts"

/** The access of some passports, as shares. */
export interface AccessScore {
  /** 0 to 1000, one decimal. */
  readonly score: number
  readonly access: number
  readonly diversity: number
  readonly economy: number
}

/** The worth of each ease rank under some weights; no record counts nothing. */
export function worthByRank({ requirements }: Weights): Float64Array {
  return Float64Array.of(...REQUIREMENTS.map(requirement => requirements[requirement]), 0)
}

/** Weighs what was counted; `worth` is that of the weights. */
export function weighTally({ cells, gdp }: Tally, weights: Weights, worth: Float64Array): AccessScore {
  const regionCount = cells.length / RANKS - 1
  let size = 0
  let open = 0
  let regions = 0
  let spread = 0
  for (let region = 0; region <= regionCount; region++) {
    let regionSize = 0
    let regionOpen = 0
    for (let rank = 0; rank < RANKS; rank++) {
      const count = cells[region * RANKS + rank] as number
      regionSize += count
      regionOpen += count * (worth[rank] as number)
    }
    size += regionSize
    open += regionOpen
    if (regionSize === 0 || region === regionCount) continue
    regions++
    // The root makes the first destinations in a region count most, so that as many destinations spread wider score higher.
    spread += Math.sqrt(regionOpen / regionSize)
  }
  let world = 0
  let worldOpen = 0
  for (let rank = 0; rank < RANKS; rank++) {
    world += gdp[rank] as number
    worldOpen += (gdp[rank] as number) * (worth[rank] as number)
  }
  const access = divide(open, size)
  const diversity = divide(spread, regions)
  const economy = divide(worldOpen, world)
  // Each weight as its share of all: products of very small weights would be rounded to nothing, or past their sum.
  const total = weights.access + weights.diversity + weights.economy
  const weigh = (weight: number, part: number) => divide(weight, total) * part
  const weighed = weigh(weights.access, access) + weigh(weights.diversity, diversity) + weigh(weights.economy, economy)
  const score = roundTo(1000 * weighed, 1)
  return { score, access, diversity, economy }
}

/** Divides a part by its whole; 0 if the whole is 0. */
export function divide(part: number, whole: number): number {
  return whole > 0 ? part / whole : 0
}

/** Rounds to some decimals, halves up. */
export function roundTo(value: number, decimals: number): number {
  const factor = 10 ** decimals
  return Math.round(value * factor) / factor
}
