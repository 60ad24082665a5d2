/**
 * A group of ten over every destination, against nested objects and the loops that anybody would write over them.
 */
import { embeddedDataset, intersectGroup, lookupAt } from "landfall"
import { type Case, seededRandom } from "./measure.ts"

const dataset = embeddedDataset()
const EASE = ["visa_free", "eta", "visa_on_arrival", "e_visa", "visa_required", "no_admission"]
const ALLOW = EASE.slice(0, 4)

interface Row {
  readonly requirement: string
  readonly days: number | null
  readonly home: boolean
  readonly freeMovement: boolean
}

const table: Record<string, Record<string, Row>> = {}
dataset.passports.forEach((passport, p) => {
  const row: Record<string, Row> = {}
  dataset.destinations.forEach((destination, d) => {
    const answer = lookupAt(dataset, p, d)
    if (answer.kind !== "found") return
    const { requirement, days, home, basis, uncertain } = answer
    row[destination] = { requirement, days, home, freeMovement: basis === "freedom_of_movement" && !uncertain }
  })
  table[passport] = row
})
const nested: typeof table = JSON.parse(JSON.stringify(table))

const random = seededRandom(7)
const groups = Array.from({ length: 64 }, () => {
  const chosen = new Set<string>()
  while (chosen.size < 10) chosen.add(dataset.passports[Math.floor(random() * dataset.passports.length)] as string)
  return [...chosen]
})

interface NaiveDestination {
  readonly destination: string
  readonly worst: string
  readonly days: number | null
  readonly place: number
  readonly members: readonly (Row & { readonly passport: string })[]
}

function intersectNaively(passports: readonly string[]): NaiveDestination[] {
  const result: NaiveDestination[] = []
  for (const destination of dataset.destinations) {
    const members: (Row & { passport: string })[] = []
    for (const passport of passports) {
      const row = nested[passport]?.[destination]
      if (row !== undefined && ALLOW.includes(row.requirement)) members.push({ passport, ...row })
    }
    if (members.length < passports.length) continue
    let worst = 0
    let days: number | null = Number.POSITIVE_INFINITY
    let isFree = false
    for (const { requirement, days: stay, home, freeMovement } of members) {
      worst = Math.max(worst, EASE.indexOf(requirement))
      if (home) continue
      if (stay === null && freeMovement) isFree = true
      else days = stay === null || days === null ? null : Math.min(days, stay)
    }
    // Freedom of movement beside a number of days is not known; alone it stands before numbers.
    if (isFree && days !== Number.POSITIVE_INFINITY) days = null
    const place = days === null ? 10_000 : days === Number.POSITIVE_INFINITY ? (isFree ? -1 : -2) : 5_000 - days
    result.push({
      destination,
      worst: EASE[worst] as string,
      days: days === Number.POSITIVE_INFINITY ? null : days,
      place,
      members,
    })
  }
  return result.sort(
    (a, b) =>
      EASE.indexOf(a.worst) - EASE.indexOf(b.worst) || a.place - b.place || (a.destination < b.destination ? -1 : 1),
  )
}

const ours = (passports: readonly string[]) => {
  const result = intersectGroup(dataset, passports)
  return result.ok && result.value.kind === "found" ? result.value.destinations : []
}

const repeat = (once: (passports: readonly string[]) => { readonly length: number }) => (count: number) => {
  let sum = 0
  for (let i = 0; i < count; i++) sum += once(groups[i & 63] as string[]).length
  return sum
}

export const groupCases: readonly Case[] = [
  {
    name: "landfall intersectGroup, 10 passports",
    run: repeat(ours),
    validate: () =>
      JSON.stringify(
        groups.map(group =>
          ours(group).map(entry => [
            entry.destination,
            entry.worstRequirement,
            entry.groupVisaFreeDays,
            entry.passports.map(member => [member.passport, member.requirement, member.days]),
          ]),
        ),
      ),
  },
  {
    name: "loops over nested objects",
    run: repeat(intersectNaively),
    validate: () =>
      JSON.stringify(
        groups.map(group =>
          intersectNaively(group).map(entry => [
            entry.destination,
            entry.worst,
            entry.days,
            entry.members.map(member => [member.passport, member.requirement, member.days]),
          ]),
        ),
      ),
  },
]
