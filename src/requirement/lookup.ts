/**
 * What does this passport's holder need to enter this destination?
 *
 * This is the hot path: two codes become two indices by arithmetic, one number is read, and one shared frozen record is
 * returned. Found, not recorded and malformed are three different answers, and none of them allocates. A pair without a
 * record is unknown; it never means that no visa is needed.
 */
import { type EpochDay, parseCivilDate } from "../civil-date.ts"
import { codeKey } from "../codes.ts"
import { isPlainObject } from "../collections.ts"
import {
  answerIndexAt,
  type LookupAnswer,
  MALFORMED_INDEX,
  type Malformed,
  type NoRecord,
  type PairTable,
  UNKNOWN_INDEX,
} from "../dataset/open.ts"

/** The day of a lookup. */
export interface LookupOptions {
  /** A calendar date `YYYY-MM-DD`; the dataset's own day when absent. */
  readonly on?: string | undefined
}

function malformed(field: Malformed["field"], expected: string): Malformed {
  return Object.freeze({ kind: "malformed", field, message: `${field}: ${expected} is expected.` })
}

function noRecord(reason: NoRecord["reason"], message: string): NoRecord {
  return Object.freeze({ kind: "no_record", reason, message })
}

const CODE_EXPECTED = "an ISO 3166-1 alpha-3 code in capital letters, such as FRA,"
/** The answer for a passport that is not a well-formed code. */
export const MALFORMED_PASSPORT = /* @__PURE__ */ malformed("passport", CODE_EXPECTED)
/** The answer for a destination that is not a well-formed code. */
export const MALFORMED_DESTINATION = /* @__PURE__ */ malformed("destination", CODE_EXPECTED)
/** The answer for a day that is not a calendar date. */
export const MALFORMED_DAY = /* @__PURE__ */ malformed("on", "a calendar date YYYY-MM-DD from 1900 to 2199")
const MALFORMED_OPTIONS = /* @__PURE__ */ malformed(
  "options",
  "an object with no other field than on, a calendar date,",
)
/** The answer for a passport that is not recorded. */
export const UNKNOWN_PASSPORT = /* @__PURE__ */ noRecord("unknown_passport", "No passport with this code is recorded.")
const UNKNOWN_DESTINATION = /* @__PURE__ */ noRecord(
  "unknown_destination",
  "No destination with this code is recorded.",
)
const BEFORE_DATASET = /* @__PURE__ */ noRecord(
  "before_dataset",
  "The dataset records nothing for days before its first.",
)

/**
 * Looks up the requirement for entering a destination with a passport.
 *
 * Cannot fail: the answer's `kind` is `found`, `no_record` or `malformed`. Codes are exact: lower case and alpha-2 are malformed. A value
 * that is not a dataset has no records. About ten nanoseconds, no allocation (with a day, the date is parsed, which costs more).
 *
 * @example
 * ```ts
 * const answer = lookupRequirement(embeddedDataset(), "FRA", "JPN")
 * answer.kind === "found" && answer.requirement // => "visa_free"
 * lookupRequirement(embeddedDataset(), "fr", "JPN").kind // => "malformed"
 * ```
 */
export function lookupRequirement(
  dataset: PairTable,
  passport: string,
  destination: string,
  options?: LookupOptions,
): LookupAnswer {
  // A value that is not a dataset throws when it is read. Catching this costs nothing for datasets.
  try {
    const row = dataset.passportIndices[codeKey(passport)] as number
    const column = dataset.destinationIndices[codeKey(destination)] as number
    if (row >= UNKNOWN_INDEX || column >= UNKNOWN_INDEX) return refuse(row, column)
    const pair = row * dataset.destinations.length + column
    if (options === undefined) return dataset.answers[dataset.pairs[pair] as number] as LookupAnswer
    if (!isOptions(options)) return MALFORMED_OPTIONS
    const on = readOn(options)
    if (on === undefined) return dataset.answers[dataset.pairs[pair] as number] as LookupAnswer
    const day = parseCivilDate(on)
    return day === null ? MALFORMED_DAY : answerOn(dataset, pair, day)
  } catch {
    return UNKNOWN_PASSPORT
  }
}

/** Reads the day of options, once. If a getter or proxy throws, there is no day; null is no day either. */
export function readOn(options: LookupOptions): unknown {
  try {
    return options.on
  } catch {
    return null
  }
}

/** Says whether a value can be options. A text, or options with a misspelt field, must not be treated like options without a day. */
export function isOptions(options: unknown): boolean {
  try {
    if (!isPlainObject(options)) return options === null
    for (const name in options) if (name !== "on") return false
    return true
  } catch {
    return true
  }
}

/**
 * Looks up by indices in `dataset.passports` and `dataset.destinations`, for loops over many pairs.
 *
 * Indices outside the lists return undefined; nothing is checked. A value that is not a dataset has no records. Two array reads.
 *
 * @example
 * ```ts
 * const dataset = embeddedDataset()
 * const answer = lookupAt(dataset, dataset.passports.indexOf("FRA"), dataset.destinations.indexOf("JPN"))
 * answer.kind === "found" && answer.requirement // => "visa_free"
 * ```
 */
export function lookupAt(dataset: PairTable, passportIndex: number, destinationIndex: number): LookupAnswer {
  try {
    return dataset.answers[
      dataset.pairs[passportIndex * dataset.destinations.length + destinationIndex] as number
    ] as LookupAnswer
  } catch {
    return UNKNOWN_PASSPORT
  }
}

/** Looks up by indices for a day; nothing is checked. */
export function lookupAtOn(
  dataset: PairTable,
  passportIndex: number,
  destinationIndex: number,
  day: EpochDay,
): LookupAnswer {
  return answerOn(dataset, passportIndex * dataset.destinations.length + destinationIndex, day)
}

/** Looks up by codes that are well-formed, for a day that is not checked. */
export function lookupOn(dataset: PairTable, passport: string, destination: string, day: EpochDay): LookupAnswer {
  const row = dataset.passportIndices[codeKey(passport)] as number
  const column = dataset.destinationIndices[codeKey(destination)] as number
  if (row >= UNKNOWN_INDEX) return UNKNOWN_PASSPORT
  return column >= UNKNOWN_INDEX ? UNKNOWN_DESTINATION : lookupAtOn(dataset, row, column, day)
}

function answerOn(dataset: PairTable, pair: number, day: EpochDay): LookupAnswer {
  if (day < dataset.sinceDay) return BEFORE_DATASET
  return dataset.answers[answerIndexAt(dataset, pair, day)] as LookupAnswer
}

function refuse(row: number, column: number): LookupAnswer {
  if (row === MALFORMED_INDEX) return MALFORMED_PASSPORT
  if (column === MALFORMED_INDEX) return MALFORMED_DESTINATION
  return row === UNKNOWN_INDEX ? UNKNOWN_PASSPORT : UNKNOWN_DESTINATION
}
