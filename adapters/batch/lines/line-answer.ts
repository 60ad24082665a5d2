/**
 * What does a batch answer to each line?
 *
 * The whole decision as `POST /api/v1/visa/decision` answers it, its compact form, only its verdict, or some of its fields, preceded by the line's number and
 * the id of the request. A line that could not be decided has its mistake instead. In JSON that is one object for each line; in tables
 * (CSV, Parquet) each field is a column, and values that are not text or numbers are written as JSON.
 */

import { DECISION_ANSWER, DECISION_COST, GROUP_ANSWER } from "../../../src/answers.ts"
import type { Dataset } from "../../../src/index.ts"
import { writeCompactFields } from "../../answers/compact-decision.ts"
import { describeDecision, writeDecisionFields } from "../../answers/write-decision.ts"
import { type AnswerBuffer, toPiece } from "./answer-buffer.ts"
import { OUTCOME_WORDS } from "./batch-tally.ts"
import { type Judgement, type LineOutcome, writeMistakes } from "./judge-body.ts"
import type { LineId } from "./line-id.ts"

/** How much of a decision is written. */
export type AnswerShape =
  | { readonly kind: "whole" }
  | { readonly kind: "compact" }
  | { readonly kind: "summary" }
  | { readonly kind: "fields"; readonly names: readonly string[] }

export interface LineAnswer {
  readonly line: number
  readonly id: LineId | null
  readonly outcome: LineOutcome
  /** The cells of the row that the answer repeats, where the line is a row of a table. */
  readonly given?: readonly string[]
}

/** What is written beside the answer of a line: its number, and the cells of its row under their names. */
interface Beside {
  readonly isNumbered?: boolean | undefined
  readonly given?: readonly string[]
}

/** A value in a table. */
export type Cell = string | number | null

// Texts that recur in answers, as bytes.
const START = toPiece('{"line":')
const ID = toPiece(',"id":')
const STARTS: Readonly<Record<Judgement["outcome"], Uint8Array>> = {
  blocked: toPiece(',"outcome":"blocked","verdict":"blocked","blockers":'),
  obtain: toPiece(',"outcome":"obtain","verdict":"no_blocker_found","blockers":'),
  unknown: toPiece(',"outcome":"unknown","verdict":"no_blocker_found","blockers":'),
  clear: toPiece(',"outcome":"clear","verdict":"no_blocker_found","blockers":'),
}
const CONDITIONS = toPiece(',"conditions":')
const UNKNOWNS = toPiece(',"unknowns":')
const COMMA = toPiece(",")
const OPEN_OBJECT = 123
const COMMA_BYTE = 44
const QUOTE_BYTE = 34
const OPEN_LIST = toPiece("[")
const CLOSE_LIST = toPiece("]")
const END = toPiece("}\n")
const codeBytes = new Map<string, Uint8Array>()

/** Writes an answer as one line of JSON, with the number of its line or without it. */
export function writeLine(
  out: AnswerBuffer,
  dataset: Dataset,
  shape: AnswerShape,
  answer: LineAnswer,
  { isNumbered = true, given = [] }: Beside = {},
): void {
  const { line, id, outcome } = answer
  const start = out.size
  if (isNumbered) {
    out.add(START)
    out.addNumber(line)
  }
  if (id !== null) {
    out.add(ID)
    out.addText(JSON.stringify(id))
  }
  if (!outcome.ok) {
    out.addText(`,${writeMistakes(outcome)}\n`)
  } else if (shape.kind === "summary") {
    const { decision } = outcome
    const { blockers, conditions, unknowns } = decision
    out.add(STARTS[decision.outcome])
    writeCodes(out, blockers)
    out.add(CONDITIONS)
    writeCodes(out, conditions)
    out.add(UNKNOWNS)
    out.addNumber(unknowns.length)
    out.add(END)
  } else if (shape.kind === "compact") {
    out.addText(`,${writeCompactFields(dataset, outcome.decision)}\n`)
  } else if (shape.kind === "whole") {
    out.addText(`,${writeDecisionFields(dataset, outcome.decision)}\n`)
  } else {
    const fields = JSON.stringify(pickFields(dataset, shape.names, outcome.decision)).slice(1)
    out.addText(`${fields === "}" && out.size > start ? "" : ","}${fields}\n`)
  }
  if (answer.given !== undefined) {
    const { given: cells } = answer
    const fields = given.map((name, at) => `${JSON.stringify(name)}:${JSON.stringify(cells[at])}`)
    out.replaceByte(out.size - 2, COMMA_BYTE)
    out.replaceByte(out.size - 1, QUOTE_BYTE)
    out.addText(`given":{${fields.join()}}}\n`)
  }
  // Without a number, the first field begins with the comma that would follow the number.
  if (!isNumbered) out.replaceByte(start, OPEN_OBJECT)
}

function writeCodes(out: AnswerBuffer, entries: readonly { readonly code: string }[]): void {
  out.add(OPEN_LIST)
  for (let at = 0; at < entries.length; at++) {
    const { code } = entries[at] as { readonly code: string }
    let bytes = codeBytes.get(code)
    if (bytes === undefined) {
      bytes = toPiece(JSON.stringify(code))
      codeBytes.set(code, bytes)
    }
    if (at > 0) out.add(COMMA)
    out.add(bytes)
  }
  out.add(CLOSE_LIST)
}

// The record with its cost, which is a separate field on the wire.
function describeFields(dataset: Dataset, decision: Judgement): Readonly<Record<string, unknown>> {
  const { data, meta } = describeDecision(dataset, decision)
  return { ...data, pairs_charged: meta.pairs_charged }
}

function pickFields(dataset: Dataset, names: readonly string[], decision: Judgement): object {
  const fields = describeFields(dataset, decision)
  return Object.fromEntries(names.filter(name => fields[name] !== undefined).map(name => [name, fields[name]]))
}

const FIELDS = [DECISION_ANSWER, GROUP_ANSWER, DECISION_COST].flatMap(({ is }) =>
  is.kind === "object" ? Object.values(is.fields) : [],
)

/** Every field of a decision that can be asked for by name. */
export const listFields = (): readonly string[] => [...new Set(FIELDS.map(({ wire }) => wire))]

/** The columns of a table of answers, in order, with the number of the line or without it; a repeated one with the name of another says so. */
export function listColumns(shape: AnswerShape, { isNumbered = true, given = [] }: Beside = {}): readonly string[] {
  const ends = isNumbered ? ["line", "id"] : ["id"]
  const own =
    shape.kind === "summary"
      ? ["outcome", "verdict", "summary", "blockers", "conditions", "unknowns"]
      : shape.kind === "fields"
        ? shape.names
        : listFields()
  const taken = new Set(["line", "id", ...own, "error"])
  const repeated = given.map(name => {
    let free = name
    while (taken.has(free)) free = `given_${free}`
    taken.add(free)
    return free
  })
  return [...ends, ...repeated, ...own, "error"]
}

/** The columns of a table that hold whole numbers. */
export function listNumberColumns(shape: AnswerShape): ReadonlySet<string> {
  const numbers = FIELDS.filter(({ is }) => is.is.kind === "count").map(({ wire }) => wire)
  return new Set(["line", ...(shape.kind === "summary" ? ["unknowns"] : numbers)])
}

/** The cells of an answer, a value for each of {@link listColumns}. */
export function listCells(
  dataset: Dataset,
  shape: AnswerShape,
  { columns, given }: { readonly columns: readonly string[]; readonly given: readonly string[] },
  { line, id, outcome, given: cells = [] }: LineAnswer,
): readonly Cell[] {
  const ends = { line, id: id === null ? null : String(id), error: outcome.ok ? null : outcome.error }
  const fields = outcome.ok
    ? shape.kind === "summary"
      ? summarise(outcome.decision)
      : describeFields(dataset, outcome.decision)
    : {}
  const values: Readonly<Record<string, unknown>> = { ...fields, ...ends }
  const firstGiven = columns.indexOf("id") + 1
  return columns.map((column, at) => {
    const place = at - firstGiven
    return place >= 0 && place < given.length ? toCell(cells[place] || null) : toCell(values[column])
  })
}

function summarise({ outcome, verdict, blockers, conditions, unknowns }: Judgement) {
  const codes = (entries: readonly { readonly code: string }[]) => entries.map(({ code }) => code).join(" ")
  const codesOf = { blockers: codes(blockers), conditions: codes(conditions) }
  const gaps = outcome === "unknown" ? unknowns.map(({ reason }) => reason) : []
  const why = new Set([...[...blockers, ...conditions].map(({ message }) => message), ...gaps])
  return {
    outcome,
    verdict,
    summary: [OUTCOME_WORDS[outcome], ...why].join(" "),
    ...codesOf,
    unknowns: unknowns.length,
  }
}

function toCell(value: unknown): Cell {
  if (value === undefined || value === null) return null
  return typeof value === "string" || typeof value === "number" ? value : JSON.stringify(value)
}

/** Writes cells as a row of CSV (RFC 4180), without its line break. */
export function writeRow(cells: readonly Cell[]): string {
  return cells
    .map(cell => {
      if (cell === null) return ""
      const text = String(cell)
      return /[",\r\n]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
    })
    .join()
}
