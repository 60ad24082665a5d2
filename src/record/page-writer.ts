/**
 * How are the lines of a page written: items with a label, lists, asides, amounts?
 *
 * All text is escaped, so that none of it becomes markup.
 */

import type { Money } from "../dataset/conditions.ts"
import { isolate, type Locale, type Phrase, type PhraseValue } from "./localise.ts"
import { escapeText, linkText } from "./markdown-text.ts"
import type { MessageKey } from "./messages.ts"
import { type Punctuation, punctuationOf } from "./punctuation.ts"

/** Writes the pieces of a page in one language. */
export interface PageWriter {
  readonly locale: Locale
  readonly marks: Punctuation
  /** Writes a message. */
  readonly word: (key: MessageKey, values?: Phrase["values"]) => string
  /** Sets a name, a number or an address that is in no particular language apart from the direction of the page. */
  readonly name: (text: string) => string
  /** Writes a value on its own. */
  readonly value: (held: PhraseValue) => string
  /** Puts a text in brackets behind another one. */
  readonly bracket: (text: string) => string
  /** One line with its label. */
  readonly item: (label: string, text: string) => string
}

/** Opens a writer for a language. */
export function openPageWriter(locale: Locale): PageWriter {
  const marks = punctuationOf(locale.language)
  return {
    locale,
    marks,
    word: (key, values) => escapeText(locale.say(values === undefined ? { key } : { key, values })),
    name: text => isolate(locale.direction, text),
    value: held => escapeText(locale.formatValue(held)),
    bracket: text => `${marks.bracketStart}${text}${marks.bracketEnd}`,
    item: (label, text) => `- ${locale.label(`**${label}**`, text)}`,
  }
}

/** One line a text, with its addresses as links. */
export function writeBullets(texts: readonly string[] | undefined): readonly string[] {
  return (texts ?? []).map(text => `- ${linkText(text)}`)
}

/** One labelled line for each text that is known. */
export function writeItems(
  page: PageWriter,
  fields: readonly (readonly [label: MessageKey, text: string | undefined])[],
): readonly string[] {
  return fields.flatMap(([label, text]) => (text === undefined ? [] : [page.item(page.word(label), text)]))
}

/** An amount, apart from the direction of the page. */
export function writeAmount(page: PageWriter, held: Money | undefined): string | undefined {
  return held === undefined ? undefined : page.name(page.value({ money: held }))
}

/** Yes or no, where it is known. */
export function writeYesNo(page: PageWriter, held: boolean | undefined): string | undefined {
  return held === undefined ? undefined : page.word(held ? "label.yes" : "label.no")
}

/** A text of the page's language. */
export function writeText(text: string | undefined): string | undefined {
  return text === undefined ? undefined : escapeText(text)
}

/** A text of no particular language. */
export function writeName(page: PageWriter, text: string | undefined): string | undefined {
  return text === undefined ? undefined : page.name(escapeText(text))
}
