/**
 * Which languages is a record written in?
 *
 * A language is its code here and a file of texts in each of `data/locales`, `site/locales`, `adapters/mail/locales` and
 * `adapters/http/routes/accounts/page/locales`; the modules that load them are made from this list. The codes are ISO 639-1, in the order of the
 * service's specification.
 */

/** The languages of the service. */
export const LANGUAGES = [
  "fr",
  "en",
  "es",
  "pt",
  "de",
  "it",
  "ja",
  "ko",
  "zh",
  "ru",
  "ar",
  "hi",
  "th",
  "vi",
  "tl",
] as const

/** One of {@link LANGUAGES}. */
export type Language = (typeof LANGUAGES)[number]

const RIGHT_TO_LEFT: readonly Language[] = ["ar"]

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

/**
 * The direction in which a language is written.
 *
 * @example
 * ```ts
 * directionOf("ar") // => "rtl"
 * directionOf("ja") // => "ltr"
 * ```
 */
export function directionOf(language: Language): "ltr" | "rtl" {
  return RIGHT_TO_LEFT.includes(language) ? "rtl" : "ltr"
}
