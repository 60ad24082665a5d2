/**
 * Who may enter a destination, and what is asked of whom?
 *
 * The same answers as a lookup's, read down a column instead of along a row. Passports without a record are listed apart: nothing is
 * known of them, not even that they need a visa.
 */
import type { NoRecord, PairsDataset } from "../dataset/open.ts"
import type { InputError, Result } from "../errors.ts"
import { type LookupOptions, lookupAt } from "./lookup.ts"
import type { PassportAnswer } from "./passport-answer.ts"
import { answerQuestion, LOOKUP_FIELDS, readCode } from "./question.ts"
import { REQUIREMENTS, type Requirement } from "./requirement.ts"

/** Who may enter a destination. */
export interface Entrants {
  readonly kind: "found"
  readonly destination: string
  /** The day answered for (`YYYY-MM-DD`). */
  readonly on: string
  /** The answers by what is asked, in the order of passport codes; the destination's own passport among the visa-free. */
  readonly byRequirement: Readonly<Record<Requirement, readonly PassportAnswer[]>>
  /** Passports without a record for this destination, in the order of codes. */
  readonly unknown: readonly string[]
  readonly datasetVersion: string
}

/**
 * Lists every passport by what a destination asks of its holder.
 *
 * Fails with `InputRefused`, which lists every mistake with its path. A destination that is spelled right and not in the dataset makes
 * the answer's `kind` `no_record`.
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
