/**
 * How does a compiled dataset become a dataset that functions can use?
 *
 * It is a table of pairs, as pair-table.ts assembles it, with data that no lookup needs: regions, rules for destinations, and the terms,
 * which are read on first use.
 */

import { type EpochDay, formatCivilDate, parseCivilDate } from "../civil-date.ts"
import { codeKey, splitCodes } from "../codes.ts"
import { copyFrozen } from "../collections.ts"
import { describe, failure, type InputError, type Result, success } from "../errors.ts"
import type { ListName } from "../rules/provision-kinds.ts"
import {
  type Listed,
  type RuleSource,
  readRows,
  type SourceRow,
  type TermsSection,
  type TransitRule,
  type ValidityRule,
} from "../rules/provisions.ts"
import type { Source } from "./facts.ts"
import { answerIndexOn, type PlacesHeader } from "./format.ts"
import { assemblePairs, type Found, type NoRecord, type PairTable, readSource, UNKNOWN_INDEX } from "./pair-table.ts"

export {
  answerIndexAt,
  type Found,
  type LookupAnswer,
  MALFORMED_INDEX,
  type Malformed,
  type NoRecord,
  type PairTable,
  UNKNOWN_INDEX,
} from "./pair-table.ts"

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
export interface Dataset extends PairsDataset, TravelRules {
  readonly zones: readonly Zone[]
  /** The conditions of rules, as stored; null in datasets that were compiled before they existed. */
  readonly terms: TermsSection | null
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
  { header, sources: rows, terms, sections }: DatasetRest,
  stored: string,
): Dataset {
  const sources: readonly Source[] = Object.freeze([
    ...pairs.sources,
    ...[...rows, ...(terms?.sources ?? [])].map(readSource),
  ])
  const travelRules = readTravelRules(terms ?? null, sources)
  for (const zone of travelRules.zones) knownToZones.set(zone, pairs.destinationIndices)
  return markWhole({
    ...completePairs(pairs, header, stored),
    sources,
    // As plain properties: V8 reads an object with accessors ten times slower, and every lookup reads this one.
    ...travelRules,
    terms: terms ?? null,
    ...(sections === undefined ? {} : { sections }),
  })
}

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
  return "validityRules" in taken
    ? (taken as Dataset)
    : completeDataset(emptyPairs(), { header: NO_PLACES, sources: [] }, "")
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

// ---- Rules about destinations

// Which rules of a destination apply to every visitor: zones that share a stay, passport validity, transit?
//
// These rules are about destinations, not pairs. This file defines their form in an open dataset. It judges no traveller.

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

/** The rules of an open dataset that name destinations and no pair. */
interface TravelRules {
  readonly zones: readonly Zone[]
  readonly validityRules: readonly ValidityRule[]
  readonly transitRules: readonly TransitRule[]
}

/** Reads the rules of a dataset. A code that is not a destination of the dataset has no effect. */
function readTravelRules(terms: TermsSection | null, sources: readonly Source[]): TravelRules {
  const list = <K extends ListName>(of: K) => readRows(terms, sources, of).rows.map(({ listed }) => listed())
  return {
    zones: Object.freeze(list("zones").map(readZone)),
    validityRules: Object.freeze(
      list("validity").map(({ value, destinations, passports, except, until }) =>
        Object.freeze({ ...value, destinations, passports, except, until } as ValidityRule),
      ),
    ),
    transitRules: Object.freeze(
      list("transit").map(({ value, destinations, passports }) =>
        Object.freeze({ ...value, destinations, passports } as TransitRule),
      ),
    ),
  }
}

function readZone({ value: { kind, allowanceDays, windowDays, members, ...zone } }: Listed<"zones">): Zone {
  const days = (date: string | null) => parseCivilDate(date)
  return copyFrozen({
    ...zone,
    rule: kind === "rolling" ? { kind, allowanceDays, windowDays: windowDays as number } : { kind, allowanceDays },
    members: members.map(({ code, from, until }) => ({ code, fromDay: days(from), untilDay: days(until) })),
  })
}
