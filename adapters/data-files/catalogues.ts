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
export function checkCatalogue(language: Language, catalogue: unknown, report: Report): void {
  if (!isFields(catalogue)) {
    report("", "an object of messages is expected.")
    return
  }
  const messages = listMessages()
  const ofParts = Object.entries(catalogue).filter(([name]) => name.startsWith("part."))
  const parts = Object.fromEntries(ofParts.map(([name, part]) => [name.slice(5), part]))
  const check = (field: string, text: unknown, needed: readonly string[], allowed: readonly string[]) =>
    checkText(field, text, { needed, allowed, parts: isSentence(field) ? parts : null }, report)
  for (const key of Object.keys(catalogue)) {
    if (!Object.hasOwn(messages, key)) report(key, "no such message is known.")
  }
  for (const [key, placeholders] of Object.entries<readonly string[]>(messages)) {
    const names = placeholders.map(name => name.replace("#", "")).sort()
    const counted = placeholders.find(name => name.startsWith("#"))?.slice(1)
    const text = catalogue[key]
    if (!Object.hasOwn(catalogue, key)) report(key, "the message is missing.")
    // `message` is an English text of the lookup, which others do not repeat, and a document is named by its issuer.
    else if (isSentence(key))
      check(
        key,
        text,
        placeholders.filter(name => name !== "message"),
        placeholders,
      )
    else if (counted === undefined) check(key, text, names, names)
    else if (typeof text !== "object" || text === null) report(key, "an object of plural forms is expected.")
    else {
      const categories: readonly string[] = new Intl.PluralRules(language).resolvedOptions().pluralCategories
      for (const category of categories) {
        if (!Object.hasOwn(text, category)) report(`${key}.${category}`, "the plural form is missing.")
      }
      for (const [category, form] of Object.entries(text)) {
        if (!categories.includes(category)) report(`${key}.${category}`, "the language has no such form.")
        const needed = SPELLED_OUT.has(category) ? names.filter(name => name !== counted) : names
        check(`${key}.${category}`, form, needed, names)
      }
    }
  }
}

/** Says whether a message belongs to the sentences about issues, which write the parameters that the English ones write. */
export const isSentence = (key: string): boolean => /^(issue|part|check)\./.test(key)

interface Placeholders {
  readonly needed: readonly string[]
  readonly allowed: readonly string[]
  /** The parts that a sentence may include; null for other texts. */
  readonly parts: Readonly<Record<string, unknown>> | null
}

function checkText(field: string, text: unknown, { needed, allowed, parts }: Placeholders, report: Report): void {
  const isTrimmed = typeof text === "string" && text.trim() !== "" && text === text.trim()
  if (typeof text !== "string" || !(isTrimmed || field.startsWith("part."))) {
    report(field, "a text without blanks around it is expected.")
    return
  }
  const inBraces = () => [...text.matchAll(/\{([^{}]*)\}/g)].map(match => match[1] as string)
  const used = parts === null ? inBraces() : listPlaceholders(text, parts)
  if (used === null) {
    report(field, "a brace or a bracket is left open, or a part is unknown.")
    return
  }
  for (const name of needed) if (!used.includes(name)) report(field, `{${name}} is missing.`)
  for (const name of used) if (!allowed.includes(name)) report(field, `{${name}} is not a placeholder of this message.`)
  const isOpen = parts === null && /[{}]/.test(text.replaceAll(/\{[^{}]*\}/g, ""))
  if (isOpen) report(field, "a brace is left open.")
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
