/**
 * How much of the world does a passport open, and what is its rank?
 *
 * A score is 1000 times the weighted mean of three shares (access, diversity, economy). It is 1000 only for a passport to which every destination that counts is open without any demand,
 * and 0 for one to which none is. Ranks are those of competitions: equal scores share one, and the next is as far down as there are passports before it.
 */

import { easeRank, REQUIREMENTS, type Requirement } from "../codes.ts"
import { getOrInsert } from "../collections.ts"
import type { NoRecord, PairsDataset } from "../dataset/open.ts"
import { describe, type InputError, type InputIssue, type Result } from "../errors.ts"
import { answerQuestion, fieldsOf, type Question, readCode, readObject } from "../requirement/question.ts"

// ---- Openness of a passport

// How much of the world do some passports open, as one number?
//
// Three shares from 0 to 1: of destinations, of regions and of the world's gross domestic product (World Bank, current US dollars), each destination counting by how it is entered.
// Destinations without a record count as closed, because a score contains no guesses. A share is 1 only where everything that counts is open without any demand.

/** The access of some passports, as shares. */
interface AccessScore {
  /** 0 to 1000, one decimal. */
  readonly score: number
  readonly access: number
  readonly diversity: number
  readonly economy: number
}

/** Weighs what was counted; `worth` is that of the weights. */
function weighTally({ cells, gdp }: Tally, weights: Weights, worth: Float64Array): AccessScore {
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
function divide(part: number, whole: number): number {
  return whole > 0 ? part / whole : 0
}

/** Rounds to some decimals, halves up. */
function roundTo(value: number, decimals: number): number {
  const factor = 10 ** decimals
  return Math.round(value * factor) / factor
}

// ---- Counting

// How many destinations of each region, and how much of the world's economy, have which requirement for a passport?
//
// The counts are weighed below. A destination that is home to every passport counted is left out: staying at home is not mobility. For a score a destination counts
// where at least half of all passports have a record: elsewhere the records say more about who was researched than about who may enter, and would favour those passports.

/** Rank of a pair without a record, behind the ranks of all requirements. */
const NO_RECORD_RANK = REQUIREMENTS.length
/** Number of ranks, that of no record among them. */
const RANKS = REQUIREMENTS.length + 1
/** Ranks below this one unlock a destination: visa-free, eTA, visa on arrival and e-visa. */
const LOCKED_RANK = easeRank("visa_required")

/** The requirements of destinations for some passports, counted. */
interface Tally {
  /** Number of destinations by ease rank, of all destinations that are not home. */
  readonly counts: Uint16Array
  /** Number of destinations that count for a score, by region × {@link RANKS} + ease rank; behind the regions, those of no region. */
  readonly cells: Uint16Array
  /** Gross domestic product of the destinations that count for a score, in millions of US dollars by ease rank. */
  readonly gdp: Float64Array
}

/** A dataset laid out for counting. */
interface Survey {
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

/** Counts for every passport. */
function surveyDataset(dataset: PairsDataset): Survey {
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
  return { ...bare, tallies: passports.map((_, row) => tallyAccess(bare, [row, row])) }
}

/** Counts the requirements for two passports together, each destination by the easier answer; for one passport, give it twice. */
function tallyAccess(
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
function isUnlocked({ dataset, ranks }: Survey, row: number, column: number): boolean {
  const answer = dataset.pairs[row * dataset.destinations.length + column] as number
  return (ranks[answer] as number) < LOCKED_RANK
}

// ---- Weights

// How much does each kind of entry count, and how much each part of a score?
//
// Weights are an argument, because there is no right answer; the defaults are the project's opinion, given with its reasons. Harder
// demands never count more than easier ones: that keeps the better of two passports the better one under any weights.

/** The weights of a mobility score. */
interface Weights {
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
function readWeights(value: unknown, issues: InputIssue[]): Weights {
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

const MOBILITY_FIELDS = /* @__PURE__ */ fieldsOf("weights", "on")

/** The day and the weights of a score. */
interface MobilityOptions {
  /** The weights; missing ones are those of `DEFAULT_WEIGHTS`. */
  readonly weights?: WeightsInput | undefined
  /** A calendar date `YYYY-MM-DD`; the dataset's own day when absent. */
  readonly on?: string | undefined
}

/** One passport's place among all. */
export interface RankedPassport {
  /** Its code. */
  readonly passport: string
  /** 0 to 1000, one decimal. */
  readonly score: number
  /** 1 for the best; equal scores share a rank. */
  readonly rank: number
}

/** All passports, best first. */
export interface Ranking {
  /** Best first; equal scores in the order of codes. */
  readonly passports: readonly RankedPassport[]
  /** The day of the answer (`YYYY-MM-DD`). */
  readonly on: string
  /** The version of the dataset that answered. */
  readonly datasetVersion: string
}

/** One region's part in a score. */
export interface RegionAccess {
  /** M49 sub-region. */
  readonly region: string
  /** Destinations of the region that count for this passport. */
  readonly destinations: number
  /** Those of them that are unlocked. */
  readonly unlocked: number
}

/** A passport's mobility score and its parts. */
export interface MobilityScore extends RankedPassport {
  /** `found`; a question without an answer has another kind. */
  readonly kind: "found"
  /** Number of ranked passports. */
  readonly totalRanked: number
  /** Percentage of passports that rank lower than this one's rank, one decimal. */
  readonly percentile: number
  /** Number of destinations other than home whose requirement is `visa_free`. */
  readonly visaFreeCount: number
  /** What the score is made of. */
  readonly breakdown: {
    /** Each part's score is 0 to 1000, before the parts are weighed. */
    readonly access: {
      /** How many destinations are open. */
      readonly score: number
      /** Number of destinations other than home, by requirement. */
      readonly detail: Readonly<Record<Requirement, number>>
    }
    /** How the open destinations spread over the world. */
    readonly diversity: {
      /** 0 to 1000. */
      readonly score: number
      /** Every region. */
      readonly regions: readonly RegionAccess[]
    }
    /** How much of the world's economy is open. */
    readonly economy: {
      /** 0 to 1000. */
      readonly score: number
      /** The share of the world's gross domestic product, home aside, that is unlocked: 0 to 1, four decimals. */
      readonly gdpShare: number
    }
  }
  /** The day of the answer (`YYYY-MM-DD`). */
  readonly on: string
  /** The version of the dataset that answered. */
  readonly datasetVersion: string
}

/** What answers about mobility are made from: a surveyed dataset, weights, and the score of each passport. */
interface WeighedSurvey {
  readonly survey: Survey
  readonly weigh: (tally: Tally) => AccessScore
  readonly scores: readonly AccessScore[]
  readonly rankOf: (score: number) => number
}

/** Reads the weights of a question; the survey is weighed when the result is called. */
function readWeighedSurvey({ dataset, options, issues }: Question): () => WeighedSurvey {
  const weights = readWeights(options.weights, issues)
  return () => {
    const survey = getOrInsert(surveys, dataset, () => surveyDataset(dataset))
    if (weights !== DEFAULT_WEIGHTS) return weighSurvey(survey, weights)
    return getOrInsert(weighedAsUsual, survey, () => weighSurvey(survey, weights))
  }
}

// Cached for the default weights only: a service uses those, one passport at a time.
const weighedAsUsual = new WeakMap<Survey, WeighedSurvey>()

function weighSurvey(survey: Survey, weights: Weights): WeighedSurvey {
  // The worth of each ease rank; no record counts nothing.
  const worth = Float64Array.of(...REQUIREMENTS.map(requirement => weights.requirements[requirement]), 0)
  const weigh = (tally: Tally) => weighTally(tally, weights, worth)
  const scores = survey.tallies.map(weigh)
  const rankOf = (score: number) => 1 + scores.filter(other => other.score > score).length
  return { survey, weigh, scores, rankOf }
}

/**
 * Ranks all passports of a dataset, best first, those that share a rank in the order of codes.
 *
 * Fails with `InputRefused`, which lists every mistake with its path. About a millisecond at the first call for a dataset, a few tenths
 * after it.
 *
 * @example
 * ```ts
 * const ranking = rankPassports(embeddedDataset())
 * ranking.ok && ranking.value.passports.length // => 199
 * ranking.ok && ranking.value.passports[0].rank // => 1
 * ```
 */
export function rankPassports(dataset: PairsDataset, options?: MobilityOptions): Result<Ranking, InputError> {
  const result = answerQuestion(dataset, options, MOBILITY_FIELDS, question => {
    const weighed = readWeighedSurvey(question)
    return () => rankAll(weighed())
  })
  // The question has no code, so none can be missing.
  return result as Result<Ranking, InputError>
}

function rankAll({ survey, scores }: WeighedSurvey): Ranking {
  const ranked = survey.dataset.passports
    .map((passport, row) => ({ passport, score: (scores[row] as AccessScore).score, rank: 1 }))
    .sort((a, b) => b.score - a.score || (a.passport < b.passport ? -1 : 1))
  ranked.forEach((entry, place) => {
    const above = ranked[place - 1]
    entry.rank = above?.score === entry.score ? above.rank : place + 1
  })
  return { passports: ranked, on: survey.dataset.asOf, datasetVersion: survey.dataset.version }
}

/**
 * Scores one passport from 0 to 1000, with its rank among all and the parts of the score.
 *
 * Fails with `InputRefused`, which lists every mistake with its path. For a well-formed passport that is not in the dataset, the answer's
 * `kind` is `no_record`.
 *
 * @example
 * ```ts
 * const german = scorePassport(embeddedDataset(), "DEU")
 * german.ok && german.value.kind === "found" && german.value.totalRanked // => 199
 * const unknown = scorePassport(embeddedDataset(), "ZZZ")
 * unknown.ok && unknown.value.kind // => "no_record"
 * const refused = scorePassport(embeddedDataset(), "DEU", { weights: { access: 2 } })
 * !refused.ok && refused.error.issues[0].path // => "weights.access"
 * ```
 */
export function scorePassport(
  dataset: PairsDataset,
  passport: string,
  options?: MobilityOptions,
): Result<MobilityScore | NoRecord, InputError> {
  return answerQuestion(dataset, options, MOBILITY_FIELDS, question => {
    const row = readCode(question, "passport", passport)
    const weighed = readWeighedSurvey(question)
    return () => describeScore(weighed(), row)
  })
}

function describeScore({ survey, scores, rankOf }: WeighedSurvey, row: number): MobilityScore {
  const { dataset, tallies } = survey
  const { counts, cells, gdp } = tallies[row] as Tally
  const { score, access, diversity, economy } = scores[row] as AccessScore
  const rank = rankOf(score)
  const total = scores.length
  const detail = Object.fromEntries(REQUIREMENTS.map((requirement, ease) => [requirement, counts[ease]]))
  return {
    kind: "found",
    passport: dataset.passports[row] as string,
    score,
    rank,
    totalRanked: total,
    percentile: roundTo(((total - rank) / total) * 100, 1),
    visaFreeCount: counts[0] as number,
    breakdown: {
      access: { score: roundTo(1000 * access, 1), detail: detail as Record<Requirement, number> },
      diversity: {
        score: roundTo(1000 * diversity, 1),
        regions: dataset.regions.map((region, place) => {
          const cell = cells.subarray(place * RANKS, (place + 1) * RANKS)
          return { region, destinations: sum(cell), unlocked: sum(cell.subarray(0, LOCKED_RANK)) }
        }),
      },
      economy: {
        score: roundTo(1000 * economy, 1),
        gdpShare: roundTo(divide(sum(gdp.subarray(0, LOCKED_RANK)), sum(gdp)), 4),
      },
    },
    on: dataset.asOf,
    datasetVersion: dataset.version,
  }
}

function sum(numbers: Uint16Array | Float64Array): number {
  let total = 0
  for (const number of numbers) total += number
  return total
}

// ---- Comparing two passports

// Which destinations does one passport open that another does not, and what is the value of both together?
//
// A destination is unlocked if its requirement is neither a visa from a consulate nor a refusal; one without a record is not. Together,
// each destination counts by the easier of the two answers, and a country that is home to one of the two counts as visa-free, so the
// combined score is never below the better of the two.

const COMPARISON_FIELDS = /* @__PURE__ */ fieldsOf("passport1", "passport2", "weights", "on")

/** The passports to compare, the day, and the weights. */
interface ComparisonOptions extends MobilityOptions {
  /** The code of one passport. */
  readonly passport1: string
  /** The code of the other. */
  readonly passport2: string
}

/** One side of a comparison. */
export interface ComparedPassport {
  /** Its code. */
  readonly code: string
  /** 0 to 1000, one decimal. */
  readonly score: number
  /** 1 for the best; equal scores share a rank. */
  readonly rank: number
}

/** Two passports side by side. */
export interface Comparison {
  /** `found`; a question without an answer has another kind. */
  readonly kind: "found"
  /** The first passport. */
  readonly passport1: ComparedPassport
  /** The second one. */
  readonly passport2: ComparedPassport
  /** Both together. */
  readonly combined: {
    /** 0 to 1000, one decimal: the easier of the two answers for each destination. */
    readonly score: number
    /** Destinations that at least one unlocks, own countries among them. */
    readonly totalAccessible: number
    /** Number of destinations that only the first unlocks. */
    readonly onlyPassport1Count: number
    /** Number of destinations that only the second unlocks. */
    readonly onlyPassport2Count: number
    /** Number of destinations that both unlock. */
    readonly bothCount: number
    /** Number of destinations that neither unlocks. */
    readonly neitherCount: number
  }
  /** Destinations that only the first unlocks, in the order of codes. */
  readonly onlyPassport1: readonly string[]
  /** Destinations that only the second unlocks, in the order of codes. */
  readonly onlyPassport2: readonly string[]
  /** The day of the answer (`YYYY-MM-DD`). */
  readonly on: string
  /** The version of the dataset that answered. */
  readonly datasetVersion: string
}

/**
 * Compares two passports: their scores, the destinations that only one of them unlocks, and the score of both together.
 *
 * Fails with `InputRefused`, which lists every mistake with its path. For a well-formed passport that is not in the dataset, the answer's `kind` is `no_record`.
 *
 * @example
 * ```ts
 * const compared = comparePassports(embeddedDataset(), { passport1: "DEU", passport2: "IND" })
 * const both = compared.ok && compared.value.kind === "found" ? compared.value : null
 * both !== null && both.combined.score >= both.passport1.score // => true
 * both?.onlyPassport1.includes("USA") // => true
 * ```
 */
export function comparePassports(
  dataset: PairsDataset,
  options: ComparisonOptions,
): Result<Comparison | NoRecord, InputError> {
  return answerQuestion(dataset, options, COMPARISON_FIELDS, question => {
    const { passport1, passport2 } = question.options
    const row1 = readCode(question, "passport", passport1, "passport1")
    const row2 = readCode(question, "passport", passport2, "passport2")
    const weighed = readWeighedSurvey(question)
    return () => compare(weighed(), [row1, row2])
  })
}

function compare(
  { survey, scores, weigh, rankOf }: WeighedSurvey,
  [row1, row2]: readonly [number, number],
): Comparison {
  const { dataset } = survey
  const onlyPassport1: string[] = []
  const onlyPassport2: string[] = []
  let bothCount = 0
  dataset.destinations.forEach((destination, column) => {
    const first = isUnlocked(survey, row1, column)
    const second = isUnlocked(survey, row2, column)
    if (first && second) bothCount++
    else if (first) onlyPassport1.push(destination)
    else if (second) onlyPassport2.push(destination)
  })
  const side = (row: number): ComparedPassport => {
    const { score } = scores[row] as AccessScore
    return { code: dataset.passports[row] as string, score, rank: rankOf(score) }
  }
  const totalAccessible = bothCount + onlyPassport1.length + onlyPassport2.length
  return {
    kind: "found",
    passport1: side(row1),
    passport2: side(row2),
    combined: {
      score: weigh(tallyAccess(survey, [row1, row2])).score,
      totalAccessible,
      onlyPassport1Count: onlyPassport1.length,
      onlyPassport2Count: onlyPassport2.length,
      bothCount,
      neitherCount: dataset.destinations.length - totalAccessible,
    },
    onlyPassport1,
    onlyPassport2,
    on: dataset.asOf,
    datasetVersion: dataset.version,
  }
}
