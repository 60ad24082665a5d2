/**
 * One lookup compared with common ways to keep such a table: nested objects, a `Map`, SQLite, a CSV that is scanned; and a group of ten over every destination, compared with loops over
 * nested objects.
 */
import { DatabaseSync } from "node:sqlite"
import { type Dataset, embeddedDataset, intersectGroup, lookup, lookupAt } from "landfall"
import { type Case, repeat, seededRandom } from "./measure.ts"
import { drawPairs, PAIRS, pairCase } from "./pairs.ts"

interface Row {
  readonly requirement: string
  readonly days: number | null
}

/** A row of a peer, with the fields that decide beside the days. */
export interface FullRow extends Row {
  readonly home: boolean
  readonly freeMovement: boolean
}

type Nested<Of> = Record<string, Record<string, Of>>

/** A dataset as nested objects from JSON, by passport and destination. */
export function nestRows(dataset: Dataset): Nested<FullRow> {
  const table: Nested<FullRow> = {}
  dataset.passports.forEach((passport, p) => {
    const row: Record<string, FullRow> = {}
    dataset.destinations.forEach((destination, d) => {
      const answer = lookupAt(dataset, p, d)
      if (answer.kind !== "found") return
      const { requirement, days, home, basis, uncertain } = answer
      row[destination] = { requirement, days, home, freeMovement: basis === "freedom_of_movement" && !uncertain }
    })
    table[passport] = row
  })
  return JSON.parse(JSON.stringify(table))
}

const dataset = embeddedDataset()
const drawn = drawPairs(dataset, seededRandom(20_260_217))
const passportIndices = Uint8Array.from(drawn, ([p]) => p)
const destinationIndices = Uint8Array.from(drawn, ([, d]) => d)
const codes = drawn.map(([p, d]) => [dataset.passports[p] as string, dataset.destinations[d] as string] as const)

// Two fields only, as the other tables have them.
const nested: Nested<Row> = {}
const lines: string[] = []
for (const [passport, row] of Object.entries(nestRows(dataset))) {
  nested[passport] = {}
  for (const [destination, { requirement, days }] of Object.entries(row)) {
    nested[passport][destination] = { requirement, days }
    lines.push(`${passport},${destination},${requirement},${days ?? ""}`)
  }
}
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

const caseOf = (name: string, find: (passport: string, destination: string) => Row): Case =>
  pairCase(name, codes, find, {
    measure: "found.requirement.length",
    show: (passport, destination) => {
      const { requirement, days } = find(passport, destination)
      return [requirement, days]
    },
  })

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

// The lower bound: the same byte, read without its meaning. Both count the pairs that have one certain answer.
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

const EASE = ["visa_free", "eta", "visa_on_arrival", "e_visa", "visa_required", "no_admission"]
const ALLOW = EASE.slice(0, 4)

const full = nestRows(dataset)
const drawGroup = seededRandom(7)
const groups = Array.from({ length: 64 }, () => {
  const chosen = new Set<string>()
  while (chosen.size < 10) chosen.add(dataset.passports[Math.floor(drawGroup() * dataset.passports.length)] as string)
  return [...chosen]
})

/** What both say of a destination. */
interface Shared {
  readonly destination: string
  readonly worstRequirement: string
  readonly groupVisaFreeDays: number | null
  readonly passports: readonly (Row & { readonly passport: string })[]
}

function intersectNaively(all: readonly string[]) {
  const result: (Shared & { readonly place: number })[] = []
  for (const destination of dataset.destinations) {
    const passports: (FullRow & { passport: string })[] = []
    for (const passport of all) {
      const row = full[passport]?.[destination]
      if (row !== undefined && ALLOW.includes(row.requirement)) passports.push({ passport, ...row })
    }
    if (passports.length < all.length) continue
    let worst = 0
    let days: number | null = Number.POSITIVE_INFINITY
    let isFree = false
    for (const { requirement, days: stay, home, freeMovement } of passports) {
      worst = Math.max(worst, EASE.indexOf(requirement))
      if (home) continue
      if (stay === null && freeMovement) isFree = true
      else days = stay === null || days === null ? null : Math.min(days, stay)
    }
    // Freedom of movement ranks before numbers of days, and never shortens the group's stay.
    const place = days === null ? 10_000 : days === Number.POSITIVE_INFINITY ? (isFree ? -1 : -2) : 5_000 - days
    const groupVisaFreeDays = days === Number.POSITIVE_INFINITY ? null : days
    result.push({ destination, worstRequirement: EASE[worst] as string, groupVisaFreeDays, place, passports })
  }
  const easeOf = ({ worstRequirement }: (typeof result)[number]) => EASE.indexOf(worstRequirement)
  return result.sort((a, b) => easeOf(a) - easeOf(b) || a.place - b.place || (a.destination < b.destination ? -1 : 1))
}

const ours = (passports: readonly string[]) => {
  const result = intersectGroup(dataset, passports)
  return result.ok && result.value.kind === "found" ? result.value.destinations : []
}

const groupCase = (name: string, intersect: (group: readonly string[]) => readonly Shared[]): Case => ({
  name,
  run: repeat(groups, group => intersect(group).length),
  validate: () =>
    JSON.stringify(
      groups.map(group =>
        intersect(group).map(({ destination, worstRequirement, groupVisaFreeDays, passports }) => [
          destination,
          worstRequirement,
          groupVisaFreeDays,
          passports.map(({ passport, requirement, days }) => [passport, requirement, days]),
        ]),
      ),
    ),
})

export const groupCases: readonly Case[] = [
  groupCase("landfall intersectGroup, 10 passports", ours),
  groupCase("loops over nested objects", intersectNaively),
]
