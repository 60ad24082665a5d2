/**
 * How does a compiled table of pairs answer in a few array reads?
 *
 * Assembling expands the pairs into one table, one row for each passport, and builds one frozen record for each distinct answer, so that a
 * lookup returns a shared record and allocates nothing. A bundle that only looks up pairs needs nothing else. Nothing is checked here,
 * because the embedded dataset was checked when it was built.
 */
import { type EpochDay, formatCivilDate } from "../civil-date.ts"
import { CODE_SPACE, codeKey, MALFORMED_KEY, splitCodes } from "../codes.ts"
import { readEvidence, type SourceRow } from "../rules/provisions.ts"
import type { Basis, Source } from "./facts.ts"
import { answerIndexOn, FORMAT_VERSION, listTimelinePairs, type PairsHeader } from "./format.ts"
import { REQUIREMENTS, type Requirement } from "./requirement.ts"

/** The requirement for entry, with its evidence. One frozen record is shared by all pairs with the same answer. */
export interface Found {
  /** Distinguishes it from {@link NoRecord} and {@link Malformed}. */
  readonly kind: "found"
  /** What is needed to enter. */
  readonly requirement: Requirement
  /** Allowed stay in days, both ends counted; null when it is not a fixed number or not known. */
  readonly days: number | null
  /** True for a passport's own country. */
  readonly home: boolean
  /** True where the entry rests on a treaty of a bloc that one of the two countries has left. */
  readonly uncertain: boolean
  /** The basis of the rule; null if the source does not say. */
  readonly basis: Basis
  /** The bloc whose treaty is the basis, or null. */
  readonly bloc: string | null
  /** The destination whose policy holds here too, or null. */
  readonly follows: string | null
  /** The publication that the answer comes from, or null. */
  readonly source: Source | null
  /** The day on which we last read the rule on its own page (`YYYY-MM-DD`), or null. */
  readonly verifiedOn: string | null
  /** The day on which the compiler that is the source last read the page that it cites (`YYYY-MM-DD`), or null. */
  readonly citedOn: string | null
  /** The version of the dataset. */
  readonly datasetVersion: string
}

/** Says whether somebody looked up the pair itself: in an imported table nobody did, so it is not given as the page of the rule. */
export const isReviewed = ({ source }: Pick<Found, "source">): boolean => source !== null && !source.imported

/** Nothing is known about the pair, which does not mean that nothing is needed. */
export interface NoRecord {
  /** Distinguishes it from {@link Found} and {@link Malformed}. */
  readonly kind: "no_record"
  /** Why nothing is known, as a word. */
  readonly reason: "no_rule" | "unknown_passport" | "unknown_destination" | "before_dataset"
  /** Why nothing is known, in English. */
  readonly message: string
}

/** The question was malformed: a code or a date is not spelled as one. */
export interface Malformed {
  /** Distinguishes it from {@link Found} and {@link NoRecord}. */
  readonly kind: "malformed"
  /** Which part of the question it is. */
  readonly field: "passport" | "destination" | "on" | "options"
  /** What is wrong and what is expected, in English. */
  readonly message: string
}

/** Every possible answer of a lookup; branch on `kind`. */
export type LookupAnswer = Found | NoRecord | Malformed

/** Index of a well-formed code that is not in the dataset. */
export const UNKNOWN_INDEX = 254
/** Index of every malformed code. */
export const MALFORMED_INDEX = 255

/** A table of pairs: what a lookup reads. Its tables are shared and never written to. */
export interface PairTable {
  readonly version: string
  /** The version of the layout that it was read from. */
  readonly formatVersion: number
  /** The default day of answers (`YYYY-MM-DD`). */
  readonly asOf: string
  readonly asOfDay: EpochDay
  /** The first day for which there is any record. */
  readonly sinceDay: EpochDay
  /** Codes in alphabetical order; an index is a place in this list. */
  readonly passports: readonly string[]
  readonly destinations: readonly string[]
  readonly sources: readonly Source[]
  /** Distinct answers; the first means that there is no record. */
  readonly answers: readonly (Found | NoRecord)[]
  /** Index into `answers` for each pair: passport index × number of destinations + destination index. */
  readonly pairs: Uint16Array
  /** Index by code key, or one of the two numbers above. */
  readonly passportIndices: Uint8Array
  readonly destinationIndices: Uint8Array
  /** By pair: (first day, answer) in the order of days, for pairs whose answer depends on the day. */
  readonly timelines: ReadonlyMap<number, readonly number[]>
}

const NO_RULE: NoRecord = Object.freeze({
  kind: "no_record",
  reason: "no_rule",
  message: "No rule is recorded for this pair. That means unknown, not that no visa is needed.",
})

/** Lists the indices of codes by their keys. */
export function listIndices(codes: readonly string[]): Uint8Array {
  const indices = new Uint8Array(CODE_SPACE + 1).fill(UNKNOWN_INDEX)
  indices[MALFORMED_KEY] = MALFORMED_INDEX
  codes.forEach((code, index) => {
    indices[codeKey(code)] = index
  })
  return indices
}

/** Reads a source; its id is its name where texts for people are left out. */
export function readSource([id, name, url, kind]: SourceRow): Source {
  return Object.freeze({ id, name: name ?? id, url, imported: kind === 1, compiled: kind === 2 })
}

/** Builds the table of parts that are known to be sound, as the embedded ones are, because the build opened them. */
export function assemblePairs(
  header: PairsHeader,
  text: string,
  first: number,
  formatVersion: number = FORMAT_VERSION,
): PairTable {
  const storedPassports = splitCodes(header.passports)
  const storedDestinations = splitCodes(header.destinations)
  const passports = [...storedPassports].sort()
  const destinations = [...storedDestinations].sort()
  const passportIndices = listIndices(passports)
  const destinationIndices = listIndices(destinations)
  const rows = storedPassports.map(code => (passportIndices[codeKey(code)] as number) * destinations.length)
  const columns = storedDestinations.map(code => destinationIndices[codeKey(code)] as number)
  const sources = header.sources.map(readSource)
  const { version, contents, origins } = header
  const readAnswer = (
    [rank, days, basis]: PairsHeader["contents"][number],
    [place, lookedOn, subject, uncertain]: PairsHeader["origins"][number],
  ): Found => {
    const source = place === null ? null : (sources[place] as Source)
    return Object.freeze({
      kind: "found",
      requirement: REQUIREMENTS[rank] as Requirement,
      days,
      home: basis === "home",
      uncertain: uncertain === 1,
      basis: basis as Basis,
      bloc: basis === "freedom_of_movement" ? subject : null,
      follows: basis === "follows" ? subject : null,
      source,
      ...readEvidence(source, lookedOn),
      datasetVersion: version,
    })
  }
  // Not frozen: V8 reads the elements of a frozen array four times slower, and every lookup reads one.
  const answers: (Found | NoRecord)[] = [NO_RULE, readAnswer([0, null, "home"], [null, null, null, 0])]
  const HOME = 1
  const known = new Map<number, number>()
  // By destination: the answers that its numbers mean.
  const meanings = header.answers.map(list => {
    const meant = [0]
    for (let at = 0; at < list.length; at += 2) {
      const [content, origin] = [list[at] as number, list[at + 1] as number]
      const key = content * origins.length + origin
      let answer = known.get(key)
      if (answer === undefined) {
        answer = answers.push(readAnswer(contents[content]!, origins[origin]!)) - 1
        known.set(key, answer)
      }
      meant.push(answer)
    }
    return meant
  })

  const pairs = new Uint16Array(rows.length * columns.length)
  // The most frequent answers of the destinations are one row, copied for each passport; a search finds the other pairs: V8 spends more time
  // on compiling a loop over all pairs than on the pairs.
  const usual = new Uint16Array(columns.length)
  columns.forEach((column, at) => {
    usual[column] = meanings[at]![1] ?? 0
  })
  for (const row of rows) pairs.set(usual, row)
  columns.forEach((column, at) => {
    const numbers = text.slice(at * rows.length, (at + 1) * rows.length)
    meanings[at]!.forEach((answer, number) => {
      if (number === 1) return
      const character = String.fromCharCode(first + number)
      for (let row = numbers.indexOf(character); row >= 0; row = numbers.indexOf(character, row + 1)) {
        pairs[rows[row]! + column] = answer
      }
    })
    const own = passportIndices[codeKey(destinations[column] as string)] as number
    if (own < UNKNOWN_INDEX) pairs[own * destinations.length + column] = HOME
  })
  const timelines = new Map<number, readonly number[]>()
  for (const [places, ...steps] of header.timelines) {
    for (const pair of listTimelinePairs(places)) {
      const at = Math.floor(pair / rows.length)
      const meant = steps.map((step, i) => (i % 2 === 0 ? step : (meanings[at]![step] as number)))
      timelines.set((rows[pair % rows.length] as number) + (columns[at] as number), meant)
    }
  }
  return Object.freeze({
    version: header.version,
    formatVersion,
    asOf: formatCivilDate(header.asOfDay),
    asOfDay: header.asOfDay,
    sinceDay: header.sinceDay,
    passports: Object.freeze(passports),
    destinations: Object.freeze(destinations),
    sources: Object.freeze(sources),
    answers,
    pairs,
    passportIndices,
    destinationIndices,
    timelines,
  })
}

/** Finds the answer of a pair on a day that is not before the dataset's first: its index among the answers. */
export function answerIndexAt(dataset: PairTable, pair: number, day: EpochDay): number {
  const steps = dataset.timelines.get(pair)
  return steps === undefined ? (dataset.pairs[pair] as number) : answerIndexOn(steps, day)
}
