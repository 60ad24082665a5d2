/**
 * How is a file of text read in lines, a table in its rows, or a file of JSON in its entries, without holding all of it? And what does a conversion say
 * besides what it made? What it assumed and what it left out, each with its place in the file; many of one kind are counted.
 */
import { NAME_ENCODING, streamTable } from "../files/csv.ts"

/** A text of a file without signs that a terminal obeys. */
const toPlain = (text: string): string => text.replace(/\p{Cc}/gu, " ")

/** The file cannot be converted: where, and what was expected. */
class Unconvertible extends Error {
  constructor(message: string) {
    super(toPlain(message))
  }
}

/** Refuses a file, at a line or at a place that is named. */
export const refuse = (place: number | string, message: string): Unconvertible =>
  new Unconvertible(`${typeof place === "number" ? `line ${place}, column 1` : place}: ${message}`)

/** The most entries of a list that are said one by one. */
const MOST_SAID = 40

/** Notes of one kind, in the order of the file. */
export class Notes {
  readonly #said = new Map<string, number>()
  #others = 0

  add(given: string): void {
    const note = toPlain(given)
    const known = this.#said.get(note)
    if (known !== undefined || this.#said.size < MOST_SAID) this.#said.set(note, (known ?? 0) + 1)
    else this.#others++
  }

  list(): readonly string[] {
    const said = Array.from(this.#said, ([note, count]) => (count === 1 ? note : `${note} (${count} times)`))
    return this.#others === 0 ? said : [...said, `and ${this.#others.toLocaleString("en")} more`]
  }
}

/** The report of a conversion. */
export class Report {
  readonly assumed = new Notes()
  readonly leftOut = new Notes()
  /** Entries of the file that were read: events, lines, visits. */
  entries = 0
}

/** More than any line of a calendar or a list has. */
const MOST_LINE = 64 * 1024
/** More than any visit of a history has. */
const MOST_ENTRY = 1024 * 1024
/** No export is nested deeper. */
const MOST_DEPTH = 64

/** A line of a file, numbered from 1. */
export interface Line {
  readonly text: string
  readonly line: number
}

/** Reads the lines of UTF-8, whatever ends them. */
export async function* readLines(input: AsyncIterable<Uint8Array>): AsyncGenerator<Line> {
  const decoder = new TextDecoder("utf-8")
  let [rest, line] = ["", 0]
  const cut = function* (isEnd: boolean): Generator<Line> {
    const parts = rest.split(/\r\n|\n|\r(?!$)/)
    rest = isEnd ? "" : (parts.pop() ?? "")
    for (const text of parts) {
      line++
      if (text.length > MOST_LINE) throw tooLong(line)
      if (text.includes("\uFFFD"))
        throw new Unconvertible(
          `line ${line}, column ${text.indexOf("\uFFFD") + 1}: this is not text in UTF-8.${NAME_ENCODING}`,
        )
      yield { text, line }
    }
    if (rest.length > MOST_LINE) throw tooLong(line + 1)
  }
  for await (const chunk of input) {
    rest += decoder.decode(chunk, { stream: true })
    yield* cut(false)
  }
  rest += decoder.decode()
  yield* cut(true)
}

const tooLong = (line: number) =>
  new Unconvertible(`line ${line}, column ${MOST_LINE + 1}: it is longer than 64 KiB, which no line of such a file is.`)

/** What is said of a date that is not read. */
export const OTHER_ORDER = "; if days are in another order, name it with --dates"

/** A row of a table, below the names of its columns. */
interface NamedRow {
  readonly line: number
  /** The cell of a field; an empty text where there is none. */
  readonly cell: (field: string) => string
}

/** Reads the rows of a table whose first row with content names its columns: for each field those that mean it, without blanks and signs. */
export async function* readNamedRows(
  input: AsyncIterable<Uint8Array>,
  fields: Readonly<Record<string, readonly string[]>>,
  {
    isEnough,
    expected,
  }: { readonly isEnough: (has: (field: string) => boolean) => boolean; readonly expected: string },
  report: Report,
): AsyncGenerator<NamedRow> {
  let columns: ReadonlyMap<string, number> | null = null
  for await (const rows of streamTable(input)) {
    for (const { cells, line, error } of rows) {
      if (error !== null) throw new Unconvertible(`line ${line}: ${error}${NAME_ENCODING}`)
      if (cells.length === 0) continue
      if (columns === null) {
        const plain = cells.map(name => name.toLowerCase().replace(/[^a-z]/g, ""))
        const places = Object.entries(fields).map(
          ([field, names]) => [field, plain.findIndex(name => names.includes(name))] as const,
        )
        const found = new Map(places.filter(([, at]) => at >= 0))
        columns = found
        const unread = cells.filter((name, at) => name !== "" && !places.some(([, place]) => place === at))
        if (isEnough(field => found.has(field))) {
          if (unread.length > 0) report.leftOut.add(`the columns ${unread.join(", ").slice(0, 200)}`)
          continue
        }
        const shown = cells.join(", ").slice(0, 200)
        throw refuse(line, `${expected}; the columns are ${shown}.`)
      }
      const known = columns
      yield { line, cell: field => (cells[known.get(field) ?? -1] ?? "").trim() }
    }
  }
  if (columns === null) throw refuse(1, `${expected}; the file has no row.`)
}

const [QUOTE, BACKSLASH, OPEN_LIST, CLOSE_LIST, OPEN, CLOSE, LINE_FEED] = [34, 92, 91, 93, 123, 125, 10]

/** An object in a list of a file of JSON, with the name of the list. */
export interface Entry {
  readonly list: string
  readonly value: unknown
  /** Where it begins: its line and column. */
  readonly place: string
}

/** Reads the objects of the lists at the top of a file of JSON, one at a time: those of the file's own list, or those of each list of its object. */
export async function* readEntries(input: AsyncIterable<Uint8Array>): AsyncGenerator<Entry> {
  let [depth, line, column, start, list, text] = [0, 1, 0, "", "", ""]
  const here = () => `line ${line}, column ${Math.max(1, column)}`
  let [isText, isEscaped, isOwnList, hasBegun] = [false, false, false, false]
  let entry: number[] = []
  let isEntry = false
  for await (const chunk of input) {
    for (const byte of chunk) {
      column++
      if (byte === LINE_FEED) [line, column] = [line + 1, 0]
      if (isEntry) {
        entry.push(byte)
        if (entry.length > MOST_ENTRY) throw refuse(start, `an entry is larger than 1 MiB.`)
      }
      if (isText) {
        if (isEscaped) isEscaped = false
        else if (byte === BACKSLASH) isEscaped = true
        else if (byte === QUOTE) isText = false
        else if (!isEntry && text.length < 64) text += String.fromCharCode(byte)
        continue
      }
      if (hasBegun && depth === 0 && byte > 32) throw refuse(here(), `the file has to end where its JSON does.`)
      if (byte === QUOTE && hasBegun) {
        isText = true
        if (!isEntry) text = ""
      } else if (byte === OPEN || byte === OPEN_LIST) {
        if (!hasBegun) {
          isOwnList = byte === OPEN_LIST
          hasBegun = true
        }
        if (!isEntry && byte === OPEN_LIST && depth === 1 && !isOwnList) list = text
        if (!isEntry && byte === OPEN && depth === (isOwnList ? 1 : 2)) {
          isEntry = true
          entry = [byte]
          start = here()
        }
        if (++depth > MOST_DEPTH)
          throw refuse(here(), `it is nested more than ${MOST_DEPTH} times, which no export is.`)
      } else if (byte === CLOSE || byte === CLOSE_LIST) {
        depth--
        if (depth < 0) throw refuse(here(), `a bracket is closed that was not opened.`)
        if (isEntry && depth === (isOwnList ? 1 : 2)) {
          isEntry = false
          yield { list, value: parseEntry(Uint8Array.from(entry), start), place: start }
          entry = []
        }
      } else if (!hasBegun && byte > 32) {
        throw refuse(here(), `JSON is expected, which begins with { or [.`)
      }
    }
  }
  if (!hasBegun || depth !== 0 || isText) throw refuse(here(), `the file ends before its JSON does.`)
}

function parseEntry(bytes: Uint8Array, start: string): unknown {
  try {
    return JSON.parse(new TextDecoder().decode(bytes))
  } catch (cause) {
    throw refuse(start, `the entry is not JSON: ${(cause as Error).message}.`)
  }
}
