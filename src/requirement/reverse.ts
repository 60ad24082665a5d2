/**
 * Who may enter a destination, and with which requirement?
 *
 * These are the answers of a lookup for all passports at one destination. Passports without a record are listed
 * separately: nothing is known about them, not even that they need a visa.
 */
import type { NoRecord, PairsDataset } from "../dataset/open.ts"
import { REQUIREMENTS, type Requirement } from "../dataset/requirement.ts"
import type { InputError, Result } from "../errors.ts"
import { type LookupOptions, lookupAt } from "./lookup.ts"
import type { PassportAnswer } from "./passport-answer.ts"
import { answerQuestion, LOOKUP_FIELDS, readCode } from "./question.ts"

/** The passports of a destination. */
export interface Entrants {
  readonly kind: "found"
  readonly destination: string
  /** The day of the answer (`YYYY-MM-DD`). */
  readonly on: string
  /** The answers by requirement, in the order of passport codes; the destination's own passport is among the visa-free ones. */
  readonly byRequirement: Readonly<Record<Requirement, readonly PassportAnswer[]>>
  /** Passports without a record for this destination, in the order of codes. */
  readonly unknown: readonly string[]
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
