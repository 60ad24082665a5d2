/**
 * What has changed between two datasets, and what will change on a day to come?
 *
 * A change is one pair whose answer differs. It is major when the requirement changes or the allowed stay falls, because a
 * traveller who does not hear of it is turned away; otherwise it is minor. The caller says which dataset is newer: the older one
 * comes first.
 */
import { type EpochDay, formatCivilDate, parseCivilDate } from "../civil-date.ts"
import { codeKey, isRequirement } from "../codes.ts"
import { getOrInsert } from "../collections.ts"
import {
  answerIndexOn,
  type Dataset,
  type Found,
  type LookupAnswer,
  takeDataset,
  UNKNOWN_INDEX,
} from "../dataset/open.ts"

const CHANGED_FIELDS = ["record", "requirement", "days", "uncertain", "basis", "source", "verified_on"] as const

/** A part of an answer that may differ. */
type ChangedField = (typeof CHANGED_FIELDS)[number]

/** One pair whose answer differs. */
export interface PairChange {
  readonly passport: string
  readonly destination: string
  /** Null where there was no record. */
  readonly previous: Found | null
  /** Null where there is no record any more. */
  readonly current: Found | null
  readonly fields: readonly ChangedField[]
  readonly severity: "minor" | "major"
}

/** A change by a dated rule on a future day. */
export interface ScheduledChange extends PairChange {
  /** The first day on which the current answer holds (`YYYY-MM-DD`). */
  readonly effectiveFrom: string
}

/** The most fields that a question may name. */
const MAX_FIELDS = 100

/**
 * Which differences count. Anything but a list of these words counts as absent, and so does a list with another word in it: options only leave
 * changes out, and a misspelt one must not hide a change.
 */
interface DiffOptions {
  /** Fields that are compared; all when absent. */
  readonly fields?: readonly ChangedField[] | undefined
}

/**
 * Compares two datasets pair by pair, in the order of passport and destination codes.
 *
 * Cannot fail. A pair that only one of them has is compared with no record; a value that is not a dataset has no pairs. Takes
 * less than a millisecond where little differs. The list belongs to the caller; the changes in it are frozen.
 *
 * @example
 * ```ts
 * diffDatasets(embeddedDataset(), embeddedDataset()) // => []
 * ```
 */
export function diffDatasets(older: Dataset, newer: Dataset, options?: DiffOptions): PairChange[] {
  const [before, after] = [takeDataset(older), takeDataset(newer)]
  const describe = describeOnce(options)
  const changes: PairChange[] = []
  const destinations = mergeCodes(before.destinations, after.destinations)
  for (const passport of mergeCodes(before.passports, after.passports)) {
    const rowBefore = before.passportIndices[codeKey(passport)] as number
    const rowAfter = after.passportIndices[codeKey(passport)] as number
    for (const destination of destinations) {
      const previous = answerAt(before, rowBefore, before.destinationIndices[codeKey(destination)] as number)
      const current = answerAt(after, rowAfter, after.destinationIndices[codeKey(destination)] as number)
      const difference = previous === current ? null : describe(previous, current)
      if (difference !== null) changes.push(Object.freeze({ passport, destination, ...difference }))
    }
  }
  return changes
}

/**
 * Lists what dated rules change after a day, in the order of days, passports and destinations.
 *
 * Cannot fail. The list is empty if the day is not a calendar date `YYYY-MM-DD`.
 *
 * @example
 * ```ts
 * listScheduledChanges(embeddedDataset(), "2026-02-17")[0].effectiveFrom // => "2026-02-24"
 * ```
 */
export function listScheduledChanges(given: Dataset, afterOn?: string, options?: DiffOptions): ScheduledChange[] {
  const dataset = takeDataset(given)
  const afterDay = parseCivilDate(afterOn === undefined ? dataset.asOf : afterOn)
  if (afterDay === null) return []
  const describe = describeOnce(options)
  const width = dataset.destinations.length
  const scheduled: { day: EpochDay; change: ScheduledChange }[] = []
  for (const [pair, steps] of dataset.timelines) {
    for (let at = 2; at < steps.length; at += 2) {
      const day = steps[at] as EpochDay
      if (day <= afterDay) continue
      const previous = dataset.answers[answerIndexOn(steps, day - 1)] as LookupAnswer
      const difference = describe(previous, dataset.answers[steps[at + 1] as number] as LookupAnswer)
      if (difference === null) continue
      const passport = dataset.passports[Math.floor(pair / width)] as string
      const destination = dataset.destinations[pair % width] as string
      const effectiveFrom = formatCivilDate(day)
      scheduled.push({ day, change: Object.freeze({ passport, destination, ...difference, effectiveFrom }) })
    }
  }
  const place = ({ passport, destination }: PairChange) => passport + destination
  scheduled.sort((a, b) => a.day - b.day || (place(a.change) < place(b.change) ? -1 : 1))
  return scheduled.map(({ change }) => change)
}

// Copied, so that a getter or a proxy of the caller throws here and nowhere else. The length is checked before: no useful list is that long.
// A misspelt field would leave out what was meant by it.
function readFields(options: DiffOptions | undefined): readonly ChangedField[] {
  try {
    const fields = options?.fields
    if (!Array.isArray(fields) || Number(fields.length) > MAX_FIELDS) return CHANGED_FIELDS
    const copied: ChangedField[] = [...fields]
    return copied.every(field => CHANGED_FIELDS.includes(field)) ? copied : CHANGED_FIELDS
  } catch {
    return CHANGED_FIELDS
  }
}

type Difference = Omit<PairChange, "passport" | "destination">

// Answers are shared records, so few distinct pairs of them have to be compared.
function describeOnce(
  options: DiffOptions | undefined,
): (previous: LookupAnswer | null, current: LookupAnswer | null) => Difference | null {
  const fields = readFields(options)
  const known = new Map<LookupAnswer | null, Map<LookupAnswer | null, Difference | null>>()
  return (previous, current) => {
    const row = getOrInsert(known, previous, () => new Map())
    return getOrInsert(row, current, () => compareAnswers(foundOrNull(previous), foundOrNull(current), fields))
  }
}

function foundOrNull(answer: LookupAnswer | null): Found | null {
  return answer?.kind === "found" ? answer : null
}

function compareAnswers(
  previous: Found | null,
  current: Found | null,
  fields: readonly ChangedField[],
): Difference | null {
  const changed: ChangedField[] = []
  if (previous === null || current === null) {
    if (previous !== current) changed.push("record")
  } else {
    if (previous.requirement !== current.requirement) changed.push("requirement")
    if (previous.days !== current.days) changed.push("days")
    if (previous.uncertain !== current.uncertain) changed.push("uncertain")
    if (previous.basis !== current.basis || previous.bloc !== current.bloc || previous.follows !== current.follows) {
      changed.push("basis")
    }
    if (previous.source?.id !== current.source?.id || previous.source?.url !== current.source?.url)
      changed.push("source")
    if (previous.verifiedOn !== current.verifiedOn || previous.citedOn !== current.citedOn) changed.push("verified_on")
  }
  const counted = changed.filter(field => fields.includes(field))
  if (counted.length === 0) return null
  return { previous, current, fields: Object.freeze(counted), severity: judgeSeverity(previous, current) }
}

/**
 * Judges how much a change matters: `major` when the requirement changes, a record appears or goes, freedom of movement ends, or
 * the stay falls from one number of days to another; otherwise `minor`. Freedom of movement has no end, so anything that replaces
 * it is less; a stay without a fixed number is neither more nor less than a number. A value that is not an answer counts as no
 * record, and two of those do not differ.
 *
 * @example
 * ```ts
 * const answer = lookup("FRA", "JPN")
 * answer.kind === "found" && judgeSeverity(answer, null) // => "major"
 * answer.kind === "found" && judgeSeverity(answer, answer) // => "minor"
 * ```
 */
export function judgeSeverity(previous: Found | null, current: Found | null): "minor" | "major" {
  const [before, after] = [takeAnswer(previous), takeAnswer(current)]
  if (before === null || after === null) return before === after ? "minor" : "major"
  if (before.requirement !== after.requirement) return "major"
  if (before.basis === "freedom_of_movement" && after.basis !== "freedom_of_movement") return "major"
  return before.days !== null && after.days !== null && after.days < before.days ? "major" : "minor"
}

// Read once; a value that throws, or has none of the six requirements, is not an answer.
function takeAnswer(value: Found | null): Pick<Found, "requirement" | "basis" | "days"> | null {
  try {
    if (value === null) return null
    const { requirement, basis, days } = value
    return isRequirement(requirement) ? { requirement, basis, days: typeof days === "number" ? days : null } : null
  } catch {
    return null
  }
}

function answerAt(dataset: Dataset, row: number, column: number): LookupAnswer | null {
  if (row >= UNKNOWN_INDEX || column >= UNKNOWN_INDEX) return null
  return dataset.answers[dataset.pairs[row * dataset.destinations.length + column] as number] as LookupAnswer
}

/** The codes of two datasets, in order, each once. */
export function mergeCodes(a: readonly string[], b: readonly string[]): readonly string[] {
  return a.length === b.length && a.every((code, at) => code === b[at]) ? a : [...new Set([...a, ...b])].sort()
}
