/** Where does the time of one line of a batch go? Each stage by itself over the same lines, in this process: its CPU, the least of some rounds. */

import { makeJudge } from "../adapters/batch/lines/judge-lines.ts"
import { PlainReader } from "../adapters/batch/lines/plain-request.ts"
import { judgeItinerary, readItinerary } from "../adapters/knowledge/answers/decision.ts"
import { writeDecision } from "../adapters/knowledge/answers/write-decision.ts"
import { type Decision, decide, decideWithRemedies } from "../src/engine.ts"
import { embeddedDataset } from "../src/index.ts"
import { amount } from "./measure.ts"

const ROUNDS = amount(7, 1)
let sink = 0

function time(count: number, once: () => number): number {
  let least = Number.POSITIVE_INFINITY
  for (let round = 0; round < ROUNDS; round++) {
    const start = process.cpuUsage()
    sink += once()
    const { user, system } = process.cpuUsage(start)
    least = Math.min(least, user + system)
  }
  return least / count
}

/** A line for each stage: what it is and how many microseconds it takes. */
export function describeStages(text: string): string[] {
  const dataset = embeddedDataset()
  const lines = text.split("\n").slice(0, -1)
  const reader = new PlainReader()
  const encoded = lines.map(line => new TextEncoder().encode(line))
  const requests = encoded.map(line => reader.read(line, 0, line.length)?.request as Parameters<typeof decide>[1])
  const bodies = lines.map(line => {
    const { id, ...body } = JSON.parse(line)
    return body
  })
  const decisions = requests.slice(0, 2_000).map(request => {
    const result = decideWithRemedies(dataset, request)
    return (result.ok ? result.value : null) as Decision
  })
  const buffer = Buffer.alloc(1024 * 1024)
  const block = new TextEncoder().encode(text)
  const judge = (kind: "whole" | "summary") => {
    const { judgeBlock } = makeJudge(dataset, { lines: { kind: "json" }, shape: { kind }, answers: "json" })
    return () => judgeBlock(block, 1).bytes.length
  }
  const each = <Value>(values: readonly Value[], measure: (value: Value) => number) =>
    time(values.length, () => values.reduce((sum, value) => sum + measure(value), 0))
  const stages: readonly (readonly [string, number])[] = [
    ["JSON.parse", each(lines, line => JSON.parse(line).stops.length)],
    [
      "reading it in one pass instead",
      each(encoded, line => reader.read(line, 0, line.length)?.request.stops?.length ?? 0),
    ],
    ["decide", each(requests, request => (decide(dataset, request).ok ? 1 : 0))],
    ["decide with remedies", each(requests, request => (decideWithRemedies(dataset, request).ok ? 1 : 0))],
    [
      "the endpoint's way to a decision",
      each(bodies, body => {
        const read = readItinerary(body)
        return read.ok && judgeItinerary(dataset, read.request).kind === "found" ? 1 : 0
      }),
    ],
    ["writing a whole decision", each(decisions, decision => writeDecision(dataset, decision).length)],
    ["the same as UTF-8", each(decisions, decision => buffer.write(writeDecision(dataset, decision), 0, "utf8"))],
    ["a line of verdicts, all together", time(lines.length, judge("summary"))],
    ["a line of whole decisions, all together", time(lines.length, judge("whole"))],
  ]
  const shown = stages.map(([name, us]) => `${name.padEnd(40)} ${us.toFixed(2).padStart(6)} µs`)
  return sink === 0 ? [] : shown
}
