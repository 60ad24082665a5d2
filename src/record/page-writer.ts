/**
 * How are the lines of a page written: items with a label, lists, asides, amounts?
 *
 * All text is escaped, so that none of it becomes markup.
 */

import type { Money } from "../rules/conditions.ts"
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

/** One line of a section as plain text, whose web addresses are to be links. */
export interface SectionItem {
  /** Null for a text without a label. */
  readonly label: string | null
  readonly text: string
}

/** A line of a section: plain text for any page, or a line of Markdown. */
export type SectionLine = SectionItem | string

/** One line a text. */
export function listTexts(texts: readonly string[] | undefined): readonly SectionItem[] {
  return (texts ?? []).map(text => ({ label: null, text }))
}

/** One labelled line for each text that is known. */
export function listItems(
  { locale }: PageWriter,
  fields: readonly (readonly [label: MessageKey, text: string | undefined])[],
): readonly SectionItem[] {
  return fields.flatMap(([key, text]) =>
    text === undefined || text === "" ? [] : [{ label: locale.say({ key }), text }],
  )
}

/** An amount, apart from the direction of the page. */
export function sayAmount({ locale, name }: PageWriter, held: Money | undefined): string | undefined {
  return held === undefined ? undefined : name(locale.formatValue({ money: held }))
}

/** Yes or no, where it is known. */
export function sayYesNo({ locale }: PageWriter, held: boolean | undefined): string | undefined {
  return held === undefined ? undefined : locale.say({ key: held ? "label.yes" : "label.no" })
}

/** A text of no particular language. */
export function sayName({ name }: PageWriter, text: string | undefined): string | undefined {
  return text === undefined ? undefined : name(text)
}

/** Writes a line of a section as Markdown. */
export function writeLine({ item }: PageWriter, line: SectionLine): string {
  if (typeof line === "string") return line
  const text = linkText(line.text)
  return line.label === null ? `- ${text}` : item(escapeText(line.label), text)
}
