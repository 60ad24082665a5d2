/**
 * What do the rows of a table in CSV hold?
 *
 * The only reader of CSV: of files that arrive in chunks, of blocks that threads judge, and of tables that people import. A row ends at a line feed, a carriage
 * return or both, in one file also mixed; a quoted cell may contain them. A quote opens a cell only where the cell begins, blanks before it aside; two inside a
 * quoted cell are one of its signs, and any other quote is a sign like others. Blanks around a cell are removed, but not those inside quotes.
 */
import { isUtf8 } from "node:buffer"

const LINE_FEED = 10
const RETURN = 13
const QUOTE = 34
const BLANKS = [9, 32]

/** A row, or its mistake. */
export interface CsvRow {
  /** The line on which it begins. */
  readonly line: number
  /** None where the row has no content or a mistake. */
  readonly cells: readonly string[]
  readonly error: string | null
  /** Its bytes, with the end of its line. */
  readonly bytes: Uint8Array
}

/** Finds where rows end, in one chunk after another. */
export interface EndFinder {
  /** The place behind the next row's end, searched from a place; -1 where the chunk ends before. */
  readonly next: (chunk: Uint8Array, from: number) => number
  /** How many lines the row that was found has. */
  readonly lines: () => number
  /** Reads the rest of the row as unquoted: its quote was a mistake. */
  readonly leaveQuotes: () => void
}

// The place of the next sign in a row.
const [START, PLAIN, QUOTED, BEHIND_QUOTE] = [0, 1, 2, 3] as const
type Place = typeof START | typeof PLAIN | typeof QUOTED | typeof BEHIND_QUOTE

function step(place: Place, sign: number, delimiter: number): Place {
  if (place === QUOTED) return sign === QUOTE ? BEHIND_QUOTE : QUOTED
  if (sign === delimiter || sign === LINE_FEED || sign === RETURN) return START
  if (sign === QUOTE) return place === PLAIN ? PLAIN : QUOTED
  return place === START && BLANKS.includes(sign) ? START : PLAIN
}

/** Finds the ends of rows whose cells a sign separates. */
export function makeRowFinder(delimiter: string): EndFinder {
  const sign = delimiter.charCodeAt(0)
  let place: Place = START
  let [lines, found] = [0, 0]
  let isBehindReturn = false
  // A carriage return ends a row; a line feed behind it, perhaps in the next chunk, belongs to this end.
  let hasEnded = false
  const end = (at: number): number => {
    found = lines
    lines = 0
    isBehindReturn = false
    hasEnded = false
    return at
  }
  return {
    next: (chunk, from) => {
      for (let at = from; at < chunk.length; at++) {
        const byte = chunk[at] as number
        if (hasEnded) return end(byte === LINE_FEED ? at + 1 : at)
        const isQuoted = place === QUOTED
        place = step(place, byte, sign)
        if (byte !== LINE_FEED && byte !== RETURN) {
          isBehindReturn = false
          continue
        }
        if (!isBehindReturn || byte === RETURN) lines++
        isBehindReturn = byte === RETURN
        if (isQuoted) continue
        if (byte === LINE_FEED) return end(at + 1)
        hasEnded = true
      }
      return -1
    },
    lines: () => found,
    leaveQuotes: () => {
      place = PLAIN
    },
  }
}

/** Reads the rows of a block; one with a mistake does not affect the others. */
export function* readRows(bytes: Uint8Array, firstLine: number, delimiter: string): Generator<CsvRow> {
  const finder = makeRowFinder(delimiter)
  const isText = isUtf8(bytes)
  let [from, line] = [0, firstLine]
  while (from < bytes.length) {
    const end = finder.next(bytes, from)
    const row = bytes.subarray(from, end < 0 ? bytes.length : end)
    yield isText || isUtf8(row)
      ? readRow(row, line, delimiter)
      : { line, cells: [], error: "The row is not UTF-8.", bytes: row }
    line += finder.lines()
    from += row.length
  }
}

function readRow(bytes: Uint8Array, line: number, delimiter: string): CsvRow {
  const cells = splitCells(toText(bytes), delimiter)
  if (cells === null) {
    return { line, cells: [], error: "The row is not CSV: a quote opens a cell and is not closed.", bytes }
  }
  return { line, cells: cells.some(cell => cell !== "") ? cells : [], error: null, bytes }
}

function splitCells(text: string, delimiter: string): readonly string[] | null {
  if (!text.includes('"')) return text.split(delimiter).map(cell => cell.trim())
  const sign = delimiter.charCodeAt(0)
  const cells: string[] = []
  let place: Place = START
  let from = 0
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === sign && place !== QUOTED) {
      cells.push(readCell(text.slice(from, at)))
      from = at + 1
    }
    place = step(place, code, sign)
  }
  if (place === QUOTED) return null
  cells.push(readCell(text.slice(from)))
  return cells
}

function readCell(text: string): string {
  const cell = text.trim()
  if (cell.length < 2 || !cell.startsWith('"') || !cell.endsWith('"')) return cell
  const inside = cell.slice(1, -1)
  if (!inside.includes('"')) return inside
  // A single quote inside: the cell goes on behind the closing quote, so none of them is one.
  return inside.replaceAll('""', "").includes('"') ? cell : inside.replaceAll('""', '"')
}

/** Bytes that are known to be UTF-8, as text. */
export function toText(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("utf8")
}

/** The signs that may separate cells: the first of them that makes several cells of the row of names. */
const DELIMITERS = [",", ";", "\t"] as const

/** The line with which Excel says which sign separates the cells. */
const SEPARATOR_LINE = /^"?sep=([!#-/:-@[-`{-~\t])"?\s*$/i

export interface CsvTable {
  readonly delimiter: string
  /** The rows with content, the names of the columns first. */
  readonly rows: Generator<CsvRow>
}

/** Opens a table, or the start of one: finds which sign separates its cells, and skips everything before the row of names. */
export function openTable(bytes: Uint8Array): CsvTable {
  const first = listContent(bytes, ",").next().value
  const [, named] = SEPARATOR_LINE.exec(first === undefined ? "" : toText(first.bytes)) ?? []
  if (named !== undefined) return { delimiter: named, rows: listContent(bytes, named, first) }
  // A row of the other signs has no content, and is one cell to this one.
  const separates = (sign: string) => listContent(bytes, sign).next().value?.cells.length !== 1
  const delimiter = DELIMITERS.find(separates) ?? ","
  return { delimiter, rows: listContent(bytes, delimiter) }
}

function* listContent(bytes: Uint8Array, delimiter: string, before?: CsvRow): Generator<CsvRow> {
  for (const row of readRows(dropByteOrderMark(bytes), 1, delimiter)) {
    if (row.line > (before?.line ?? 0) && (row.error !== null || row.cells.length > 0)) yield row
  }
}

const BYTE_ORDER_MARK = [0xef, 0xbb, 0xbf]

/** The mark that some programs write before UTF-8 is no part of the text. */
export const dropByteOrderMark = (bytes: Uint8Array): Uint8Array =>
  BYTE_ORDER_MARK.every((byte, at) => bytes[at] === byte) ? bytes.subarray(BYTE_ORDER_MARK.length) : bytes
