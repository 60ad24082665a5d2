/**
 * Where does the complete output of a batch that was cut off end?
 *
 * A process that is killed leaves whole lines and perhaps the beginning of one. The whole ones stay; the rest is cut off. The
 * batch starts again with the line that the last whole one answers: if it now gets another answer, the input, the dataset or the
 * fields have changed, and the batch is not continued. Earlier failures are counted, so that the batch ends as it would have.
 */
import { createReadStream, existsSync } from "node:fs"
import { open } from "node:fs/promises"
import { CsvBroken, type CsvRow, streamTable } from "../../files/csv.ts"
import { cutBlocks, USUAL_CUTTING } from "../lines/blocks.ts"
import type { FileFormat } from "./sources.ts"

/** The contents of an output file. */
export interface Progress {
  /** The bytes of its whole lines, without the last of them. */
  readonly bytes: number
  /** The last whole line; no bytes where there is none. */
  readonly last: Uint8Array
  /** The line of the input that the last of the others answers; 0 where there is none. */
  readonly afterLine: number
  readonly lines: number
  readonly failed: number
}

/** No output was written yet. */
export const NO_PROGRESS: Progress = { bytes: 0, last: new Uint8Array(), afterLine: 0, lines: 0, failed: 0 }

/** The form of an output that can be continued. */
export interface Continued {
  readonly format: FileFormat
  readonly columns: readonly string[]
  /** Whether decisions are written, whole or compact. */
  readonly isWhole: boolean
}

/** Reads how far an output file has come, or says why it cannot be continued. */
export async function readProgress(
  path: string,
  continued: Continued,
): Promise<Progress | { readonly problem: string }> {
  if (continued.format === "parquet") {
    return { problem: "a Parquet file is finished at its end and cannot be continued; leave --resume out." }
  }
  if (!existsSync(path)) return NO_PROGRESS
  return continued.format === "csv" ? readTable(path, continued.columns) : readObjects(path, continued.isWhole)
}

/** Longer than any line of answers: a decision of twelve stops is some tens of kilobytes. */
const CUTTING = { ...USUAL_CUTTING, mostLineBytes: 16 * 1024 * 1024 }
const LINE_BREAK = 10
/** More than the longest beginning of an answer, with its id. */
const BEGINNING = 2_048
const ANSWER = /^\{"line":(\d+),(?:"id":(?:"(?:[^"\\]|\\.)*"|-?[\d.eE+-]+),)?"(\w+)":/

/** A whole answer: its line, and whether it failed. */
interface Answered {
  readonly length: number
  readonly read: () => Uint8Array | Promise<Uint8Array>
  readonly line: number
  readonly hasFailed: boolean
}

// Keeps the last answer apart from those before it.
function makeCount(headBytes: number) {
  let progress: Progress = { ...NO_PROGRESS, bytes: headBytes }
  let last: Answered | null = null
  const count = () => {
    if (last === null) return
    const { length, line, hasFailed } = last
    const { lines, failed } = progress
    progress = {
      ...progress,
      bytes: progress.bytes + length,
      afterLine: line,
      lines: lines + 1,
      failed: failed + (hasFailed ? 1 : 0),
    }
  }
  return {
    add: (answered: Answered) => {
      count()
      last = answered
    },
    get: async (): Promise<Progress> => ({ ...progress, last: (await last?.read()) ?? NO_PROGRESS.last }),
  }
}

async function readObjects(path: string, isWhole: boolean): Promise<Progress | { readonly problem: string }> {
  const answers = makeCount(0)
  let lines = 0
  for await (const piece of cutBlocks(createReadStream(path), CUTTING)) {
    if (piece.kind === "too_long") return { problem: `it has a line that no batch has written (line ${piece.line}).` }
    for (let from = 0; from < piece.bytes.length; ) {
      const end = piece.bytes.indexOf(LINE_BREAK, from)
      if (end < 0) break
      const bytes = piece.bytes.subarray(from, end + 1)
      const [, line, first] = ANSWER.exec(Buffer.from(bytes.subarray(0, BEGINNING)).toString("utf8")) ?? []
      lines++
      if (line === undefined) return { problem: `line ${lines} of it is not an answer of a batch.` }
      if (first !== "error" && (first === "data") !== isWhole) {
        return { problem: "it was written with other fields; give the same --fields or --summary." }
      }
      const { length } = bytes
      answers.add({ length, read: () => bytes.slice(), line: Number(line), hasFailed: first === "error" })
      from = end + 1
    }
  }
  return answers.get()
}

async function readTable(path: string, columns: readonly string[]): Promise<Progress | { readonly problem: string }> {
  const file = await open(path)
  try {
    const { size } = await file.stat()
    const read = async (from: number, to: number): Promise<Uint8Array> =>
      (await file.read(new Uint8Array(to - from), 0, to - from, from)).buffer
    let answers: ReturnType<typeof makeCount> | null = null
    let from = 0
    for await (const row of eachRow(streamTable(file.createReadStream({ autoClose: false, start: 0 })))) {
      if (row.end === size && (await read(size - 1, size))[0] !== LINE_BREAK) break
      const bytes = row.end - from
      if (answers === null) {
        if (row.cells.join() !== columns.join()) {
          return { problem: "it has other columns; give the same --fields or --summary." }
        }
        answers = makeCount(bytes)
      } else {
        const line = Number(row.cells[0])
        if (!Number.isSafeInteger(line) || line < 1)
          return { problem: `row ${row.line} of it is not an answer of a batch.` }
        const start = from
        answers.add({ length: bytes, read: () => read(start, start + bytes), line, hasFailed: row.cells.at(-1) !== "" })
      }
      from = row.end
    }
    return answers === null ? NO_PROGRESS : answers.get()
  } finally {
    await file.close()
  }
}

// The rows of the output up to one that was cut off inside a quoted cell.
async function* eachRow(table: AsyncGenerator<readonly CsvRow[]>): AsyncGenerator<CsvRow> {
  try {
    for await (const rows of table) yield* rows
  } catch (cause) {
    if (!(cause instanceof CsvBroken)) throw cause
  }
}
