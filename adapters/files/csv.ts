/**
 * What do the rows of a table in CSV hold?
 *
 * The only reader of CSV, over csv-parse: of files that arrive in chunks, and of tables that people import whole. A row ends at a line feed, a carriage return or
 * both, in one file also mixed. Excel's line `sep=;` is understood, and the mark at the beginning of a file that says UTF-8 or UTF-16. Another encoding is read only where
 * the caller names it: nothing in the bytes says which it is. Rows before the names without content are skipped. A file whose quotes are not closed is refused
 * whole, because nobody knows where its next row begins.
 */
import { parse as openParser } from "csv-parse"
import { CsvError, parse } from "csv-parse/sync"
import { decode, decodeMarked } from "./text-encoding.ts"

/** A row, or its mistake. */
export interface CsvRow {
  /** The line of the file on which it begins. */
  readonly line: number
  /** None where the row has no content. */
  readonly cells: readonly string[]
  readonly error: string | null
  /** The place behind its line end, in bytes of UTF-8 without a mark. */
  readonly end: number
}

/** The file is not CSV, from a place on. */
export class CsvBroken extends Error {}

/** A row of more bytes is no row: a quote was probably not closed. */
const MOST_ROW_BYTES = 1024 * 1024

/** The signs that may separate cells. */
const DELIMITERS = [",", ";", "\t"] as const

/** The line with which Excel says which sign separates the cells, perhaps behind lines without content. */
const SEPARATOR_LINE = /^([\s,;]*?)"?sep=([!#-/:-@[-`{-~\t])"?[ \t]*(?=[\r\n]|$)/i

/** Whether a cell names nothing: with another sign between cells, a row without content is one of these signs. */
const isBlank = (cell: string): boolean => /^[\s,;"]*$/.test(cell)

/** What a caller with the option adds to the mistake of a row, which is always that of its encoding. */
export const NAME_ENCODING = " If another encoding was used, name it, such as --encoding windows-1252."

/** What a decoder writes for bytes that are not text. */
const DAMAGED = "\uFFFD"
const LINE_END = /\r\n|\r|\n/g

const countEnds = (text: string): number => text.match(LINE_END)?.length ?? 0

// The options for a sign between cells; rows go to a function, in order.
function optionsFor(delimiter: string, place: { line: number }, add: (row: CsvRow) => void) {
  return {
    delimiter,
    record_delimiter: ["\r\n", "\n", "\r"],
    trim: true,
    relax_quotes: true,
    relax_column_count: true,
    max_record_size: MOST_ROW_BYTES,
    on_record: (cells: readonly string[], { bytes }: { readonly bytes: number }) => {
      const { line } = place
      let damaged = -1
      let hasContent = false
      place.line++
      for (let at = 0; at < cells.length; at++) {
        const cell = cells[at] as string
        hasContent ||= cell !== ""
        if (cell.includes("\n") || cell.includes("\r")) place.line += countEnds(cell)
        if (damaged < 0 && cell.includes(DAMAGED)) damaged = at
      }
      const error = damaged < 0 ? null : `Column ${damaged + 1} is not UTF-8.`
      add({ line, cells: hasContent ? cells : [], error, end: bytes })
      return null
    },
  }
}

const WHY: Readonly<Record<string, string>> = {
  CSV_QUOTE_NOT_CLOSED: "a quote opens the cell and is not closed",
  CSV_MAX_RECORD_SIZE: "the row is longer than 1 MiB: its quote is probably not closed",
  CSV_NON_TRIMABLE_CHAR_AFTER_CLOSING_QUOTE:
    "something follows the closing quote, where a sign between cells is expected",
}

function explainBroken(cause: unknown, { line }: { readonly line: number }): unknown {
  if (!(cause instanceof CsvError)) return cause
  const column = typeof cause.column === "number" ? `, column ${cause.column + 1}` : ""
  return new CsvBroken(`line ${line}${column}: ${WHY[cause.code] ?? cause.message}.`)
}

/** The rows of bytes, why reading ended before their end, and whether it ended inside a quoted cell. */
function readRows(bytes: Uint8Array, delimiter: string) {
  const rows: CsvRow[] = []
  const place = { line: 1 }
  try {
    parse(
      Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength),
      optionsFor(delimiter, place, row => rows.push(row)),
    )
    return { rows, broken: null as unknown, isOpen: false }
  } catch (cause) {
    const isOpen = cause instanceof CsvError && cause.code === "CSV_QUOTE_NOT_CLOSED"
    return { rows, broken: explainBroken(cause, place), isOpen }
  }
}

/** How the cells of a table are separated, and the line on which its names begin; after every line where there are none. */
interface Form {
  readonly delimiter: string
  readonly namesLine: number
}

// The sign that makes the most cells of the row of names; null where the start of a table may end within that row.
function recognise(start: Uint8Array, isWhole: boolean): Form | null {
  const text = Buffer.from(start.subarray(0, MOST_ROW_BYTES)).toString("latin1")
  const [separatorLine, above = "", named] = SEPARATOR_LINE.exec(text) ?? []
  const after = separatorLine === undefined ? 0 : countEnds(above) + 1
  let best: (Form & { readonly cells: number }) | null = null
  let failure: unknown = null
  for (const delimiter of named === undefined ? DELIMITERS : [named]) {
    const { rows, broken, isOpen } = readRows(start, delimiter)
    const at = rows.findIndex(({ line, cells }) => line > after && !cells.every(isBlank))
    const names = rows[at]
    failure ??= names === undefined ? broken : null
    // Only a row behind it shows that the row of names is complete; a sign with which it cannot be read decides nothing.
    const isComplete = names === undefined ? broken !== null && !isOpen : at < rows.length - 1 || broken !== null
    if (!isWhole && !isComplete) return null
    if (names === undefined) continue
    if (names.cells.length > (best?.cells ?? -1)) best = { delimiter, namesLine: names.line, cells: names.cells.length }
  }
  // A row of one cell may be one of several with another sign, if its quote were closed.
  if (isWhole && failure !== null && (best?.cells ?? 0) <= 1) throw failure
  if (best !== null || !isWhole) return best
  return { delimiter: named ?? ",", namesLine: Number.POSITIVE_INFINITY }
}

/** Lists the rows of a table with content, the names of the columns first; or throws {@link CsvBroken}. */
export function readTable(bytes: Uint8Array): readonly CsvRow[] {
  const text = decodeMarked(bytes)
  const { delimiter, namesLine } = recognise(text, true) as Form
  const { rows, broken } = readRows(text, delimiter)
  if (broken !== null) throw broken
  return rows.filter(({ line, cells }) => line >= namesLine && cells.length > 0)
}

/**
 * Reads the rows of a table as its bytes arrive, the names of the columns first, then every row, also those without content: as many at a time as a chunk has. Throws
 * {@link CsvBroken} where the file stops being CSV, and a RangeError for an encoding that does not exist.
 */
export async function* streamTable(
  input: AsyncIterable<Uint8Array>,
  encoding?: string,
): AsyncGenerator<readonly CsvRow[]> {
  const chunks = decode(input, encoding)[Symbol.asyncIterator]()
  let start: Uint8Array = new Uint8Array()
  let form: Form | null = null
  let isEnd = false
  while (form === null) {
    const next = await chunks.next()
    isEnd = next.done === true
    if (!isEnd) start = Buffer.concat([start, next.value])
    form = recognise(start, isEnd || start.length > MOST_ROW_BYTES)
  }
  const { delimiter, namesLine } = form
  let rows: CsvRow[] = []
  const place = { line: 1 }
  const add = (row: CsvRow) => row.line >= namesLine && rows.push(row)
  const parser = openParser(optionsFor(delimiter, place, add))
  // Each write reports its own failure.
  parser.on("error", () => {})
  const write = (bytes: Uint8Array) =>
    new Promise<void>((resolve, reject) => {
      const done = (cause?: Error | null) => (cause ? reject(explainBroken(cause, place)) : resolve())
      if (bytes.length > 0) parser.write(bytes, done)
      else parser.once("error", done).end(done)
    })
  const takeRows = (): readonly CsvRow[] => {
    const taken = rows
    rows = []
    return taken
  }
  try {
    if (start.length > 0) await write(start)
    if (rows.length > 0) yield takeRows()
    while (!isEnd) {
      const next = await chunks.next()
      isEnd = next.done === true
      if (isEnd) break
      if (next.value.length > 0) await write(next.value)
      if (rows.length > 0) yield takeRows()
    }
    await write(new Uint8Array())
    if (rows.length > 0) yield takeRows()
  } finally {
    parser.destroy()
    await chunks.return?.(undefined)
  }
}
