/**
 * Over which period do the days of a stay add up, as a sentence of a record?
 *
 * There is a sentence only if the destination counts in a rolling window, a calendar year or the year of the first entry. Days that each
 * entry gives again are in the answer, and those of a zone have their own sentence.
 */
import type { Found } from "../dataset/open.ts"
import type { Requirement } from "../dataset/requirement.ts"
import type { StayRule } from "../rules/provisions.ts"
import type { Locale, Phrase } from "./localise.ts"
import type { Punctuation } from "./punctuation.ts"

/** Says how a rule counts the days of an answer; null if it names no period or does not bind the answer. */
export function sayCounting({ kind, days, windowDays }: StayRule, answer: Found): Phrase | null {
  const most = days ?? answer.days
  if (most === null || answer.home || answer.basis !== null) return null
  const duration = { days: most }
  switch (kind) {
    case "rolling":
      return windowDays === null
        ? null
        : { key: "visa_types.stay_in_window", values: { duration, window: { days: windowDays } } }
    case "calendar_year":
      return { key: "visa_types.stay_in_calendar_year", values: { duration } }
    case "per_year_of_entry":
      return { key: "visa_types.stay_in_year_of_entry", values: { duration } }
    default:
      return null
  }
}

/** Says an answer: the requirement, and in brackets its days. */
export function sayAnswer(
  locale: Locale<`requirement.${Requirement}`>,
  marks: Punctuation,
  requirement: Requirement,
  days: number | null,
): string {
  const word = locale.say({ key: `requirement.${requirement}` })
  return days === null ? word : `${word}${marks.bracketStart}${locale.formatValue({ days })}${marks.bracketEnd}`
}
