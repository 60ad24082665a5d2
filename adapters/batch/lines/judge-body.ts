/**
 * What is the answer to the body of a line, or to its text?
 *
 * A request as `POST /api/v1/visa/decision` takes it, with an `id` that is repeated. It needs nothing of Node, so that the same answers are given inside
 * a warehouse.
 */
import type { Decision, GroupDecision } from "../../../src/engine.ts"
import type { FullFacts } from "../../../src/full.ts"
import type { Dataset, InputIssue } from "../../../src/index.ts"
import { helpWithIssue } from "../../answers/code-help.ts"
import { helpRefusal, type JudgeOptions, judgeItinerary, readItinerary } from "../../answers/decision.ts"
import { describeJsonError } from "../../files/file-errors.ts"
import { describeIssues } from "../../validation/fields.ts"

/** The id of a line, which the request has and the answer repeats. */
export type LineId = string | number

/** The most characters of an id. */
const LONGEST_ID = 200

/** Whether a value may be an id. */
export const isLineId = (id: unknown): id is LineId =>
  (typeof id === "string" && id.length <= LONGEST_ID) || typeof id === "number"

/** How many mistakes of a line are named: a file may have millions of lines, and a short line has room for many mistakes. */
const MOST_MISTAKES = 5

/** The decision on one traveller, or on several. */
export type Judgement = Decision | GroupDecision

export type LineOutcome =
  | { readonly ok: true; readonly decision: Judgement }
  | { readonly ok: false; readonly error: string; readonly issues: readonly InputIssue[] }

/** Judges the body of a line; with facts that complete what has to be done, or without; with remedies unless they are not wanted. */
export function judgeBody(
  dataset: Dataset,
  body: unknown,
  facts: FullFacts | null,
  options: JudgeOptions = {},
): { readonly id: LineId | null; readonly outcome: LineOutcome } {
  const { id, request, error } = takeId(body)
  if (error !== null) return { id, outcome: { ok: false, error, issues: [] } }
  const read = readItinerary(request, dataset)
  if (!read.ok) {
    const { error, issues: all } = helpRefusal(read.refusal, helpWithIssue)
    const issues = all.slice(0, MOST_MISTAKES)
    const named = all.length === issues.length ? error : `${describeIssues(issues, true)} There are more mistakes.`
    return { id, outcome: { ok: false, error: named, issues } }
  }
  const judged = judgeItinerary(dataset, read.request, facts, options)
  if (judged.kind !== "found") return { id, outcome: { ok: false, error: judged.message, issues: [] } }
  return { id, outcome: { ok: true, decision: judged.body } }
}

/** Writes the mistakes of a line as fields of JSON, without the brace in front of them. */
export function writeMistakes({ error, issues }: LineOutcome & { readonly ok: false }): string {
  return `"error":${JSON.stringify(error)}${issues.length === 0 ? "" : `,"issues":${JSON.stringify(issues)}`}}`
}

function takeId(body: unknown): {
  readonly id: LineId | null
  readonly request: unknown
  readonly error: string | null
} {
  if (typeof body !== "object" || body === null || !("id" in body)) return { id: null, request: body, error: null }
  const { id, ...request } = body
  if (id === null) return { id, request, error: null }
  if (isLineId(id)) return { id: id, request, error: null }
  return { id: null, request, error: `id: a text of at most ${LONGEST_ID} characters or a number is expected.` }
}

export function readJson(
  text: string,
): { readonly ok: true; readonly body: unknown } | { readonly ok: false; readonly error: string } {
  try {
    return { ok: true, body: JSON.parse(text) }
  } catch (cause) {
    const message = describeJsonError(text, cause).replace(/ \(line 1 column (\d+)\)$/, " (column $1)")
    return { ok: false, error: `The line ${message}` }
  }
}
