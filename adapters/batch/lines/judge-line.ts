/**
 * What is the answer to one line?
 *
 * A line is a request of `POST /api/v1/visa/decision`, with an `id` that is repeated. A line in the usual form is read in one pass and
 * passed to the engine directly. Every other one, and each that the engine refuses, is read like by the endpoint, which reports every
 * mistake with its wire names. Both ways give the same answer to the same line.
 */
import { type Decision, decide, decideWithRemedies } from "../../../src/engine.ts"
import { completeToDo, type FullFacts } from "../../../src/full.ts"
import type { Dataset } from "../../../src/index.ts"
import { withPast } from "../../answers/with-past.ts"
import { toText } from "../../files/csv.ts"
import { judgeBody, readJson } from "./judge-body.ts"
import type { AnswerShape, LineAnswer } from "./line-answer.ts"
import { writeId } from "./line-id.ts"
import { PlainReader, type PlainRequest } from "./plain-request.ts"

const LINE_BREAK = 10

export interface LineJudge {
  /** Judges the line that begins at a place of some UTF-8; null where it is blank. */
  readonly judgeLine: (bytes: Uint8Array, from: number, line: number) => LineAnswer | null
  /** Where the line that was judged last ends: at its line break, or at the end of the bytes. */
  readonly lineEnd: () => number
  readonly judgeBody: (body: unknown, line: number) => LineAnswer
}

/** Makes a judge of lines for answers of a shape; with facts that complete what has to be done, or without. */
export function makeLineJudge(given: Dataset, shape: AnswerShape, facts: FullFacts | null = null): LineJudge {
  const dataset = withPast(given)
  const reader = new PlainReader()
  let lineEnd = 0
  // Remedies appear only in blockers, and finding them takes longer than deciding.
  const needsRemedies = shape.kind === "whole" || (shape.kind === "fields" && shape.names.includes("blockers"))
  const decideLine = needsRemedies ? decideWithRemedies : decide
  const complete = (decision: Decision) =>
    facts === null || shape.kind === "summary" ? decision : completeToDo(facts, decision)
  const judgePlain = ({ id, request }: PlainRequest, line: number): LineAnswer | null => {
    // A missing or malformed code is refused here, and the endpoint's way then names the mistake.
    const result = decideLine(dataset, request as Parameters<typeof decide>[1])
    if (!result.ok || result.value.kind !== "decided") return null
    return { line, id, outcome: { ok: true, decision: complete(result.value) } }
  }
  const answerBody = (body: unknown, line: number): LineAnswer => {
    const { id, outcome } = judgeBody(dataset, body, shape.kind === "summary" ? null : facts)
    return { line, id: id === null ? null : writeId(id), outcome }
  }
  return {
    judgeLine: (bytes, from, line) => {
      const plain = reader.read(bytes, from, bytes.length)
      if (plain !== null) {
        lineEnd = reader.lineEnd
        const answer = judgePlain(plain, line)
        if (answer !== null) return answer
      } else {
        const next = bytes.indexOf(LINE_BREAK, from)
        lineEnd = next < 0 ? bytes.length : next
      }
      const text = toText(bytes.subarray(from, lineEnd))
      if (text.trim() === "") return null
      const read = readJson(text)
      return read.ok ? answerBody(read.body, line) : refuse(line, read.error)
    },
    lineEnd: () => lineEnd,
    judgeBody: answerBody,
  }
}

/** Answers a line with its mistake. */
export function refuse(line: number, error: string): LineAnswer {
  return { line, id: null, outcome: { ok: false, error, issues: [] } }
}
