/**
 * How does the page have the facts of records without the whole table of missions?
 *
 * The table is larger than everything else of a record. So the page has it country by country: an index says which countries were asked about
 * before they were loaded, and the record is made again when they are there.
 */
import { MISSIONS_AS_OF, MISSIONS_SOURCE, OPERATORS } from "site:missions"
import type { Dataset } from "landfall"
import {
  type Language,
  type LocalisedFacts,
  loadFullFacts,
  loadHistory,
  loadLocale,
  type MissionIndex,
  openLocalisedFacts,
  openMissions,
  readDatasetFacts,
} from "landfall/full"

const opened = new Map<string, MissionIndex>()
const missing = new Set<string>()

/** The missions of a country; null while they are not loaded. */
function missionsOf(operator: string): MissionIndex | null {
  const known = opened.get(operator) ?? null
  if (known === null && Object.hasOwn(OPERATORS, operator)) missing.add(operator)
  return known
}

/** The missions that were loaded, as one table. */
const LOADED: MissionIndex = {
  asOf: MISSIONS_AS_OF,
  source: MISSIONS_SOURCE,
  listMissions: (operator, host) => missionsOf(operator)?.listMissions(operator, host) ?? [],
  hasIn: (operator, host) => missionsOf(operator)?.hasIn(operator, host) ?? false,
}

async function loadMissionsOf(operator: string): Promise<void> {
  const { parts } = (await OPERATORS[operator]?.()) ?? {}
  if (parts !== undefined) opened.set(operator, openMissions(parts))
}

/** Loads the missions of every country. */
export const loadAllMissions = (): Promise<unknown> => Promise.all(Object.keys(OPERATORS).map(loadMissionsOf))

/** What records are made of, and the missions beside it. */
export interface Facts {
  readonly localised: LocalisedFacts
  readonly missions: MissionIndex
}

let last: { readonly dataset: Dataset; readonly language: Language; readonly facts: Facts } | null = null

/** Loads what records are made of, except for missions; the last facts are kept. Rejects where a part cannot be loaded, or where the dataset's own facts are malformed. */
export async function loadFacts(dataset: Dataset, language: Language): Promise<Facts> {
  if (last?.dataset === dataset && last.language === language) return last.facts
  const own = readDatasetFacts(dataset)
  if (!own.ok) throw new RangeError(own.error.message)
  const [locale, facts, history] = await Promise.all([
    loadLocale(language),
    own.value?.facts ?? loadFullFacts(),
    own.value?.history ?? loadHistory(),
  ])
  const missions = own.value?.missions ?? LOADED
  const made = { localised: openLocalisedFacts({ dataset, facts, locale, missions, history }), missions }
  last = { dataset, language, facts: made }
  return made
}

/** Makes something of the missions, and makes it again until each country that it asks about is loaded. */
export async function withMissions<Made>(make: () => Made): Promise<Made> {
  for (;;) {
    missing.clear()
    const made = make()
    const wanted = [...missing].filter(operator => !opened.has(operator))
    if (wanted.length === 0) return made
    await Promise.all(wanted.map(loadMissionsOf))
  }
}
