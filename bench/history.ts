/**
 * What does a past day cost: bytes, opening, and a lookup compared with one of today and with reading a dated table?
 *
 * `node --expose-gc bench/history.ts`, over the sources. The peers hold one table, with the requirement alone and no day of a change.
 */
import { readFileSync } from "node:fs"
import { gzipSync } from "node:zlib"
import { embeddedHistoryText } from "../src/history/embedded-history.generated.ts"
import { embeddedHistory, lookupPast, openHistory } from "../src/history.ts"
import { embeddedDataset, lookup, parseCivilDate } from "../src/index.ts"
import { measureBundle } from "./bundles.ts"
import { amount, type Case, compare, describeRun, median, seededRandom, takeValue } from "./measure.ts"
import { PAIRS, pairCase } from "./pairs.ts"

// Many short rounds: other load of the machine then falls on single rounds, not on one case.
const ROUNDS = { rounds: 81, roundMs: 6 }
const ON = "2023-12-03"
const DAY = parseCivilDate(ON) as number

const history = embeddedHistory()
const tables = history.series.find(({ kind }) => kind === "seen")
if (tables === undefined) throw new Error("The history has no tables.")

// The table of one day as text and as a Map, made from the history itself: test/history compares it with the tables.
const lines = tables.passports.flatMap(passport =>
  tables.destinations.flatMap(destination => {
    const answer = lookupPast(history, passport, destination, DAY)
    return answer.kind === "found" && answer.status === "imported"
      ? [`${passport},${destination},${answer.value.word},${answer.value.days ?? ""}`]
      : []
  }),
)
const csv = `\n${lines.join("\n")}\n`
const map = new Map(lines.map(line => [line.slice(0, 3) + line.slice(4, 7), line.slice(8)]))

const random = seededRandom(20_231_203)
const asked = Array.from({ length: PAIRS }, () => lines[Math.floor(random() * lines.length)] as string)
const pairs = asked.map(line => [line.slice(0, 3), line.slice(4, 7)] as const)

type Ask = (passport: string, destination: string) => string | number
const caseOf = (name: string, find: Ask, show: Ask = find): Case =>
  pairCase(name, pairs, find, { measure: 'typeof found === "number" ? found : found.length', show })

const sayPast = (passport: string, destination: string, on: string | number) => {
  const answer = lookupPast(history, passport, destination, on)
  return answer.kind === "found" ? `${answer.value.word},${answer.value.days ?? ""}` : ""
}
const said =
  (on: string | number): Ask =>
  (passport, destination) =>
    sayPast(passport, destination, on)
const present = (passport: string, destination: string): number => {
  const answer = lookup(passport, destination)
  return answer.kind === "found" ? answer.requirement.length : 0
}
const past =
  (on: string | number) =>
  (passport: string, destination: string): number => {
    const answer = lookupPast(history, passport, destination, on)
    return answer.kind === "found" ? answer.value.word.length : 0
  }
const scan = (passport: string, destination: string): string => {
  const start = csv.indexOf(`\n${passport},${destination},`) + 9
  return csv.slice(start, csv.indexOf("\n", start))
}

const dataset = embeddedDataset()
console.log(describeRun(`${dataset.version}, history ${history.firstOn} to ${history.untilOn}`).join("\n"))

const file = readFileSync("src/history/embedded-history.generated.ts")
const bytes = Buffer.from(embeddedHistoryText)
console.log(
  `\nbytes: ${bytes.length}, gzip ${gzipSync(bytes, { level: 9 }).length}; as a module ${file.length}, gzip ${gzipSync(file, { level: 9 }).length}`,
)
const whole = await measureBundle("history", 'export { embeddedHistory, lookupPast } from "./src/history.ts"')
const lookups = await measureBundle("lookup", 'export { lookup } from "./src/index.ts"')
console.log(
  `a bundle of lookupPast and the data: gzip ${whole.gzip}; of lookup and its data, which has none of it: gzip ${lookups.gzip}`,
)

const openOnce = () => {
  const start = performance.now()
  takeValue(openHistory(bytes))
  return performance.now() - start
}
const opens = Array.from({ length: amount(31, 2) }, openOnce)
console.log(`open: median ${median(opens).toFixed(2)} ms, least ${Math.min(...opens).toFixed(2)} ms`)

compare(
  "a lookup (today's lookup has another question: answers are not compared)",
  [
    caseOf("lookup, today", present, said(DAY)),
    caseOf("lookupPast, a day's number", past(DAY), said(DAY)),
    caseOf("lookupPast, a date as text", past(ON), said(ON)),
  ],
  ROUNDS,
)
compare(
  "a past lookup against the table of that day alone",
  [
    caseOf("lookupPast, a date as text", past(ON), said(ON)),
    caseOf("a Map of one table", (p, d) => map.get(p + d) as string),
    caseOf("the CSV of one table, scanned", scan),
  ],
  ROUNDS,
)
