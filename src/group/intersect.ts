/**
 * Where can several travellers go together, and how hard is it for the member with the hardest requirement?
 *
 * A destination counts if the requirement of every member is among the allowed ones. A member without a record there excludes it: unknown
 * is never "no visa needed". This file works on whole rows of bytes, one for each passport. The answers in the result are shared records,
 * so a group allocates one small object and one list for each destination.
 */
import { getOrInsert } from "../collections.ts"
import type { Found, NoRecord, PairsDataset } from "../dataset/open.ts"
import { easeRank, isRequirement, REQUIREMENTS, type Requirement, unlocks } from "../dataset/requirement.ts"
import { describe, type InputError, type InputIssue, type Result } from "../errors.ts"
import type { LookupOptions } from "../requirement/lookup.ts"
import { entryAt, entryTable, type PairEntry, type StayKind } from "../requirement/pair-entry.ts"
import {
  answerQuestion,
  fieldsOf,
  LOOKUP_FIELDS,
  type ReadPassports,
  readList,
  readPassports,
} from "../requirement/question.ts"
import { type PassportAnswer, type PassportRow, passportRow } from "../requirement/reverse.ts"

/** The options of a group. */
export interface GroupOptions {
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
// Not frozen, because it is read for every destination, and V8 reads frozen lists slowly.
const BY_RANK: readonly Requirement[] = [...REQUIREMENTS]
const UNLOCKING = Object.freeze(REQUIREMENTS.slice(0, 4))

/**
 * Finds every destination that 2 to 10 passports can all enter, easiest first, with the answer for each passport.
 *
 * Fails with `InputRefused`, which lists every mistake with its path. For a well-formed passport that is not in the dataset, the answer's `kind` is `no_record`. Home counts as an
 * unlimited stay. About 11 µs for ten passports; the answers of the members are shared frozen records.
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
  const table = easeTable(dataset)
  const keys = orderDestinations(dataset, table, rows, allow)
  const answers = rows.map(row => passportRow(dataset, row))
  const destinations: GroupDestination[] = new Array(keys.length)
  // Counted loops and a list of known length: this is where most of a group's time goes.
  for (let at = 0; at < keys.length; at++) {
    const key = keys[at] as number
    const column = key & 0xff
    const stay = table.stays[(key >>> 8) & 0x1ff] as PermittedStay
    const passports: PassportAnswer[] = new Array(answers.length)
    for (let m = 0; m < answers.length; m++) passports[m] = (answers[m] as PassportRow)[column] as PassportAnswer
    destinations[at] = {
      destination: dataset.destinations[column] as string,
      worstRequirement: BY_RANK[key >>> 17] as Requirement,
      groupVisaFreeDays: stay.days,
      groupStay: stay.kind,
      passports,
    }
  }
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

// The destinations that qualify, as numbers whose order is the order of ease: requirement, then place of the stay (9 bits), then
// destination index (8 bits; a dataset has at most 253).
function orderDestinations(
  { pairs, destinations }: PairsDataset,
  { bits, places }: EaseTable,
  rows: readonly number[],
  allow: readonly Requirement[],
): Uint32Array {
  const width = destinations.length
  let refused = REQUIREMENT_BITS | NO_RECORD_BIT
  for (const requirement of allow) refused &= ~(1 << easeRank(requirement))
  const keys = new Uint32Array(width)
  let count = 0
  for (let column = 0; column < width; column++) {
    let mask = 0
    let place = 0
    // Most destinations are refused by one of the first members.
    for (let m = 0; m < rows.length && (mask & refused) === 0; m++) {
      const answer = pairs[(rows[m] as number) * width + column] as number
      mask |= bits[answer] as number
      place = Math.max(place, places[answer] as number)
    }
    if ((mask & refused) !== 0) continue
    const worst = 31 - Math.clz32(mask & REQUIREMENT_BITS)
    keys[count++] = (worst << 17) | (place << 8) | column
  }
  return keys.subarray(0, count).sort()
}

// ---- Which answer is easier

// Which of two answers is easier for the traveller, and which stay is longer?
//
// Answers are compared by requirement, then by stay: at home without end, then freedom of movement that names no number of days, then numbers from long to short, and an unrecorded stay
// last, because it may be short. Freedom of movement without a number does not mean that the stay is unlimited (a treaty may set conditions after three months); it only ranks before a
// number that a border grants. The comparisons are laid out once per table of answers, as small numbers by answer index, so that whole rows of pairs can be compared byte by byte.

/** A stay as far as it is known; the days are null unless the kind is `days`. */
interface PermittedStay {
  readonly kind: StayKind
  readonly days: number | null
}

/** Bit of the answer that there is no record; the bits below it are those of the six requirements, by ease. */
const NO_RECORD_BIT = 64
/** The bits of the six requirements. */
const REQUIREMENT_BITS = 63

/** How a dataset's answers compare. */
interface EaseTable {
  /** By answer index: the bit of its requirement or of no record. */
  readonly bits: Uint8Array
  /** By answer index: the rank of its stay. */
  readonly places: Uint16Array
  /** The stays by place: unlimited, freedom of movement, days from long to short, unknown. */
  readonly stays: readonly PermittedStay[]
}

// Keyed by the table of answers and not by dataset, because the views of a dataset for other days share it.
const tables = new WeakMap<PairsDataset["answers"], EaseTable>()

/** Lays out how the answers of a dataset compare; the same object for all views of a dataset. */
function easeTable(dataset: PairsDataset): EaseTable {
  return getOrInsert(tables, dataset.answers, () => layOutEase(dataset))
}

function layOutEase(dataset: PairsDataset): EaseTable {
  const { answers } = dataset
  const { entries } = entryTable(dataset)
  const kinds = answers.map((_, index) => entries[index]?.stay)
  const numbers = new Set(answers.flatMap((answer, index) => (kinds[index] === "days" ? (answer as Found).days : [])))
  const stays: PermittedStay[] = [
    { kind: "unlimited", days: null },
    { kind: "freedom_of_movement", days: null },
    ...[...numbers]
      .sort((a, b) => (b as number) - (a as number))
      .map((days): PermittedStay => ({ kind: "days", days })),
    { kind: "unknown", days: null },
  ]
  return {
    bits: Uint8Array.from(answers, answer => {
      if (answer.kind !== "found") return NO_RECORD_BIT
      return 1 << easeRank(answer.requirement)
    }),
    places: Uint16Array.from(answers, (answer, index) =>
      stays.findIndex(
        ({ kind, days }) => kind === kinds[index] && (kind !== "days" || days === (answer as Found).days),
      ),
    ),
    stays,
  }
}

// ---- The best of several passports

// Which of their passports should a traveller with several travel on, and where can they go with all of them?
//
// For each destination it is the passport with the easiest requirement, then the one with the longest stay, then the one named first. A passport with a record always beats one without:
// unknown is not easy. This file does not know which countries oblige their citizens to enter on their own passport. A citizen's own passport is the best one there in any case, and in the
// territories that follow that country.

/** The passport to travel on, for one destination. */
export interface BestPassport {
  /** Its code. */
  readonly destination: string
  /** The answer for the best passport, which it names; null where there is no record for any of them. */
  readonly best: PassportAnswer | null
  /** What is known about the length of the stay. */
  readonly stay: StayKind
}

/** The combined access of a traveller's passports. */
export interface CombinedAccess {
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
