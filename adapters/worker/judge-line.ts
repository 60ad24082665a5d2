/**
 * What is the answer to one line?
 *
 * A request as `POST /api/v1/visa/decision` takes it, with an `id` that is echoed. The usual line is read in one pass and goes to the engine as it is; every other one, and
 * each that the engine refuses, goes the way of the endpoint, which names every mistake in the words of the wire. Both ways give the same answer to the same line.
 */
import { decide, decideWithRemedies } from "../../src/engine.ts"
import type { Dataset } from "../../src/index.ts"
import { judgeItinerary } from "../answers/decision.ts"
import { describeJsonError } from "../data/file-errors.ts"
import type { AnswerShape, LineAnswer, LineId } from "./line-answer.ts"
import { PlainReader, type PlainRequest } from "./plain-request.ts"

/** Judges lines, one at a time. */
export interface LineJudge {
  /** Judges the line between two places of a text; null where it is blank. */
  readonly judgeText: (text: string, from: number, to: number, line: number) => LineAnswer | null
  /** Judges what a line has, read by somebody else. */
  readonly judgeBody: (body: unknown, line: number) => LineAnswer
}

/** Makes what judges lines for answers of a shape. */
export function makeLineJudge(dataset: Dataset, shape: AnswerShape): LineJudge {
  const reader = new PlainReader()
  // Remedies stand in blockers alone, and finding them takes longer than deciding.
  const needsRemedies = shape.kind === "whole" || (shape.kind === "fields" && shape.names.includes("blockers"))
  const decideLine = needsRemedies ? decideWithRemedies : decide
  const judgePlain = ({ id, request }: PlainRequest, line: number): LineAnswer | null => {
    if (!isId(id)) return null
    // What is missing or no code is refused, and then said by the way of the endpoint.
    const result = decideLine(dataset, request as Parameters<typeof decide>[1])
    if (!result.ok || result.value.kind !== "decided") return null
    return { line, id, outcome: { ok: true, decision: result.value } }
  }
  const judgeBody = (body: unknown, line: number): LineAnswer => {
    const { id, request, error } = takeId(body)
    if (error !== null) return refuse(line, error)
    const judged = judgeItinerary(dataset, request)
    if (!judged.ok) {
      const { error, issues } = judged.refusal
      return { line, id, outcome: { ok: false, error, issues } }
    }
    if (judged.judged.kind !== "found") return refuse(line, judged.judged.message, id)
    return { line, id, outcome: { ok: true, decision: judged.judged.body } }
  }
  return {
    judgeText: (text, from, to, line) => {
      const plain = reader.read(text, from, to)
      const answer = plain === null ? null : judgePlain(plain, line)
      if (answer !== null) return answer
      const own = text.slice(from, to)
      if (own.trim() === "") return null
      const read = readJson(own)
      return read.ok ? judgeBody(read.body, line) : refuse(line, read.error)
    },
    judgeBody,
  }
}

/** Answers a line with its mistake. */
export function refuse(line: number, error: string, id: LineId | null = null): LineAnswer {
  return { line, id, outcome: { ok: false, error, issues: [] } }
}

/** An id is echoed with every answer, so it is short. */
const LONGEST_ID = 200

const isId = (id: unknown): id is LineId | null =>
  (typeof id === "string" && id.length <= LONGEST_ID) || typeof id === "number" || id === null

function takeId(body: unknown): {
  readonly id: LineId | null
  readonly request: unknown
  readonly error: string | null
} {
  if (typeof body !== "object" || body === null || !("id" in body)) return { id: null, request: body, error: null }
  const { id, ...request } = body
  if (isId(id)) return { id, request, error: null }
  return { id: null, request, error: `id: a text of at most ${LONGEST_ID} characters or a number is expected.` }
}

function readJson(
  text: string,
): { readonly ok: true; readonly body: unknown } | { readonly ok: false; readonly error: string } {
  try {
    return { ok: true, body: JSON.parse(text) }
  } catch (cause) {
    const message = describeJsonError(text, cause).replace(/ \(line 1 column (\d+)\)$/, " (column $1)")
    return { ok: false, error: `The line ${message}` }
  }
}
