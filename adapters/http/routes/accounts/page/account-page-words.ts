/**
 * What are the texts of the account page in each language?
 *
 * One catalogue for each language, with the same messages and placeholders. Numbers and days are formatted for the language.
 */
import { directionOf, LANGUAGES, type Language } from "../../../../../src/full.ts"
import { fill } from "../../../../mail/texts.ts"
import { catalogues } from "./catalogues.generated.ts"

export type MessageName = keyof typeof catalogues.en

export type PageCatalogue = Readonly<Record<MessageName, string>>

/** The catalogues by language: the files of `locales`. */
export const PAGE_CATALOGUES: Readonly<Record<Language, PageCatalogue>> = catalogues

const collator = new Intl.Collator("en")

/** The own name of each language, in the order in which they are offered: by script, then by letter. */
export const OWN_NAMES: readonly (readonly [Language, string])[] = LANGUAGES.map(
  language => [language, PAGE_CATALOGUES[language]["language.own_name"]] as const,
).sort(([, a], [, b]) => collator.compare(a, b))

export type MessageValues = Readonly<Record<string, string | number>>

/** Formats texts in one language. */
export interface Words {
  readonly language: Language
  readonly direction: "ltr" | "rtl"
  readonly say: (name: MessageName, values?: MessageValues) => string
  readonly number: (value: number) => string
  /** A day of a calendar date or an instant, in UTC. */
  readonly day: (at: string) => string
  /** The day and month of a calendar date, in few letters. */
  readonly dayOfMonth: (on: string) => string
  /** The month of a calendar date, in UTC. */
  readonly month: (on: string) => string
  /** An amount in the smallest unit of a currency (ISO 4217), as the payment provider writes it. */
  readonly money: (amount: number, currency: string) => string
}

/** Currencies without a smaller unit that the payment provider nevertheless writes in hundredths. */
const IN_HUNDREDTHS = new Set(["isk", "ugx"])

export function makeWords(language: Language): Words {
  const tag = language === "tl" ? "fil" : language
  const numbers = new Intl.NumberFormat(tag)
  const days = new Intl.DateTimeFormat(tag, { dateStyle: "medium", timeZone: "UTC" })
  const daysOfMonth = new Intl.DateTimeFormat(tag, { day: "numeric", month: "short", timeZone: "UTC" })
  const months = new Intl.DateTimeFormat(tag, { month: "long", year: "numeric", timeZone: "UTC" })
  const number = (value: number) => numbers.format(value)
  return {
    language,
    direction: directionOf(language),
    number,
    day: at => days.format(Date.parse(at)),
    dayOfMonth: on => daysOfMonth.format(Date.parse(on)),
    month: on => months.format(Date.parse(on)),
    money: (amount, currency) => {
      const format = new Intl.NumberFormat(tag, { style: "currency", currency })
      const digits = IN_HUNDREDTHS.has(currency) ? 2 : (format.resolvedOptions().maximumFractionDigits ?? 2)
      return format.format(amount / 10 ** digits)
    },
    say: (name, values = {}) => {
      const written = Object.entries(values).map(([key, value]) => [
        key,
        typeof value === "number" ? number(value) : value,
      ])
      return fill(PAGE_CATALOGUES[language][name], Object.fromEntries(written))
    },
  }
}
