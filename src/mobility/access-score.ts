/**
 * How much of the world do some passports open, as one number?
 *
 * Three shares from 0 to 1: of destinations, of regions and of the world's gross domestic product (World Bank, current US dollars), each destination counting by how it is entered.
 * Destinations without a record count as closed, because a score contains no guesses. A share is 1 only where everything that counts is open without any demand.
 */

import type { PairsDataset } from "../dataset/open.ts"
import { easeRank, REQUIREMENTS, type Requirement } from "../dataset/requirement.ts"
import { describe, type InputIssue } from "../errors.ts"
import { readObject } from "../requirement/question.ts"

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

// ---- Counting

// How many destinations of each region, and how much of the world's economy, have which requirement for a passport?
//
// This file only counts; `access-score.ts` weighs the counts. A destination that is home to every passport counted is left out: staying at home is not mobility. For a score a destination counts
// where at least half of all passports have a record: elsewhere the records say more about who was researched than about who may enter, and would favour those passports.

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

// ---- Weights

// How much does each kind of entry count, and how much each part of a score?
//
// Weights are an argument, because there is no right answer; the defaults are the project's opinion, given with its reasons. Harder
// demands never count more than easier ones: that keeps the better of two passports the better one under any weights.

/** The weights of a mobility score. */
export interface Weights {
  /** Weight of the share of destinations that are open; only the ratio of the three parts counts. */
  readonly access: number
  /** Weight of how the open destinations spread over the regions of the world. */
  readonly diversity: number
  /** Weight of the share of the world's economy that is open. */
  readonly economy: number
  /** The worth of a destination by requirement, from 0 (closed) to 1 (open); a harder requirement never counts more. */
  readonly requirements: Readonly<Record<Requirement, number>>
}

/** Weights of which some are given; the others are those of {@link DEFAULT_WEIGHTS}. */
export interface WeightsInput extends Partial<Omit<Weights, "requirements">> {
  readonly requirements?: { readonly [Name in Requirement]?: number | undefined } | undefined
}

/**
 * The weights that hold when none are given.
 *
 * A visa-free entry counts whole. An eTA is asked for online and seldom refused, but it can be: nine tenths. A visa on arrival needs no application, but a fee, a queue and an officer who
 * may refuse: eight tenths. An e-visa is an application decided before the journey: half. A visa from a consulate opens nothing by itself. Access counts as much as the other two parts
 * together and half again: it matters most to travellers. The other two keep many small neighbouring countries from counting as the whole world.
 *
 * @example
 * ```ts
 * DEFAULT_WEIGHTS.requirements.eta // => 0.9
 * ```
 */
export const DEFAULT_WEIGHTS: Weights = Object.freeze({
  access: 0.6,
  diversity: 0.2,
  economy: 0.2,
  requirements: Object.freeze({
    visa_free: 1,
    eta: 0.9,
    visa_on_arrival: 0.8,
    e_visa: 0.5,
    visa_required: 0,
    no_admission: 0,
  }),
})

/** Reads weights; the default object itself where none are given. */
export function readWeights(value: unknown, issues: InputIssue[]): Weights {
  if (value === undefined) return DEFAULT_WEIGHTS
  const weights = readLike(DEFAULT_WEIGHTS, value, "weights", issues)
  const { access, diversity, economy, requirements } = weights
  if (access + diversity + economy === 0)
    issues.push({ path: "weights", message: "At least one part must have a weight above 0." })
  REQUIREMENTS.forEach((harder, rank) => {
    const easier = REQUIREMENTS[rank - 1] ?? harder
    if (requirements[harder] <= requirements[easier]) return
    const message = `${requirements[harder]} is more than ${requirements[easier]}, the weight of the easier ${easier}.`
    issues.push({ path: `weights.requirements.${harder}`, message })
  })
  return weights
}

// Reads an object shaped like its defaults, which apply where nothing is given. An unknown name is refused: if it is misspelt, a default would silently apply.
function readLike<Shape extends object>(defaults: Shape, value: unknown, path: string, issues: InputIssue[]): Shape {
  const given = readObject(value, path, issues)
  const stray = Object.keys(given).find(name => !Object.hasOwn(defaults, name))
  if (stray !== undefined) {
    issues.push({ path, message: `${describe(stray)} is not a weight; those are ${Object.keys(defaults).join(", ")}.` })
  }
  const read = Object.entries(defaults).map(([name, fallback]) => {
    const found = given[name]
    const field = `${path}.${name}`
    if (found === undefined) return [name, fallback]
    if (typeof fallback === "object") return [name, readLike(fallback, found, field, issues)]
    if (typeof found === "number" && found >= 0 && found <= 1) return [name, found]
    issues.push({ path: field, message: `${describe(found)} is not a number from 0 to 1.` })
    return [name, fallback]
  })
  return Object.fromEntries(read)
}
