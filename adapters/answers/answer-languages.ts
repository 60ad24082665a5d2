/** The languages of the visa service and their English names, in the order in which its specification names them. */
import { isLanguage, LANGUAGES, type Language } from "../../src/full.ts"

// The specification says Tagalog where CLDR says Filipino.
const NAMED_OTHERWISE: Readonly<Record<string, string>> = { tl: "Tagalog" }

let listed: readonly { readonly code: Language; readonly name: string }[] | null = null

/** Codes with names; made when they are first asked for, because the runtime loads its names in tens of milliseconds. */
export function listLanguages() {
  if (listed !== null) return listed
  // Not every runtime at the edge has names; the code is used then.
  const names = Intl.DisplayNames === undefined ? null : new Intl.DisplayNames("en", { type: "language" })
  listed = LANGUAGES.map(code => ({ code, name: NAMED_OTHERWISE[code] ?? names?.of(code) ?? code }))
  return listed
}

export const DEFAULT_LANGUAGE: Language = "en"

/**
 * Finds the language for a BCP 47 tag, by lookup (RFC 4647, section 3.4): the tag is shortened until a language has its name. `fil` is what newer systems call Tagalog. English where none
 * is found.
 *
 * @example
 * ```ts
 * matchLanguage("pt-BR") // => "pt"
 * matchLanguage("fil-PH") // => "tl"
 * matchLanguage("cy") // => "en"
 * ```
 */
export function matchLanguage(tag: string): Language {
  return findLanguage(tag) ?? DEFAULT_LANGUAGE
}

/**
 * Finds the same; undefined if there is none.
 *
 * @example
 * ```ts
 * findLanguage("de-AT") // => "de"
 * findLanguage("cy") // => undefined
 * ```
 */
export function findLanguage(tag: string): Language | undefined {
  const [primary = ""] = tag.toLowerCase().split("-")
  const asked = primary === "fil" ? "tl" : primary
  return isLanguage(asked) ? asked : undefined
}
