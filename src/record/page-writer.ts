/**
 * How are the lines of a page written: items with a label, lists, asides, amounts?
 *
 * All text is escaped, so that none of it becomes markup.
 */
import type { Money } from "../rules/table.ts"
import {
  isolate,
  type Locale,
  type MessageKey,
  type Phrase,
  type PhraseValue,
  type Punctuation,
  punctuationOf,
} from "./localise.ts"
import type { HistoryEntry, Mission } from "./record-fields.ts"

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

/** A value as a line says it: a text, an amount apart from the direction of the page, or yes or no; undefined where it is not known. */
export function sayValue({ locale, name }: PageWriter, held: string | boolean | Money | undefined): string | undefined {
  if (typeof held === "boolean") return locale.say({ key: held ? "label.yes" : "label.no" })
  return typeof held === "object" ? name(locale.formatValue({ money: held })) : held
}

/** One labelled line for each value that is known. */
export function listItems(
  page: PageWriter,
  fields: readonly (readonly [label: MessageKey, held: Parameters<typeof sayValue>[1]])[],
): readonly SectionItem[] {
  return fields.flatMap(([key, held]) => {
    const text = sayValue(page, held) ?? ""
    return text === "" ? [] : [{ label: page.locale.say({ key }), text }]
  })
}

/** Writes a line of a section as Markdown. */
export function writeLine({ item }: PageWriter, line: SectionLine): string {
  if (typeof line === "string") return line
  const text = linkText(line.text)
  return line.label === null ? `- ${text}` : item(escapeText(line.label), text)
}

// ---- Text of Markdown

// How is a text put into Markdown so that it stays text?
//
// Names, addresses and sentences come from catalogues and from public tables; whatever they hold, it must not become markup,
// a link to elsewhere or HTML (CommonMark 0.31.2, §2.4). Addresses of the web become autolinks, everything else is escaped.

// No control characters: with one of them, a text in angle brackets is not a link, and its brackets would be markup.
const WEB_ADDRESS = /(https?:\/\/[^\s\p{Cc}<>"\\^`{|}\u2068\u2069]+)/u

/**
 * Escapes a text for a line of Markdown; line breaks become blanks.
 *
 * @example
 * ```ts
 * escapeText("*a* <b>") // => "\\*a\\* \\<b\\>"
 * ```
 */
export function escapeText(text: string): string {
  return text
    .replaceAll(/[\r\n]+/g, " ")
    .replaceAll(/[\\`*_[\]<>|~]/g, "\\$&")
    .replaceAll(/&(?=#?\w+;)/g, "\\&")
    .replace(/^(\s*)([-+=#])/, "$1\\$2")
    .replace(/^(\s*\d+)([.)])/, "$1\\$2")
}

/**
 * Escapes a text whose web addresses are to be links.
 *
 * @example
 * ```ts
 * linkText("See https://a.example/x_y") // => "See <https://a.example/x_y>"
 * ```
 */
export function linkText(text: string): string {
  return text
    .split(WEB_ADDRESS)
    .map((piece, at) => (at % 2 === 1 ? `<${piece}>` : escapeText(piece)))
    .join("")
}

/** Writes a link; without an address only its text. An address that could end the link early is not linked. */
export function writeLink(text: string, address: string | null | undefined): string {
  const isSafe = typeof address === "string" && /^(https?:\/\/|\/)[^\s<>"\\^`{|}]*$/.test(address)
  return isSafe ? `[${escapeText(text)}](<${address}>)` : escapeText(text)
}

// ---- Lines that several fields have

// No lines if there is nothing to write. Most lines are plain text, so that a page of any kind can show them; those with links and marks are
// Markdown.

type Lines = readonly SectionLine[]

/** Texts, one a line. */
export function writeTexts(_: PageWriter, texts: readonly string[]): Lines {
  return listTexts(texts)
}

/** The notes of an object. */
export function writeNotes(_: PageWriter, { notes }: { readonly notes: readonly string[] }): Lines {
  return listTexts(notes)
}

/** Missions, with the day of the table. */
export function writeMissions(page: PageWriter, missions: readonly Mission[] = []): Lines {
  const lines = missions.map(({ name, city, website, phone, email }) => {
    const parts = [city, website, phone, email].filter(part => part !== undefined)
    return parts.length === 0
      ? `- **${escapeText(name)}**`
      : page.item(escapeText(name), parts.map(part => page.name(linkText(part))).join(" · "))
  })
  const [first] = missions
  return first === undefined
    ? []
    : [...lines, "", `*${page.word("label.missions_as_of", { date: { on: first.as_of } })}*`]
}

/** One change of the rule. */
export function writeChange(page: PageWriter, { date, from, to, note }: HistoryEntry): string {
  const { locale, word } = page
  const arrow = locale.direction === "rtl" ? "←" : "→"
  const change =
    from === to ? word(`requirement.${to}`) : `${word(`requirement.${from}`)} ${arrow} ${word(`requirement.${to}`)}`
  const aside = note === undefined ? "" : page.bracket(escapeText(note))
  return `- ${locale.label(page.value({ on: date }), change)}${aside}`
}
