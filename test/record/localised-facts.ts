import {
  assembleFullRecord,
  type FullRecord,
  type Language,
  type LocalisedFacts,
  loadLocalisedFacts,
} from "../../src/full.ts"
import { embeddedDataset } from "../../src/index.ts"
import { frozenDataset } from "../frozen-dataset.ts"

const localisedFacts = new Map<Language, Promise<LocalisedFacts>>()

/** The facts of a language over the embedded dataset, opened once for all tests of a file. */
export function openFacts(language: Language = "en"): Promise<LocalisedFacts> {
  const known = localisedFacts.get(language) ?? loadLocalisedFacts(embeddedDataset(), language)
  localisedFacts.set(language, known)
  return known
}

/**
 * The facts of a language over the dataset as it was on 2026-11-21: pairs that are corrected change nothing in them. Its duties are today's, like
 * the facts that they are made from.
 */
export function openFrozenFacts(language: Language = "en"): Promise<LocalisedFacts> {
  const dataset = frozenDataset()
  const lists = { ...dataset.terms?.lists, duties: embeddedDataset().terms!.lists.duties! }
  return loadLocalisedFacts({ ...dataset, terms: { ...dataset.terms!, lists } }, language)
}

/** The record of a pair that is known to have one. */
export function recordOf(localised: LocalisedFacts, passport: string, destination: string): FullRecord {
  const record = assembleFullRecord(localised, passport, destination)
  if (record === null) throw new Error(`${passport} ${destination} has no record`)
  return record
}
