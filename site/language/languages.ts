/**
 * Which languages does the page speak, and which of them does a reader want?
 *
 * The fifteen of the record, each a module that is loaded when it is first needed. A reader's choice is kept in the browser; before there is
 * one the browser's own languages decide, by their first part, and English where none of them is spoken here.
 */
import { isLanguage, type Language } from "landfall/full"
import type { PageCatalogue } from "../build/page-messages.ts"

/** Loads the page's words of each language. */
export const CATALOGUES: { readonly [Code in Language]: () => Promise<{ readonly catalogue: PageCatalogue }> } = {
  fr: () => import("site:messages/fr"),
  en: () => import("site:messages/en"),
  es: () => import("site:messages/es"),
  pt: () => import("site:messages/pt"),
  de: () => import("site:messages/de"),
  it: () => import("site:messages/it"),
  ja: () => import("site:messages/ja"),
  ko: () => import("site:messages/ko"),
  zh: () => import("site:messages/zh"),
  ru: () => import("site:messages/ru"),
  ar: () => import("site:messages/ar"),
  hi: () => import("site:messages/hi"),
  th: () => import("site:messages/th"),
  vi: () => import("site:messages/vi"),
  tl: () => import("site:messages/tl"),
}

/** What each language calls itself, in the order in which they are offered. */
export const OWN_NAMES: readonly (readonly [Language, string])[] = [
  ["de", "Deutsch"],
  ["en", "English"],
  ["es", "Español"],
  ["fr", "Français"],
  ["it", "Italiano"],
  ["pt", "Português"],
  ["tl", "Tagalog"],
  ["vi", "Tiếng Việt"],
  ["ru", "Русский"],
  ["ar", "العربية"],
  ["hi", "हिन्दी"],
  ["th", "ไทย"],
  ["zh", "中文"],
  ["ja", "日本語"],
  ["ko", "한국어"],
]

/**
 * Finds the language to begin with: the one asked for, else the first of the wanted tags that is spoken here, else English.
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
