/**
 * Which languages is a record written in, and what is each called?
 *
 * A language is one row here and a file of texts in each of `data/locales`, `site/locales`, `adapters/mail/locales` and
 * `adapters/http/accounts/page/locales`; the modules that load them are made from these rows. The codes are ISO 639-1, in the order of the service's specification.
 */

/** What has to be said of a language besides its texts. */
export interface LanguageRow {
  /** Its English name. */
  readonly name: string
  /** What it calls itself. */
  readonly ownName: string
  /** Left to right where it is left out. */
  readonly direction?: "rtl"
}

/** Every language, by its code. */
export const LANGUAGE_ROWS = {
  fr: { name: "French", ownName: "Français" },
  en: { name: "English", ownName: "English" },
  es: { name: "Spanish", ownName: "Español" },
  pt: { name: "Portuguese", ownName: "Português" },
  de: { name: "German", ownName: "Deutsch" },
  it: { name: "Italian", ownName: "Italiano" },
  ja: { name: "Japanese", ownName: "日本語" },
  ko: { name: "Korean", ownName: "한국어" },
  zh: { name: "Chinese", ownName: "中文" },
  ru: { name: "Russian", ownName: "Русский" },
  ar: { name: "Arabic", ownName: "العربية", direction: "rtl" },
  hi: { name: "Hindi", ownName: "हिन्दी" },
  th: { name: "Thai", ownName: "ไทย" },
  vi: { name: "Vietnamese", ownName: "Tiếng Việt" },
  tl: { name: "Tagalog", ownName: "Tagalog" },
} as const satisfies Readonly<Record<string, LanguageRow>>

/** The code of a language. */
export type Language = keyof typeof LANGUAGE_ROWS

/** Every code, in the order of the rows. */
export const LANGUAGES = /* @__PURE__ */ Object.keys(LANGUAGE_ROWS) as readonly Language[]

/**
 * Says whether a value is the code of a language, exactly as spelled there.
 *
 * @example
 * ```ts
 * isLanguage("ja") // => true
 * isLanguage("JA") // => false
 * ```
 */
export function isLanguage(value: unknown): value is Language {
  return (LANGUAGES as readonly unknown[]).includes(value)
}

/** The direction in which a language is written. */
export function directionOf(language: Language): "ltr" | "rtl" {
  const row: LanguageRow = LANGUAGE_ROWS[language]
  return row.direction ?? "ltr"
}
