/** Writes the fields about a rule, except its conditions, as sentences for a page. */
import type { TermFields } from "./conditions.ts"
import { isolate, type Locale } from "./localise.ts"
import { sayNotice } from "./notices.ts"
import { punctuationOf } from "./punctuation.ts"
import { sayAnswer } from "./stay-counting.ts"

/**
 * Lists a sentence for each of these fields of a record.
 *
 * @example
 * ```ts
 * listTermSentences(locale, {}) // => []
 * ```
 */
export function listTermSentences(locale: Locale, fields: TermFields): readonly string[] {
  const { changed_since: changed, corroborated } = fields
  const sentences: string[] = []
  if (fields.ends_on !== undefined) {
    sentences.push(locale.say({ key: "rule.ends_on", values: { date: { on: fields.ends_on } } }))
  }
  if (fields.ended_on !== undefined) {
    sentences.push(sayNotice(locale, { code: "answer_ended", params: { on: fields.ended_on } }))
  }
  if (changed !== undefined) {
    sentences.push(sayNotice(locale, { code: "answer_changed_since", params: { on: changed.on } }))
  }
  if (fields.stay_basis !== undefined) sentences.push(locale.say({ key: "rule.stay_from_table" }))
  if (corroborated !== undefined) {
    const values = { source: corroborated.source, date: { on: corroborated.checked_on } }
    sentences.push(locale.say({ key: "rule.corroborated", values }))
  }
  return sentences
}

/**
 * Writes the different statement of a second source; null if there is none.
 *
 * @example
 * ```ts
 * sayDispute(locale, {}) // => null
 * ```
 */
export function sayDispute(locale: Locale, { disputed }: TermFields): string | null {
  if (disputed === undefined) return null
  const { source, checked_on, requirement, visa_free_days, because } = disputed
  const marks = punctuationOf(locale.language)
  const answer = sayAnswer(locale, marks, requirement, visa_free_days)
  const said = locale.say({ key: "rule.disputed", values: { answer, source, date: { on: checked_on } } })
  return because === undefined ? said : `${said}${marks.semicolon}${isolate(locale.direction, because)}`
}
