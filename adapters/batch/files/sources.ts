/**
 * Where do the lines of a batch come from?
 *
 * A stream of bytes (a file or a pipe) of NDJSON or CSV, or a Parquet file. All three come as blocks of lines for the threads: a
 * row of Parquet becomes a line of JSON, numbered from 1. Parquet is read a row group at a time, because its columns are stored
 * separately; it needs a file, because its directory is at the end.
 */
import { createReadStream, statSync } from "node:fs"
import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from "node:zlib"
import type { Compressors } from "hyparquet"
import { asyncBufferFromFile, parquetMetadataAsync, parquetReadObjects } from "hyparquet"
import { type CsvRow, openTable } from "../../files/csv.ts"
import { type Cutting, cutBlocks, type Piece, USUAL_CUTTING } from "../lines/blocks.ts"
import type { LineFormat } from "../lines/judge-lines.ts"
import { makeRowReader } from "../lines/request-row.ts"

/** How a batch can be written. */
export const FILE_FORMATS = ["ndjson", "csv", "parquet"] as const
export type FileFormat = (typeof FILE_FORMATS)[number]

export interface Source {
  readonly lines: LineFormat
  readonly pieces: AsyncIterable<Piece>
  /** How much there is, in the units of {@link Source.done}; null where it is unknown. */
  readonly total: number | null
  /** How much was read so far. */
  readonly done: () => number
}

/** The source cannot be read in its format. */
export class SourceError extends Error {}

/** A format by the end of a file's name; null for any other. */
export function guessFormat(path: string): FileFormat | null {
  if (/\.(ndjson|jsonl|json)$/i.test(path)) return "ndjson"
  return /\.csv$/i.test(path) ? "csv" : /\.parquet$/i.test(path) ? "parquet" : null
}

export interface Reading {
  /** Lines up to this one are skipped. */
  readonly afterLine: number
  /** Whether lines are passed on as soon as they arrive, instead of in blocks. */
  readonly isFlushed: boolean
}

/** Opens a file, or the standard input where the path is `-`. */
export async function openSource(path: string, format: FileFormat, { afterLine, isFlushed }: Reading): Promise<Source> {
  if (format === "parquet") return openParquet(path, afterLine)
  const usual: Cutting = { ...USUAL_CUTTING, ...(isFlushed ? { blockBytes: 1 } : {}), afterLine }
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
    return { ...progress, lines: { kind: "json" }, pieces: cutBlocks(counted, usual) }
  }
  return { ...progress, ...(await openCsv(counted, usual)) }
}

async function* countBytes(stream: AsyncIterable<Uint8Array>, count: (bytes: number) => void) {
  for await (const chunk of stream) {
    count(chunk.length)
    yield chunk
  }
}

// The first row with content names the columns.
async function openCsv(bytes: AsyncIterable<Uint8Array>, usual: Cutting): Promise<Pick<Source, "lines" | "pieces">> {
  const input = bytes[Symbol.asyncIterator]()
  let start = Buffer.alloc(0)
  for (;;) {
    const { value, done } = start.length > USUAL_CUTTING.mostLineBytes ? END : await input.next()
    if (!done) start = Buffer.concat([start, value])
    const { delimiter, rows } = openTable(start)
    const head = rows.next()
    // Only a row behind it shows that the row of names is complete.
    if (!done && (head.done || rows.next().done)) continue
    const columns = readNames(head.done ? null : head.value)
    const rest = (async function* () {
      yield start
      for (let next = await input.next(); !next.done; next = await input.next()) yield next.value
    })()
    const afterLine = Math.max(usual.afterLine, head.done ? 0 : head.value.line)
    return { lines: { kind: "csv", delimiter, columns }, pieces: cutBlocks(rest, { ...usual, delimiter, afterLine }) }
  }
}

const END = { value: undefined, done: true } as const

function readNames(head: CsvRow | null): readonly string[] {
  if (head !== null && head.error !== null) throw new SourceError(`the row of names cannot be read: ${head.error}`)
  const columns = (head?.cells ?? []).map(name => name.trim())
  if (columns.length === 0 || columns.includes("")) throw new SourceError("the first row has to name every column.")
  const seen = new Set<string>()
  const twin = columns.find(name => seen.size === seen.add(name).size)
  if (twin !== undefined) throw new SourceError(`the column ${twin} is given twice.`)
  return columns
}

const DECOMPRESSORS: Compressors = {
  GZIP: bytes => gunzipSync(bytes),
  BROTLI: bytes => brotliDecompressSync(bytes),
  ZSTD: bytes => zstdDecompressSync(bytes),
}

async function openParquet(path: string, afterLine: number): Promise<Source> {
  if (path === "-") throw new SourceError("Parquet is read from a file, because its directory is at the end.")
  const file = await asyncBufferFromFile(path)
  const metadata = await parquetMetadataAsync(file).catch((cause: Error) => {
    throw new SourceError(`is not Parquet: ${cause.message}.`)
  })
  let done = afterLine
  const read = async (rowStart: number, rowEnd: number): Promise<readonly Record<string, unknown>[]> =>
    parquetReadObjects({ file, metadata, rowStart, rowEnd, compressors: DECOMPRESSORS }).catch((cause: Error) => {
      throw new SourceError(`cannot be read: ${cause.message}.`)
    })
  const pieces = (async function* (): AsyncGenerator<Piece> {
    let groupStart = 0
    for (const { num_rows } of metadata.row_groups) {
      const groupEnd = groupStart + Number(num_rows)
      const rows = groupEnd > afterLine ? await read(Math.max(groupStart, afterLine), groupEnd) : []
      const first = Math.max(groupStart, afterLine) + 1
      for (let at = 0; at < rows.length; at += ROWS_A_BLOCK) {
        const block = rows.slice(at, at + ROWS_A_BLOCK)
        yield { kind: "lines", bytes: writeLines(block), firstLine: first + at }
        done += block.length
      }
      groupStart = groupEnd
    }
  })()
  return { lines: { kind: "json" }, pieces, total: Number(metadata.num_rows), done: () => done }
}

/** About as many as lines of JSON in a block. */
const ROWS_A_BLOCK = 1_000

function writeLines(rows: readonly Record<string, unknown>[]): Uint8Array<ArrayBuffer> {
  const columns = Object.keys(rows[0] ?? {})
  const toRequest = makeRowReader(columns)
  const lines = rows.map(row => `${JSON.stringify(toRequest(columns.map(name => row[name])))}\n`)
  return new TextEncoder().encode(lines.join(""))
}
