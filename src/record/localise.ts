/**
 * How is a sentence, a country, an amount or a span of days written in a language?
 *
 * Sentences come from a catalogue, names of cities from a list; names of countries, languages and currencies, plural categories,
 * digits and units come from the runtime's own CLDR data through `Intl` (ECMA-402), so that none of it is shipped. Where a runtime
 * lacks a name, or all names, the code is shown; plural categories are kept for runtimes without them (below). A country's name is only ever put before a colon or on its own, because most languages would
 * have to inflect it.
 */

import { getOrInsert } from "../collections.ts"
import type { Money } from "../rules/table.ts"
import type { EnglishKey } from "../trip/reasons.ts"
import { directionOf, type Language } from "./languages.ts"
import { COUNTED, type MESSAGES } from "./messages.generated.ts"

/** A name that is the same in all but some languages. */
export interface ProperName {
  readonly name: string
  readonly names?: { readonly [Code in Language]?: string | undefined } | undefined
}

/** What can be filled into a placeholder. A number that chooses a plural form is a plain number. */
export type PhraseValue =
  | number
  | string
  | ProperName
  | { readonly country: string }
  | { readonly money: Money }
  | { readonly days: number }
  | { readonly workingDays: number }
  | { readonly months: number }
  | { readonly years: number }
  | { readonly on: string }

/** A sentence that is not yet in any language. */
export interface Phrase<Key extends string = MessageKey> {
  readonly key: Key
  readonly values?: Readonly<Record<string, PhraseValue>>
}

/**
 * One language, ready to write in. Its methods cannot fail and keep what they have formatted. `Key` are the messages of its catalogue: a function that writes
 * other messages does not compile with it.
 */
export interface Locale<Key extends string = MessageKey> {
  readonly language: Language
  readonly direction: "ltr" | "rtl"
  /** Writes a sentence. */
  readonly say: (phrase: Phrase<Key>) => string
  /** Returns the text of a message without plural forms, with its placeholders; null if the catalogue has none with this key. */
  readonly read: (key: string) => string | null
  /** Names a country by its alpha-3 code; the code itself where there is no name. */
  readonly nameCountry: (code: string) => string
  /** Names a city of a country; the name that was given where the language has no other. */
  readonly nameCity: (country: string, city: string) => string
  /** Names a language by its BCP 47 tag. */
  readonly nameLanguage: (tag: string) => string
  /** Names a currency by its ISO 4217 code. */
  readonly nameCurrency: (code: string) => string
  /** Joins names as a list without a conjunction. */
  readonly list: (items: readonly string[]) => string
  /** Puts a label before a text, with the language's colon. */
  readonly label: (label: string, text: string) => string
  /** Joins sentences to a paragraph. */
  readonly join: (sentences: readonly string[]) => string
  /** Writes a value on its own. */
  readonly formatValue: (value: PhraseValue) => string
}

/** The message that values are written with: its language has no unit for it. */
type OwnMessage = "span.working_days"

type Part = string | { readonly name: string }

const PLACEHOLDER = /\{([a-z_]+)\}/

/** Cuts a template into its texts and placeholders. */
function parseTemplate(template: string): readonly Part[] {
  return template
    .split(PLACEHOLDER)
    .map((piece, at) => (at % 2 === 1 ? { name: piece } : piece))
    .filter(part => part !== "")
}

type NameType = "region" | "language" | "currency"

/** Names codes from the runtime's data; a code without a name is returned as it is. */
function nameWith(language: Language, type: NameType): (code: string) => string {
  try {
    const names = new Intl.DisplayNames([language], { type })
    return code => {
      try {
        return names.of(code) ?? code
      } catch {
        return code
      }
    }
  } catch {
    return code => code
  }
}

function remember<Key, Value>(compute: (key: Key) => Value): (key: Key) => Value {
  const known = new Map<Key, Value>()
  return key => getOrInsert(known, key, () => compute(key))
}

/**
 * Isolates a text of any direction from the text around it, where the page reads from right to left: Unicode UAX #9, first strong
 * isolate and pop directional isolate.
 */
export function isolate(direction: Locale["direction"], text: string): string {
  return direction === "rtl" ? `\u2068${text}\u2069` : text
}

// What CLDR leaves out of a long date: the ordinal of the first of a month, and in Vietnamese the word for the year.
const DATE_HABITS: Partial<Record<Language, (written: string) => string>> = {
  fr: written => written.replace(/^1 /, "1er "),
  it: written => written.replace(/^1 /, "1º "),
  pt: written => written.replace(/^1 /, "1º "),
  vi: written => written.replace(", ", " năm "),
}

/**
 * Opens a language: its catalogue, its names of cities, and the runtime's data for it.
 *
 * `alpha2Of` returns the two letters of a country for the runtime. Cannot fail; about a millisecond, and more at the first name, amount and
 * date, whose data the runtime then loads. `tagOfDates` is the BCP 47 tag by which dates are written, such as `en-GB`.
 *
 * @example
 * ```ts
 * openLocale("en", catalogue, () => "JP").nameCountry("JPN") // => "Japan"
 * ```
 */
export function openLocale<Key extends string = MessageKey>(
  language: Language,
  catalogue: Catalogue<Key> & Catalogue<OwnMessage>,
  alpha2Of: (code: string) => string | undefined,
  cities: CityNames = new Map(),
  tagOfDates: string = language,
): Locale<Key> {
  const direction = directionOf(language)
  // The runtime's data are loaded at first use, because a process pays milliseconds for them.
  const plural = remember((_: "plural") => openPluralForms(language))
  const decimal = remember((_: "decimal") => new Intl.NumberFormat(language))
  const templates = remember((text: string) => parseTemplate(text))
  const names = remember((type: NameType) => nameWith(language, type))
  const nameCountry = remember((code: string) => {
    const alpha2 = alpha2Of(code)
    const name = alpha2 === undefined ? code : names("region")(alpha2)
    return name === alpha2 ? code : name
  })
  const moneyFormats = remember(
    (currency: string) =>
      new Intl.NumberFormat(language, { style: "currency", currency, trailingZeroDisplay: "stripIfInteger" } as object),
  )
  const unitFormats = remember(
    (unit: string) => new Intl.NumberFormat(language, { style: "unit", unit, unitDisplay: "long" }),
  )
  const dateFormat = remember(
    (_: "date") => new Intl.DateTimeFormat(tagOfDates, { dateStyle: "long", timeZone: "UTC", calendar: "gregory" }),
  )
  const formatDate = remember((on: string) => {
    const written = dateFormat("date").format(new Date(`${on}T00:00:00Z`))
    return DATE_HABITS[language]?.(written) ?? written
  })

  // CLDR puts a blank between a number and its Japanese counter, which running text does not have.
  function formatSpan(unit: string, count: number): string {
    const written = unitFormats(unit).format(count)
    return language === "ja" ? written.replace(" ", "") : written
  }

  function formatValue(value: PhraseValue): string {
    if (typeof value === "string") return value
    if (typeof value === "number") return decimal("decimal").format(value)
    if ("name" in value) return value.names?.[language] ?? value.name
    if ("country" in value) return nameCountry(value.country)
    if ("money" in value) return moneyFormats(value.money.currency).format(value.money.amount)
    if ("days" in value) return formatSpan("day", value.days)
    if ("workingDays" in value) return say({ key: "span.working_days", values: { days: value.workingDays } })
    if ("months" in value) return formatSpan("month", value.months)
    if ("years" in value) return formatSpan("year", value.years)
    return formatDate(value.on)
  }

  function chooseTemplate(key: Key | OwnMessage, values: Phrase["values"]): string {
    const template: Template = catalogue[key]
    if (typeof template === "string") return template
    const count = values?.[COUNTED[key] ?? ""]
    return template[plural("plural")(typeof count === "number" ? count : 0)] ?? template.other
  }

  function say({ key, values }: Phrase<Key | OwnMessage>): string {
    const parts = templates(chooseTemplate(key, values))
    let text = ""
    for (const part of parts) {
      if (typeof part === "string") {
        text += part
        continue
      }
      const value = values?.[part.name]
      if (value === undefined) continue
      text += isolate(direction, formatValue(value))
    }
    return text
  }

  const { colon, separator, gap } = punctuationOf(language)
  return Object.freeze({
    language,
    direction,
    say,
    read: (key: string) => {
      const template = Object.hasOwn(catalogue, key) ? (catalogue as Readonly<Record<string, Template>>)[key] : null
      return typeof template === "string" ? template : null
    },
    nameCountry,
    nameCity: (country: string, city: string) => cities.get(country + city) ?? city,
    nameLanguage: (tag: string) => names("language")(tag),
    nameCurrency: (code: string) => names("currency")(code),
    list: (items: readonly string[]) => items.join(separator),
    label: (label: string, text: string) => `${label}${colon}${text}`,
    join: (sentences: readonly string[]) => sentences.join(gap),
    formatValue,
  })
}

// ---- Plural forms

// Which plural form of a sentence does a number need?
//
// The runtime's own `Intl.PluralRules` decides. Some runtimes do not have it (Hermes, on phones); there the rules of CLDR for cardinal
// whole numbers, restated for the fifteen languages, give the same answers, and a number that is not whole takes the form `other`. A test
// checks that both are equal.

/** The plural categories of CLDR. */
type PluralForm = "zero" | "one" | "two" | "few" | "many" | "other"

type PluralRule = (count: number) => PluralForm

const never: PluralRule = () => "other"
const onlyOne: PluralRule = count => (count === 1 ? "one" : "other")
const isMillions = (count: number): boolean => count !== 0 && count % 1_000_000 === 0
const oneOrMillions: PluralRule = count => (count === 1 ? "one" : isMillions(count) ? "many" : "other")
const upToOneOrMillions: PluralRule = count => (count <= 1 ? "one" : isMillions(count) ? "many" : "other")

function russian(count: number): PluralForm {
  const units = count % 10
  const isTeen = count % 100 >= 11 && count % 100 <= 14
  if (units === 1 && !isTeen) return "one"
  return units >= 2 && units <= 4 && !isTeen ? "few" : "many"
}

function arabic(count: number): PluralForm {
  if (count <= 2) return (["zero", "one", "two"] as const)[count] ?? "other"
  const lastTwo = count % 100
  if (lastTwo >= 3 && lastTwo <= 10) return "few"
  return lastTwo >= 11 ? "many" : "other"
}

// Languages that are not in the table only distinguish one from all others.
const RULES: { readonly [Code in Language]?: PluralRule } = {
  fr: upToOneOrMillions,
  es: oneOrMillions,
  pt: upToOneOrMillions,
  it: oneOrMillions,
  ja: never,
  ko: never,
  zh: never,
  ru: russian,
  ar: arabic,
  hi: count => (count <= 1 ? "one" : "other"),
  th: never,
  vi: never,
  // 4, 6 and 9 are recognised by their last digit.
  tl: count => ([4, 6, 9].includes(count % 10) ? "other" : "one"),
}

/** The rule without the runtime: the category of a whole number by CLDR. */
export function choosePluralForm(language: Language, count: number): PluralForm {
  return Number.isInteger(count) ? (RULES[language] ?? onlyOne)(Math.abs(count)) : "other"
}

/** Makes the rule of a language, the runtime's own where it has one. Cannot fail. */
function openPluralForms(language: Language): PluralRule {
  if (typeof Intl === "undefined" || Intl.PluralRules === undefined) return count => choosePluralForm(language, count)
  const rules = new Intl.PluralRules(language)
  return count => rules.select(count)
}

// ---- Punctuation

// Which marks does a language put between a label and its text, between the items of a list, and around an aside?
//
// Only what differs from the plain Western marks is listed: French has a no-break space before its colon, Chinese and Japanese
// have marks as wide as their letters and no blanks between sentences, Arabic has a comma of its own.

/** The marks of a language, each with the blanks that belong to it. */
export interface Punctuation {
  readonly colon: string
  /** Between the items of a list. */
  readonly separator: string
  /** Before an afterthought. */
  readonly comma: string
  /** Between the parts of a list whose items have commas. */
  readonly semicolon: string
  /** At the end of a sentence; Thai ends it with the blank. */
  readonly stop: string
  /** Between sentences. */
  readonly gap: string
  readonly bracketStart: string
  readonly bracketEnd: string
}

const WESTERN: Punctuation = {
  colon: ": ",
  separator: ", ",
  comma: ", ",
  semicolon: "; ",
  stop: ".",
  gap: " ",
  bracketStart: " (",
  bracketEnd: ")",
}

const WIDE: Punctuation = {
  colon: "：",
  separator: "、",
  comma: "，",
  semicolon: "；",
  stop: "。",
  gap: "",
  bracketStart: "（",
  bracketEnd: "）",
}

const OTHERS: Partial<Record<Language, Punctuation>> = {
  fr: { ...WESTERN, colon: "\u00a0: ", semicolon: "\u202f; " },
  ja: { ...WIDE, comma: "、" },
  zh: WIDE,
  ar: { ...WESTERN, separator: "، ", comma: "، ", semicolon: "؛ " },
  hi: { ...WESTERN, stop: "।" },
  th: { ...WESTERN, stop: "" },
}

/** Finds the marks of a language. */
export function punctuationOf(language: Language): Punctuation {
  return OTHERS[language] ?? WESTERN
}

// ---- Names of cities

// What are cities called in a language?
//
// By country and by the name that the data use, because two countries may have a city of one name. The cities are stored once,
// with the facts; each language has its names in their order, one a line. A city whose name is the same in the language, or for
// which none is known, has an empty line and keeps the name that the data use.

/** Names of cities in one language, by the country's alpha-3 code and the name in the data, run together. */
type CityNames = ReadonlyMap<string, string>

/**
 * Opens the names of a language.
 *
 * @example
 * ```ts
 * openCityNames("AUTVienna\nAUTGraz", "Wien\n").get("AUTVienna") // => "Wien"
 * openCityNames("AUTVienna\nAUTGraz", "Wien\n").has("AUTGraz") // => false
 * ```
 */
export function openCityNames(cities: string, names: string): CityNames {
  const spoken = names.split("\n")
  const known = new Map<string, string>()
  cities.split("\n").forEach((city, at) => {
    const name = spoken[at]
    if (name !== undefined && name !== "") known.set(city, name)
  })
  return known
}

// ---- Messages

// Which sentences can a record have, and which values does each need?
//
// The English catalogue, `data/locales/en.json`, is the list of them; every other one holds exactly its keys and placeholders, which compiling them checks. A placeholder that begins with
// `#` is a number whose plural category (Intl.PluralRules) chooses the form; such a message is an object of forms in the catalogues, the others are one text.

/** The key of a message: one of the English catalogue, or a sentence about an issue, whose English stands in the engine. */
export type MessageKey = keyof typeof MESSAGES | EnglishKey

/** A catalogue's text: one template, or one a plural category, of which `other` is always there. */
export type Template = string | { readonly [category: string]: string; readonly other: string }

/** All messages of one language. */
export type Catalogue<Key extends string = MessageKey> = Readonly<Record<Key, Template>>
