/**
 * How does the page have what records are made of without the whole tables?
 *
 * The tables of facts, missions and history are larger than everything else of a record. So the page has them country by country: indexes say which
 * countries were asked about before they were loaded, and the record is made again when they are there. A dataset that the host offers may name
 * other sources, so its records are made of the whole tables, or of its own.
 */
import { COUNTRIES, RECORD_WORDS, SHARED } from "site:countries"
import type { Dataset } from "landfall"
import {
  type FullFacts,
  type HistoryIndex,
  type Language,
  type Locale,
  type LocalisedFacts,
  type MissionIndex,
  openFullFacts,
  openHistory,
  openLocale,
  openLocalisedFacts,
  openMissions,
} from "landfall/full"
import { offeredDataset } from "../answers.ts"
import { tagOfDates } from "../language/languages.ts"
import { alpha2Of } from "../places.ts"

/** The parts of records. */
interface Tables {
  readonly facts: FullFacts
  readonly missions: MissionIndex
  readonly history: HistoryIndex
}

const shared = openFullFacts(SHARED.facts)
const opened = new Map<string, Tables>()
const missing = new Set<string>()

/** The tables of a country; null while they are not loaded. */
function tablesOf(code: string): Tables | null {
  const known = opened.get(code) ?? null
  if (known === null && Object.hasOwn(COUNTRIES, code)) missing.add(code)
  return known
}

const isNew = (code: string): boolean => !opened.has(code)

/** The loaded parts, as whole tables. */
const LOADED: Tables = {
  facts: {
    ...shared,
    factsOf: destination => (tablesOf(destination)?.facts ?? shared).factsOf(destination),
    isSingledOut: (destination, passport) => tablesOf(destination)?.facts.isSingledOut(destination, passport) ?? false,
  },
  missions: {
    ...SHARED.missions,
    listMissions: (operator, host) => tablesOf(operator)?.missions.listMissions(operator, host) ?? [],
    hasIn: (operator, host) => tablesOf(operator)?.missions.hasIn(operator, host) ?? false,
  },
  history: {
    source: SHARED.history.source,
    asOf: SHARED.history.asOf,
    listChanges: (passport, destination) => tablesOf(destination)?.history.listChanges(passport, destination) ?? [],
  },
}

const NO_MISSIONS = { pairs: "", counts: "", kinds: "", cities: "", websites: "", phones: "", emails: "" }

async function loadCountry(code: string): Promise<void> {
  const { parts } = (await COUNTRIES[code]?.()) ?? {}
  if (parts === undefined) return
  const { facts = SHARED.facts, missions = NO_MISSIONS, history = { changes: {} } } = parts
  opened.set(code, {
    facts: openFullFacts({ ...SHARED.facts, ...facts, facts: { ...SHARED.facts.facts, ...facts.facts } }),
    missions: openMissions({ ...SHARED.missions, ...missions }),
    history: openHistory({ ...SHARED.history, ...history }),
  })
}

const locales = new Map<Language, Locale>()

/** Loads the words of records. */
async function loadLocale(language: Language): Promise<Locale> {
  const known = locales.get(language)
  if (known !== undefined) return known
  const { catalogue, cities } = await RECORD_WORDS[language]()
  const locale = openLocale(language, catalogue, alpha2Of, new Map(cities), tagOfDates(language, navigator.languages))
  locales.set(language, locale)
  return locale
}

async function loadTables(dataset: Dataset, countries: readonly string[]): Promise<Tables> {
  if (offeredDataset() === null) {
    await Promise.all(countries.filter(isNew).map(loadCountry))
    return LOADED
  }
  const { loadWholeTables } = await import("./whole-tables.ts")
  return loadWholeTables(dataset)
}

/** The requested pair, and the countries that it is known to need. */
interface Wanted {
  readonly dataset: Dataset
  readonly language: Language
  readonly countries: readonly string[]
}

export const ALL_COUNTRIES: readonly string[] = Object.keys(COUNTRIES)

let last: { readonly dataset: Dataset; readonly language: Language; readonly localised: LocalisedFacts } | null = null

/**
 * Makes something of records' facts, and makes it again until each country that it asks about is loaded. Rejects where a part cannot be loaded, or
 * where the dataset's own facts are malformed.
 */
export async function withFacts<Made>(
  { dataset, language, countries }: Wanted,
  make: (localised: LocalisedFacts, missions: MissionIndex) => Made,
): Promise<Made> {
  const hasNew = countries.some(isNew)
  const [locale, tables] = await Promise.all([loadLocale(language), loadTables(dataset, countries)])
  const isSplit = tables === LOADED
  for (let wanted: readonly string[] = []; ; wanted = [...missing].filter(isNew)) {
    await Promise.all(wanted.map(loadCountry))
    // A result without a country's facts is not kept.
    if (hasNew || wanted.length > 0 || last?.dataset !== dataset || last.language !== language) {
      last = { dataset, language, localised: openLocalisedFacts({ dataset, locale, ...tables }) }
    }
    missing.clear()
    const made = make(last.localised, tables.missions)
    if (!isSplit || ![...missing].some(isNew)) return made
  }
}
