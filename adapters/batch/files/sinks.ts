/**
 * Where do the answers of a batch go?
 *
 * To a file or a pipe as text, block after block, each written before the next is taken; or to Parquet in row groups of ten
 * thousand. A new file has another name until it is whole. A file that may be continued has its own name, and keeps its whole lines.
 */
import { type FileHandle, open } from "node:fs/promises"
import type { Writable } from "node:stream"
import { ByteWriter, ParquetWriter, type SchemaElement } from "hyparquet-writer"
import { startReplacing } from "../../files/replace-file.ts"
import { startTally } from "../lines/batch-tally.ts"
import type { JudgedBlock } from "../lines/judge-lines.ts"
import type { Cell } from "../lines/line-answer.ts"

/** Takes answers, in order. */
export interface Sink {
  /** Takes a block's answers, whose bytes may be unusable afterwards; when it has ended, the next may be given. */
  readonly write: (block: JudgedBlock) => Promise<void>
  /** Writes the end of the output, which then has its name. */
  readonly finish: () => Promise<void>
  /** Closes the file, whatever has happened; what is not finished is removed, unless it may be continued. Whoever opens a sink closes it. */
  readonly close: () => Promise<void>
}

/** The reader of the pipe has closed it. */
export class PipeClosed extends Error {}

export function openPipe(stream: Writable): Sink {
  let failure: NodeJS.ErrnoException | null = null
  const note = (cause: NodeJS.ErrnoException) => {
    failure ??= cause
  }
  stream.on("error", note)
  // Each write is awaited, so that the last one cannot fail unnoticed.
  const writeBytes = async (bytes: Uint8Array) => {
    if (failure === null && bytes.length > 0 && !stream.destroyed) {
      await new Promise<void>(resolve => {
        stream.write(bytes, cause => {
          if (cause) note(cause)
          resolve()
        })
      })
    }
    const { code } = failure ?? {}
    if (failure !== null && code !== "EPIPE" && code !== "ERR_STREAM_DESTROYED") throw failure
    if (failure !== null || stream.destroyed) throw new PipeClosed()
  }
  return {
    write: ({ bytes }) => writeBytes(bytes),
    finish: async () => {},
    close: async () => {
      stream.removeListener("error", note)
    },
  }
}

/** Writes text to a file that replaces the one of this name when it is finished. */
export const openNewFile = (path: string): Promise<Sink> => replaceWith(path, part => openTextFile(part))

// A sink that writes to a temporary file, which gets its name when it is whole.
async function replaceWith(path: string, openPart: (part: string) => Promise<Sink>): Promise<Sink> {
  const { part, keep, discard } = startReplacing(path)
  try {
    const sink = await openPart(part)
    let isFinished = false
    return {
      write: sink.write,
      finish: async () => {
        await sink.finish()
        isFinished = true
        await sink.close()
        keep()
      },
      close: async () => {
        try {
          if (!isFinished) await sink.close()
        } finally {
          discard()
        }
      },
    }
  } catch (cause) {
    discard()
    throw cause
  }
}

/** The first answer of a continued run differs from the one in the file. */
export class OtherAnswer extends Error {}

/**
 * Writes text to a file, after the bytes of it that are kept. The first answer has to equal the one that follows those bytes;
 * until then the file stays as it is.
 */
export async function openTextFile(path: string, keptBytes = 0, first: Uint8Array = new Uint8Array()): Promise<Sink> {
  const isContinued = keptBytes + first.length > 0
  const file = await open(path, isContinued ? "r+" : "w")
  let at = keptBytes
  let isSame = !isContinued
  const compare = async (bytes: Uint8Array) => {
    if (Buffer.compare(bytes.subarray(0, first.length), first) !== 0) {
      throw new OtherAnswer(
        "its last line is not what this input, dataset, --fields and --summary give; they have to be those of the run that was cut off.",
      )
    }
    isSame = true
    await file.truncate(keptBytes + first.length)
  }
  return {
    write: async ({ bytes }) => {
      if (bytes.length === 0) return
      if (!isSame) await compare(bytes)
      await writeAll(file, bytes, at)
      at += bytes.length
      // Freed at once: memory outside the heap would otherwise wait for the next collection.
      bytes.buffer.transfer(0)
    },
    finish: async () => {
      if (!isSame) await compare(new Uint8Array())
    },
    close: () => file.close(),
  }
}

async function writeAll(file: FileHandle, bytes: Uint8Array, position: number): Promise<void> {
  for (let from = 0; from < bytes.length; ) {
    const { bytesWritten } = await file.write(bytes, from, bytes.length - from, position + from)
    from += bytesWritten
  }
}

/** No answers. */
export const EMPTY_BLOCK: JudgedBlock = { bytes: new Uint8Array(), columns: [], tally: startTally() }

/** The first row of a table of text. */
export const writeHead = (columns: readonly string[]): Uint8Array<ArrayBuffer> =>
  new TextEncoder().encode(`${columns.join()}\n`)

/** A row group is written when it has this many rows, or characters of text. */
const GROUP = { rows: 10_000, characters: 16_000_000 }

/** Writes columns as Parquet: some hold whole numbers, everything else is text. The file has its name when it is whole. */
export const openParquetFile = (
  path: string,
  columns: readonly string[],
  numbers: ReadonlySet<string>,
): Promise<Sink> => replaceWith(path, part => openParquetPart(part, columns, numbers))

async function openParquetPart(path: string, columns: readonly string[], numbers: ReadonlySet<string>): Promise<Sink> {
  const file = await open(path, "w")
  const schema: SchemaElement[] = columns.map(name => ({
    name,
    repetition_type: name === "line" ? "REQUIRED" : "OPTIONAL",
    ...(numbers.has(name) ? { type: "INT32" } : { type: "BYTE_ARRAY", converted_type: "UTF8" }),
  }))
  const parquet = new ParquetWriter({
    writer: new FileBytes(file),
    schema: [{ name: "root", num_children: columns.length }, ...schema],
    statisticsTruncateLength: 64,
  })
  let waiting: Cell[][] = columns.map(() => [])
  let characters = 0
  const writeGroup = async () => {
    const rows = waiting[0]?.length ?? 0
    if (rows === 0) return
    const columnData = columns.map((name, at) => ({ name, data: waiting[at] as Cell[] }))
    waiting = columns.map(() => [])
    characters = 0
    await parquet.write({ columnData, rowGroupSize: rows })
  }
  return {
    write: async block => {
      block.columns.forEach((cells, at) => {
        for (const cell of cells) {
          waiting[at]?.push(cell)
          if (typeof cell === "string") characters += cell.length
        }
      })
      if ((waiting[0]?.length ?? 0) >= GROUP.rows || characters >= GROUP.characters) await writeGroup()
    },
    finish: async () => {
      await writeGroup()
      await parquet.finish()
    },
    close: () => file.close(),
  }
}

/** The library's writer, emptied into a file after each row group. */
class FileBytes extends ByteWriter {
  readonly #file: FileHandle
  #written = 0

  constructor(file: FileHandle) {
    super()
    this.#file = file
  }

  async flush(): Promise<void> {
    const bytes = this.getBytes().slice()
    this.index = 0
    await writeAll(this.#file, bytes, this.#written)
    this.#written += bytes.length
  }

  override finish(): Promise<void> {
    return this.flush()
  }
}
