/**
 * Who may enter a destination, and with which requirement?
 *
 * These are the answers of a lookup for all passports at one destination. Passports without a record are listed
 * separately: nothing is known about them, not even that they need a visa.
 */
import type { Found, NoRecord, PairsDataset } from "../dataset/open.ts"
import { REQUIREMENTS, type Requirement } from "../dataset/requirement.ts"
import type { InputError, Result } from "../errors.ts"
import { type LookupOptions, lookupAt } from "./lookup.ts"
import { answerQuestion, LOOKUP_FIELDS, readCode } from "./question.ts"

// ---- Answers by passport

// How can an answer name its passport without being built again each time?
//
// A lookup's answers are shared by all passports, so they do not name one. Results that compare passports must name it.
// A passport's row of named answers is therefore made once for each dataset, on first use, and shared by every result.
// A row has about twenty distinct answers, so it takes 2 KB of indices and as much of records.

/** An answer with its passport. */
export interface PassportAnswer extends Found {
  /** Its code. */
  readonly passport: string
}

/** One passport's answers by destination index; null if there is no record. */
type PassportRow = readonly (PassportAnswer | null)[]

const rowsByDataset = new WeakMap<PairsDataset, PassportRow[]>()

/** Returns the named answers of one passport, the same list at every call. Its frozen records may be returned to callers. */
export function passportRow(dataset: PairsDataset, passportIndex: number): PassportRow {
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

// ---- Entrants of a destination

/** The passports of a destination. */
export interface Entrants {
  /** `found`; a question without an answer has another kind. */
  readonly kind: "found"
  /** Its code. */
  readonly destination: string
  /** The day of the answer (`YYYY-MM-DD`). */
  readonly on: string
  /** The answers by requirement, in the order of passport codes; the destination's own passport is among the visa-free ones. */
  readonly byRequirement: Readonly<Record<Requirement, readonly PassportAnswer[]>>
  /** Passports without a record for this destination, in the order of codes. */
  readonly unknown: readonly string[]
  /** The version of the dataset that answered. */
  readonly datasetVersion: string
}

/**
 * Lists every passport by its requirement at a destination.
 *
 * Fails with `InputRefused`, which lists every mistake with its path. For a well-formed destination that is not in the
 * dataset, the answer's `kind` is `no_record`.
 *
 * @example
 * ```ts
 * const entrants = listEntrants(embeddedDataset(), "JPN")
 * entrants.ok && entrants.value.kind === "found" && entrants.value.byRequirement.visa_free.some(answer => answer.passport === "FRA") // => true
 * const unknown = listEntrants(embeddedDataset(), "ZZZ")
 * unknown.ok && unknown.value.kind // => "no_record"
 * ```
 */
export function listEntrants(
  dataset: PairsDataset,
  destination: string,
  options?: LookupOptions,
): Result<Entrants | NoRecord, InputError> {
  return answerQuestion(dataset, options, LOOKUP_FIELDS, question => {
    const column = readCode(question, "destination", destination)
    return () => readColumn(question.dataset, column)
  })
}

function readColumn(dataset: PairsDataset, column: number): Entrants {
  const byRequirement = Object.fromEntries(
    REQUIREMENTS.map((requirement): [Requirement, PassportAnswer[]] => [requirement, []]),
  ) as Record<Requirement, PassportAnswer[]>
  const unknown: string[] = []
  dataset.passports.forEach((passport, row) => {
    const answer = lookupAt(dataset, row, column)
    if (answer.kind === "found") byRequirement[answer.requirement].push({ passport, ...answer })
    else unknown.push(passport)
  })
  return {
    kind: "found",
    destination: dataset.destinations[column] as string,
    on: dataset.asOf,
    byRequirement,
    unknown,
    datasetVersion: dataset.version,
  }
}
