/** What do the elements say, in which language? The record's sentences and a few of the page's, loaded for one language when it is first spoken. */
import { WORDS } from "site:elements"
import { isLanguage, type Language } from "../../src/record/languages.ts"
import { LOCALE_MODULES } from "../../src/record/locale-modules.generated.ts"
import { type Locale, openLocale, type PhraseValue } from "../../src/record/localise.ts"
import type { MessageKey } from "../../src/record/messages.ts"
import type { ElementMessages } from "../build/page-messages.ts"
import { alpha2Of } from "../places.ts"

/** The key of a message of the elements. */
type ElementKey = MessageKey | keyof ElementMessages

export interface Words {
  readonly language: Language
  readonly locale: Locale<ElementKey>
  readonly say: (key: ElementKey, values?: Readonly<Record<string, PhraseValue>>) => string
}

const loading = new Map<Language, Promise<Words>>()

async function load(language: Language): Promise<Words> {
  const [[{ catalogue }], { words }] = await Promise.all([LOCALE_MODULES[language](), WORDS[language]()])
  const locale = openLocale<ElementKey>(language, { ...catalogue, ...words }, alpha2Of)
  return { language, locale, say: (key, values) => locale.say(values === undefined ? { key } : { key, values }) }
}

/** Loads the words of a language; a failure is not kept. */
export function loadWords(language: Language): Promise<Words> {
  const known = loading.get(language)
  if (known !== undefined) return known
  const words = load(language).catch((cause: unknown) => {
    loading.delete(language)
    throw cause
  })
  loading.set(language, words)
  return words
}

/** The language of an element: its own, or that of an element around it, if it is one of the fifteen. */
export function languageOf(element: Element): Language {
  const given = element.closest("[lang]")?.getAttribute("lang")?.toLowerCase() ?? ""
  const [primary = ""] = given.split("-")
  const code = primary === "fil" ? "tl" : primary
  return isLanguage(code) ? code : "en"
}
