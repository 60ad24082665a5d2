/**
 * Which sentences does the page say, and what are they in a language?
 *
 * The page has a catalogue of its own a language (`site/locales`), written as those of the record are: one text a message, or an object of
 * plural forms. What the record's catalogue (`data/locales`) says already is taken from there, so that the map and the record never name a
 * requirement in two ways. A catalogue that lacks a message, has one too many, or other placeholders than the English one is refused.
 */
import { readFileSync } from "node:fs"
import { join } from "node:path"

/** One text, or its forms by plural category. */
export type PageTemplate = string | Readonly<Record<string, string>>

/** Every message of the page in one language. */
export type PageCatalogue = Readonly<Record<string, PageTemplate>>

const ROOT = join(import.meta.dirname, "../..")

/** What the page says in the words of the record. */
const OF_THE_RECORD =
  /^(requirement\.|label\.(title|requirement|stay|stay_not_fixed|uncertain|verified_on|not_verified|passport_validity|transit)$|documents\.passport_|tips\.passport_issued_within$)/

function readJson(path: string): PageCatalogue {
  return JSON.parse(readFileSync(join(ROOT, path), "utf8"))
}

/** Reads the messages of a language: the page's own, and those that it shares with the record. */
export function readPageMessages(language: string): PageCatalogue {
  const ofTheRecord = Object.entries(readJson(`data/locales/${language}.json`)).filter(([key]) =>
    OF_THE_RECORD.test(key),
  )
  return { ...Object.fromEntries(ofTheRecord), ...readJson(`site/locales/${language}.json`) }
}

/**
 * Lists what is wrong with a language's own messages, measured by the English ones; empty where nothing is.
 *
 * Each plural form has to fill in the same placeholders; a form may leave a number out where the language says it with a word.
 */
export function listMessageMistakes(
  catalogue: PageCatalogue,
  english: PageCatalogue,
  categories: readonly string[],
): string[] {
  const missing = Object.keys(english).filter(key => !Object.hasOwn(catalogue, key))
  const strange = Object.keys(catalogue).filter(key => !Object.hasOwn(english, key))
  const different = Object.entries(catalogue).flatMap(([key, template]) => {
    const expected = english[key]
    if (expected === undefined) return []
    const isPlural = typeof expected !== "string"
    if (isPlural !== (typeof template !== "string")) return [`${key}: has ${isPlural ? "no " : ""}plural forms`]
    const forms = typeof template === "string" ? { text: template } : template
    const absent = isPlural ? categories.filter(category => !Object.hasOwn(forms, category)) : []
    const wanted = placeholdersOf(typeof expected === "string" ? expected : (expected.other ?? ""))
    const wrong = Object.entries(forms).filter(([, text]) => placeholdersOf(text) !== wanted)
    return [
      ...absent.map(category => `${key}: lacks the form ${category}`),
      ...wrong.map(([form]) => `${key} (${form}): placeholders are not ${wanted || "none"}`),
    ]
  })
  return [...missing.map(key => `${key}: missing`), ...strange.map(key => `${key}: unknown`), ...different]
}

function placeholdersOf(text: string): string {
  return [...new Set([...text.matchAll(/\{([a-z_]+)\}/g)].map(match => match[1]))].sort().join(", ")
}
