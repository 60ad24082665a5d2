/** The languages of the visa service and their English names, in the order in which its specification names them. */
import { LANGUAGES as CODES, type Language } from "../../src/full.ts"

const NAMES: Readonly<Record<Language, string>> = {
  fr: "French",
  en: "English",
  es: "Spanish",
  pt: "Portuguese",
  de: "German",
  it: "Italian",
  ja: "Japanese",
  ko: "Korean",
  zh: "Chinese",
  ru: "Russian",
  ar: "Arabic",
  hi: "Hindi",
  th: "Thai",
  vi: "Vietnamese",
  tl: "Tagalog",
}

/** Codes with names. */
export const LANGUAGES = CODES.map(code => ({ code, name: NAMES[code] }))

/** What is answered in when nothing else is asked for. */
export const DEFAULT_LANGUAGE: Language = "en"
