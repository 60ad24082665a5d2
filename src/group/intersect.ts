/**
 * Where can several travellers go together, and how hard is it for the member with the hardest requirement?
 *
 * A destination counts if the requirement of every member is among the allowed ones. A member without a record there excludes it: unknown
 * is never "no visa needed". This file works on whole rows of bytes, one for each passport. The answers in the result are shared records,
 * so a group allocates one small object and one list for each destination.
 */
import type { NoRecord, PairsDataset } from "../dataset/open.ts"
import { easeRank, isRequirement, REQUIREMENTS, type Requirement } from "../dataset/requirement.ts"
import { describe, type InputError, type InputIssue, type Result } from "../errors.ts"
import type { StayKind } from "../requirement/entry.ts"
import { type PassportAnswer, type PassportRow, passportRow } from "../requirement/passport-answer.ts"
import { answerQuestion, fieldsOf, type ReadPassports, readList, readPassports } from "../requirement/question.ts"
import { type EaseTable, easeTable, NO_RECORD_BIT, type PermittedStay, REQUIREMENT_BITS } from "./ease.ts"

/** The options of a group. */
export interface GroupOptions {
  /** The requirements that qualify; all but `visa_required` and `no_admission` when absent. */
  readonly allow?: readonly Requirement[] | undefined
  /** A calendar date `YYYY-MM-DD`; the dataset's own day when absent. */
  readonly on?: string | undefined
}

/** One destination that every member of a group can enter. */
export interface GroupDestination {
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
  readonly kind: "found"
  readonly passports: readonly string[]
  /** The requirements that qualified, easiest first. */
  readonly allow: readonly Requirement[]
  /** The day of the answer (`YYYY-MM-DD`). */
  readonly on: string
  readonly count: number
  /** Easiest first: by worst requirement, then from the longest stay to an unknown one, then by code. */
  readonly destinations: readonly GroupDestination[]
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
