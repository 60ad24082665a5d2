/**
 * What are the answers to a block of lines?
 *
 * The work of one thread: bytes of whole lines in, bytes of as many answers out (or columns, for tables), with the counts of how
 * they ended. Nothing of a block is kept. Every line is answered, even if its bytes are not text, its text is not JSON or its
 * request is refused.
 */
import { isUtf8 } from "node:buffer"
import type { Decision } from "../../../src/engine.ts"
import type { FullFacts } from "../../../src/full.ts"
import type { Dataset, InputIssue } from "../../../src/index.ts"
import { toSnakeCase } from "../../answers/wire-names.ts"
import { withPast } from "../../answers/with-past.ts"
import { workInPieces } from "../../time/work-in-pieces.ts"
import { countLine, startTally, type Tally } from "./batch-tally.ts"
import { isLineId, judgeBody, readJson } from "./judge-body.ts"
import {
  type AnswerShape,
  type Cell,
  type LineAnswer,
  listCells,
  listColumns,
  writeLine,
  writeRow,
} from "./line-answer.ts"

// What is the answer to one line?
// A line is a request of `POST /api/v1/visa/decision`, with an `id` that is repeated, and is read like by the endpoint.

interface LineJudge {
  /** Judges a line with a number; null where it is blank. */
  readonly judgeLine: (text: string, line: number) => LineAnswer | null
  readonly judgeBody: (body: unknown, line: number) => LineAnswer
}

/** Makes a judge of lines for answers of a shape; with facts that complete what has to be done, or without. */
export function makeLineJudge(given: Dataset, shape: AnswerShape, facts: FullFacts | null = null): LineJudge {
  const dataset = withPast(given)
  // Remedies appear only in blockers, and finding them takes longer than deciding; so does finding what is not used.
  const wants = (name: string) => (shape.kind === "fields" ? shape.names.includes(name) : shape.kind !== "summary")
  const options = { remedies: wants("blockers"), notUsed: wants(toSnakeCase("notUsed" satisfies keyof Decision)) }
  const shownFacts = shape.kind === "summary" ? null : facts
  const answerBody = (body: unknown, line: number): LineAnswer => ({
    line,
    ...judgeBody(dataset, body, shownFacts, options),
  })
  return {
    judgeLine: (text, line) => {
      if (text.trim() === "") return null
      const read = readJson(text)
      return read.ok ? answerBody(read.body, line) : refuse(line, read.error)
    },
    judgeBody: answerBody,
  }
}

/** Answers a line with its mistake. */
function refuse(line: number, error: string): LineAnswer {
  return { line, id: null, outcome: { ok: false, error, issues: [] } }
}

/** What the lines of a block are: requests, or rows of a table ({@link RowLine}) with the names of the cells that their answers repeat. */
export type LineFormat = { readonly kind: "json" } | { readonly kind: "rows"; readonly given: readonly string[] }

/** A row of a table as a line of JSON: its request, the cells that its answer repeats, its line in the file, and its mistakes if it has any; a blank line for a row without content. */
export type RowLine = readonly [
  request: Readonly<Record<string, unknown>> | null,
  given: readonly string[],
  line: number | null,
  error?: string,
  issues?: readonly InputIssue[],
]

/** How their answers are written: as JSON or CSV, or column by column for writers of row groups. */
export type AnswerFormat = "json" | "csv" | "columns"

/** The settings of all blocks of a batch. */
export interface Judging {
  readonly lines: LineFormat
  readonly shape: AnswerShape
  readonly answers: AnswerFormat
  /** Where the lines are a partition of a larger batch: whether they are numbered. Each then has an answer, blank ones too. */
  readonly partition?: { readonly isNumbered: boolean } | undefined
}

export interface JudgedBlock {
  /** Text in UTF-8; empty where the answers are columns. */
  readonly bytes: Uint8Array<ArrayBuffer>
  /** One list a column; none where the answers are text. */
  readonly columns: readonly (readonly Cell[])[]
  readonly tally: Tally
}

const encoder = new TextEncoder()
/** A UTF-16 code unit is at most three bytes of UTF-8. */
const MOST_BYTES_A_UNIT = 3

/** Collects texts as UTF-8 in memory that is kept from block to block: a text of all answers would be in memory twice. */
class AnswerBytes {
  #buffer = new Uint8Array(1024 * 1024)
  #used = 0

  add(text: string): void {
    const least = this.#used + text.length * MOST_BYTES_A_UNIT
    if (least > this.#buffer.length) {
      const wider = new Uint8Array(Math.max(least, this.#buffer.length * 2))
      wider.set(this.#buffer.subarray(0, this.#used))
      this.#buffer = wider
    }
    this.#used += encoder.encodeInto(text, this.#buffer.subarray(this.#used)).written
  }

  /** Returns what was added since the last call, in memory of its own size, so that it can be transferred to another thread. */
  take(): Uint8Array<ArrayBuffer> {
    const bytes = this.#buffer.slice(0, this.#used)
    this.#used = 0
    return bytes
  }
}

/** Makes a judge of blocks, on any thread; with facts that complete what has to be done, or without. */
export function makeJudge(
  dataset: Dataset,
  { lines, shape, answers, partition }: Judging,
  facts: FullFacts | null = null,
) {
  const isNumbered = partition?.isNumbered ?? true
  const given = lines.kind === "rows" ? lines.given : []
  const columns = answers === "json" ? [] : listColumns(shape, { isNumbered, given })
  const judge = makeLineJudge(dataset, shape, facts)
  const refusesBlank = partition !== undefined
  const judgeText = lines.kind === "rows" ? makeRowJudge(judge) : judge.judgeLine
  let tally = startTally()
  let cells: Cell[][] = []
  const out = new AnswerBytes()
  const take = (answer: LineAnswer) => {
    countLine(tally, answer.outcome)
    if (answers === "json") return out.add(writeLine(dataset, shape, answer, { isNumbered, given }))
    const row = listCells(dataset, shape, { columns, given }, answer)
    if (answers === "csv") return out.add(`${writeRow(row)}\n`)
    for (let at = 0; at < row.length; at++) cells[at]?.push(row[at] as Cell)
  }
  const begin = () => {
    tally = startTally()
    cells = answers === "columns" ? columns.map(() => []) : []
  }
  const end = (): JudgedBlock => ({ bytes: out.take(), columns: cells, tally })
  /** Judges the lines of a block, the first of which has a number, in pieces of a line: one block at a time. */
  function* judgeInPieces(bytes: Uint8Array, firstLine: number): Generator<void, JudgedBlock, void> {
    begin()
    let line = firstLine
    for (const answer of answerLines({ judgeLine: judgeText }, bytes, firstLine)) {
      if (answer !== null) take(answer)
      else if (refusesBlank) take(refuse(line, "The line is empty."))
      line++
      yield
    }
    return end()
  }
  return {
    judgeInPieces,
    judgeBlock: (bytes: Uint8Array, firstLine: number): JudgedBlock =>
      workInPieces(judgeInPieces(bytes, firstLine), () => {}) as JudgedBlock,
    /** Answers lines that were not read. */
    refuseLines: (firstLine: number, error: string, count = 1): JudgedBlock => {
      begin()
      for (let at = 0; at < count; at++) take(refuse(firstLine + at, error))
      return end()
    },
  }
}

const LINE_BREAK = 10

/** Judges lines of JSON, the first of which has a number; the answer to a blank one is null. */
export function* answerLines(
  judge: Pick<LineJudge, "judgeLine">,
  bytes: Uint8Array,
  firstLine: number,
): Generator<LineAnswer | null, void, void> {
  const isText = isUtf8(bytes)
  let line = firstLine
  for (let from = 0; from < bytes.length; line++) {
    const next = bytes.indexOf(LINE_BREAK, from)
    const own = bytes.subarray(from, next < 0 ? bytes.length : next)
    from += own.length + 1
    // If the block is not valid UTF-8, each line is checked by itself.
    yield isText || isUtf8(own) ? judge.judgeLine(toText(own), line) : refuse(line, "The line is not UTF-8.")
  }
}

// A row was read already, and says where it was in its file.
function makeRowJudge(judge: LineJudge): LineJudge["judgeLine"] {
  return (text, line) => {
    if (text === "") return null
    const [request, given, place, error, issues = []] = JSON.parse(text) as RowLine
    const id = isLineId(request?.id) ? request.id : null
    const answer: LineAnswer =
      error === undefined ? judge.judgeBody(request, line) : { line, id, outcome: { ok: false, error, issues } }
    const { outcome } = answer
    if (outcome.ok || place === null) return { ...answer, given }
    return { ...answer, given, outcome: { ...outcome, error: `Line ${place}: ${outcome.error}` } }
  }
}

/** Bytes that are known to be UTF-8, as text. */
function toText(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("utf8")
}
