/**
 * What does a batch say of each line?
 *
 * The whole decision as `POST /api/v1/visa/decision` answers it, its verdict alone, or some of its fields; in front of it the line's number and the id that the
 * request carried. A line that could not be decided says its mistake instead. As JSON that is an object a line; in tables (CSV, Parquet) each field is a
 * column, and what is no text or number stands in its cell as JSON.
 */

import type { Decision, GroupDecision } from "../../src/engine.ts"
import { type Dataset, embeddedDataset, type InputIssue } from "../../src/index.ts"
import { DECISION_EXAMPLE, describeDecision, judgeItinerary } from "../answers/decision.ts"
import { writeDecisionFields } from "../answers/write-decision.ts"

/** How much is said of a decision. */
export type AnswerShape =
  | { readonly kind: "whole" }
  | { readonly kind: "summary" }
  | { readonly kind: "fields"; readonly names: readonly string[] }

/** What a request may carry to be found again by. */
export type LineId = string | number

/** What was decided on one traveller, or on several. */
export type Judgement = Decision | GroupDecision

/** One line, judged. */
export interface LineAnswer {
  readonly line: number
  readonly id: LineId | null
  readonly outcome:
    | { readonly ok: true; readonly decision: Judgement }
    | { readonly ok: false; readonly error: string; readonly issues: readonly InputIssue[] }
}

/** A value in a table. */
export type Cell = string | number | null

/** Writes an answer as one line of JSON, without its line break. */
export function writeLine(dataset: Dataset, shape: AnswerShape, { line, id, outcome }: LineAnswer): string {
  const start = `{"line":${line},${id === null ? "" : `"id":${JSON.stringify(id)},`}`
  if (!outcome.ok) {
    const { error, issues } = outcome
    return `${start}"error":${JSON.stringify(error)}${issues.length === 0 ? "" : `,"issues":${JSON.stringify(issues)}`}}`
  }
  const { decision } = outcome
  if (shape.kind === "whole") return start + writeDecisionFields(dataset, decision)
  if (shape.kind === "fields") return start + JSON.stringify(pickFields(dataset, shape.names, decision)).slice(1)
  const { verdict, blockers, conditions, unknowns } = decision
  return `${start}"verdict":"${verdict}","blockers":${writeCodes(blockers)},"conditions":${writeCodes(conditions)},"unknowns":${unknowns.length}}`
}

function writeCodes(entries: readonly { readonly code: string }[]): string {
  if (entries.length === 0) return "[]"
  return `["${entries.map(({ code }) => code).join('","')}"]`
}

// The record, and what it costs, which stands beside it on the wire.
function describeFields(dataset: Dataset, decision: Judgement): Readonly<Record<string, unknown>> {
  const { data, meta } = describeDecision(dataset, decision)
  return { ...data, pairs_charged: meta.pairs_charged }
}

function pickFields(dataset: Dataset, names: readonly string[], decision: Judgement): object {
  const fields = describeFields(dataset, decision)
  return Object.fromEntries(names.filter(name => fields[name] !== undefined).map(name => [name, fields[name]]))
}

/** Every field of a decision that can be asked for by name. */
export function listFields(): readonly string[] {
  const dataset = embeddedDataset()
  const several = { ...DECISION_EXAMPLE, passport: undefined, passport_expiry: undefined }
  return [DECISION_EXAMPLE, { ...several, passports: [{ passport: "FRA" }, { passport: "DEU" }] }]
    .flatMap(request => {
      const judged = judgeItinerary(dataset, JSON.parse(JSON.stringify(request)))
      return judged.ok && judged.judged.kind === "found" ? Object.keys(describeFields(dataset, judged.judged.body)) : []
    })
    .filter((name, at, names) => names.indexOf(name) === at)
}

/** The columns of a table of answers, in order. */
export function listColumns(shape: AnswerShape): readonly string[] {
  if (shape.kind === "summary") return ["line", "id", "verdict", "blockers", "conditions", "unknowns", "error"]
  return ["line", "id", ...(shape.kind === "whole" ? listFields() : shape.names), "error"]
}

/** The columns of a table that hold whole numbers. */
export function listNumberColumns(shape: AnswerShape): ReadonlySet<string> {
  return new Set(["line", "pairs_charged", ...(shape.kind === "summary" ? ["unknowns"] : [])])
}

/** The cells of an answer, a value for each of {@link listColumns}. */
export function listCells(
  dataset: Dataset,
  shape: AnswerShape,
  columns: readonly string[],
  { line, id, outcome }: LineAnswer,
): readonly Cell[] {
  const ends = { line, id: id === null ? null : String(id), error: outcome.ok ? null : outcome.error }
  const fields = outcome.ok
    ? shape.kind === "summary"
      ? summarise(outcome.decision)
      : describeFields(dataset, outcome.decision)
    : {}
  const values: Readonly<Record<string, unknown>> = { ...fields, ...ends }
  return columns.map(column => toCell(values[column]))
}

function summarise({ verdict, blockers, conditions, unknowns }: Judgement) {
  const codes = (entries: readonly { readonly code: string }[]) => entries.map(({ code }) => code).join(" ")
  return { verdict, blockers: codes(blockers), conditions: codes(conditions), unknowns: unknowns.length }
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
