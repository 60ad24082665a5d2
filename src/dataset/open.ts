/**
 * What is a compiled dataset made of, and how does it answer in a few array reads?
 *
 * Assembling expands the pairs into one table, one row for each passport, and builds one frozen record for each distinct answer, so that a
 * lookup returns a shared record and allocates nothing. A bundle that only looks up pairs needs nothing else. Nothing is checked here,
 * because the embedded dataset was checked when it was built, and open-file.ts checks files.
 */
import { type EpochDay, formatCivilDate, parseCivilDate } from "../civil-date.ts"
import { CODE_SPACE, codeKey, MALFORMED_KEY, REQUIREMENTS, type Requirement, splitCodes } from "../codes.ts"
import { copyFrozen } from "../collections.ts"
import { describe, failure, type InputError, type Result, success } from "../errors.ts"
import {
  type Listed,
  type RuleSource,
  readEvidence,
  readRows,
  type SourceRow,
  type TermsSection,
} from "../rules/provisions.ts"
import type { Basis, Source } from "./facts.ts"

// ---- Parts

// What is a compiled dataset made of, before it is laid out as bytes or as text?
//
// A header, one byte a pair, and the terms: what a rule depends on, which lookups do not load. A byte is the number of an answer among those of its
// destination, the most frequent first. Two destinations with the same rules for the same passports therefore look alike, whatever they grant, and
// equal rows compress to almost nothing. file-form.ts and embedded-lists.ts lay out these parts. This part does not know what an answer means.

/** The layout described here. Files of a version that this code cannot read are refused, with both versions named. */
export const FORMAT_VERSION = 4

/** The most answers of a destination: one byte names one, and 0 means that there is no record. */
export const MAX_NUMBERS = 255

/** The most distinct answers. */
export const MAX_ANSWERS = 4095

/** What an answer says: requirement rank, days, basis. That of a passport's own country is stored nowhere. */
export type ContentRow = readonly [requirement: number, days: number | null, basis: string | null]

/** Where an answer was read: source index, verified on; the bloc or followed destination that it names; whether it is uncertain. */
export type OriginRow = readonly [
  source: number | null,
  verifiedOn: string | null,
  subject: string | null,
  uncertain: 0 | 1,
]

/**
 * Pairs whose answer depends on the day, and (first day, number of an answer) in order of days. The pairs are one
 * place among the pairs, or a list of places in order, each as its distance from the one before.
 */
export type TimelineRow = readonly [pairs: number | readonly number[], ...steps: number[]]

/** The parts of a header that every answer needs. */
export interface PairsHeader {
  readonly version: string
  readonly asOfDay: number
  readonly sinceDay: number
  /** Codes run together, in the order of the pairs' columns and rows. */
  readonly passports: string
  readonly destinations: string
  /** The sources that answers name come first. */
  readonly sources: readonly SourceRow[]
  readonly contents: readonly ContentRow[]
  readonly origins: readonly OriginRow[]
  /** By destination: its answers from number 1 on, each as the place of its contents and the place of its origin. */
  readonly answers: readonly (readonly number[])[]
  readonly timelines: readonly TimelineRow[]
}

/** The parts of a header for groups, scores and regions. */
export interface PlacesHeader {
  /** M49 sub-regions, and for each destination its place among them. */
  readonly regions: readonly string[]
  readonly regionOf: readonly (number | null)[]
  readonly gdpUsdMillions: readonly (number | null)[]
}

/** Everything but the pairs and the terms. */
export interface DatasetHeader extends PairsHeader, PlacesHeader {}

/** A compiled dataset, not yet laid out. */
export interface DatasetParts {
  readonly header: DatasetHeader
  /** One byte a pair, the number of an answer, destination by destination; that of a passport's own country is not read. */
  readonly pairs: Uint8Array
  /** Absent where only pairs are stored. */
  readonly terms?: TermsSection | undefined
  /** Further sections, by their names of four letters. */
  readonly sections?: ReadonlyMap<string, Uint8Array> | undefined
  /** The version of the file that they were read from; today's when absent. */
  readonly formatVersion?: number | undefined
}

/** Lists the places of the pairs that a timeline is for. */
export function listTimelinePairs(pairs: TimelineRow[0]): readonly number[] {
  if (typeof pairs === "number") return [pairs]
  let place = 0
  return pairs.map(distance => (place += distance))
}

/** Finds a timeline's answer for a day: that of the last step not after it. */
export function answerIndexOn(steps: readonly number[], day: EpochDay): number {
  let found = steps[1] as number
  for (let at = 2; at < steps.length && (steps[at] as number) <= day; at += 2) found = steps[at + 1] as number
  return found
}

// ---- Pairs

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

/**
 * Says whether the days of an answer come from an imported table alone: those of an e-visa or a visa on arrival, which such tables copy
 * from the visa and not from the law, so they are not a maximum stay.
 */
export const comesFromTable = ({
  requirement,
  days,
  source,
}: Pick<Found, "requirement" | "days" | "source">): boolean =>
  (requirement === "e_visa" || requirement === "visa_on_arrival") && days !== null && source?.imported === true

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

// ---- Opening

// How does a table of pairs become a dataset that all functions can use?
//
// With data that no lookup needs: regions, rules for destinations, and the terms, which are read on first use.

/** The pairs of a dataset with further data for groups, scores and lists of entrants; without conditions, waivers and stay rules. */
export interface PairsDataset extends PairTable {
  /** M49 sub-regions in the order of the alphabet. */
  readonly regions: readonly string[]
  /** By destination: the index of its region, or null. */
  readonly regionOf: readonly (number | null)[]
  /** By destination: gross domestic product in millions of current US dollars, or null. */
  readonly gdpUsdMillions: readonly (number | null)[]
  readonly zones: readonly { readonly members: readonly { readonly code: string }[] }[]
}

/**
 * An open dataset. Its tables are shared and never written to; use the functions that take it. Records are frozen; `answers`, `timelines`, `terms`
 * and the typed arrays are not, so that reading them stays fast.
 */
export interface Dataset extends PairsDataset {
  readonly zones: readonly Zone[]
  /** Everything but the pairs, as stored; without lists where only pairs are. */
  readonly terms: TermsSection
  /** Further sections of the file, as bytes by name; absent where there are none. */
  readonly sections?: ReadonlyMap<string, Uint8Array>
  /** Answers for days before the first; added by `datasetWithPast` of `landfall/history`. */
  readonly past?: FindPast
}

/** The data that {@link completeDataset} adds to a table of pairs. */
interface DatasetRest {
  readonly header: PlacesHeader
  /** Sources that the table of pairs does not have, whose places go on from there. */
  readonly sources: readonly SourceRow[]
  readonly terms?: TermsSection | undefined
  readonly sections?: ReadonlyMap<string, Uint8Array> | undefined
}

/** Adds the data that no lookup needs to a table of pairs. Both are known to be sound. `stored`: destinations as they are stored. */
export function completeDataset(
  pairs: PairTable,
  { header, sources: rows, terms = NO_TERMS, sections }: DatasetRest,
  stored: string,
): Dataset {
  const sources: readonly Source[] = Object.freeze([...pairs.sources, ...[...rows, ...terms.sources].map(readSource)])
  const zones = Object.freeze(readRows(terms, sources, "zones").rows.map(({ listed }) => readZone(listed())))
  for (const zone of zones) knownToZones.set(zone, pairs.destinationIndices)
  return markWhole({
    ...completePairs(pairs, header, stored),
    sources,
    // As plain properties: V8 reads an object with accessors ten times slower, and every lookup reads this one.
    zones,
    terms,
    ...(sections === undefined ? {} : { sections }),
  })
}

/** The terms of a dataset that has only pairs. */
export const NO_TERMS: TermsSection = /* @__PURE__ */ copyFrozen({ sources: [], retrievedDays: [], lists: {} })

const knownToZones = new WeakMap<object, PairTable["destinationIndices"]>()

/** Says whether the dataset of a zone has a destination; true if the zone is of no dataset, because then nobody knows. */
export function isRecordedBeside(zone: object, code: string): boolean {
  const indices = knownToZones.get(zone)
  return indices === undefined || (indices[codeKey(code)] as number) < UNKNOWN_INDEX
}

/** Adds the data for groups and scores to a table of pairs. `stored`: destinations as they are stored; `zones`: the members of each. */
export function completePairs(
  pairs: PairTable,
  { regions, regionOf, gdpUsdMillions }: PlacesHeader,
  stored: string,
  zones: readonly string[] = [],
): PairsDataset {
  // From the order in which destinations are stored to that of their codes.
  const columns = splitCodes(stored).map(code => pairs.destinationIndices[codeKey(code)] as number)
  const arrange = <Value>(values: readonly Value[]): readonly Value[] => {
    const arranged: Value[] = new Array(values.length)
    columns.forEach((column, at) => {
      arranged[column] = values[at] as Value
    })
    return Object.freeze(arranged)
  }
  return markWhole({
    ...pairs,
    regions: Object.freeze([...regions]),
    regionOf: arrange(regionOf),
    gdpUsdMillions: arrange(gdpUsdMillions),
    zones: Object.freeze(zones.map(codes => ({ members: splitCodes(codes).map(code => ({ code })) }))),
  })
}

// Datasets that were made here are not checked again: a check takes 80 ns, a tenth of a decision on one stop.
const whole = new WeakSet<object>()

function markWhole<D extends PairsDataset>(dataset: D): D {
  whole.add(Object.freeze(dataset))
  return dataset
}

let nobodys: PairsDataset | null = null

// The pairs of a dataset without passports and destinations.
function emptyPairs(): PairsDataset {
  nobodys ??= completePairs(
    assemblePairs(
      {
        version: "",
        asOfDay: 0,
        sinceDay: 0,
        passports: "",
        destinations: "",
        sources: [],
        contents: [],
        origins: [],
        answers: [],
        timelines: [],
      },
      "",
      0,
    ),
    NO_PLACES,
    "",
  )
  return nobodys
}

const NO_PLACES: PlacesHeader = { regions: [], regionOf: [], gdpUsdMillions: [] }

/** Accepts a dataset, like {@link takePairs}, but not pairs only, because a decision on them would leave out conditions. */
export function takeDataset(value: unknown): Dataset {
  const taken = takePairs(value)
  return "terms" in taken ? (taken as Dataset) : completeDataset(emptyPairs(), { header: NO_PLACES, sources: [] }, "")
}

/**
 * Takes a value as the pairs of a dataset. A value without the tables of one becomes an empty dataset, so that a caller's mistake is answered
 * with no record and never with an exception. Not for the hot path.
 */
export function takePairs(value: unknown): PairsDataset {
  if (whole.has(value as object)) return value as PairsDataset
  try {
    const { pairs, answers, passports, destinations, passportIndices, destinationIndices, timelines } =
      value as PairsDataset
    const isWhole =
      pairs instanceof Uint16Array &&
      passportIndices instanceof Uint8Array &&
      destinationIndices instanceof Uint8Array &&
      timelines instanceof Map &&
      [answers, passports, destinations].every(Array.isArray) &&
      pairs.length === passports.length * destinations.length
    return isWhole ? (value as PairsDataset) : emptyPairs()
  } catch {
    return emptyPairs()
  }
}

/** Finds the index of the destination whose policy an answer takes over; {@link UNKNOWN_INDEX} or more where there is none. */
export function followedIndex({ destinationIndices }: PairTable, answer: Found | NoRecord): number {
  return answer.kind === "found" && answer.follows !== null
    ? (destinationIndices[codeKey(answer.follows)] as number)
    : UNKNOWN_INDEX
}

/**
 * Makes the view of a dataset for another day: every function then uses that day by default.
 *
 * A service calls it once a day, so that dated rules take effect without a new dataset. It shares all tables except the pairs (100 KB).
 * Fails with `InputRefused` for an invalid date, and for a day before the dataset's first.
 *
 * @example
 * ```ts
 * const later = datasetOn(embeddedDataset(), "2027-06-01")
 * later.ok && later.value.asOf // => "2027-06-01"
 * ```
 */
export function datasetOn<D extends PairsDataset>(dataset: D, on: string): Result<D, InputError> {
  const taken = takePairs(dataset) as D
  const { sinceDay, pairs: ownPairs, timelines } = taken
  const day = parseCivilDate(on)
  if (day === null || day < sinceDay) {
    const message = `${describe(on)} is not a calendar date YYYY-MM-DD from ${formatCivilDate(sinceDay)} to 2199-12-31.`
    return failure({ tag: "InputRefused", message: `on: ${message}`, issues: [{ path: "on", message }] })
  }
  const pairs = ownPairs.slice()
  for (const [pair, steps] of timelines) pairs[pair] = answerIndexOn(steps, day)
  return success(Object.freeze({ ...taken, asOf: on, asOfDay: day, pairs }))
}

// ---- Rules of past days

// What does a history say about a pair on a day before the dataset's first?
//
// A dataset has no such days. Decisions use the history that was added to it, through a function of these types, so programs without a
// history do not load it.

/** The contents of a past list. */
interface PastTerms {
  readonly word: string
  /** Visa-free stay in days; null where no number is given. */
  readonly days: number | null
}

/** The requirement on a past day, according to past lists. */
export interface PastRule extends PastTerms {
  readonly kind: "found"
  /** The answer, imported and never verified; null where the word of the list does not name a requirement, or where two lists name two. */
  readonly answer: Found | null
  /** The last day with another answer, or null, and the first and the last day with this one (`YYYY-MM-DD`). */
  readonly after: string | null
  readonly by: string
  readonly until: string
  /** For a day between two lists that differ: what the later one says, and its day. The day had one of both. */
  readonly or: (PastTerms & { readonly by: string }) | null
  readonly source: string
}

/** Nothing is known about the pair on the day. */
export interface PastGap {
  readonly kind: "no_record"
  readonly reason: "no_rule" | "unknown_passport" | "unknown_destination" | "before_history" | "after_history"
  readonly message: string
}

/** Says what was needed with a passport at a destination on a past day. */
export type FindPast = (passport: string, destination: string, day: EpochDay) => PastRule | PastGap

// ---- Zones

// Which destinations share the days of a stay? A code that is not a destination of the dataset has no effect.

/** A destination's time in a zone; one that leaves and returns is listed twice. */
export interface ZoneMember {
  /** Destination, ISO 3166-1 alpha-3. */
  readonly code: string
  /** First day whose presence counts, or null where no beginning matters. */
  readonly fromDay: EpochDay | null
  /** First day whose presence no longer counts, or null. */
  readonly untilDay: EpochDay | null
}

/** How long a zone lets a visitor stay. */
export type ZoneRule =
  | {
      readonly kind: "rolling"
      /** Days of presence allowed in any window. */
      readonly allowanceDays: number
      /** Length of the window, the day asked about included; longer than the allowance. */
      readonly windowDays: number
    }
  | {
      readonly kind: "single-permission"
      /** Days of presence allowed from entry to exit. */
      readonly allowanceDays: number
    }

/** Destinations that share one allowance. */
export interface Zone extends RuleSource {
  readonly id: string
  readonly name: string
  readonly rule: ZoneRule
  readonly members: readonly ZoneMember[]
  /** The law, with its article; or null. */
  readonly instrument: string | null
}

function readZone({ value: { kind, allowanceDays, windowDays, members, ...zone } }: Listed<"zones">): Zone {
  const days = (date: string | null) => parseCivilDate(date)
  return copyFrozen({
    ...zone,
    rule: kind === "rolling" ? { kind, allowanceDays, windowDays: windowDays as number } : { kind, allowanceDays },
    members: members.map(({ code, from, until }) => ({ code, fromDay: days(from), untilDay: days(until) })),
  })
}
