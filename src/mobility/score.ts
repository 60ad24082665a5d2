/**
 * How much of the world does a passport open, and what is its rank?
 *
 * A score is 1000 times the weighted mean of three shares (access, diversity, economy). It is 1000 only for a passport to which every destination that counts is open without any demand,
 * and 0 for one to which none is. Ranks are those of competitions: equal scores share one, and the next is as far down as there are passports before it.
 */
import type { NoRecord, PairsDataset } from "../dataset/open.ts"
import { REQUIREMENTS, type Requirement } from "../dataset/requirement.ts"
import type { InputError, Result } from "../errors.ts"
import { answerQuestion, fieldsOf, type Question, readCode } from "../requirement/question.ts"
import {
  type AccessScore,
  DEFAULT_WEIGHTS,
  divide,
  isUnlocked,
  LOCKED_RANK,
  RANKS,
  readWeights,
  roundTo,
  type Survey,
  surveyDataset,
  type Tally,
  tallyAccess,
  type Weights,
  type WeightsInput,
  weighTally,
  worthByRank,
} from "./access-score.ts"

const MOBILITY_FIELDS = /* @__PURE__ */ fieldsOf("weights", "on")

/** The day and the weights of a score. */
export interface MobilityOptions {
  /** The weights; missing ones are those of `DEFAULT_WEIGHTS`. */
  readonly weights?: WeightsInput | undefined
  /** A calendar date `YYYY-MM-DD`; the dataset's own day when absent. */
  readonly on?: string | undefined
}

/** One passport's place among all. */
export interface RankedPassport {
  readonly passport: string
  /** 0 to 1000, one decimal. */
  readonly score: number
  /** 1 for the best; equal scores share a rank. */
  readonly rank: number
}

/** All passports, best first. */
export interface Ranking {
  readonly passports: readonly RankedPassport[]
  /** The day of the answer (`YYYY-MM-DD`). */
  readonly on: string
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
  readonly kind: "found"
  readonly totalRanked: number
  /** Percentage of passports that rank lower than this one's rank, one decimal. */
  readonly percentile: number
  readonly visaFreeCount: number
  readonly breakdown: {
    /** Each part's score is 0 to 1000, before the parts are weighed. */
    readonly access: {
      readonly score: number
      /** Number of destinations other than home, by requirement. */
      readonly detail: Readonly<Record<Requirement, number>>
    }
    readonly diversity: { readonly score: number; readonly regions: readonly RegionAccess[] }
    /** The share of the world's gross domestic product, home aside, that is unlocked: 0 to 1, four decimals. */
    readonly economy: { readonly score: number; readonly gdpShare: number }
  }
  /** The day of the answer (`YYYY-MM-DD`). */
  readonly on: string
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
  return () => weighOnce(surveyDataset(dataset), weights)
}

// Cached for the default weights only: a service uses those, one passport at a time.
const weighedAsUsual = new WeakMap<Survey, WeighedSurvey>()

function weighOnce(survey: Survey, weights: Weights): WeighedSurvey {
  if (weights !== DEFAULT_WEIGHTS) return weighSurvey(survey, weights)
  const known = weighedAsUsual.get(survey)
  if (known !== undefined) return known
  const weighed = weighSurvey(survey, weights)
  weighedAsUsual.set(survey, weighed)
  return weighed
}

function weighSurvey(survey: Survey, weights: Weights): WeighedSurvey {
  const worth = worthByRank(weights)
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
export interface ComparisonOptions extends MobilityOptions {
  readonly passport1: string
  readonly passport2: string
}

/** One side of a comparison. */
export interface ComparedPassport {
  readonly code: string
  readonly score: number
  readonly rank: number
}

/** Two passports side by side. */
export interface Comparison {
  readonly kind: "found"
  readonly passport1: ComparedPassport
  readonly passport2: ComparedPassport
  readonly combined: {
    /** 0 to 1000, one decimal: the easier of the two answers for each destination. */
    readonly score: number
    /** Destinations that at least one unlocks, own countries among them. */
    readonly totalAccessible: number
    readonly onlyPassport1Count: number
    readonly onlyPassport2Count: number
    readonly bothCount: number
    readonly neitherCount: number
  }
  /** Destinations that only the first unlocks, in the order of codes. */
  readonly onlyPassport1: readonly string[]
  readonly onlyPassport2: readonly string[]
  /** The day of the answer (`YYYY-MM-DD`). */
  readonly on: string
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
