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
import { OUTCOME_WORDS } from "./batch-tally.ts"
import { type Judgement, type LineId, type LineOutcome, writeMistakes } from "./judge-body.ts"

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

/** Writes an answer as one line of JSON, with the number of its line or without it. */
export function writeLine(
  dataset: Dataset,
  shape: AnswerShape,
  { line, id, outcome, given: cells }: LineAnswer,
  { isNumbered = true, given = [] }: Beside = {},
): string {
  let text = isNumbered ? `{"line":${line}` : "{"
  if (id !== null) text += `${text === "{" ? "" : ","}"id":${JSON.stringify(id)}`
  const own = outcome.ok ? writeShape(dataset, shape, outcome.decision) : writeMistakes(outcome)
  text += own === "}" || text === "{" ? own : `,${own}`
  if (cells === undefined) return `${text}\n`
  const fields = given.map((name, at) => `${JSON.stringify(name)}:${JSON.stringify(cells[at])}`)
  return `${text.slice(0, -1)}${text === "{}" ? "" : ","}"given":{${fields.join()}}}\n`
}

/** Writes what a shape has of a decision, without the opening brace. */
function writeShape(dataset: Dataset, shape: AnswerShape, decision: Judgement): string {
  switch (shape.kind) {
    case "whole":
      return writeDecisionFields(dataset, decision)
    case "compact":
      return writeCompactFields(dataset, decision)
    case "fields":
      return JSON.stringify(pickFields(dataset, shape.names, decision)).slice(1)
    case "summary": {
      const { outcome, verdict, blockers, conditions, unknowns } = decision
      const codes = (entries: readonly { readonly code: string }[]) => entries.map(({ code }) => `"${code}"`).join()
      return `"outcome":"${outcome}","verdict":"${verdict}","blockers":[${codes(blockers)}],"conditions":[${codes(conditions)}],"unknowns":${unknowns.length}}`
    }
  }
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

/** Writes cells as a row of CSV (RFC 4180), without its line break; what is no text or number is JSON. */
export function writeRow(cells: readonly unknown[]): string {
  return cells
    .map(cell => {
      const text = String(toCell(cell) ?? "")
      return /[",\r\n]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
    })
    .join()
}
