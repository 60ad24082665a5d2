/**
 * How do the extended facts become the values that the engine opens?
 *
 * Keys change from snake_case to the engine's names, lists of codes become one text, sources and origins are shared. The same records give
 * the same values. The files were checked when they were read.
 */

import {
  type FactRow,
  type FactsSection,
  type FullParts,
  type HistoryParts,
  type HistoryRow,
  type Language,
  MISSION_KINDS,
  type MissionParts,
} from "../../src/compiler.ts"
import { isRequirement, REQUIREMENTS } from "../../src/engine.ts"
import { listTableDays } from "./claim-records.ts"
import { camelKeys, type FactRecord, placesOf, readMissions, SHARED_KEYS, SUBJECT_OF } from "./file-records.ts"
import type { FullRecords } from "./full-read.ts"
import { listPastChanges, listPublished, type PastChange } from "./past-claims.ts"

type OriginRow = FullParts["origins"][number]

const SHARED = new Set(SHARED_KEYS)

/** Compiles the facts of all subjects; equal origins share a row. */
export function compileFullFacts(records: FullRecords): FullParts {
  const lists = new Map(records.sources.map(source => [source.id, source]))
  const nameList = (id: string | undefined) => {
    const list = id === undefined ? undefined : lists.get(id)
    if (list === undefined) return null
    return list.licence === null ? list.name : `${list.name}, ${list.licence}`
  }
  const sources = records.sources.map(
    ({ id, name, url, retrieved_on, licence, via }) => [id, name, url, retrieved_on, licence, nameList(via)] as const,
  )
  const sourcePlaces = new Map(sources.map(([id], place) => [id, place]))
  const origins: OriginRow[] = []
  const originPlaces = new Map<string, number>()
  const placeOrigin = (row: OriginRow): number => {
    const key = JSON.stringify(row)
    const place = originPlaces.get(key) ?? origins.push(row) - 1
    originPlaces.set(key, place)
    return place
  }
  const placeOf = (source: string | null) => (source === null ? null : (sourcePlaces.get(source) ?? null))
  const compileFact = (fact: FactRecord): FactRow => {
    const origin = placeOrigin([placeOf(fact.source), fact.source_url, fact.as_of, fact.verified_on])
    const fields = Object.entries(fact).filter(([key]) => !SHARED.has(key))
    return [
      origin,
      fact.destinations.join(""),
      fact.requirements?.map(word => (REQUIREMENTS as readonly string[]).indexOf(word)) ?? null,
      fact.passports?.join("") ?? null,
      camelKeys(Object.fromEntries(fields)),
    ]
  }
  const languages = new Map(
    records.subjects.languages.flatMap(fact => fact.destinations.map(code => [code, fact.tags] as const)),
  )
  const country = records.countries.map((record): FactRow => {
    const { code, capital, currency, timezone } = record
    const value = { capital, currency, timezone, languages: languages.get(code) }
    return [placeOrigin([placeOf(record.source), null, null, record.verified_on]), code, null, null, value]
  })
  const facts = Object.fromEntries(
    [...SUBJECT_OF].map(([file, subject]) => [subject, records.subjects[file].map(compileFact)]),
  )
  return {
    version: records.dataset.version,
    asOf: records.dataset.as_of,
    codes: records.countries.map(({ code, alpha2 }) => code + alpha2).join(""),
    cities: placesOf(records.cities)
      .map(({ country, name }) => country + name)
      .join("\n"),
    sources,
    origins,
    facts: { ...facts, country } as unknown as FullParts["facts"],
  }
}

/** Compiles the names of cities in a language, in the order of the facts. */
export function compileCityNames({ cities }: FullRecords, language: Language): string {
  const names = placesOf(cities).map(
    ({ names: spoken }) => (spoken as { readonly [Code in Language]?: string })[language] ?? "",
  )
  return names.join("\n")
}

/** Compiles the missions that are not known to be closed; every file has to be of one day and source. */
export function compileMissions({ missions, countries }: FullRecords): MissionParts {
  const rows = readMissions(missions, countries)
    .filter(({ closed }) => closed === undefined)
    .sort((a, b) => compareText(a.operator + a.host, b.operator + b.host) || kindOf(a) - kindOf(b))
  const counts = new Map<string, number>()
  for (const { operator, host } of rows) counts.set(operator + host, (counts.get(operator + host) ?? 0) + 1)
  return {
    source: missions[0]?.source ?? "",
    asOf: missions[0]?.as_of ?? "",
    pairs: [...counts.keys()].join(""),
    counts: [...counts.values()].map(count => count.toString(36)).join(""),
    kinds: rows.map(kindOf).join(""),
    cities: rows.map(({ city }) => city ?? "").join("\n"),
    websites: rows.map(({ website }) => website ?? "").join("\n"),
    phones: rows.map(({ phone }) => phone ?? "").join("\n"),
    emails: rows.map(({ email }) => email ?? "").join("\n"),
  }
}

function kindOf({ kind }: { readonly kind: string }): number {
  return (MISSION_KINDS as readonly string[]).indexOf(kind)
}

function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}

/** Compiles the changes of requirements; every file has to be of one source and last day. */
export function compileHistory({
  claims,
  tables,
  sources,
}: Pick<FullRecords, "claims" | "tables" | "sources">): HistoryParts {
  const history = listPastChanges({ claims })
  const lists = [
    ...listPublished({ claims }).map(({ destination, source, changes }) => ({
      ...{ destination, source },
      passports: [...new Set(changes.flatMap(({ passports }) => passports))].sort(),
      changes: listPublishedChanges(changes),
    })),
    ...history.flatMap(({ destination, changes }) =>
      changes
        .filter(isPublished)
        .map(change => ({ destination, source: change.source ?? "", passports: [], changes: [change] })),
    ),
  ]
  const days = [...new Set([...history, ...lists].flatMap(({ changes }) => changes.map(({ on }) => on)))].sort()
  const rankOf = (word: string) => (REQUIREMENTS as readonly string[]).indexOf(word)
  const compileChange = (change: PastChange): HistoryRow => [
    days.indexOf(change.on),
    rankOf(change.from),
    rankOf(change.to),
    change.days_before ?? null,
    change.days_after ?? null,
    change.after_ban === true ? 1 : 0,
    change.passports.join(""),
  ]
  const compileList = ({ source, passports, changes }: (typeof lists)[number]) => {
    const { name = "", url = null } = sources.find(({ id }) => id === source) ?? {}
    return { name, url, passports: passports.join(""), changes: changes.map(compileChange) }
  }
  const rows = history.map(({ destination, changes }) => {
    const seen = changes.filter(change => !isPublished(change)).sort((a, b) => compareText(a.on, b.on))
    return [destination, seen.map(compileChange)]
  })
  const published = [...Map.groupBy(lists, ({ destination }) => destination)]
  return {
    source: tables.history,
    asOf: tables.tables.at(-1)?.on ?? "",
    days,
    tables: listTableDays(tables),
    changes: Object.fromEntries(rows),
    published: Object.fromEntries(published.map(([destination, own]) => [destination, own.map(compileList)])),
  }
}

const isPublished = ({ published }: PastChange): boolean => published === true

// The changes of each list from the previous one. Words that are not a requirement of today make no change.
function listPublishedChanges(changes: ReturnType<typeof listPublished>[number]["changes"]): readonly PastChange[] {
  const words = new Map<string, string | null>()
  const groups = new Map<string, PastChange & { readonly passports: string[] }>()
  for (const { on, word, passports } of changes.toSorted((a, b) => compareText(a.on, b.on))) {
    for (const passport of passports) {
      const from = words.get(passport) ?? null
      words.set(passport, word)
      if (from === word || !isRequirement(from) || !isRequirement(word)) continue
      const key = `${on} ${from} ${word}`
      const group = groups.get(key) ?? { on, from, to: word, passports: [] }
      groups.set(key, group)
      group.passports.push(passport)
    }
  }
  return [...groups.values()]
}

/** Compiles all parts of a dataset file besides its pairs. Names of cities are left out: they belong to the catalogues of a release. */
export function compileFactsSection(records: FullRecords): FactsSection {
  const { cities: _, ...facts } = compileFullFacts(records)
  return { facts, missions: compileMissions(records), history: compileHistory(records) }
}
