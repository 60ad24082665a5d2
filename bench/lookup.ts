/**
 * One lookup against the ways in which people keep such a table: nested objects, a `Map`, SQLite, a CSV scanned.
 */
import { DatabaseSync } from "node:sqlite"
import { embeddedDataset, lookup, lookupAt } from "landfall"
import { type Case, seededRandom } from "./measure.ts"

const PAIRS = 4096

interface Row {
  readonly requirement: string
  readonly days: number | null
}

const dataset = embeddedDataset()
const random = seededRandom(20_260_217)
const passportIndices = new Uint8Array(PAIRS)
const destinationIndices = new Uint8Array(PAIRS)
// Pairs with a record only: the peers have nothing else.
for (let i = 0; i < PAIRS; ) {
  const p = Math.floor(random() * dataset.passports.length)
  const d = Math.floor(random() * dataset.destinations.length)
  if (lookupAt(dataset, p, d).kind !== "found") continue
  passportIndices[i] = p
  destinationIndices[i++] = d
}

// Strings of each case's own, as they come out of a request: an object's key lookup changes a string's representation.
const spell = (codes: readonly string[], indices: Uint8Array) =>
  Array.from(indices, index => `code=${codes[index]}`.slice(5))

const table: Record<string, Record<string, Row>> = {}
const lines: string[] = []
for (const [p, passport] of dataset.passports.entries()) {
  for (const [d, destination] of dataset.destinations.entries()) {
    const answer = lookupAt(dataset, p, d)
    if (answer.kind !== "found") continue
    const { requirement, days } = answer
    const row = table[passport] ?? {}
    table[passport] = row
    row[destination] = { requirement, days }
    lines.push(`${passport},${destination},${requirement},${days ?? ""}`)
  }
}
const nested: typeof table = JSON.parse(JSON.stringify(table))
const map = new Map(
  Object.entries(nested).flatMap(([p, row]) => Object.entries(row).map(([d, value]) => [p + d, value] as const)),
)
const csv = `\n${lines.join("\n")}\n`
const db = new DatabaseSync(":memory:")
db.exec(
  "CREATE TABLE pairs (passport TEXT, destination TEXT, requirement TEXT NOT NULL, days INTEGER, PRIMARY KEY (passport, destination)) WITHOUT ROWID",
)
const insert = db.prepare("INSERT INTO pairs VALUES (?, ?, ?, ?)")
db.exec("BEGIN")
for (const line of lines) {
  const [passport = "", destination = "", requirement = "", days = ""] = line.split(",")
  insert.run(passport, destination, requirement, days === "" ? null : Number(days))
}
db.exec("COMMIT")
const select = db.prepare("SELECT requirement, days FROM pairs WHERE passport = ? AND destination = ?")

function caseOf(name: string, find: (passport: string, destination: string) => Row): Case {
  const passports = spell(dataset.passports, passportIndices)
  const destinations = spell(dataset.destinations, destinationIndices)
  return {
    name,
    // Made anew for each case, so that none is slowed by what another taught the compiler.
    run: new Function(
      "find",
      "ps",
      "ds",
      `return count => { let sum = 0; for (let i = 0; i < count; i++) { const at = i & ${PAIRS - 1}; const row = find(ps[at], ds[at]); sum += row.requirement.length } return sum }`,
    )(find, passports, destinations),
    validate: () =>
      JSON.stringify(
        passports.slice(0, 512).map((passport, at) => {
          const { requirement, days } = find(passport, destinations[at] as string)
          return [requirement, days]
        }),
      ),
  }
}

const scanCsv = (passport: string, destination: string): Row => {
  const start = csv.indexOf(`\n${passport},${destination},`) + 9
  const [requirement = "", days = ""] = csv.slice(start, csv.indexOf("\n", start)).split(",")
  return { requirement, days: days === "" ? null : Number(days) }
}

/** By codes, ours first. */
export const byCodes: readonly Case[] = [
  caseOf("landfall lookup(passport, destination)", (passport, destination) => lookup(passport, destination) as Row),
  caseOf("nested object from JSON", (passport, destination) => nested[passport]?.[destination] as Row),
  caseOf("Map keyed by both codes", (passport, destination) => map.get(passport + destination) as Row),
  caseOf(
    "node:sqlite prepared statement",
    (passport, destination) => select.get(passport, destination) as unknown as Row,
  ),
  caseOf("CSV scan", scanCsv),
]

// The floor: the same byte, read without any of its meaning. Both count the pairs that have one certain answer.
const bytes = dataset.pairs
const width = dataset.destinations.length
const wantedByte = bytes[(passportIndices[0] as number) * width + (destinationIndices[0] as number)]
const wantedAnswer = lookupAt(dataset, passportIndices[0] as number, destinationIndices[0] as number)

function countByLookup(count: number): number {
  let sum = 0
  for (let i = 0; i < count; i++) {
    const at = i & (PAIRS - 1)
    sum += lookupAt(dataset, passportIndices[at] as number, destinationIndices[at] as number) === wantedAnswer ? 1 : 0
  }
  return sum
}

function countByBytes(count: number): number {
  let sum = 0
  for (let i = 0; i < count; i++) {
    const at = i & (PAIRS - 1)
    sum += bytes[(passportIndices[at] as number) * width + (destinationIndices[at] as number)] === wantedByte ? 1 : 0
  }
  return sum
}

/** By indices, ours first. */
export const byIndices: readonly Case[] = [
  { name: "landfall lookupAt(dataset, p, d)", run: countByLookup, validate: () => String(countByLookup(PAIRS)) },
  { name: "bare typed-array read", run: countByBytes, validate: () => String(countByBytes(PAIRS)) },
]
