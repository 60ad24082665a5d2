/** The difference of two datasets thirteen months apart, against a comparison of nested objects. */
import { readFileSync } from "node:fs"
import { type Dataset, diffDatasets, embeddedDataset, lookupAt, openDataset } from "landfall"
import type { Case } from "./measure.ts"

const opened = openDataset(new Uint8Array(readFileSync("test/fixtures/passport-index-2025-01-12.landfall")))
if (!opened.ok) throw new Error(opened.error.message)
const before = opened.value
const after = embeddedDataset()
const OPTIONS = { fields: ["requirement", "days"], daysOf: ["visa_free"] } as const

interface Row {
  readonly requirement: string
  readonly days: number | null
}

const nest = (dataset: Dataset) => {
  const table: Record<string, Record<string, Row>> = {}
  dataset.passports.forEach((passport, p) => {
    const row: Record<string, Row> = {}
    dataset.destinations.forEach((destination, d) => {
      const answer = lookupAt(dataset, p, d)
      if (answer.kind === "found") row[destination] = { requirement: answer.requirement, days: answer.days }
    })
    table[passport] = row
  })
  return JSON.parse(JSON.stringify(table)) as typeof table
}
const [older, newer] = [nest(before), nest(after)]

function diffNested(): string[] {
  const changes: string[] = []
  for (const [passport, row] of Object.entries(newer)) {
    for (const [destination, current] of Object.entries(row)) {
      const previous = older[passport]?.[destination]
      if (previous === undefined) continue
      const isFree = previous.requirement === "visa_free" && current.requirement === "visa_free"
      if (previous.requirement !== current.requirement || (isFree && previous.days !== current.days)) {
        changes.push(passport + destination)
      }
    }
  }
  return changes
}

const diff = () => diffDatasets(before, after, OPTIONS)
const repeat = (once: () => { readonly length: number }) => (count: number) => {
  let sum = 0
  for (let i = 0; i < count; i++) sum += once().length
  return sum
}

export const diffCases: readonly Case[] = [
  {
    name: "landfall diffDatasets",
    run: repeat(diff),
    validate: () => JSON.stringify(diff().map(({ passport, destination }) => passport + destination)),
  },
  { name: "nested objects, codes only", run: repeat(diffNested), validate: () => JSON.stringify(diffNested()) },
]
