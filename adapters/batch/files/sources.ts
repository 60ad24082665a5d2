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
import { type Cutting, cutBlocks, listRows, type Piece, USUAL_CUTTING } from "../lines/blocks.ts"
import { parseRows } from "../lines/csv-rows.ts"
import type { LineFormat } from "../lines/judge-lines.ts"
import { type RequestRow, toRequest } from "../lines/request-row.ts"

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

/** The signs that may separate cells; the first of them in the line of names is used. */
const DELIMITERS = [",", ";", "\t"] as const

// The first row names the columns, and shows which sign separates them.
async function openCsv(bytes: AsyncIterable<Uint8Array>, usual: Cutting): Promise<Pick<Source, "lines" | "pieces">> {
  const input = bytes[Symbol.asyncIterator]()
  const start: Uint8Array[] = []
  while (!start.some(chunk => chunk.includes(10))) {
    const { value, done } = await input.next()
    if (done) break
    start.push(value)
    if (Buffer.concat(start).length > USUAL_CUTTING.mostLineBytes) break
  }
  const text = Buffer.concat(start)
  const head = text.subarray(0, text.indexOf(10) + 1 || text.length).toString("utf8")
  const delimiter = DELIMITERS.find(sign => head.includes(sign)) ?? ","
  const [row] = [...listRows(text, 1, delimiter.charCodeAt(0))]
  const [names] = row === undefined ? [] : [...parseRows(row.bytes, 1, delimiter)]
  const columns = (names?.cells ?? []).map(name => name.replace(/^\uFEFF/, ""))
  const twin = columns.find((name, at) => columns.indexOf(name) !== at)
  if (columns.length === 0 || columns.includes("")) throw new SourceError("the first row has to name every column.")
  if (twin !== undefined) throw new SourceError(`the column ${twin} is given twice.`)
  const headLines = row?.bytes.filter(byte => byte === 10).length ?? 1
  const rest = (async function* () {
    yield text
    for (;;) {
      const { value, done } = await input.next()
      if (done) return
      yield value
    }
  })()
  const afterLine = Math.max(usual.afterLine, headLines)
  const cutting = { ...usual, delimiter: delimiter.charCodeAt(0), afterLine }
  return { lines: { kind: "csv", delimiter, columns }, pieces: cutBlocks(rest, cutting) }
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
  const read = async (rowStart: number, rowEnd: number): Promise<readonly RequestRow[]> =>
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

function writeLines(rows: readonly RequestRow[]): Uint8Array<ArrayBuffer> {
  return new TextEncoder().encode(rows.map(row => `${JSON.stringify(toRequest(row))}\n`).join(""))
}
