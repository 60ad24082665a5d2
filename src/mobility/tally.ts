/**
 * How many destinations of each region, and how much of the world's economy, have which requirement for a passport?
 *
 * This file only counts; `access-score.ts` weighs the counts. A destination that is home to every passport counted is left out: staying at home is not mobility. For a score a destination counts
 * where at least half of all passports have a record: elsewhere the records say more about who was researched than about who may enter, and would favour those passports.
 */
import type { PairsDataset } from "../dataset/open.ts"
import { easeRank, REQUIREMENTS } from "../dataset/requirement.ts"

/** Rank of a pair without a record, behind the ranks of all requirements. */
const NO_RECORD_RANK = REQUIREMENTS.length
/** Number of ranks, that of no record among them. */
export const RANKS = REQUIREMENTS.length + 1
/** Ranks below this one unlock a destination: visa-free, eTA, visa on arrival and e-visa. */
export const LOCKED_RANK = easeRank("visa_required")

/** The requirements of destinations for some passports, counted. */
export interface Tally {
  /** Number of destinations by ease rank, of all destinations that are not home. */
  readonly counts: Uint16Array
  /** Number of destinations that count for a score, by region × {@link RANKS} + ease rank; behind the regions, those of no region. */
  readonly cells: Uint16Array
  /** Gross domestic product of the destinations that count for a score, in millions of US dollars by ease rank. */
  readonly gdp: Float64Array
}

/** A dataset laid out for counting. */
export interface Survey {
  readonly dataset: PairsDataset
  /** Ease rank by answer index. */
  readonly ranks: Uint8Array
  /** 1 for home, by answer index. */
  readonly homes: Uint8Array
  /** 1 for a destination that counts for a score. */
  readonly counting: Uint8Array
  /** By destination: its region; the number of regions for none. Typed, because these two are read for every pair. */
  readonly regionOf: Uint16Array
  readonly gdpUsdMillions: Float64Array
  /** The tally of each passport. */
  readonly tallies: readonly Tally[]
}

const surveys = new WeakMap<PairsDataset, Survey>()

/** Counts for every passport; the same object at every call for a dataset. */
export function surveyDataset(dataset: PairsDataset): Survey {
  const known = surveys.get(dataset)
  if (known !== undefined) return known
  const { answers, destinations, passports, pairs } = dataset
  const ranks = Uint8Array.from(answers, answer =>
    answer.kind === "found" ? easeRank(answer.requirement) : NO_RECORD_RANK,
  )
  const recorded = new Uint16Array(destinations.length)
  for (let start = 0; start < pairs.length; start += destinations.length) {
    for (let column = 0; column < destinations.length; column++) {
      if (ranks[pairs[start + column] as number] !== NO_RECORD_RANK) recorded[column]!++
    }
  }
  const bare = {
    dataset,
    ranks,
    homes: Uint8Array.from(answers, answer => (answer.kind === "found" && answer.home ? 1 : 0)),
    counting: Uint8Array.from(recorded, count => (count * 2 >= passports.length ? 1 : 0)),
    regionOf: Uint16Array.from(dataset.regionOf, region => region ?? dataset.regions.length),
    gdpUsdMillions: Float64Array.from(dataset.gdpUsdMillions, gdp => gdp ?? 0),
  }
  const survey = { ...bare, tallies: passports.map((_, row) => tallyAccess(bare, [row, row])) }
  surveys.set(dataset, survey)
  return survey
}

/** Counts the requirements for two passports together, each destination by the easier answer; for one passport, give it twice. */
export function tallyAccess(
  { dataset, ranks, homes, counting, regionOf, gdpUsdMillions }: Omit<Survey, "tallies">,
  [row1, row2]: readonly [number, number],
): Tally {
  const { pairs, destinations, regions } = dataset
  const counts = new Uint16Array(RANKS)
  const cells = new Uint16Array((regions.length + 1) * RANKS)
  const gdp = new Float64Array(RANKS)
  for (let column = 0; column < destinations.length; column++) {
    const answer1 = pairs[row1 * destinations.length + column] as number
    const answer2 = pairs[row2 * destinations.length + column] as number
    if (homes[answer1] === 1 && homes[answer2] === 1) continue
    const rank = Math.min(ranks[answer1] as number, ranks[answer2] as number)
    counts[rank]!++
    if (counting[column] === 0) continue
    cells[(regionOf[column] as number) * RANKS + rank]!++
    gdp[rank]! += gdpUsdMillions[column] as number
  }
  return { counts, cells, gdp }
}

/** Says whether a passport unlocks a destination: not where it needs a visa, is not admitted or has no record. */
export function isUnlocked({ dataset, ranks }: Survey, row: number, column: number): boolean {
  const answer = dataset.pairs[row * dataset.destinations.length + column] as number
  return (ranks[answer] as number) < LOCKED_RANK
}
