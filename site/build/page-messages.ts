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
import { listEnglishTexts } from "../../src/compiler.ts"
import type { Catalogue, MessageKey } from "../../src/full.ts"
import { REGION_CODES, type RegionCode } from "../anywhere/region-codes.ts"
import type english from "../locales/en.json"

/** The first part of a message's key, with its point. */
type Family = MessageKey extends `${infer Name}.${string}` ? `${Name}.` : never

/**
 * The messages that the page takes from the record's catalogue: whole families, and single messages. The page can say no other: a message that is missing here does
 * not compile, and a test finds one that nothing says.
 */
const OF_THE_RECORD = [
  "check.",
  "border.",
  "issue.",
  "part.",
  "exempt.",
  "feature.",
  "held.",
  "proof.",
  "purpose.",
  "requirement.",
  "sponsor.",
  "label.cited_on",
  "label.copied_on",
  "label.fee",
  "label.history",
  "label.no",
  "label.not_verified",
  "label.passport_validity",
  "label.requirement",
  "label.stay",
  "label.title",
  "label.transit",
  "label.verified_on",
  "label.yes",
  "rule.ends_on",
  "span.working_days",
  "zone.schengen",
] as const satisfies readonly (MessageKey | Family)[]

type OfTheRecord = (typeof OF_THE_RECORD)[number]

/** The key of a message of the page. */
export type PageKey =
  | keyof typeof english
  | `region.${RegionCode}`
  | (OfTheRecord extends infer Of
      ? Of extends Family
        ? Extract<MessageKey, `${Of}${string}`>
        : Of & MessageKey
      : never)

/** Every message of the page in one language. */
export type PageCatalogue = Catalogue<PageKey>

/** The page's own messages in one language. */
type OwnMessages = Readonly<Record<keyof typeof english, string>>

const ROOT = join(import.meta.dirname, "../..")

function readJson<Content>(path: string): Content {
  return JSON.parse(readFileSync(join(ROOT, path), "utf8"))
}

/** Names the sub-regions as CLDR does. Browsers do not: Chromium leaves the names of most regions that have numbers out of its data. */
function nameRegions(language: string): Readonly<Record<string, string>> {
  const names = new Intl.DisplayNames([language], { type: "region" })
  return Object.fromEntries(Object.values(REGION_CODES).map(code => [`region.${code}`, names.of(code) ?? code]))
}

/** Reads the messages of a language: the page's own, those that it shares with the record, and the names of regions. */
export function readPageMessages(language: string): PageCatalogue {
  const own = readJson<Catalogue>(`data/locales/${language}.json`)
  // The English sentences about issues stand in the engine.
  const all = language === "en" ? { ...own, ...listEnglishTexts() } : own
  const ofTheRecord = Object.entries(all).filter(([key]) =>
    OF_THE_RECORD.some(each => (each.endsWith(".") ? key.startsWith(each) : key === each)),
  )
  const said = { ...Object.fromEntries(ofTheRecord), ...nameRegions(language), ...readOwnMessages(language) }
  return said as PageCatalogue
}

export const readOwnMessages = (language: string): OwnMessages => readJson(`site/locales/${language}.json`)

/** Lists what is wrong with a language's own messages, compared with the English ones; empty where nothing is. */
export function listMessageMistakes(
  catalogue: Readonly<Record<string, string>>,
  english: Readonly<Record<string, string>>,
): string[] {
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
