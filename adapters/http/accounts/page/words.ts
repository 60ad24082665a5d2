/**
 * What does the page of an account say, in fifteen languages?
 *
 * One catalogue a language, with the same messages and placeholders in each; numbers and days are written as the language writes them.
 */
import type { Language } from "../../../../src/full.ts"
import { fill } from "../../../mail/texts.ts"
import ar from "./locales/ar.json" with { type: "json" }
import de from "./locales/de.json" with { type: "json" }
import en from "./locales/en.json" with { type: "json" }
import es from "./locales/es.json" with { type: "json" }
import fr from "./locales/fr.json" with { type: "json" }
import hi from "./locales/hi.json" with { type: "json" }
import it from "./locales/it.json" with { type: "json" }
import ja from "./locales/ja.json" with { type: "json" }
import ko from "./locales/ko.json" with { type: "json" }
import pt from "./locales/pt.json" with { type: "json" }
import ru from "./locales/ru.json" with { type: "json" }
import th from "./locales/th.json" with { type: "json" }
import tl from "./locales/tl.json" with { type: "json" }
import vi from "./locales/vi.json" with { type: "json" }
import zh from "./locales/zh.json" with { type: "json" }

/** The name of a message. */
export type MessageName = keyof typeof en

/** Every message of the page in one language. */
export type PageCatalogue = Readonly<Record<MessageName, string>>

/** The catalogues by language. */
export const PAGE_CATALOGUES: Readonly<Record<Language, PageCatalogue>> = {
  ar,
  de,
  en,
  es,
  fr,
  hi,
  it,
  ja,
  ko,
  pt,
  ru,
  th,
  tl,
  vi,
  zh,
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

/** Values for the placeholders of a message. */
export type MessageValues = Readonly<Record<string, string | number>>

/** Speaks one language. */
export interface Words {
  readonly language: Language
  readonly direction: "ltr" | "rtl"
  readonly say: (name: MessageName, values?: MessageValues) => string
  readonly number: (value: number) => string
  /** A day of a calendar date or an instant, in UTC. */
  readonly day: (at: string) => string
  /** The month of a calendar date, in UTC. */
  readonly month: (on: string) => string
}

/** Makes the words of a language. */
export function makeWords(language: Language): Words {
  const tag = language === "tl" ? "fil" : language
  const numbers = new Intl.NumberFormat(tag)
  const days = new Intl.DateTimeFormat(tag, { dateStyle: "medium", timeZone: "UTC" })
  const months = new Intl.DateTimeFormat(tag, { month: "long", year: "numeric", timeZone: "UTC" })
  const number = (value: number) => numbers.format(value)
  return {
    language,
    direction: language === "ar" ? "rtl" : "ltr",
    number,
    day: at => days.format(Date.parse(at)),
    month: on => months.format(Date.parse(on)),
    say: (name, values = {}) => {
      const written = Object.entries(values).map(([key, value]) => [
        key,
        typeof value === "number" ? number(value) : value,
      ])
      return fill(PAGE_CATALOGUES[language][name], Object.fromEntries(written))
    },
  }
}
