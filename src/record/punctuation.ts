/**
 * Which marks does a language put between a label and its text, between the items of a list, and around an aside?
 *
 * Only what differs from the plain Western marks is listed: French has a no-break space before its colon, Chinese and Japanese
 * have marks as wide as their letters and no blanks between sentences, Arabic has a comma of its own.
 */
import type { Language } from "./languages.ts"

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
