/**
 * What does an entry mean for the holder of a passport: by which answer, as who, and how easy is it?
 *
 * A territory that follows a country has that country's answers, which do not say that a passport is at home there, or moves freely.
 * So the holder's status in the country followed counts too: a person at home there is at home in its territories; a treaty's freedom
 * of movement holds in a territory only where the treaty reaches it. It does not reach one that is kept out of its country's zone:
 * Greenland and the Faroe Islands are in neither Schengen nor the Union. The choice of a passport, itineraries and the full record
 * ask here, so that none of them contradicts another. Everything is laid out once for a dataset; an entry is shared and frozen.
 */
import type { EpochDay } from "../civil-date.ts"
import {
  answerIndexAt,
  type Found,
  followedSlot,
  type NoRecord,
  type PairsDataset,
  UNKNOWN_SLOT,
} from "../dataset/open.ts"
import { easeRank } from "./requirement.ts"

/** What is known of the length of a stay. */
export type StayKind = "unlimited" | "freedom_of_movement" | "days" | "unknown"

/** What entering a destination means for the holders of a passport. */
export interface Entry {
  /** The entry's place among the dataset's entries. */
  readonly place: number
  readonly answer: Found | NoRecord
  /** True for citizens, in the territories that follow their country too. */
  readonly isHome: boolean
  /** True at home and under a treaty's freedom of movement that reaches here: rules for visitors do not bind. */
  readonly movesFreely: boolean
  readonly stay: StayKind
  /**
   * The smaller, the better the passport: first by what is asked, a missing record being worse than anything; then by the stay:
   * at home, freedom of movement without a number, days from long to short, and last what nobody recorded, because it may be short.
   */
  readonly effort: number
}

/** Efforts of two neighbouring requirements are so far apart: more than those of a hundred stays. */
export const EFFORT_OF_REQUIREMENT = 1_000_000

/** A dataset's entries. */
export interface EntryTable {
  /** By place; the entry of an unchanged answer has the answer's index for its place. */
  readonly entries: readonly Entry[]
  /** By answer index, the slot of the country that its destination follows; {@link UNKNOWN_SLOT} or more where there is none. */
  readonly followed: Uint8Array
  /** By answer index, for answers of territories: its entry by who the holder is in the country followed. */
  readonly variants: readonly (Variants | null)[]
  /** By destination index, a number for the zone that it belongs to at some time; 0 for none. */
  readonly zones: Uint8Array
  /** By destination index, 1 where some answer depends on the day. */
  readonly isDated: Uint8Array
}

interface Variants {
  readonly atHome: Entry
  /** Free to stay without a number of days. */
  readonly free: Entry
  /** Free, with a number of days or under a treaty that one of the countries has left: the stay is the answer's own. */
  readonly freeForDays: Entry
}

// By table of answers and not by dataset: the views of a dataset for other days share it.
const tables = new WeakMap<PairsDataset["answers"], EntryTable>()

/** Lays out a dataset's entries; the same object for all of its views. */
export function entryTable(dataset: PairsDataset): EntryTable {
  const known = tables.get(dataset.answers)
  if (known !== undefined) return known
  const { answers } = dataset
  const entries = answers.map((answer, place) => readEntry(answer, place))
  const followed = Uint8Array.from(answers, answer => followedSlot(dataset, answer))
  const vary = (entry: Entry, isHome: boolean, stay: StayKind, stayEffort: number): Entry => {
    const effort = entry.effort - (entry.effort % EFFORT_OF_REQUIREMENT) + stayEffort
    const variant = Object.freeze({ ...entry, place: entries.length, isHome, movesFreely: true, stay, effort })
    entries.push(variant)
    return variant
  }
  const variants = answers.map((_, index) => {
    if ((followed[index] as number) >= UNKNOWN_SLOT) return null
    const entry = entries[index] as Entry
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
const FREE_EFFORT = 1
/** Of a stay that nobody recorded; no number of days is as large. */
const LONGEST_EFFORT = 9_999

/** Gives the part of an effort that is about the stay: more days are better, and a stay that nobody recorded is worst. */
export function effortOfStay(days: number | null): number {
  return LONGEST_EFFORT - (days ?? 0)
}

/** Makes the entry of an answer; `place` is its place among the entries, or -1 for one that is not the dataset's own. */
export function readEntry(answer: Found | NoRecord, place: number): Entry {
  if (answer.kind !== "found") {
    const effort = 6 * EFFORT_OF_REQUIREMENT
    return Object.freeze({ place, answer, isHome: false, movesFreely: false, stay: "unknown", effort })
  }
  const { requirement, days, home, basis, uncertain } = answer
  const movesFreely = home || basis === "freedom_of_movement"
  // Where a treaty's right is in doubt, so is the stay.
  const isOpen = movesFreely && days === null && !uncertain
  const stay = home ? "unlimited" : days !== null ? "days" : isOpen ? "freedom_of_movement" : "unknown"
  const stayEffort = home ? HOME_EFFORT : isOpen ? FREE_EFFORT : effortOfStay(days)
  const effort = easeRank(requirement) * EFFORT_OF_REQUIREMENT + stayEffort
  return Object.freeze({ place, answer, isHome: home, movesFreely, stay, effort })
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
 * Gives the entry of a pair on the dataset's own day; passport and destination by their places in the dataset.
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
export function entryAt(dataset: PairsDataset, passport: number, destination: number): Entry {
  const table = entryTable(dataset)
  const row = passport * dataset.destinations.length
  const answer = dataset.pairs[row + destination] as number
  const followed = table.followed[answer] as number
  if (followed >= UNKNOWN_SLOT) return table.entries[answer] as Entry
  return varyEntry(table, answer, dataset.pairs[row + followed] as number, destination)
}

/** Gives the entry of a pair on a day that is not before the dataset's first; `table` is the dataset's own. */
export function entryOn(
  dataset: PairsDataset,
  passport: number,
  destination: number,
  day: EpochDay,
  table: EntryTable = entryTable(dataset),
): Entry {
  const row = passport * dataset.destinations.length
  const isDated = table.isDated[destination] === 1
  const answer = isDated ? answerIndexAt(dataset, row + destination, day) : (dataset.pairs[row + destination] as number)
  const followed = table.followed[answer] as number
  if (followed >= UNKNOWN_SLOT) return table.entries[answer] as Entry
  return varyEntry(table, answer, answerIndexAt(dataset, row + followed, day), destination)
}

function varyEntry(
  { entries, followed, variants, zones }: EntryTable,
  answer: number,
  followedAnswer: number,
  destination: number,
): Entry {
  const { isHome, movesFreely, stay } = entries[followedAnswer] as Entry
  const { atHome, free, freeForDays } = variants[answer] as Variants
  if (isHome) return atHome
  const isReached = zones[destination] === zones[followed[answer] as number]
  if (!movesFreely || !isReached) return entries[answer] as Entry
  return stay === "freedom_of_movement" ? free : freeForDays
}
