/**
 * Where do the lines of a batch come from?
 *
 * A stream of bytes (a file or a pipe) of NDJSON or CSV, or a Parquet file. All three come as blocks of lines for the threads: a
 * row of a table becomes a line of JSON, numbered from 1. Parquet is read a row group at a time, because its columns are stored
 * separately; it needs a file, because its directory is at the end.
 */
import { createReadStream, statSync } from "node:fs"
import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from "node:zlib"
import type { Compressors } from "hyparquet"
import { asyncBufferFromFile, parquetMetadataAsync, parquetReadObjects, parquetSchema } from "hyparquet"
import { CsvBroken, type CsvRow, NAME_ENCODING, streamTable } from "../../files/csv.ts"
import { describeIssues } from "../../validation/fields.ts"
import { type Cutting, cutBlocks, type Piece, USUAL_CUTTING } from "../lines/blocks.ts"
import type { LineFormat, RowLine } from "../lines/judge-lines.ts"
import {
  type Columns,
  type DateForm,
  judgeColumns,
  namesCountries,
  type ReadCountryCell,
  readRow,
} from "../lines/request-row.ts"

/** How a batch can be written. */
export const FILE_FORMATS = ["ndjson", "csv", "parquet"] as const
export type FileFormat = (typeof FILE_FORMATS)[number]

export interface Source {
  readonly lines: LineFormat
  /** Reads the lines after one of them, once; 0 for all. */
  readonly read: (afterLine: number) => AsyncIterable<Piece>
  /** The names of a table's columns whose cells are repeated; none where the lines are requests. */
  readonly given: readonly string[]
  /** How much there is, in the units of {@link Source.done}; null where it is unknown. */
  readonly total: number | null
  /** How much was read so far. */
  readonly done: () => number
}

/** The source cannot be read in its format. */
export class SourceError extends Error {}

/** The formats by the endings of files' names. */
const ENDINGS: Readonly<Record<string, FileFormat>> = {
  ndjson: "ndjson",
  jsonl: "ndjson",
  json: "ndjson",
  csv: "csv",
  tsv: "csv",
  parquet: "parquet",
}

/** A format by the ending of a file's name: NDJSON without an ending, and null for one that says nothing. */
export function guessFormat(path: string): FileFormat | null {
  const [, ending] = /\.([^./\\]+)$/.exec(path) ?? []
  return ending === undefined ? "ndjson" : (ENDINGS[ending.toLowerCase()] ?? null)
}

/** The endings that say which format a file has, for a message. */
export const listEndings = (): string =>
  Object.keys(ENDINGS)
    .map(ending => `.${ending}`)
    .join(", ")

export interface Reading {
  /** Whether lines of JSON are passed on as soon as they arrive, instead of in blocks. */
  readonly isFlushed: boolean
  /** Whether unknown columns of a table are refused. */
  readonly isStrict: boolean
  /** The order of day, month and year in dates of tables that are not ISO 8601's. */
  readonly dates: DateForm | undefined
  /** The encoding of CSV; UTF-8, or what the file's mark says, where it is not named. */
  readonly encoding: string | undefined
  /** Whether a code is one of the dataset's. */
  readonly isKnown: (code: string) => boolean
  /** Loads the reader of countries' names in tables. */
  readonly openCountries: () => Promise<ReadCountryCell>
}

/** Opens a file, or the standard input where the path is `-`. Throws {@link HeaderRefused} where the names of a table's columns are wrong. */
export async function openSource(path: string, format: FileFormat, reading: Reading): Promise<Source> {
  if (format === "parquet") return openParquet(path, reading)
  const { isFlushed, encoding } = reading
  const isFile = path !== "-"
  let done = 0
  const stream: AsyncIterable<Uint8Array> = isFile
    ? createReadStream(path, { highWaterMark: USUAL_CUTTING.blockBytes })
    : process.stdin
  const counted = countBytes(stream, bytes => {
    done += bytes
  })
  const progress = { total: isFile ? statSync(path).size : null, done: () => done }
  if (format === "ndjson") {
    const cutting: Cutting = { ...USUAL_CUTTING, ...(isFlushed ? { blockBytes: 1 } : {}) }
    const read = (afterLine: number) => cutBlocks(counted, { ...cutting, afterLine })
    return { ...progress, lines: { kind: "json" }, given: [], read }
  }
  return { ...progress, ...(await openCsv(streamTable(counted, encoding), reading)) }
}

async function* countBytes(stream: AsyncIterable<Uint8Array>, count: (bytes: number) => void) {
  for await (const chunk of stream) {
    count(chunk.length)
    yield chunk
  }
}

type Opened = Pick<Source, "lines" | "given" | "read">

// The first row with content names the columns.
async function openCsv(table: AsyncGenerator<readonly CsvRow[]>, reading: Reading): Promise<Opened> {
  const start = await table.next().catch(refuseBroken)
  const [head, ...rows] = start.done ? [] : start.value
  if (head !== undefined && head.error !== null)
    throw new SourceError(`line ${head.line}: ${head.error}${NAME_ENCODING}`)
  const columns = judgeColumns(head?.cells ?? [], `line ${head?.line ?? 1}`, reading.isStrict)
  const write = makeRowWriter(columns, reading)
  const read = async function* (afterLine: number): AsyncGenerator<Piece> {
    let last = 0
    let waiting: readonly CsvRow[] = rows
    try {
      for (let isEnd = false; !isEnd; ) {
        const next = await table.next().catch(refuseBroken)
        isEnd = next.done === true
        if (!next.done) waiting = waiting.length === 0 ? next.value : [...waiting, ...next.value]
        if (!isEnd && waiting.length < ROWS_A_BLOCK) continue
        const first = last + 1
        last += waiting.length
        const kept = waiting.slice(Math.max(0, afterLine - first + 1))
        waiting = []
        if (kept.length > 0) yield { kind: "lines", bytes: await write(kept), firstLine: last - kept.length + 1 }
      }
    } finally {
      await table.return(undefined)
    }
  }
  const { given } = columns
  return { lines: { kind: "rows", given }, given, read }
}

function refuseBroken(cause: unknown): never {
  if (cause instanceof CsvBroken) throw new SourceError(cause.message)
  throw cause
}

/** A row of a table before it is read: cells in the order of the columns; no line where the file has none. */
interface Row {
  readonly cells: readonly unknown[]
  readonly line?: number | null
  readonly error?: string | null
}

/** Writes rows as lines of JSON ({@link RowLine}) for the threads; names of countries are loaded for the first row that has one. */
function makeRowWriter(columns: Columns, { dates, isKnown, openCountries }: Reading) {
  const count = columns.columns.findLastIndex(({ kind }) => kind !== "unnamed") + 1
  let readCountry: ReadCountryCell | undefined
  const toLine = ({ cells, line = null, error = null }: Row): string => {
    if (error === null && cells.length === 0) return ""
    const none = columns.given.map(() => "")
    const rest = cells.slice(count).every(cell => cell === "")
    const problem =
      error !== null ? error + NAME_ENCODING : cells.length < count || !rest ? sayCount(cells.length, count) : null
    if (problem !== null) return JSON.stringify([null, none, line, problem] satisfies RowLine)
    const { request, given, mistakes } = readRow(columns, cells, { dates, isKnown, readCountry })
    if (mistakes.length === 0) return JSON.stringify([request, given, line] satisfies RowLine)
    return JSON.stringify([request, given, line, describeIssues(mistakes, true), mistakes] satisfies RowLine)
  }
  return async (rows: readonly Row[]): Promise<Uint8Array<ArrayBuffer>> => {
    if (readCountry === undefined && rows.some(({ cells }) => namesCountries(columns, cells, isKnown)))
      readCountry = await openCountries()
    return new TextEncoder().encode(rows.map(row => `${toLine(row)}\n`).join(""))
  }
}

const sayCount = (found: number, expected: number): string =>
  `The row has ${found === 1 ? "1 cell" : `${found} cells`}, ${expected} are expected.`

const DECOMPRESSORS: Compressors = {
  GZIP: bytes => gunzipSync(bytes),
  BROTLI: bytes => brotliDecompressSync(bytes),
  ZSTD: bytes => zstdDecompressSync(bytes),
}

async function openParquet(path: string, reading: Reading): Promise<Source> {
  if (path === "-") throw new SourceError("Parquet is read from a file, because its directory is at the end.")
  const file = await asyncBufferFromFile(path)
  const metadata = await parquetMetadataAsync(file).catch((cause: Error) => {
    throw new SourceError(`This is not Parquet: ${cause.message}.`)
  })
  const names = parquetSchema(metadata).children.map(({ element }) => element.name)
  const columns = judgeColumns(names, "the schema", reading.isStrict)
  const write = makeRowWriter(columns, reading)
  let done = 0
  const readRows = async (rowStart: number, rowEnd: number): Promise<readonly Record<string, unknown>[]> =>
    parquetReadObjects({ file, metadata, rowStart, rowEnd, compressors: DECOMPRESSORS }).catch((cause: Error) => {
      throw new SourceError(`This Parquet cannot be read: ${cause.message}.`)
    })
  const read = async function* (afterLine: number): AsyncGenerator<Piece> {
    let groupStart = 0
    done = afterLine
    for (const { num_rows } of metadata.row_groups) {
      const groupEnd = groupStart + Number(num_rows)
      const rows = groupEnd > afterLine ? await readRows(Math.max(groupStart, afterLine), groupEnd) : []
      const first = Math.max(groupStart, afterLine) + 1
      for (let at = 0; at < rows.length; at += ROWS_A_BLOCK) {
        const block = rows.slice(at, at + ROWS_A_BLOCK)
        const cells = block.map(row => ({ cells: names.map(name => row[name]) }))
        yield { kind: "lines", bytes: await write(cells), firstLine: first + at }
        done += block.length
      }
      groupStart = groupEnd
    }
  }
  const { given } = columns
  return { lines: { kind: "rows", given }, given, read, total: Number(metadata.num_rows), done: () => done }
}

/** About as many as lines of JSON in a block. */
const ROWS_A_BLOCK = 1_000
