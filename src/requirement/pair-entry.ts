/**
 * What does an entry mean for the holder of a passport: by which answer, in which status, and how easy is it?
 *
 * A territory that follows a country has that country's answers, which do not say that a passport is at home there, or moves freely. So the
 * holder's status in the followed country counts too: a person at home there is at home in its territories. A treaty's freedom of movement
 * applies in a territory only if the treaty does. It does not apply in a territory outside its country's zone: Greenland and the Faroe
 * Islands are in neither Schengen nor the Union. The choice of a passport, itineraries and the full record use this file, so they agree on which
 * passport asks for less. Everything is laid out once for each dataset; entries are shared and frozen.
 */
import type { EpochDay } from "../civil-date.ts"
import { effortRank } from "../codes.ts"
import {
  answerIndexAt,
  type Found,
  followedIndex,
  type NoRecord,
  type PairsDataset,
  UNKNOWN_INDEX,
} from "../dataset/open.ts"

/** What is known about the length of a stay. */
export type StayKind = "unlimited" | "freedom_of_movement" | "days" | "unknown"

/** What entering a destination means for the holders of a passport. */
export interface PairEntry {
  readonly answer: Found | NoRecord
  /** True for citizens, also in the territories that follow their country. */
  readonly isHome: boolean
  /** True at home and under a treaty's freedom of movement that applies here: rules for visitors do not bind. */
  readonly movesFreely: boolean
  readonly stay: StayKind
  /**
   * The smaller, the better the passport. First by requirement ({@link effortRank}), where a missing record is the worst. Then by the stay: at
   * home, freedom of movement without a number, days from long to short, and last an unrecorded stay, because it may be short.
   */
  readonly effort: number
}

/** The distance between the efforts of neighbouring requirements: more than those of a hundred stays. */
export const EFFORT_OF_REQUIREMENT = 1_000_000

/** A dataset's entries. */
export interface EntryTable {
  /** By index. The entry of an unchanged answer has the answer's index. */
  readonly entries: readonly PairEntry[]
  /** By answer index: the index of the country that its destination follows; {@link UNKNOWN_INDEX} or more if there is none. */
  readonly followed: Uint8Array
  /** By answer index, for answers of territories: the entries by the holder's status in the followed country. */
  readonly variants: readonly (Variants | null)[]
  /** By destination index: a number for its zone at any time; 0 for none. */
  readonly zones: Uint8Array
  /** By destination index: 1 if some answer depends on the day. */
  readonly isDated: Uint8Array
}

interface Variants {
  readonly atHome: PairEntry
  /** Free movement without a number of days. */
  readonly free: PairEntry
  /** Free movement with a number of days, or under a treaty that one of the countries has left: the stay is the answer's own. */
  readonly freeForDays: PairEntry
}

// Keyed by the table of answers and not by dataset, because the views of a dataset for other days share it.
const tables = new WeakMap<PairsDataset["answers"], EntryTable>()

/** Lays out a dataset's entries; returns the same object for all of its views. */
export function entryTable(dataset: PairsDataset): EntryTable {
  const known = tables.get(dataset.answers)
  if (known !== undefined) return known
  const { answers } = dataset
  const entries = answers.map(readEntry)
  const followed = Uint8Array.from(answers, answer => followedIndex(dataset, answer))
  const vary = (entry: PairEntry, isHome: boolean, stay: StayKind, stayEffort: number): PairEntry => {
    const effort = entry.effort - (entry.effort % EFFORT_OF_REQUIREMENT) + stayEffort
    const variant = Object.freeze({ ...entry, isHome, movesFreely: true, stay, effort })
    entries.push(variant)
    return variant
  }
  const variants = answers.map((_, index) => {
    if ((followed[index] as number) >= UNKNOWN_INDEX) return null
    const entry = entries[index] as PairEntry
    return {
      atHome: vary(entry, true, "unlimited", HOME_EFFORT),
      free: vary(entry, false, "freedom_of_movement", FREE_EFFORT),
      freeForDays: vary(entry, false, entry.stay, entry.effort % EFFORT_OF_REQUIREMENT),
    }
  })
  const table = { entries, followed, variants, zones: findZones(dataset), isDated: findDated(dataset) }
  tables.set(answers, table)
  return table
}

const HOME_EFFORT = 0
/** The part of an effort for a stay that no number of days limits: free movement, or a permit. */
export const FREE_EFFORT = 1
/** For an unrecorded stay; no number of days is as large. */
const LONGEST_EFFORT = 9_999

/** Returns the part of an effort that depends on the stay: more days are better, and an unrecorded stay is worst. */
export function effortOfStay(days: number | null): number {
  return LONGEST_EFFORT - (days ?? 0)
}

/** Makes the entry of an answer. */
export function readEntry(answer: Found | NoRecord): PairEntry {
  if (answer.kind !== "found") {
    const effort = 6 * EFFORT_OF_REQUIREMENT
    return Object.freeze({ answer, isHome: false, movesFreely: false, stay: "unknown", effort })
  }
  const { requirement, days, home, basis, uncertain } = answer
  const movesFreely = home || basis === "freedom_of_movement"
  // If a treaty's right is in doubt, the stay is too.
  const isOpen = movesFreely && days === null && !uncertain
  const stay = home ? "unlimited" : days !== null ? "days" : isOpen ? "freedom_of_movement" : "unknown"
  const stayEffort = home ? HOME_EFFORT : isOpen ? FREE_EFFORT : effortOfStay(days)
  const effort = effortRank(requirement) * EFFORT_OF_REQUIREMENT + stayEffort
  return Object.freeze({ answer, isHome: home, movesFreely, stay, effort })
}

function findZones({ destinations, zones }: PairsDataset): Uint8Array {
  return Uint8Array.from(
    destinations,
    code => 1 + zones.findIndex(({ members }) => members.some(member => member.code === code)),
  )
}

function findDated({ destinations, timelines }: PairsDataset): Uint8Array {
  const isDated = new Uint8Array(destinations.length)
  for (const pair of timelines.keys()) isDated[pair % destinations.length] = 1
  return isDated
}

/**
 * Returns the entry of a pair on the dataset's own day; passport and destination are indices of the dataset.
 *
 * Cannot fail; indices outside the dataset are not checked. Allocates nothing.
 *
 * @example
 * ```ts
 * const data = embeddedDataset()
 * const at = (passport, destination) => entryAt(data, data.passports.indexOf(passport), data.destinations.indexOf(destination))
 * at("DNK", "GRL").isHome // => true
 * at("SWE", "DNK").movesFreely // => true
 * at("SWE", "GRL").movesFreely // => false
 * at("FIN", "ALA").isHome // => true
 * ```
 */
export function entryAt(dataset: PairsDataset, passport: number, destination: number): PairEntry {
  const table = entryTable(dataset)
  const row = passport * dataset.destinations.length
  const answer = dataset.pairs[row + destination] as number
  const followed = table.followed[answer] as number
  if (followed >= UNKNOWN_INDEX) return table.entries[answer] as PairEntry
  return varyEntry(table, answer, dataset.pairs[row + followed] as number, destination)
}

/** Returns the entry of a pair on a day that is not before the dataset's first; `table` is the dataset's own. */
export function entryOn(
  dataset: PairsDataset,
  passport: number,
  destination: number,
  day: EpochDay,
  table: EntryTable = entryTable(dataset),
): PairEntry {
  const row = passport * dataset.destinations.length
  const isDated = table.isDated[destination] === 1
  const answer = isDated ? answerIndexAt(dataset, row + destination, day) : (dataset.pairs[row + destination] as number)
  const followed = table.followed[answer] as number
  if (followed >= UNKNOWN_INDEX) return table.entries[answer] as PairEntry
  return varyEntry(table, answer, answerIndexAt(dataset, row + followed, day), destination)
}

function varyEntry(
  { entries, followed, variants, zones }: EntryTable,
  answer: number,
  followedAnswer: number,
  destination: number,
): PairEntry {
  const { isHome, movesFreely, stay } = entries[followedAnswer] as PairEntry
  const { atHome, free, freeForDays } = variants[answer] as Variants
  if (isHome) return atHome
  const isReached = zones[destination] === zones[followed[answer] as number]
  if (!movesFreely || !isReached) return entries[answer] as PairEntry
  return stay === "freedom_of_movement" ? free : freeForDays
}
