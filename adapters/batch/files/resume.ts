/**
 * Where does the complete output of a batch that was cut off end?
 *
 * A process that is killed leaves whole lines and perhaps the beginning of one. The whole ones stay; the rest is cut off. The
 * batch starts again with the line that the last whole one answers: if it now gets another answer, the input, the dataset or the
 * fields have changed, and the batch is not continued. Earlier failures are counted, so that the batch ends as it would have.
 */
import { createReadStream, existsSync, statSync } from "node:fs"
import { CsvBroken, streamTable } from "../../files/csv.ts"
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
interface Continued {
  readonly format: FileFormat
  readonly columns: readonly string[]
  /** Whether decisions are written, whole or compact. */
  readonly isWhole: boolean
}

/** Reads how far an output file has come, or says why it cannot be continued. */
export async function readProgress(path: string, { format, columns, isWhole }: Continued): Promise<Progress | Refused> {
  if (format === "parquet") {
    return { problem: "a Parquet file is finished at its end and cannot be continued; leave --resume out." }
  }
  if (!existsSync(path)) return NO_PROGRESS
  let [bytes, end, afterLine, lines, failed] = [0, 0, 0, 0, 0]
  let last: Answered | null = null
  for await (const answer of format === "csv" ? listRows(path, columns) : listObjects(path, isWhole)) {
    if ("problem" in answer) return answer
    if (last !== null) {
      afterLine = last.line
      lines++
      if (last.hasFailed) failed++
    }
    bytes = end
    end = answer.end
    last = answer.line === 0 ? null : answer
  }
  if (last === null) return { ...NO_PROGRESS, bytes: end }
  return { bytes, last: await readPart(path, bytes, end), afterLine, lines, failed }
}

const readPart = async (path: string, start: number, end: number): Promise<Uint8Array> =>
  Buffer.concat(await createReadStream(path, { start, end: end - 1 }).toArray())

/** Longer than any line of answers: a decision of twelve stops is some tens of kilobytes. */
const CUTTING = { ...USUAL_CUTTING, mostLineBytes: 16 * 1024 * 1024 }
const LINE_BREAK = 10
/** More than the longest beginning of an answer, with its id. */
const BEGINNING = 2_048
const ANSWER = /^\{"line":(\d+),(?:"id":(?:"(?:[^"\\]|\\.)*"|-?[\d.eE+-]+),)?"(\w+)":/

/** Why the output cannot be continued. */
interface Refused {
  readonly problem: string
}

/** A whole answer: the byte behind it, its line (0 for the names of the columns), and whether it failed. */
interface Answered {
  readonly end: number
  readonly line: number
  readonly hasFailed: boolean
}

async function* listObjects(path: string, isWhole: boolean): AsyncGenerator<Answered | Refused> {
  let [lines, end] = [0, 0]
  for await (const piece of cutBlocks(createReadStream(path), CUTTING)) {
    if (piece.kind === "too_long")
      return yield { problem: `it has a line that no batch has written (line ${piece.line}).` }
    for (let from = 0; from < piece.bytes.length; ) {
      const next = piece.bytes.indexOf(LINE_BREAK, from) + 1
      if (next === 0) break
      const beginning = piece.bytes.subarray(from, Math.min(next, from + BEGINNING))
      const [, line, first] = ANSWER.exec(Buffer.from(beginning).toString("utf8")) ?? []
      lines++
      if (line === undefined) return yield { problem: `line ${lines} of it is not an answer of a batch.` }
      if (first !== "error" && (first === "data") !== isWhole) {
        return yield { problem: "it was written with other fields; give the same --fields or --summary." }
      }
      end += next - from
      yield { end, line: Number(line), hasFailed: first === "error" }
      from = next
    }
  }
}

async function* listRows(path: string, columns: readonly string[]): AsyncGenerator<Answered | Refused> {
  const { size } = statSync(path)
  const isLastWhole = size === 0 || (await readPart(path, size - 1, size))[0] === LINE_BREAK
  let isHead = true
  try {
    for await (const rows of streamTable(createReadStream(path))) {
      for (const { cells, end, line: place } of rows) {
        if (end === size && !isLastWhole) return
        const line = isHead ? 0 : Number(cells[0])
        if (isHead && cells.join() !== columns.join()) {
          return yield { problem: "it has other columns; give the same --fields or --summary." }
        }
        if (!isHead && !(Number.isSafeInteger(line) && line > 0)) {
          return yield { problem: `row ${place} of it is not an answer of a batch.` }
        }
        yield { end, line, hasFailed: !isHead && cells.at(-1) !== "" }
        isHead = false
      }
    }
  } catch (cause) {
    // The last row was cut off inside a quoted cell.
    if (!(cause instanceof CsvBroken)) throw cause
  }
}
