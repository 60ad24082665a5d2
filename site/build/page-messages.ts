/**
 * What are the page's sentences in each language?
 *
 * The page has its own catalogue for each language (`site/locales`): one text for each message, with numbers separated from words, so that
 * no language needs plural forms. Messages of the record's catalogue (`data/locales`) are reused, so that the map and the record name a
 * requirement in the same way. A catalogue with a missing or additional message, or with other placeholders than the English one, is
 * refused.
 */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { REGION_CODES } from "../where/region-codes.ts"

/** Every message of the page in one language. */
export type PageCatalogue = Readonly<Record<string, string>>

const ROOT = join(import.meta.dirname, "../..")

/** The messages that the page takes from the record's catalogue. */
const OF_THE_RECORD =
  /^((requirement|reason|blocker|condition|conditions|held|exempt|border|sponsor|purpose|proof|feature|zone)\.|label\.(title|fee|history|requirement|stay|stay_not_fixed|uncertain|verified_on|cited_on|not_verified|copied_on|passport_validity|transit|yes|no)$|(rule\.ends_on|span\.working_days)$|documents\.passport_|tips\.passport_issued_within$)/

function readJson(path: string): PageCatalogue {
  return JSON.parse(readFileSync(join(ROOT, path), "utf8"))
}

/** Names the sub-regions as CLDR does. Browsers do not: Chromium leaves the names of most regions that have numbers out of its data. */
function nameRegions(language: string): PageCatalogue {
  const names = new Intl.DisplayNames([language], { type: "region" })
  return Object.fromEntries(Object.values(REGION_CODES).map(code => [`region.${code}`, names.of(code) ?? code]))
}

/** Reads the messages of a language: the page's own, those that it shares with the record, and the names of regions. */
export function readPageMessages(language: string): PageCatalogue {
  const ofTheRecord = Object.entries(readJson(`data/locales/${language}.json`)).filter(([key]) =>
    OF_THE_RECORD.test(key),
  )
  return { ...Object.fromEntries(ofTheRecord), ...nameRegions(language), ...readOwnMessages(language) }
}

export const readOwnMessages = (language: string): PageCatalogue => readJson(`site/locales/${language}.json`)

/** The messages of the page that its elements in other pages say too. */
const OF_ELEMENTS = [
  "category.home",
  "category.unknown",
  "compare.side",
  "day.known",
  "todo.title",
  "trip.blocked",
  "trip.blockers",
  "trip.no_blocker",
  "trip.no_permission",
  "trip.obtain",
  "trip.open",
  "trip.refused",
  "trip.unknowns",
] as const

/** Reads what the elements say of a language, besides the record's catalogue. */
export function readElementMessages(language: string): PageCatalogue {
  const own = readOwnMessages(language)
  return Object.fromEntries(OF_ELEMENTS.map(key => [key, own[key] ?? key]))
}

/** Lists what is wrong with a language's own messages, compared with the English ones; empty where nothing is. */
export function listMessageMistakes(catalogue: PageCatalogue, english: PageCatalogue): string[] {
  const missing = Object.keys(english).filter(key => !Object.hasOwn(catalogue, key))
  const strange = Object.keys(catalogue).filter(key => !Object.hasOwn(english, key))
  const different = Object.keys(catalogue).filter(
    key => placeholdersOf(catalogue[key] ?? "") !== placeholdersOf(english[key] ?? ""),
  )
  return [
    ...missing.map(key => `${key}: missing`),
    ...strange.map(key => `${key}: unknown`),
    ...different.map(key => `${key}: placeholders are not those of the English message`),
  ]
}

function placeholdersOf(text: string): string {
  return [...new Set([...text.matchAll(/\{([a-z_]+)\}/g)].map(match => match[1]))].sort().join(", ")
}
