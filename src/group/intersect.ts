/**
 * Where can several travellers go together, and how hard is it for the member with the hardest requirement?
 *
 * A destination counts if the requirement of every member is among the allowed ones. A member without a record there excludes it: unknown
 * is never "no visa needed". The answers in the result are shared records.
 */

import { easeRank, isRequirement, REQUIREMENTS, type Requirement, unlocks } from "../codes.ts"
import { getOrInsert } from "../collections.ts"
import { type Found, MALFORMED_INDEX, type NoRecord, type PairsDataset } from "../dataset/open.ts"
import { describe, type InputError, type InputIssue, type Result, sayLength, sayRefused } from "../errors.ts"
import type { LookupOptions } from "../requirement/lookup.ts"
import { entryAt, entryTable, type PairEntry, type StayKind } from "../requirement/pair-entry.ts"
import {
  answerQuestion,
  fieldsOf,
  LOOKUP_FIELDS,
  MAX_PASSPORTS,
  type PassportAnswer,
  type Question,
  readCode,
} from "../requirement/question.ts"

/** The options of a group. */
interface GroupOptions {
  /** The requirements that qualify; all but `visa_required` and `no_admission` when absent. */
  readonly allow?: readonly Requirement[] | undefined
  /** A calendar date `YYYY-MM-DD`; the dataset's own day when absent. */
  readonly on?: string | undefined
}

/** One destination that every member of a group can enter. */
export interface GroupDestination {
  /** Its code. */
  readonly destination: string
  /** The hardest requirement of any member. */
  readonly worstRequirement: Requirement
  /** The shortest stay of any member in days, home and freedom of movement aside; null when any other stay is not a fixed number. */
  readonly groupVisaFreeDays: number | null
  /** Which null it is: every member at home or free to move, or not known; `days` where there is a number. */
  readonly groupStay: StayKind
  /** The answer for each member, in the order of the group's passports. */
  readonly passports: readonly PassportAnswer[]
}

/** Where a group can go. */
export interface Group {
  /** `found`; a question without an answer has another kind. */
  readonly kind: "found"
  /** Their codes, in the order given. */
  readonly passports: readonly string[]
  /** The requirements that qualified, easiest first. */
  readonly allow: readonly Requirement[]
  /** The day of the answer (`YYYY-MM-DD`). */
  readonly on: string
  /** Number of destinations. */
  readonly count: number
  /** Easiest first: by worst requirement, then from the longest stay to an unknown one, then by code. */
  readonly destinations: readonly GroupDestination[]
  /** The version of the dataset that answered. */
  readonly datasetVersion: string
}

const GROUP_FIELDS = /* @__PURE__ */ fieldsOf("allow", "on")
const UNLOCKING = Object.freeze(REQUIREMENTS.slice(0, 4))

/**
 * Finds every destination that 2 to 10 passports can all enter, easiest first, with the answer for each passport.
 *
 * Fails with `InputRefused`, which lists every mistake with its path. For a well-formed passport that is not in the dataset, the answer's `kind` is `no_record`. Home counts as an
 * unlimited stay. About 20 µs for ten passports; the answers of the members are shared frozen records.
 *
 * @example
 * ```ts
 * const group = intersectGroup(embeddedDataset(), ["FRA", "JPN"])
 * group.ok && group.value.kind === "found" && group.value.destinations[0].worstRequirement // => "visa_free"
 * const unknown = intersectGroup(embeddedDataset(), ["FRA", "ZZZ"])
 * unknown.ok && unknown.value.kind // => "no_record"
 * const single = intersectGroup(embeddedDataset(), ["FRA"])
 * !single.ok && single.error.message // => "passports: 2 to 10 entries are expected, not 1."
 * ```
 */
export function intersectGroup(
  dataset: PairsDataset,
  passports: readonly string[],
  options?: GroupOptions,
): Result<Group | NoRecord, InputError> {
  return answerQuestion(dataset, options, GROUP_FIELDS, question => {
    const group = readPassports(question, passports, 2)
    const { allow } = question.options
    const allowed = allow === undefined ? UNLOCKING : readAllow(allow, question.issues)
    return () => intersect(question.dataset, group, allowed)
  })
}

function readAllow(value: unknown, issues: InputIssue[]): readonly Requirement[] {
  const given = readList(value, { least: 1, most: REQUIREMENTS.length }, "allow", issues)
  given.forEach((requirement, place) => {
    if (isRequirement(requirement)) return
    issues.push({
      path: `allow[${place}]`,
      message: `${describe(requirement)} is not one of ${REQUIREMENTS.join(", ")}.`,
    })
  })
  return REQUIREMENTS.filter(requirement => given.includes(requirement))
}

function intersect(dataset: PairsDataset, { codes, rows }: ReadPassports, allow: readonly Requirement[]): Group {
  const { pairs, destinations: all } = dataset
  const width = all.length
  const ranks = rankAnswers(dataset)
  const isAllowed = REQUIREMENTS.map(requirement => allow.includes(requirement))
  const qualified: { readonly column: number; readonly rank: number }[] = []
  for (let column = 0; column < width; column++) {
    let worst = 0
    let shortest = 0
    let isOpen = true
    // Most destinations are refused by one of the first members.
    for (let member = 0; member < rows.length && isOpen; member++) {
      const rank = ranks[pairs[(rows[member] as number) * width + column] as number] as number
      const requirement = rank >> STAY_BITS
      isOpen = isAllowed[requirement] === true
      worst = Math.max(worst, requirement)
      shortest = Math.max(shortest, rank & STAY_MASK)
    }
    if (isOpen) qualified.push({ column, rank: (worst << STAY_BITS) + shortest })
  }
  // Equal ranks stay in the order of codes.
  qualified.sort((a, b) => a.rank - b.rank)
  const answers = rows.map(row => passportRow(dataset, row))
  const destinations = qualified.map(({ column, rank }): GroupDestination => {
    const stay = rank & STAY_MASK
    const groupStay = STAYS[Math.ceil(stay / KIND_RANKS)] as StayKind
    return {
      destination: all[column] as string,
      worstRequirement: REQUIREMENTS[rank >> STAY_BITS] as Requirement,
      groupVisaFreeDays: groupStay === "days" ? 2 * KIND_RANKS - stay : null,
      groupStay,
      passports: answers.map(row => row[column] as PassportAnswer),
    }
  })
  return {
    kind: "found",
    passports: codes,
    allow,
    on: dataset.asOf,
    count: destinations.length,
    destinations,
    datasetVersion: dataset.version,
  }
}

// ---- Which answer is easier

// Which of two answers is easier for the traveller, and which stay is longer?
//
// Answers are compared by requirement, then by stay: at home without end, then freedom of movement that names no number of days, then numbers from long to short, and an unrecorded stay
// last, because it may be short. Freedom of movement without a number does not mean that the stay is unlimited (a treaty may set conditions after three months); it only ranks before a
// number that a border grants.

/** The kinds of stay, the longest first. */
const STAYS: readonly StayKind[] = ["unlimited", "freedom_of_movement", "days", "unknown"]
/** The distance between kinds of stay: more than the days of any stay. */
const KIND_RANKS = 2 ** 17
/** The bits of a rank for the stay; the requirement is above them. */
const STAY_BITS = 19
const STAY_MASK = 2 ** STAY_BITS - 1

// Keyed by the table of answers and not by dataset, because the views of a dataset for other days share it.
const ranksOfAnswers = new WeakMap<PairsDataset["answers"], Int32Array>()

/** Ranks the answers of a dataset, by index: the requirement, then the stay, of which each day is one less. No record is behind all. */
function rankAnswers(dataset: PairsDataset): Int32Array {
  return getOrInsert(ranksOfAnswers, dataset.answers, () =>
    Int32Array.from(dataset.answers, (answer, index) => {
      if (answer.kind !== "found") return REQUIREMENTS.length << STAY_BITS
      const { stay } = entryTable(dataset).entries[index] as PairEntry
      const stayRank = STAYS.indexOf(stay) * KIND_RANKS - (stay === "days" ? (answer.days ?? 0) : 0)
      return (easeRank(answer.requirement) << STAY_BITS) + stayRank
    }),
  )
}

// ---- The best of several passports

// Which of their passports should a traveller with several travel on, and where can they go with all of them?
//
// For each destination it is the passport with the easiest requirement, then the one with the longest stay, then the one named first. A passport with a record always beats one without:
// unknown is not easy. This file does not know which countries oblige their citizens to enter on their own passport. A citizen's own passport is the best one there in any case, and in the
// territories that follow that country.

/** The passport to travel on, for one destination. */
interface BestPassport {
  /** Its code. */
  readonly destination: string
  /** The answer for the best passport, which it names; null where there is no record for any of them. */
  readonly best: PassportAnswer | null
  /** What is known about the length of the stay. */
  readonly stay: StayKind
}

/** The combined access of a traveller's passports. */
interface CombinedAccess {
  /** `found`; a question without an answer has another kind. */
  readonly kind: "found"
  /** Their codes, in the order given. */
  readonly passports: readonly string[]
  /** The day of the answer (`YYYY-MM-DD`). */
  readonly on: string
  /** Every destination of the dataset, in the order of codes. */
  readonly destinations: readonly BestPassport[]
  /** Number of destinations other than the traveller's own countries, by requirement of the best passport. */
  readonly detail: Readonly<Record<Requirement, number>>
  /** Number of destinations that are open without a visa from a consulate, the traveller's own countries among them. */
  readonly unlockedCount: number
  /** Number of destinations without a record for any of the passports. */
  readonly unknownCount: number
  /** The version of the dataset that answered. */
  readonly datasetVersion: string
}

/**
 * Chooses, for every destination, the best of 1 to 10 passports that one traveller holds.
 *
 * Fails with `InputRefused`, which lists every mistake with its path. For a well-formed passport that is not in the dataset, the answer's `kind` is `no_record`. The order of the passports
 * decides only between two that are equally good.
 *
 * @example
 * ```ts
 * const chosen = chooseBestPassports(embeddedDataset(), ["USA", "DEU"])
 * const destinations = chosen.ok && chosen.value.kind === "found" ? chosen.value.destinations : []
 * destinations.find(entry => entry.destination === "FRA")?.best?.passport // => "DEU"
 * destinations.find(entry => entry.destination === "USA")?.stay // => "unlimited"
 * ```
 */
export function chooseBestPassports(
  dataset: PairsDataset,
  passports: readonly string[],
  options?: LookupOptions,
): Result<CombinedAccess | NoRecord, InputError> {
  return answerQuestion(dataset, options, LOOKUP_FIELDS, question => {
    const held = readPassports(question, passports, 1)
    return () => choose(question.dataset, held)
  })
}

function choose(dataset: PairsDataset, { codes, rows }: ReadPassports): CombinedAccess {
  const detail = Object.fromEntries(REQUIREMENTS.map(requirement => [requirement, 0])) as Record<Requirement, number>
  let unlockedCount = 0
  let unknownCount = 0
  const chosen = dataset.destinations.map((destination, column): BestPassport => {
    let row = rows[0] as number
    let entry = entryAt(dataset, row, column)
    for (let at = 1; at < rows.length; at++) {
      const candidate: PairEntry = entryAt(dataset, rows[at] as number, column)
      if (candidate.effort >= entry.effort) continue
      row = rows[at] as number
      entry = candidate
    }
    const best = passportRow(dataset, row)[column] as PassportAnswer | null
    if (best === null) unknownCount++
    else {
      if (!best.home) detail[best.requirement]++
      if (unlocks(best.requirement)) unlockedCount++
    }
    return { destination, best, stay: entry.stay }
  })
  return {
    kind: "found",
    passports: codes,
    on: dataset.asOf,
    destinations: chosen,
    detail,
    unlockedCount,
    unknownCount,
    datasetVersion: dataset.version,
  }
}

// ---- Reading the passports

/** Reads a list with a bounded number of entries; returns an empty one if it is refused. */
function readList(
  value: unknown,
  { least, most }: { readonly least: number; readonly most: number },
  path: string,
  issues: InputIssue[],
): readonly unknown[] {
  if (!Array.isArray(value)) {
    issues.push({ path, message: sayRefused(value, "not an array") })
    return []
  }
  const length = Number(value.length)
  if (length >= least && length <= most) {
    const entries: unknown[] = []
    for (let place = 0; place < length; place++) entries.push(value[place])
    return entries
  }
  issues.push({ path, message: sayLength(least, most, length) })
  return []
}

/** Passports, and for each its index in `dataset.passports` or a placeholder. */
interface ReadPassports {
  readonly codes: readonly string[]
  readonly rows: readonly number[]
}

/** Reads distinct passports, at most {@link MAX_PASSPORTS} of them. */
function readPassports(question: Question, value: unknown, least: number): ReadPassports {
  const codes = readList(value, { least, most: MAX_PASSPORTS }, "passports", question.issues)
  const rows = codes.map((code, place) => {
    const path = `passports[${place}]`
    const index = readCode(question, "passport", code, path)
    const twin = codes.indexOf(code)
    if (index !== MALFORMED_INDEX && twin !== place) {
      question.issues.push({ path, message: `${code} already stands at passports[${twin}].` })
    }
    return index
  })
  return { codes: codes as readonly string[], rows }
}

// ---- Answers by passport

// How can an answer name its passport without being built again each time?
//
// A lookup's answers are shared by all passports, so they do not name one. Results that compare passports must name it.
// A passport's row of named answers is therefore made once for each dataset, on first use, and shared by every result.
// A row has about twenty distinct answers, so it takes 2 KB of indices and as much of records.

/** One passport's answers by destination index; null if there is no record. */
type PassportRow = readonly (PassportAnswer | null)[]

const rowsByDataset = new WeakMap<PairsDataset, PassportRow[]>()

/** Returns the named answers of one passport, the same list at every call. Its frozen records may be returned to callers. */
function passportRow(dataset: PairsDataset, passportIndex: number): PassportRow {
  let rows = rowsByDataset.get(dataset)
  if (rows === undefined) {
    rows = new Array<PassportRow>(dataset.passports.length)
    rowsByDataset.set(dataset, rows)
  }
  const known = rows[passportIndex]
  if (known !== undefined) return known
  const passport = dataset.passports[passportIndex] as string
  const width = dataset.destinations.length
  const records: (PassportAnswer | null | undefined)[] = new Array(dataset.answers.length).fill(undefined)
  const row: (PassportAnswer | null)[] = new Array(width)
  for (let column = 0; column < width; column++) {
    const answer = dataset.pairs[passportIndex * width + column] as number
    let record = records[answer]
    if (record === undefined) {
      const found = dataset.answers[answer] as Found | NoRecord
      record = found.kind === "found" ? Object.freeze({ passport, ...found }) : null
      records[answer] = record
    }
    row[column] = record
  }
  rows[passportIndex] = row
  return row
}
