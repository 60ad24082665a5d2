/**
 * How does the page say something in the reader's language?
 *
 * By the same means as the record: sentences from a catalogue, with plural forms and with each value set apart from a text that
 * runs from right to left; names of countries, numbers and dates from the browser's own CLDR data. A key without a sentence does not
 * compile.
 */

import { CATALOGUES } from "site:messages"
import type { Found } from "landfall"
import { type Language, type Locale, openLocale, type PhraseValue } from "landfall/full"
import type { PageCatalogue, PageKey } from "../build/page-messages.ts"
import { alpha2Of } from "../places.ts"
import { tagOfDates } from "./languages.ts"

/** The values of a sentence, by placeholder. */
export type Values = Readonly<Record<string, PhraseValue>>

/** The page in one language. */
export interface Words {
  readonly language: Language
  readonly direction: "ltr" | "rtl"
  readonly locale: Locale<PageKey>
  readonly say: (key: PageKey, values?: Values) => string
  /** Says whether there is such a sentence. */
  readonly has: (key: string) => key is PageKey
  /** Names a country by its alpha-3 code. */
  readonly country: (code: string) => string
  readonly number: (value: number) => string
  /** Writes a share as a percentage with at most one decimal. */
  readonly percent: (share: number) => string
  /** Writes a span of days. */
  readonly days: (count: number) => string
  /** Writes a date in full. */
  readonly date: (on: string) => string
  /** Writes a date as briefly as the language does. */
  readonly shortDate: (on: string) => string
  /** Orders texts as the language does. */
  readonly compare: (one: string, other: string) => number
}

const opened = new Map<Language, Words>()

/** Loads a language; the same object at every call. */
export async function loadWords(language: Language): Promise<Words> {
  const known = opened.get(language)
  if (known !== undefined) return known
  const { catalogue } = await CATALOGUES[language]()
  const words = openWords(language, catalogue)
  // A browser opens the names of a language in tens of milliseconds: here, in a task before that of the first view, which names countries.
  words.country("FRA")
  opened.set(language, words)
  return words
}

/** Makes a value when it is first asked for: a browser takes milliseconds to open the rules of a language, and a view needs few of them. */
function once<Value>(make: () => Value): () => Value {
  let made: { readonly value: Value } | undefined
  return () => {
    made ??= { value: make() }
    return made.value
  }
}

function openWords(language: Language, catalogue: PageCatalogue): Words {
  const tag = tagOfDates(language, navigator.languages)
  const locale = openLocale(language, catalogue, alpha2Of, undefined, tag)
  const percent = once(() => new Intl.NumberFormat(language, { style: "percent", maximumFractionDigits: 1 }))
  const short = once(() => new Intl.DateTimeFormat(tag, { dateStyle: "medium", timeZone: "UTC", calendar: "gregory" }))
  const collator = once(() => new Intl.Collator(language))
  const has = (key: string): key is PageKey => Object.hasOwn(catalogue, key)
  const say = (key: PageKey, values?: Values) => locale.say(values === undefined ? { key } : { key, values })
  return {
    language,
    direction: locale.direction,
    locale,
    say,
    has,
    // CLDR has no names for the classes of British nationals, whose passports have codes of their own.
    country: code => {
      const ofClass = `passport.${code}`
      return has(ofClass) ? say(ofClass) : locale.nameCountry(code)
    },
    number: locale.formatValue,
    percent: share => percent().format(share),
    days: days => locale.formatValue({ days }),
    date: on => locale.formatValue({ on }),
    shortDate: on => short().format(new Date(`${on}T00:00:00Z`)),
    compare: (one, other) => collator().compare(one, other),
  }
}

/* How does the page name the rule of one pair, as figures and histories show it? It is not a verdict: that is the engine's (see verdict/). */

/** Names a rule, with the days where they are known: "Visa-free, 90 days". */
export function nameAnswer(words: Words, answer: Found | null): string {
  if (answer === null) return words.say("category.unknown")
  if (answer.home) return words.say("category.home")
  const named = words.say(`requirement.${answer.requirement}`)
  return answer.days === null ? named : words.locale.list([named, words.days(answer.days)])
}
