/**
 * Which languages does the page have, and which of them does a reader want?
 *
 * Those of the record. A reader's choice is kept in the browser; before there is one the browser's own languages decide, by their
 * first part, and English if the page has none of them.
 */
import { isLanguage, type Language } from "landfall/full"

/**
 * Finds the language to begin with: the one asked for, else the first of the wanted tags that the page has, else English.
 *
 * A tag counts by its primary part (RFC 5646); Filipino is Tagalog.
 */
export function chooseLanguage(asked: string | null, wanted: readonly string[]): Language {
  if (isLanguage(asked)) return asked
  for (const tag of wanted) {
    const primary = tag.toLowerCase().split("-")[0]
    const language = primary === "fil" ? "tl" : primary
    if (isLanguage(language)) return language
  }
  return "en"
}

/**
 * Returns the tag of a language whose dates a reader writes: British, Indian or Australian readers put the day first, and English without a
 * country is American.
 */
export const tagOfDates = (language: Language, wanted: readonly string[]): string =>
  (language === "en" ? wanted.find(tag => /^en-[a-z]{2}$/i.test(tag)) : undefined) ?? language
