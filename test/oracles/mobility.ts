/**
 * The slow, obvious mobility score, as docs/decisions/mobility-score.md words it: three means over lists of destinations, one after the other, from
 * lookups only. Imports nothing of what it judges.
 */
import { type Dataset, type LookupAnswer, lookupRequirement } from "../../src/index.ts"

export interface OracleWeights {
  readonly access: number
  readonly diversity: number
  readonly economy: number
  readonly requirements: Readonly<Record<string, number>>
}

const EASE = ["visa_free", "eta", "visa_on_arrival", "e_visa", "visa_required", "no_admission"]
const mean = (values: readonly number[]) =>
  values.length === 0 ? 0 : values.reduce((sum, value) => sum + value, 0) / values.length
const total = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0)

/** The unrounded score of passports held together, each destination by the easiest of their answers. */
export function scoreByLookups(dataset: Dataset, passports: readonly string[], weights: OracleWeights, on?: string) {
  const counted = dataset.destinations.flatMap((destination, place) => {
    const ask = (passport: string) => lookupRequirement(dataset, passport, destination, { on })
    const recorded = dataset.passports.filter(passport => ask(passport).kind === "found")
    if (recorded.length < dataset.passports.length / 2) return []
    const answers = passports.map(ask)
    if (answers.every(answer => answer.kind === "found" && answer.home)) return []
    const requirements = answers.flatMap(answer => (answer.kind === "found" ? [answer.requirement as string] : []))
    const easiest = EASE.find(requirement => requirements.includes(requirement))
    const worth = easiest === undefined ? 0 : (weights.requirements[easiest] as number)
    return [{ worth, region: dataset.regionOf[place] ?? null, gdp: dataset.gdpUsdMillions[place] ?? 0 }]
  })
  const regions = [...new Set(counted.map(({ region }) => region))].filter(region => region !== null)
  const world = total(counted.map(({ gdp }) => gdp))
  const access = mean(counted.map(({ worth }) => worth))
  const diversity = mean(
    regions.map(region => Math.sqrt(mean(counted.filter(entry => entry.region === region).map(({ worth }) => worth)))),
  )
  const economy = world === 0 ? 0 : total(counted.map(({ worth, gdp }) => worth * gdp)) / world
  const { access: a, diversity: d, economy: e } = weights
  return { score: (1000 * (a * access + d * diversity + e * economy)) / (a + d + e), access, diversity, economy }
}

const unlocks = (answer: LookupAnswer) => answer.kind === "found" && EASE.indexOf(answer.requirement) < 4

/** The destinations that a passport unlocks. */
export const unlockedByLookups = (dataset: Dataset, passport: string, on?: string): readonly string[] =>
  dataset.destinations.filter(destination => unlocks(lookupRequirement(dataset, passport, destination, { on })))
