/**
 * How does the page have what is recorded of countries without the whole tables?
 *
 * The tables of facts, missions and history are larger than everything else of a record. So the page has them country by country: indexes say which
 * countries were asked about before they were loaded. A dataset that the host offers may name other sources, so it is answered from the whole tables,
 * or its own.
 */
import { COUNTRIES, SHARED } from "site:countries"
import type { Dataset } from "landfall"
import {
  type FullFacts,
  type HistoryIndex,
  type MissionFact,
  type MissionIndex,
  openFullFacts,
  openHistory,
  openMissions,
} from "landfall/full"
import { offeredDataset } from "../answers.ts"
import type { CountryParts, Remarks } from "../build/country-parts.ts"
import { useLoaded } from "../later-part.ts"
import { PLACES } from "../places.ts"

/** What is recorded. */
export interface Tables {
  readonly facts: FullFacts
  readonly missions: MissionIndex
  readonly history: HistoryIndex
}

const shared = openFullFacts(SHARED.facts)
const loaded = new Map<string, Tables & Pick<CountryParts, "remarks">>()
const missing = new Set<string>()

/** The tables of a country; null while they are not loaded. */
function tablesOf(code: string): Tables | null {
  const known = loaded.get(code) ?? null
  if (known === null && Object.hasOwn(COUNTRIES, code)) missing.add(code)
  return known
}

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
  if (loaded.has(code)) return
  const { parts } = (await COUNTRIES[code]?.()) ?? {}
  if (parts === undefined) return
  const { facts = SHARED.facts, missions = NO_MISSIONS, history = { changes: {} }, remarks = {} } = parts
  loaded.set(code, {
    facts: openFullFacts({ ...SHARED.facts, ...facts, facts: { ...SHARED.facts.facts, ...facts.facts } }),
    missions: openMissions({ ...SHARED.missions, ...missions }),
    history: openHistory({ ...SHARED.history, ...history }),
    remarks,
  })
}

/** The tables of the dataset that the host offers, once they were loaded. */
let whole: { readonly of: Dataset; readonly tables: Tables } | null = null

/** What was loaded of some countries; null while a part is missing. */
function keptTables(countries: readonly string[]): Tables | null {
  const offered = offeredDataset()
  if (offered !== null) return whole?.of === offered ? whole.tables : null
  return countries.every(code => loaded.has(code) || !Object.hasOwn(COUNTRIES, code)) ? LOADED : null
}

/** Loads what is recorded of some countries. Rejects where a part cannot be loaded, or where the dataset's own facts are malformed. */
export async function loadTables(countries: readonly string[]): Promise<Tables> {
  const offered = offeredDataset()
  if (offered === null) await Promise.all(countries.map(loadCountry))
  else if (whole?.of !== offered) {
    const { loadWholeTables } = await import("./whole-tables.ts")
    whole = { of: offered, tables: await loadWholeTables(offered) }
  }
  return offered === null || whole === null ? LOADED : whole.tables
}

/** Makes something of loaded tables, and makes it again until each country that it asks about is loaded. */
export async function makeWhole<Made>(make: () => Made): Promise<Made> {
  for (;;) {
    missing.clear()
    const made = make()
    if (missing.size === 0) return made
    await Promise.all([...missing].map(loadCountry))
  }
}

/** The remarks of the rules of loaded countries. */
export const remarksOf = (countries: readonly string[]): Remarks =>
  Object.assign({}, ...countries.map(code => loaded.get(code)?.remarks))

/** The missions of a country by the country that they are in. */
export const listHosts = ({ missions }: Tables, operator: string): ReadonlyMap<string, readonly MissionFact[]> =>
  new Map(
    PLACES.filter(({ code }) => missions.hasIn(operator, code)).map(({ code }) => [
      code,
      missions.listMissions(operator, code),
    ]),
  )

/** Returns what is recorded of some countries: null until it is loaded, and `failed` if it cannot be. */
export const useTables = (countries: readonly string[]): Tables | "failed" | null =>
  useLoaded(countries.join(), keptTables(countries), () => loadTables(countries))
