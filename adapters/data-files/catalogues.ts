/**
 * Is a catalogue of messages complete: every key, every placeholder, every plural form of its language?
 *
 * A catalogue is `data/locales/<language>.json`, keys in the order of the engine's list. A form may leave its number out where
 * the language says it by the form itself (one, two, none); `other` may not. The English sentences about issues stand in the engine.
 */
import { join } from "node:path"
import { Option, Schema } from "effect"
import {
  type Catalogue,
  LANGUAGES,
  type Language,
  listEnglishTexts,
  listMessages,
  listPlaceholders,
} from "../../src/compiler.ts"
import type { FileIssue } from "../files/data-error.ts"
import { listJsonFiles, readRecordFile } from "../files/record-files.ts"
import { isFields } from "../validation/fields.ts"

type Report = (field: string, message: string) => void

const SPELLED_OUT = new Set(["zero", "one", "two"])

/** Checks one catalogue and reports every mistake by its key. */
export function checkCatalogue(language: Language, catalogue: unknown, report: Report): catalogue is Catalogue {
  let isWhole = true
  const refuse: Report = (field, message) => {
    isWhole = false
    report(field, message)
  }
  if (!isFields(catalogue)) {
    refuse("", "an object of messages is expected.")
    return false
  }
  const texts = catalogue as Readonly<Record<string, unknown>>
  const messages = listMessages()
  const parts = Object.fromEntries(
    Object.entries(texts).flatMap(([name, part]) => (name.startsWith("part.") ? [[name.slice(5), part]] : [])),
  )
  for (const key of Object.keys(texts)) if (!Object.hasOwn(messages, key)) refuse(key, "no such message is known.")
  for (const [key, placeholders] of Object.entries(messages)) {
    if (!Object.hasOwn(texts, key)) refuse(key, "the message is missing.")
    else if (isSentence(key)) checkSentence(key, { text: texts[key], parts }, placeholders, refuse)
    else checkTemplate(language, key, texts[key], placeholders, refuse)
  }
  return isWhole
}

/** Says whether a message belongs to the sentences about issues. */
export const isSentence = (key: string): boolean => /^(issue|part|check)\./.test(key)

// A sentence writes the parameters that the English one writes. `message` is an English text of the lookup, which others do not repeat, and a
// document is named by its issuer.
function checkSentence(
  key: string,
  { text, parts }: { readonly text: unknown; readonly parts: Readonly<Record<string, unknown>> },
  placeholders: readonly string[],
  report: Report,
): void {
  if (typeof text !== "string" || ((text.trim() === "" || text !== text.trim()) && !key.startsWith("part."))) {
    report(key, "a text without blanks around it is expected.")
    return
  }
  const used = listPlaceholders(text, parts)
  if (used === null) report(key, "a brace or a bracket is left open, or a part is unknown.")
  const needed = used === null ? [] : placeholders.filter(name => name !== "message" && !used.includes(name))
  for (const name of needed) report(key, `{${name}} is missing.`)
  for (const name of used ?? []) {
    if (!placeholders.includes(name)) report(key, `{${name}} is not a placeholder of this message.`)
  }
}

function checkTemplate(
  language: Language,
  key: string,
  template: unknown,
  placeholders: readonly string[],
  report: Report,
): void {
  const counted = placeholders.find(name => name.startsWith("#"))?.slice(1)
  const names = placeholders.map(name => name.replace("#", "")).sort()
  if (counted === undefined) {
    checkText(key, template, names, names, report)
    return
  }
  if (typeof template !== "object" || template === null) {
    report(key, "an object of plural forms is expected.")
    return
  }
  const categories = new Intl.PluralRules(language).resolvedOptions().pluralCategories
  for (const category of categories) {
    if (!Object.hasOwn(template, category)) report(`${key}.${category}`, "the plural form is missing.")
  }
  for (const [category, text] of Object.entries(template)) {
    if (!(categories as readonly string[]).includes(category))
      report(`${key}.${category}`, "the language has no such form.")
    const needed = SPELLED_OUT.has(category) ? names.filter(name => name !== counted) : names
    checkText(`${key}.${category}`, text, needed, names, report)
  }
}

function checkText(
  field: string,
  text: unknown,
  needed: readonly string[],
  allowed: readonly string[],
  report: Report,
): void {
  if (typeof text !== "string" || text.trim() === "" || text !== text.trim()) {
    report(field, "a text without blanks around it is expected.")
    return
  }
  const used = [...text.matchAll(/\{([^{}]*)\}/g)].map(match => match[1] as string)
  for (const name of needed) if (!used.includes(name)) report(field, `{${name}} is missing.`)
  for (const name of used) if (!allowed.includes(name)) report(field, `{${name}} is not a placeholder of this message.`)
  if (/[{}]/.test(text.replaceAll(/\{[^{}]*\}/g, ""))) report(field, "a brace is left open.")
}

/** Adds the English sentences about issues, which are in no file. */
export const completeEnglish = (catalogue: unknown): unknown =>
  isFields(catalogue) ? { ...catalogue, ...listEnglishTexts() } : catalogue

/** Reads every catalogue of a data folder and reports every mistake; a missing language is a mistake. */
export function readCatalogues(
  folder: string,
  report: (issue: FileIssue) => void,
): { readonly [Code in Language]: Catalogue } {
  const directory = join(folder, "locales")
  for (const file of listJsonFiles(directory, report)) {
    if (!LANGUAGES.some(language => `${language}.json` === file)) {
      report({ file: join(directory, file), field: "", message: "is not a language of the service." })
    }
  }
  const catalogues = LANGUAGES.map(language => {
    const file = join(directory, `${language}.json`)
    const read = readRecordFile(file, Schema.Unknown, report)
    if (Option.isNone(read)) return [language, {}]
    const catalogue = language === "en" ? completeEnglish(read.value) : read.value
    checkCatalogue(language, catalogue, (field, message) => report({ file, field, message }))
    return [language, catalogue]
  })
  return Object.fromEntries(catalogues) as { readonly [Code in Language]: Catalogue }
}
