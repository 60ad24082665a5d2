/**
 * What does a block of lines come to?
 *
 * The work of one thread: bytes of whole lines in, bytes of as many answers out (or columns, for tables), with the counts of how they ended. Nothing of a block is kept.
 * A line is answered whatever is wrong with it: bytes that are no text, text that is no JSON, a request that is refused.
 */
import { isUtf8 } from "node:buffer"
import type { Dataset } from "../../src/index.ts"
import { parseRows, toText } from "./csv-rows.ts"
import { type LineJudge, makeLineJudge, refuse } from "./judge-line.ts"
import {
  type AnswerShape,
  type Cell,
  type LineAnswer,
  listCells,
  listColumns,
  writeLine,
  writeRow,
} from "./line-answer.ts"
import { toRequest } from "./request-row.ts"
import { countDecision, countFailure, startTally, type Tally } from "./tally.ts"
import { makeTextBuffer } from "./text-buffer.ts"

/** How the lines of a block are written. */
export type LineFormat =
  | { readonly kind: "json" }
  | { readonly kind: "csv"; readonly delimiter: string; readonly columns: readonly string[] }

/** How their answers are written: as JSON or CSV, or column by column for who puts them into row groups. */
export type AnswerFormat = "json" | "csv" | "columns"

/** What holds for all blocks of a batch. */
export interface Judging {
  readonly lines: LineFormat
  readonly shape: AnswerShape
  readonly answers: AnswerFormat
}

/** A block's answers. */
export interface JudgedBlock {
  /** Text in UTF-8; empty where the answers are columns. */
  readonly bytes: Uint8Array<ArrayBuffer>
  /** One list a column; none where the answers are text. */
  readonly columns: readonly (readonly Cell[])[]
  readonly tally: Tally
}

/** Makes what judges blocks, on any thread. */
export function makeJudge(dataset: Dataset, { lines, shape, answers }: Judging) {
  const columns = answers === "json" ? [] : listColumns(shape)
  const text = makeTextBuffer()
  const judge = makeLineJudge(dataset, shape)
  const write = (list: Iterable<LineAnswer>): JudgedBlock => {
    const tally = startTally()
    const cells: Cell[][] = answers === "columns" ? columns.map(() => []) : []
    for (const answer of list) {
      if (answer.outcome.ok) countDecision(tally, answer.outcome.decision)
      else countFailure(tally)
      if (answers === "json") text.addLine(writeLine(dataset, shape, answer))
      else {
        const row = listCells(dataset, shape, columns, answer)
        if (answers === "csv") text.addLine(writeRow(row))
        else for (let at = 0; at < row.length; at++) cells[at]?.push(row[at] as Cell)
      }
    }
    return { bytes: text.take(), columns: cells, tally }
  }
  return {
    /** Judges the lines of a block, the first of which has a number. */
    judgeBlock: (bytes: Uint8Array, firstLine: number): JudgedBlock => {
      if (lines.kind === "csv") return write(judgeRows(judge, bytes, firstLine, lines))
      return write(judgeLines(judge, bytes, firstLine))
    },
    /** Answers a line that was not looked at. */
    refuseLine: (line: number, error: string): JudgedBlock => write([refuse(line, error)]),
  }
}

/** Judges lines of JSON, the first of which has a number. */
export function judgeLines(judge: LineJudge, bytes: Uint8Array, firstLine: number): Iterable<LineAnswer> {
  return isUtf8(bytes) ? judgeText(judge, toText(bytes), firstLine) : judgeBytes(judge, bytes, firstLine)
}

function* judgeText(judge: LineJudge, text: string, firstLine: number): Generator<LineAnswer> {
  let line = firstLine
  for (let from = 0; from < text.length; line++) {
    const end = text.indexOf("\n", from)
    const to = end < 0 ? text.length : end
    const answer = judge.judgeText(text, from, to, line)
    if (answer !== null) yield answer
    from = to + 1
  }
}

const LINE_BREAK = 10

// Where any byte is no UTF-8, each line is looked at for itself.
function* judgeBytes(judge: LineJudge, bytes: Uint8Array, firstLine: number): Generator<LineAnswer> {
  let line = firstLine
  for (let from = 0; from < bytes.length; line++) {
    const end = bytes.indexOf(LINE_BREAK, from)
    const to = end < 0 ? bytes.length : end
    const own = bytes.subarray(from, to)
    if (isUtf8(own)) yield* judgeText(judge, toText(own), line)
    else yield refuse(line, "The line is not UTF-8.")
    from = to + 1
  }
}

function* judgeRows(
  judge: LineJudge,
  bytes: Uint8Array,
  firstLine: number,
  { delimiter, columns }: LineFormat & { kind: "csv" },
): Generator<LineAnswer> {
  for (const { line, cells, error } of parseRows(bytes, firstLine, delimiter)) {
    if (error !== null) yield refuse(line, error)
    else if (cells.length !== columns.length)
      yield refuse(line, `The row has ${cells.length} cells, ${columns.length} are expected.`)
    else yield judge.judgeBody(toRequest(Object.fromEntries(columns.map((column, at) => [column, cells[at]]))), line)
  }
}
