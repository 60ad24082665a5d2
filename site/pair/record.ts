/** What is recorded of a pair, in the reader's language? */

import { RECORD_WORDS } from "site:countries"
import { CATALOGUES } from "site:messages"
import { openRemarked } from "site:remarks"
import type { Dataset } from "landfall"
import {
  assembleFullRecord,
  type Catalogue,
  type FullRecord,
  type Language,
  type Locale,
  type LocalisedFacts,
  type MissionFact,
  openLocale,
  openLocalisedFacts,
} from "landfall/full"
import { offeredDataset, openView, pairsDataset, readToday } from "../answers.ts"
import type { Remarks } from "../build/country-parts.ts"
import { tagOfDates } from "../language/languages.ts"
import { useLoaded } from "../later-part.ts"
import { alpha2Of } from "../places.ts"
import { listHosts, loadTables, makeWhole, remarksOf, type Tables } from "./facts.ts"

/** A record that arrived, with its language's own words. */
export interface OpenedRecord {
  /** Null where nothing is recorded. */
  readonly record: FullRecord | null
  readonly locale: Locale
  /** The day that the missions are known of. */
  readonly missionsAsOf: string
  /** The destination's missions by the country that they are in. */
  readonly hosts: ReadonlyMap<string, readonly MissionFact[]>
  /** The missions of the passport's country in the destination. */
  readonly own: readonly MissionFact[]
}

export interface RecordQuestion {
  /** The day of the record; null for today. */
  readonly on: string | null
  readonly language: Language
  readonly passport: string
  readonly destination: string
}

/** The records that were opened last, so that a view that is opened again has its record at once. */
const KEPT = 8
const kept = new Map<string, OpenedRecord>()

const keyOf = ({ on, language, passport, destination }: RecordQuestion): string =>
  `${passport} ${destination} ${pairsDataset().version} ${on ?? readToday()} ${language}`

/** Makes the facts of a dataset in a language. */
export async function localise(dataset: Dataset, language: Language, tables: Tables): Promise<LocalisedFacts> {
  const [{ catalogue: ofPage }, { catalogue, cities }] = await Promise.all([
    CATALOGUES[language](),
    RECORD_WORDS[language](),
  ])
  const all = { ...ofPage, ...catalogue } as Catalogue
  const locale = openLocale(language, all, alpha2Of, new Map(cities), tagOfDates(language, navigator.languages))
  return openLocalisedFacts({ dataset, locale, ...tables })
}

/** Opens a record and keeps it. Rejects where a part of it cannot be loaded. */
export async function openRecord(question: RecordQuestion): Promise<OpenedRecord> {
  const { on, language, passport, destination } = question
  const tables = await loadTables([passport, destination])
  const { missions } = tables
  const dataset = remarkedViewOn(on, remarksOf([destination]))
  const localised = await localise(dataset, language, tables)
  // What is shared by records is made again with each of them: it holds what was not loaded before.
  const opened = await makeWhole(() => ({
    record: assembleFullRecord(openLocalisedFacts(localised), passport, destination),
    locale: localised.locale,
    missionsAsOf: missions.asOf,
    hosts: listHosts(tables, destination),
    own: missions.listMissions(passport, destination),
  }))
  const [oldest] = kept.keys()
  if (kept.size >= KEPT && oldest !== undefined) kept.delete(oldest)
  kept.set(keyOf(question), opened)
  return opened
}

/** Opens a record while a view is shown: null until it arrives, and `failed` where it cannot be loaded. */
export const useRecord = (question: RecordQuestion): OpenedRecord | "failed" | null =>
  useLoaded(keyOf(question), kept.get(keyOf(question)) ?? null, () => openRecord(question))

/* The dataset with what people read of it beside the rules: the pages of sources, notes and the texts of logs. Verdicts are the same without. */

/** Returns it as it is on a day, or today. The page's own has the remarks that name no destination, and further ones that are given; another one has all. */
export const remarkedViewOn = (on: string | null, remarks: Remarks = {}): Dataset =>
  openView(offeredDataset() ?? openRemarked(remarks), on)
