/**
 * The input and the loop of `npm run bench -- batch`: trips of one to twelve stops of 1 to 120 days, most of them short, with an id, most with an expiry date, half with a transit country; and the time of
 * each stage of a line.
 *
 * Run as a program, it is the single-threaded loop that `landfall batch` is compared with. With `decide`, it answers each line with JSON.parse, the engine and JSON.stringify, byte for
 * byte as the command does. With `pick`, it decides nothing and writes two fields of each line, as `jq -c '{id, passport}'` would.
 */
import { once } from "node:events"
import { createReadStream, createWriteStream, openSync, writeSync } from "node:fs"
import { judgeItinerary, readItinerary } from "../adapters/answers/decision.ts"
import { describeMeta } from "../adapters/answers/visa-answers.ts"
import { writeDecision } from "../adapters/answers/write-decision.ts"
import { makeJudge } from "../adapters/batch/lines/judge-lines.ts"
import { decideWithRemedies } from "../src/engine.ts"
import { loadFullFacts } from "../src/full.ts"
import { type Decision, decide, embeddedDataset } from "../src/index.ts"
import { describeDecision } from "../test/oracles/describe-decision.ts"
import { amount, seededRandom } from "./measure.ts"

const dataset = embeddedDataset()
const DAY_MS = 86_400_000
const FIRST_DAY = Date.UTC(2026, 11, 1)
const dateOf = (day: number) => new Date(FIRST_DAY + day * DAY_MS).toISOString().slice(0, 10)

/** Most trips are short: the squares of random numbers are mostly small. */
const MOST_STOPS = 12
const MOST_DAYS = 120

/** A trip of any passport to any destinations, determined by the place and the random numbers. */
function makeTrip(place: number, random: () => number) {
  const { passports, destinations } = dataset
  const pick = <Value>(list: readonly Value[]) => list[Math.floor(random() * list.length)] as Value
  let day = Math.floor(random() * 120)
  const stops = Array.from({ length: 1 + Math.floor(random() ** 2 * MOST_STOPS) }, () => {
    const from = day
    day += Math.floor(random() ** 2 * MOST_DAYS)
    return { destination: pick(destinations), from: dateOf(from), to: dateOf(day) }
  })
  return {
    id: `trip-${place}`,
    passport: pick(passports),
    ...(random() < 0.9 ? { passport_expiry: dateOf(day + Math.floor(random() * 2_500)) } : {}),
    stops,
    ...(random() < 0.5 ? { transit: [pick(destinations)] } : {}),
  }
}

type Trip = ReturnType<typeof makeTrip>

const PLACES = Array.from({ length: MOST_STOPS }, (_, at) => at)
const STOP_COLUMNS = PLACES.flatMap(at =>
  ["destination", "from", "to"].map(name => (at === 0 ? name : `${name}_${at + 1}`)),
)
const COLUMNS = ["id", "passport", "passport_expiry", ...STOP_COLUMNS, "transit"].join()

function toRow({ id, passport, passport_expiry = "", stops, transit = [] }: Trip): string {
  const cells = PLACES.flatMap(at => {
    const { destination = "", from = "", to = "" } = stops[at] ?? {}
    return [destination, from, to]
  })
  return [id, passport, passport_expiry, ...cells, transit.join(" ")].join()
}

/** Writes trips as lines of JSON or, where the path ends so, as CSV: the same ones at each run. */
export async function writeTrips(path: string, count: number): Promise<void> {
  const random = seededRandom(7)
  const file = createWriteStream(path)
  const isCsv = path.endsWith(".csv")
  if (isCsv) file.write(`${COLUMNS}\n`)
  const perBlock = 10_000
  for (let from = 0; from < count; from += perBlock) {
    const own = Array.from({ length: Math.min(perBlock, count - from) }, (_, place) => {
      const trip = makeTrip(from + place, random)
      return isCsv ? toRow(trip) : JSON.stringify(trip)
    })
    if (!file.write(`${own.join("\n")}\n`)) await once(file, "drain")
  }
  file.end()
  await once(file, "close")
}

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

/** A line of text for each stage, with its microseconds. */
export function describeStages(text: string): string[] {
  const lines = text.split("\n").slice(0, -1)
  const bodies = lines.map(line => {
    const { id, ...body } = JSON.parse(line)
    return body
  })
  const requests = bodies.map(({ passport_expiry: passportExpiry, ...body }): Parameters<typeof decide>[1] => ({
    ...body,
    ...(passportExpiry === undefined ? {} : { passportExpiry }),
  }))
  const decisions = requests.slice(0, 2_000).map(request => {
    const result = decideWithRemedies(dataset, request)
    return (result.ok ? result.value : null) as Decision
  })
  const buffer = Buffer.alloc(1024 * 1024)
  const block = new TextEncoder().encode(text)
  const judge = (kind: "whole" | "compact" | "summary") => {
    const { judgeBlock } = makeJudge(dataset, { lines: { kind: "json" }, shape: { kind }, answers: "json" })
    return () => judgeBlock(block, 1).bytes.length
  }
  const each = <Value>(values: readonly Value[], measure: (value: Value) => number) =>
    time(values.length, () => values.reduce((sum, value) => sum + measure(value), 0))
  const stages: readonly (readonly [string, number])[] = [
    ["JSON.parse", each(lines, line => JSON.parse(line).stops.length)],
    ["decide", each(requests, request => (decide(dataset, request).ok ? 1 : 0))],
    ["decide with remedies", each(requests, request => (decideWithRemedies(dataset, request).ok ? 1 : 0))],
    [
      "parsing and deciding, as the endpoint does",
      each(bodies, body => {
        const read = readItinerary(body)
        return read.ok && judgeItinerary(dataset, read.request).kind === "found" ? 1 : 0
      }),
    ],
    ["writing a whole decision", each(decisions, decision => writeDecision(dataset, decision).length)],
    ["the same as UTF-8", each(decisions, decision => buffer.write(writeDecision(dataset, decision), 0, "utf8"))],
    ["a line of verdicts, all together", time(lines.length, judge("summary"))],
    ["a line of compact decisions, all together", time(lines.length, judge("compact"))],
    ["a line of whole decisions, all together", time(lines.length, judge("whole"))],
  ]
  const shown = stages.map(([name, us]) => `${name.padEnd(40)} ${us.toFixed(2).padStart(6)} µs`)
  return sink === 0 ? [] : shown
}

interface Line {
  readonly id?: string | number
  readonly passport: string
  readonly passport_expiry?: string
  readonly stops: readonly { readonly destination: string; readonly from: string; readonly to: string }[]
}

// Whole decisions complete the to-dos from these facts.
const facts = process.argv.includes("whole") ? await loadFullFacts() : null
const listCodes = (entries: readonly { readonly code: string }[]) => entries.map(({ code }) => code)

function answerVerdict(text: string, line: number): object {
  const { id, passport_expiry, ...request } = JSON.parse(text) as Line
  const result = decide(
    dataset,
    passport_expiry === undefined ? request : { ...request, passportExpiry: passport_expiry },
  )
  if (!result.ok || result.value.kind !== "decided") throw new Error(`There is no decision on line ${line}.`)
  const { outcome, verdict, blockers, conditions, unknowns } = result.value as Decision
  return {
    line,
    id,
    outcome,
    verdict,
    blockers: listCodes(blockers),
    conditions: listCodes(conditions),
    unknowns: unknowns.length,
  }
}

function answerWhole(text: string, line: number): object {
  const { id, ...request } = JSON.parse(text) as Line
  const read = readItinerary(request)
  const judged = read.ok ? judgeItinerary(dataset, read.request, facts) : null
  if (judged?.kind !== "found") throw new Error(`There is no decision on line ${line}.`)
  return { line, id, ...describeDecision(judged.body, describeMeta(dataset)) }
}

function pick(text: string): object {
  const { id, passport } = JSON.parse(text) as Line
  return { id, passport }
}

async function runLoop([task = "", input = "", output = ""]: readonly string[]): Promise<void> {
  const answer = { verdicts: answerVerdict, whole: answerWhole, pick }[task]
  if (answer === undefined) throw new Error(`${task} is not a task.`)

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
}

if (import.meta.main) await runLoop(process.argv.slice(2))
