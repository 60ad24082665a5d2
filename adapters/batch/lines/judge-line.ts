/**
 * What is the answer to one line?
 *
 * A line is a request of `POST /api/v1/visa/decision`, with an `id` that is repeated, and is read like by the endpoint.
 */
import type { Decision } from "../../../src/engine.ts"
import type { FullFacts } from "../../../src/full.ts"
import type { Dataset } from "../../../src/index.ts"
import { toSnakeCase } from "../../answers/wire-names.ts"
import { withPast } from "../../answers/with-past.ts"
import { judgeBody, readJson } from "./judge-body.ts"
import type { AnswerShape, LineAnswer } from "./line-answer.ts"

export interface LineJudge {
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
export function refuse(line: number, error: string): LineAnswer {
  return { line, id: null, outcome: { ok: false, error, issues: [] } }
}
