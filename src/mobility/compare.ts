/**
 * Which destinations does one passport open that another does not, and what is the value of both together?
 *
 * A destination is unlocked if its requirement is neither a visa from a consulate nor a refusal; one without a record is not. Together,
 * each destination counts by the easier of the two answers, and a country that is home to one of the two counts as visa-free, so the
 * combined score is never below the better of the two.
 */
import type { NoRecord, PairsDataset } from "../dataset/open.ts"
import type { InputError, Result } from "../errors.ts"
import { answerQuestion, fieldsOf, readCode } from "../requirement/question.ts"
import type { AccessScore } from "./access-score.ts"
import { type MobilityOptions, readWeighedSurvey, type WeighedSurvey } from "./score.ts"
import { isUnlocked, tallyAccess } from "./tally.ts"

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
