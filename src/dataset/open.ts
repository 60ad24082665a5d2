/**
 * How does a compiled dataset become something that answers in a few array reads?
 *
 * Opening expands the pairs into one table, a row a passport, and builds one frozen record for each distinct answer, so that
 * a lookup hands out a shared record and allocates nothing. It refuses what it cannot read whole, and it knows no file.
 */

import { type EpochDay, formatCivilDate, parseCivilDate } from "../civil-date.ts"
import { CODE_SPACE, codeKey, MALFORMED_KEY } from "../codes.ts"
import { type DatasetError, describe, failure, type InputError, type Result, success } from "../errors.ts"
import { REQUIREMENTS, type Requirement } from "../requirement/requirement.ts"
import { findHeaderMistake } from "./check-header.ts"
import type { Basis, Source } from "./facts.ts"
import {
  type AnswerRow,
  byteColumns,
  type CopyColumn,
  type DatasetHeader,
  type DatasetParts,
  decodeDataset,
  FORMAT_VERSION,
} from "./format.ts"
import { answerIndexOn } from "./timeline.ts"
import { readTravelRules, splitCodes, type TravelRules } from "./travel-rules.ts"

/** What is needed to enter, and how we know. One frozen record is shared by all pairs with the same answer. */
export interface Found {
  readonly kind: "found"
  readonly requirement: Requirement
  /** Allowed stay in days, both ends counted; null when it is no fixed number or not known. */
  readonly days: number | null
  /** True for a passport's own country. */
  readonly home: boolean
  /** True where the entry rests on a treaty of a bloc that one of the two countries has left. */
  readonly uncertain: boolean
  /** What the rule rests on; null where the source does not say. */
  readonly basis: Basis
  /** The bloc whose treaty is the basis, or null. */
  readonly bloc: string | null
  /** The destination whose policy holds here too, or null. */
  readonly follows: string | null
  readonly source: Source | null
  /** The day a person last confirmed the rule in its source (`YYYY-MM-DD`), or null. */
  readonly verifiedOn: string | null
  readonly datasetVersion: string
}

/** Nothing is known of the pair: which is not the same as that nothing is needed. */
export interface NoRecord {
  readonly kind: "no_record"
  readonly reason: "no_rule" | "unknown_passport" | "unknown_destination" | "before_dataset"
  readonly message: string
}

/** The question was no question: a code or a date that is not spelled as one. */
export interface Malformed {
  readonly kind: "malformed"
  readonly field: "passport" | "destination" | "on"
  readonly message: string
}

/** Everything that a lookup can say; branch on `kind`. */
export type Answer = Found | NoRecord | Malformed

/** Slot of a code that is spelled right and not in the dataset. */
export const UNKNOWN_SLOT = 254
/** Slot of everything that is not spelled as a code. */
export const MALFORMED_SLOT = 255

/** An open dataset. Its tables are shared and never written to; use the functions that take it. */
export interface Dataset extends TravelRules {
  readonly version: string
  readonly formatVersion: number
  /** The day answered for when no day is asked (`YYYY-MM-DD`). */
  readonly asOf: string
  readonly asOfDay: EpochDay
  /** The first day for which there is any record. */
  readonly sinceDay: EpochDay
  /** Codes in alphabetical order; an index is a place in this list. */
  readonly passports: readonly string[]
  readonly destinations: readonly string[]
  readonly sources: readonly Source[]
  /** M49 sub-regions in the order of the alphabet. */
  readonly regions: readonly string[]
  /** By destination, its place among the regions, or null. */
  readonly regionOf: readonly (number | null)[]
  /** By destination, gross domestic product in millions of current US dollars, or null. */
  readonly gdpUsdMillions: readonly (number | null)[]
  /** Distinct answers; the first means that there is no record. */
  readonly answers: readonly (Found | NoRecord)[]
  /** Index into `answers` for each pair: passport index × number of destinations + destination index. */
  readonly pairs: Uint8Array
  /** Index by code key, or one of the two slots above. */
  readonly passportSlots: Uint8Array
  readonly destinationSlots: Uint8Array
  /** By pair, (first day, answer) in order of days, for pairs whose answer depends on the day. */
  readonly timelines: ReadonlyMap<number, readonly number[]>
}

const NO_RULE: NoRecord = Object.freeze({
  kind: "no_record",
  reason: "no_rule",
  message: "No rule is recorded for this pair. That means unknown, not that no visa is needed.",
})

/**
 * Opens the bytes of a dataset file.
 *
 * Fails with `WrongMagic`, `WrongFormatVersion`, `TruncatedDataset`, `WrongChecksum` or `MalformedDataset`; a dataset that
 * opens is answered from whole. Costs 110 KB and some 0.6 ms, ten times as long in a process that has compiled nothing yet.
 *
 * @example
 * ```ts
 * openDataset(new Uint8Array(3)).error.message // => "The dataset is cut off: 3 bytes found, at least 20 expected."
 * ```
 */
export function openDataset(bytes: Uint8Array): Result<Dataset, DatasetError> {
  const parts = decodeDataset(bytes)
  return parts.ok ? openParts(parts.value) : parts
}

/** Opens a dataset that is already taken apart, as the embedded one is. Fails with `MalformedDataset`. */
export function openParts(parts: DatasetParts): Result<Dataset, DatasetError> {
  const refuse = (mistake: string) =>
    failure<DatasetError>({ tag: "MalformedDataset", message: `The dataset contradicts itself: ${mistake}.` })
  try {
    const { header, pairs } = parts
    const mistake = findHeaderMistake(header, pairs)
    return mistake === null ? success(assembleDataset(header, byteColumns(pairs))) : refuse(mistake)
  } catch {
    // Parts that no file can hold, such as an object whose properties throw.
    return refuse("its header cannot be read")
  }
}

function fillSlots(codes: readonly string[]): Uint8Array {
  const slots = new Uint8Array(CODE_SPACE + 1).fill(UNKNOWN_SLOT)
  slots[MALFORMED_KEY] = MALFORMED_SLOT
  codes.forEach((code, index) => {
    slots[codeKey(code)] = index
  })
  return slots
}

/** Builds the tables of parts that are known to be sound, as the embedded ones are, because the build opened them. */
export function assembleDataset(header: DatasetHeader, copyColumn: CopyColumn): Dataset {
  const storedPassports = splitCodes(header.passports)
  const storedDestinations = splitCodes(header.destinations)
  const passports = [...storedPassports].sort()
  const destinations = [...storedDestinations].sort()
  const passportSlots = fillSlots(passports)
  const destinationSlots = fillSlots(destinations)
  const rows = storedPassports.map(code => (passportSlots[codeKey(code)] as number) * destinations.length)
  const columns = storedDestinations.map(code => destinationSlots[codeKey(code)] as number)

  const pairs = new Uint8Array(rows.length * columns.length)
  columns.forEach((column, at) => {
    copyColumn(at * rows.length, pairs, rows, column)
  })
  const timelines = new Map<number, readonly number[]>()
  for (const [pair, ...steps] of header.timelines) {
    const row = rows[pair % rows.length] as number
    timelines.set(row + (columns[Math.floor(pair / rows.length)] as number), steps)
  }

  // From the order in which destinations are stored to that of their codes.
  const arrange = <Value>(values: readonly Value[]): readonly Value[] => {
    const arranged: Value[] = new Array(values.length)
    columns.forEach((column, at) => {
      arranged[column] = values[at] as Value
    })
    return Object.freeze(arranged)
  }
  const sources = header.sources.map(([id, name, url, imported]) =>
    Object.freeze({ id, name, url, imported: imported === 1 }),
  )
  const readAnswer = ([rank, days, source, verifiedOn, basis, subject, uncertain]: AnswerRow): Found =>
    Object.freeze({
      kind: "found",
      requirement: REQUIREMENTS[rank] as Requirement,
      days,
      home: basis === "home",
      uncertain: uncertain === 1,
      basis: basis as Basis,
      bloc: basis === "freedom_of_movement" ? subject : null,
      follows: basis === "follows" ? subject : null,
      source: source === null ? null : (sources[source] as Source),
      verifiedOn,
      datasetVersion: header.version,
    })
  const { zones, validity, transit } = header
  return Object.freeze({
    version: header.version,
    formatVersion: FORMAT_VERSION,
    asOf: formatCivilDate(header.asOfDay),
    asOfDay: header.asOfDay,
    sinceDay: header.sinceDay,
    passports,
    destinations,
    sources: Object.freeze(sources),
    regions: Object.freeze([...header.regions]),
    regionOf: arrange(header.regionOf),
    gdpUsdMillions: arrange(header.gdpUsdMillions),
    // Not frozen: V8 reads the elements of a frozen array four times slower, and every lookup reads one.
    answers: [NO_RULE, ...header.answers.map(readAnswer)],
    pairs,
    passportSlots,
    destinationSlots,
    timelines,
    // As plain properties: V8 reads an object that has accessors ten times slower, and every lookup reads this one.
    ...readTravelRules({ zones, validity, transit }, sources),
  })
}

/** Finds the answer of a pair on a day that is not before the dataset's first: its index among the answers. */
export function answerIndexAt(dataset: Dataset, pair: number, day: EpochDay): number {
  const steps = dataset.timelines.get(pair)
  return steps === undefined ? (dataset.pairs[pair] as number) : answerIndexOn(steps, day)
}

/** Finds the slot of the destination whose policy an answer takes over; {@link UNKNOWN_SLOT} or more where there is none. */
export function followedSlot({ destinationSlots }: Dataset, answer: Found | NoRecord): number {
  return answer.kind === "found" && answer.follows !== null
    ? (destinationSlots[codeKey(answer.follows)] as number)
    : UNKNOWN_SLOT
}

/**
 * Makes the view of a dataset for another day: every function then answers for that day when no other is asked.
 *
 * A service calls it once a day, so that dated rules take effect without a new dataset. Shares all tables but the pairs
 * (50 KB). Fails with `InputRefused` for what is no calendar date, and for a day before the dataset's first.
 */
export function datasetOn(dataset: Dataset, on: string): Result<Dataset, InputError> {
  const day = parseCivilDate(on)
  if (day === null || day < dataset.sinceDay) {
    const message = `${describe(on)} is no calendar date YYYY-MM-DD from ${formatCivilDate(dataset.sinceDay)} to 2199-12-31.`
    return failure({ tag: "InputRefused", message: `on: ${message}`, issues: [{ path: "on", message }] })
  }
  const pairs = dataset.pairs.slice()
  for (const [pair, steps] of dataset.timelines) pairs[pair] = answerIndexOn(steps, day)
  return success(Object.freeze({ ...dataset, asOf: on, asOfDay: day, pairs }))
}
