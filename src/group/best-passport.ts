/**
 * Which of their passports should a traveller with several travel on, and where can they go with all of them?
 *
 * For each destination it is the passport with the easiest requirement, then the one with the longest stay, then the one named first. A passport with a record always beats one without:
 * unknown is not easy. This file does not know which countries oblige their citizens to enter on their own passport. A citizen's own passport is the best one there in any case, and in the
 * territories that follow that country.
 */
import type { NoRecord, PairsDataset } from "../dataset/open.ts"
import { REQUIREMENTS, type Requirement, unlocks } from "../dataset/requirement.ts"
import type { InputError, Result } from "../errors.ts"
import { type Entry, entryAt, type StayKind } from "../requirement/entry.ts"
import type { LookupOptions } from "../requirement/lookup.ts"
import { type PassportAnswer, passportRow } from "../requirement/passport-answer.ts"
import { answerQuestion, LOOKUP_FIELDS, type ReadPassports, readPassports } from "../requirement/question.ts"

/** The passport to travel on, for one destination. */
export interface BestPassport {
  readonly destination: string
  /** The answer for the best passport, which it names; null where there is no record for any of them. */
  readonly best: PassportAnswer | null
  /** What is known about the length of the stay. */
  readonly stay: StayKind
}

/** The combined access of a traveller's passports. */
export interface CombinedAccess {
  readonly kind: "found"
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
      const candidate: Entry = entryAt(dataset, rows[at] as number, column)
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
