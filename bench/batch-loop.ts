/**
 * What `landfall batch` is measured against: a loop over lines as anybody would write it, on one thread.
 *
 * Told to decide, it answers each line with JSON.parse, the engine and JSON.stringify, to the byte as the command does; told to pick, it decides nothing and writes two fields
 * of each line again, as `jq -c '{id, passport}'` would. Reads a file by its name and writes to a descriptor that the caller opened.
 */
import { createReadStream, openSync, writeSync } from "node:fs"
import { describeDecision, judgeItinerary, readItinerary } from "../adapters/knowledge/answers/decision.ts"
import { type Decision, decide, embeddedDataset } from "../src/index.ts"

const [task = "", input = "", output = ""] = process.argv.slice(2)
const dataset = embeddedDataset()

interface Line {
  readonly id?: string | number
  readonly passport: string
  readonly passport_expiry?: string
  readonly stops: readonly { readonly destination: string; readonly from: string; readonly to: string }[]
}

const listCodes = (entries: readonly { readonly code: string }[]) => entries.map(({ code }) => code)

function answerVerdict(text: string, line: number): object {
  const { id, passport_expiry, ...request } = JSON.parse(text) as Line
  const result = decide(
    dataset,
    passport_expiry === undefined ? request : { ...request, passportExpiry: passport_expiry },
  )
  if (!result.ok || result.value.kind !== "decided") throw new Error(`There is no decision on line ${line}.`)
  const { verdict, blockers, conditions, unknowns } = result.value as Decision
  return {
    line,
    id,
    verdict,
    blockers: listCodes(blockers),
    conditions: listCodes(conditions),
    unknowns: unknowns.length,
  }
}

function answerWhole(text: string, line: number): object {
  const { id, ...request } = JSON.parse(text) as Line
  const read = readItinerary(request)
  const judged = read.ok ? judgeItinerary(dataset, read.request) : null
  if (judged?.kind !== "found") throw new Error(`There is no decision on line ${line}.`)
  return { line, id, ...describeDecision(dataset, judged.body) }
}

function pick(text: string): object {
  const { id, passport } = JSON.parse(text) as Line
  return { id, passport }
}

const answer = { verdicts: answerVerdict, whole: answerWhole, pick }[task]
if (answer === undefined) throw new Error(`${task} is no task.`)

const target = openSync(output, "w")
let line = 0
let rest = ""
for await (const chunk of createReadStream(input, { encoding: "utf8", highWaterMark: 256 * 1024 })) {
  const lines = (rest + chunk).split("\n")
  rest = lines.pop() as string
  let text = ""
  for (const each of lines) text += `${JSON.stringify(answer(each, ++line))}\n`
  const bytes = Buffer.from(text)
  for (let from = 0; from < bytes.length; ) from += writeSync(target, bytes, from)
}
