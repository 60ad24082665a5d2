/**
 * How is an answer printed?
 *
 * Machines get its record as JSON, with `--json`; people get sentences and tables, as wide as their terminal. A pipe has no width and no colours:
 * what is printed there is for programs, and is never wrapped. On a terminal, in this order: `--color` or `--no-color`; `NO_COLOR`, where it is
 * not empty (no-color.org); `FORCE_COLOR`, which colours a pipe too unless it is `0` or `false`; `TERM=dumb`.
 */

import { styleText } from "node:util"
import { type Fields, isFields } from "../validation/fields.ts"

/** What a command answers. */
export interface Answer {
  /** The record for machines, with its names on the wire. */
  readonly json: unknown
  /** What people read, from top to bottom; the record by its own names when absent. */
  readonly text?: readonly Block[]
  /** The columns of the lists of a record, by blanks; those of the record itself, if it is a list, under an empty name. */
  readonly columns?: Columns
  /** What people read below the record. */
  readonly note?: string
  /** The words of a language, in which the record is printed for people. */
  readonly say?: Wording
}

type Columns = Readonly<Record<string, string>>

/** Says a text of a field in other words, such as those of a language. */
export type Wording = (text: string, field: string) => string

/** Sentences, or a table. */
export type Block = string | Sentences | Table

interface Sentences {
  readonly text: string
  /** What a line begins with that continues one on a narrow terminal; null where lines are not broken. */
  readonly indent: string | null
}

interface Table {
  readonly head: readonly string[]
  readonly rows: Rows
}

export type Rows = readonly (readonly (string | number)[])[]

/** A table; without a first line where the head is empty. */
export const table = (head: readonly string[], rows: Rows): Table => ({ head, rows })

/** Writes the value of a field: a list by commas, the parts of a record one after the other, and what is absent as a dash. */
function writeValue(value: unknown, say: Wording, field = ""): string {
  if (typeof value === "boolean") return value ? "yes" : "no"
  if (typeof value === "number" && field.endsWith("_at")) return new Date(value).toISOString()
  if (Array.isArray(value)) return value.map(item => writeValue(item, say)).join(", ") || "–"
  if (!isFields(value)) return say(String(value ?? ""), field) || "–"
  const parts = Object.values(value).filter(part => part !== null)
  return parts.map(part => writeValue(part, say)).join(" ") || "–"
}

const isTable = (value: unknown): value is readonly Fields[] => Array.isArray(value) && value.some(isFields)

const lastOf = (field: string): string => field.slice(field.lastIndexOf(".") + 1)

const nameField = (field: string): string => lastOf(field).replaceAll("_", " ")

/** Reads a field of a record, or of a record in it: `best.days`. */
const readField = (row: unknown, field: string): unknown =>
  field.split(".").reduce<unknown>((held, name) => (isFields(held) ? held[name] : undefined), row)

/** Records as a table, with a column for each of these fields; for all of the first one's where none are named. */
export function records(rows: readonly object[], fields?: string, say: Wording = text => text): Table {
  const columns = fields?.split(" ") ?? Object.keys(rows[0] ?? {})
  return table(
    columns.map(nameField),
    rows.map(row => columns.map(column => writeValue(readField(row, column), say, lastOf(column)))),
  )
}

/**
 * A record for people, by the names that it has for machines: a table for each list of records, under its name if several can be there, and below them a
 * line for each other field.
 */
export function layOutRecord(json: unknown, columns: Columns = {}, say: Wording = text => text): readonly Block[] {
  if (Array.isArray(json)) return json.length === 0 ? ["There are none."] : [records(json, columns[""], say)]
  const fields = Object.entries(json as object)
  const tables = fields.flatMap(([name, value]) => (isTable(value) ? [{ name, rows: value }] : []))
  const lines = fields.filter(([, value]) => !isTable(value))
  const facts = table(
    [],
    lines.map(([name, value]) => [nameField(name), writeValue(value, say, name)]),
  )
  return [
    ...tables.flatMap(({ name, rows }) => [
      ...(Object.keys(columns).length > 1 ? [nameField(name).toUpperCase()] : []),
      records(rows, columns[name], say),
      ...(lines.length === 0 ? [] : [""]),
    ]),
    ...(lines.length === 0 ? [] : [facts]),
  ]
}

/** Writes what people read of an answer. */
export function writeAnswer(screen: Screen, { json, text, columns, note, say }: Answer): string {
  const blocks = text ?? layOutRecord(json, columns, say)
  return writeBlocks(screen, note === undefined ? blocks : [...blocks, `\n${note}`])
}

/** A table under a title; nothing where it has no rows. */
export const tableUnder = (title: string, head: readonly string[], rows: Rows): readonly Block[] =>
  rows.length === 0 ? [] : [title, table(head, rows)]

/** Lines of which each is a point of its own: where one is broken, the rest is indented. */
export const points = (text: string): Sentences => ({ text, indent: "  " })

/** A text that is for programs too, such as Markdown: its lines are not broken, and nothing in it is coloured. */
export const unbroken = (text: string): Sentences => ({ text, indent: null })

function layOut(screen: Screen, block: Block): string {
  if (typeof block === "object" && "rows" in block) {
    const paintCell = (text: string, isHead: boolean) =>
      isHead ? paint(screen, "bold", text) : paintWords(screen, text)
    return formatTable(block.head, block.rows, { columns: screen.columns, paint: paintCell })
  }
  const { text, indent } = typeof block === "string" ? { text: block, indent: "" } : block
  return indent === null ? text : wrapText(paintWords(screen, text), screen.columns, indent)
}

/** Writes blocks for people, one below the other. */
export const writeBlocks = (screen: Screen, blocks: readonly Block[]): string =>
  blocks.map(block => layOut(screen, block)).join("\n")

/** The width and the colours of one stream. */
export interface Screen {
  /** The number of columns; null if nothing is wrapped. */
  readonly columns: number | null
  readonly hasColours: boolean
}

/** A pipe or a file. */
export const NO_SCREEN: Screen = { columns: null, hasColours: false }

export interface Stream {
  readonly isTTY?: boolean | undefined
  readonly columns?: number | undefined
}

/** The width of a terminal that does not say how wide it is. */
const USUAL_COLUMNS = 80

/** Finds the width and the colours of a stream. */
export function readScreen(
  stream: Stream,
  env: Readonly<Record<string, string | undefined>>,
  args: readonly string[],
): Screen {
  const isTerminal = stream.isTTY === true
  const columns = stream.columns || Number.parseInt(env.COLUMNS ?? "", 10) || USUAL_COLUMNS
  const { NO_COLOR: none = "", FORCE_COLOR: forced = "", TERM: term } = env
  const asked = listFlags(args).findLast(flag => flag === "--color" || flag === "--no-color")
  const isForced = forced !== "" && forced !== "0" && forced !== "false"
  const hasColours = none === "" && (isForced || (isTerminal && term !== "dumb"))
  return { columns: isTerminal ? columns : null, hasColours: asked === undefined ? hasColours : asked === "--color" }
}

/** The words before `--`: what follows it is never a flag. */
export const listFlags = (args: readonly string[]): readonly string[] => {
  const end = args.indexOf("--")
  return (end < 0 ? args : args.slice(0, end)).filter(arg => arg.startsWith("-"))
}

export type Colour = "bold" | "dim" | "red" | "green" | "yellow" | "cyan" | "magenta"

/** Colours a text, if colours are shown. */
export const paint = ({ hasColours }: Screen, colour: Colour, text: string): string =>
  hasColours ? styleText(colour, text, { validateStream: false }) : text

/** The colour of a requirement: the easier, the greener. */
const COLOURS: Readonly<Record<string, Colour>> = {
  visa_free: "green",
  eta: "cyan",
  visa_on_arrival: "cyan",
  e_visa: "yellow",
  visa_required: "red",
  no_admission: "magenta",
}

const WORDS = new RegExp(`\\b(?:${Object.keys(COLOURS).join("|")})\\b`, "g")

/** Colours the requirements in a text. */
const paintWords = (screen: Screen, text: string): string =>
  screen.hasColours ? text.replace(WORDS, word => paint(screen, COLOURS[word] as Colour, word)) : text

// biome-ignore lint/suspicious/noControlCharactersInRegex: the escape is what colours begin with.
const STYLES = /\u001b\[[0-9;]*m/g
// Letters of alphabets without marks, digits, punctuation and arrows: one column each, whatever the terminal.
const ONE_COLUMN_EACH = /^[\x20-\x7e\u00a0-\u02ff\u0370-\u0482\u048a-\u052f\u2010-\u2027\u2190-\u21ff]*$/
const NO_COLUMN = /^[\p{Mark}\p{Control}\p{Default_Ignorable_Code_Point}]+$/u
const TWO_COLUMNS =
  /^[\u1100-\u115f\u2e80-\u303e\u3040-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{20000}-\u{3fffd}\p{Emoji_Presentation}]/u
let segmenter: Intl.Segmenter | undefined

/** How many columns of a terminal a text takes: East Asian letters take two, marks and colours none. */
export function measureColumns(text: string): number {
  const bare = text.includes("\u001b") ? text.replace(STYLES, "") : text
  if (ONE_COLUMN_EACH.test(bare)) return bare.length
  segmenter ??= new Intl.Segmenter()
  let columns = 0
  for (const { segment } of segmenter.segment(bare)) {
    if (!NO_COLUMN.test(segment)) columns += TWO_COLUMNS.test(segment) ? 2 : 1
  }
  return columns
}

/** Breaks a line between words, never inside one, so that no part is wider than the columns, words apart; each further part is indented. */
function wrapLine(line: string, columns: number, indent = ""): readonly string[] {
  if (measureColumns(line) <= columns) return [line]
  const text = line.trimStart()
  const lead = line.slice(0, line.length - text.length)
  const lines: string[] = []
  let part = lead
  let isEmpty = true
  let width = measureColumns(lead)
  for (const word of text.split(" ")) {
    const taken = measureColumns(word)
    if (!isEmpty && width + 1 + taken > columns) {
      lines.push(part)
      part = lead + indent
      width = measureColumns(part)
      isEmpty = true
    }
    part += isEmpty ? word : ` ${word}`
    width += isEmpty ? taken : taken + 1
    isEmpty = false
  }
  return [...lines, part]
}

/** Breaks every line of a text; none without a width. */
export const wrapText = (text: string, columns: number | null, indent = ""): string =>
  columns === null
    ? text
    : text
        .split("\n")
        .flatMap(line => wrapLine(line, columns, indent))
        .join("\n")

const GAP = "  "

interface TableOptions {
  /** The width of the terminal; null for a pipe, where nothing is broken. */
  readonly columns?: number | null
  /** Colours the text of a cell. */
  readonly paint?: (text: string, isHead: boolean) => string
}

/**
 * Lays rows out as a table without borders, readable in a terminal and in a pipe; without a first line where the head is empty. Columns are as wide
 * as their widest cell, in time linear in the number of cells. On a narrower terminal, the widest columns shrink and their cells are wrapped
 * between words; if that is not enough, each row is written as a list of its fields.
 */
export function formatTable(head: readonly string[], rows: Rows, options: TableOptions = {}): string {
  const { columns = null, paint = text => text } = options
  const cells = (head.length === 0 ? rows : [head, ...rows]).map(row => row.map(cell => String(cell)))
  const natural = measureWidest(cells, measureColumns)
  const widths = columns === null ? natural : narrow(cells, natural, columns)
  if (widths === null) return formatList(head, cells, columns as number, paint)
  return cells
    .flatMap((row, at) => {
      const parts = widths.map((width, column) => wrapLine(row[column] ?? "", width))
      return Array.from({ length: Math.max(...parts.map(({ length }) => length)) }, (_, line) => {
        const last = parts.findLastIndex(part => (part[line] ?? "") !== "")
        return parts
          .slice(0, last + 1)
          .map((part, column) => {
            const text = part[line] ?? ""
            const blanks = column === last ? "" : " ".repeat((widths[column] as number) - measureColumns(text)) + GAP
            return (text === "" ? "" : paint(text, at === 0 && head.length > 0)) + blanks
          })
          .join("")
      })
    })
    .join("\n")
}

const measureWidest = (cells: readonly (readonly string[])[], measure: (cell: string) => number): readonly number[] =>
  (cells[0] ?? []).map((_, column) => cells.reduce((most, row) => Math.max(most, measure(row[column] ?? "")), 0))

/** Finds widths that fit: the widest columns shrink first, none below its longest word; null if the words alone are too wide. */
function narrow(cells: readonly (readonly string[])[], natural: readonly number[], columns: number) {
  const room = columns - GAP.length * (natural.length - 1)
  const sum = (widths: readonly number[]) => widths.reduce((all, width) => all + width, 0)
  if (sum(natural) <= room) return natural
  const least = measureWidest(cells, cell => Math.max(...cell.split(" ").map(measureColumns)))
  if (sum(least) > room) return null
  const capAt = (cap: number) => natural.map((width, column) => Math.max(least[column] as number, Math.min(width, cap)))
  let cap = Math.max(...natural)
  while (sum(capAt(cap)) > room) cap -= 1
  // The rest below the cap goes to the columns that it cut, from the left.
  const widths = capAt(cap)
  let left = room - sum(widths)
  return widths.map((width, column) => {
    const more = Math.min(left, (natural[column] as number) - width)
    left -= more
    return width + more
  })
}

function formatList(
  head: readonly string[],
  cells: readonly (readonly string[])[],
  columns: number,
  paint: (text: string, isHead: boolean) => string,
): string {
  const names = head.length === 0 ? (cells[0] ?? []).map(() => "") : head
  const width = Math.max(...names.map(measureColumns))
  return cells
    .slice(head.length === 0 ? 0 : 1)
    .map(row =>
      names
        .flatMap((name, column) => {
          const text = row[column] ?? ""
          if (text === "") return []
          return wrapLine(text, Math.max(1, columns - width - GAP.length)).map((part, line) => {
            const label = line === 0 ? name : ""
            const blanks = " ".repeat(width - measureColumns(label)) + GAP
            return (label === "" ? "" : paint(label, true)) + blanks + paint(part, false)
          })
        })
        .join("\n"),
    )
    .join("\n\n")
}
