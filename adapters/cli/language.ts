/** In which language does a command print? `--lang`: names of countries, requirements and sentences in one of fifteen languages. */
import { Effect } from "effect"
import type { Language, Locale } from "../../src/full.ts"
import type { Requirement } from "../../src/index.ts"
import { nameInEnglish } from "../answers/english-names.ts"
import { text } from "./command.ts"
import { CalledWrongly } from "./failure.ts"

export const lang = text(
  "LANG",
  "Names and requirements in fr, en, es, pt, de, it, ja, ko, zh, ru, ar, hi, th, vi or tl; English names and the engine's own words when absent",
)

export interface Words {
  /** Null where no language was asked for. */
  readonly locale: Locale | null
  readonly country: (code: string) => string
  readonly requirement: (requirement: Requirement) => string
  /** A requirement and its days. */
  readonly answer: (answer: { readonly requirement: Requirement; readonly days: number | null } | null) => string
}

/** Loads full records' words, because most commands start faster without them. */
export const loadFull = Effect.promise(() => import("../../src/full.ts"))

/** Reads the language that is asked for; an unknown one ends with 2. */
export const readLanguage = (lang: string): Effect.Effect<Language, CalledWrongly> =>
  Effect.gen(function* () {
    const { isLanguage, LANGUAGES } = yield* loadFull
    const [primary = ""] = lang.toLowerCase().split(/[-_]/)
    const asked = primary === "fil" ? "tl" : primary
    if (isLanguage(asked)) return asked
    const expected = LANGUAGES.join(", ")
    const message = `--lang: ${JSON.stringify(lang)} is not one of ${expected}.`
    return yield* new CalledWrongly({ message, field: "--lang", given: lang, expected: `one of ${expected}` })
  })

/** Loads the words that a command prints. */
export const loadWords = (lang: string | undefined): Effect.Effect<Words, CalledWrongly> =>
  Effect.gen(function* () {
    if (lang === undefined) return makeWords(null, nameInEnglish, requirement => requirement)
    const language = yield* readLanguage(lang)
    const { loadLocale } = yield* loadFull
    const locale = yield* Effect.promise(() => loadLocale(language))
    return makeWords(locale, locale.nameCountry, requirement => locale.say({ key: `requirement.${requirement}` }))
  })

function makeWords(locale: Locale | null, country: Words["country"], requirement: Words["requirement"]): Words {
  return {
    locale,
    country,
    requirement,
    answer: answer => {
      if (answer === null) return "no record"
      const { days } = answer
      const stay = days === null ? "" : locale === null ? ` ${days}` : `, ${locale.formatValue({ days })}`
      return requirement(answer.requirement) + stay
    },
  }
}
