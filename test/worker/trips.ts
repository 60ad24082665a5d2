/** Requests as batches carry them, and what a plain loop answers to each. */
import { judgeItinerary, readItinerary } from "../../adapters/answers/decision.ts"
import { describeDecision } from "../../adapters/answers/write-decision.ts"
import { loadFullFacts } from "../../src/full.ts"
import { embeddedDataset } from "../../src/index.ts"

const dataset = embeddedDataset()
const facts = await loadFullFacts()
const dateOf = (day: number) => new Date(Date.UTC(2026, 11, 1) + day * 86_400_000).toISOString().slice(0, 10)

/** Requests that differ in passport, stops, transit and expiry; the same ones at every run. */
export function makeTrips(count: number): Record<string, unknown>[] {
  const { passports, destinations } = dataset
  return Array.from({ length: count }, (_, at) => {
    const stops = Array.from({ length: 1 + (at % 4) }, (_, place) => {
      const first = place * 30 + (at % 9)
      return {
        destination: destinations[(at * 7 + place * 31) % 250],
        from: dateOf(first),
        to: dateOf(first + 2 + (at % 19)),
      }
    })
    return {
      ...(at % 5 === 0 ? {} : { id: at % 5 === 1 ? at : `trip ${at}` }),
      passport: passports[(at * 13) % 199],
      ...(at % 3 === 0 ? {} : { passport_expiry: dateOf(100 + (at % 400)) }),
      stops,
      ...(at % 2 === 0 ? {} : { transit: [destinations[(at * 11) % 250]] }),
    }
  })
}

/** A request on each line. */
export const toLines = (trips: readonly unknown[]): string => trips.map(trip => `${JSON.stringify(trip)}\n`).join("")

/** The same in long lines, with spaces at their ends: so few of them fill what is cut by bytes. */
export const toLongLines = (trips: readonly unknown[]): string =>
  trips.map(trip => `${JSON.stringify(trip).padEnd(LONG_LINE_BYTES - 1)}\n`).join("")

const LONG_LINE_BYTES = 2_048

/** The answers to requests that were given before: many tests have the same ones. */
const answered = new Map<string, Readonly<Record<string, unknown>>>()

/** The answers of a loop that anybody would write: one line at a time, with JSON.parse and JSON.stringify. */
export function answerPlainly(lines: string): string {
  return lines
    .split("\n")
    .slice(0, -1)
    .map((text, at) => {
      const answer = answered.get(text) ?? answerOne(text, at + 1)
      answered.set(text, answer)
      return `${JSON.stringify({ line: at + 1, ...answer })}\n`
    })
    .join("")
}

function answerOne(text: string, line: number): Readonly<Record<string, unknown>> {
  const { id, ...request } = JSON.parse(text)
  const read = readItinerary(request)
  const judged = read.ok ? judgeItinerary(dataset, read.request, facts) : null
  if (judged?.kind !== "found") throw new Error(`No decision on line ${line}.`)
  const { data, meta } = describeDecision(dataset, judged.body)
  return { id, data, meta }
}
