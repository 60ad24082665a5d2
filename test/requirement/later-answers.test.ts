/** Nobody changes a later answer by writing into an earlier one. */
import { describe, expect, it } from "vitest"
import {
  chooseBestPassports,
  comparePassports,
  DEFAULT_WEIGHTS,
  decide,
  decideGroup,
  decideWithRemedies,
  describePair,
  embeddedDataset,
  intersectGroup,
  isRequirement,
  listEntrants,
  listScheduledChanges,
  lookup,
  lookupHeld,
  REQUIREMENTS,
  rankPassports,
  scorePassport,
} from "../../src/index.ts"
import { readProvisions } from "../../src/rules/provisions.ts"

const dataset = embeddedDataset()
const held = [{ kind: "visa", issuer: "USA", validUntil: "2030-01-01" }] as const
const stops = [
  { destination: "FRA", from: "2026-12-01", to: "2027-03-20" },
  { destination: "GTM", from: "2027-03-21", to: "2027-03-25" },
  { destination: "MEX", from: "2027-03-26", to: "2027-04-02" },
  { destination: "ATA", from: "2027-04-03", to: "2027-04-05" },
]
const earlierStays = [{ destination: "RUS", from: "2026-02-01", to: "2026-02-10" }]
const trip = {
  passport: "USA",
  passportExpiry: "2027-04-01",
  stops,
  transit: ["GBR", "FRA", "ARE"],
  residence: "FRA",
  purpose: "work",
  earlierStays,
}

const QUESTIONS: Readonly<Record<string, () => unknown>> = {
  lookup: () => [
    lookup("FRA", "JPN"),
    lookup("FRA", "ATA"),
    lookup("fr", "JPN"),
    lookup("FRA", "JPN", { day: 1 } as never),
  ],
  describePair: () => [describePair(dataset, "FRA", "SJM"), describePair(dataset, "IND", "MEX")],
  lookupHeld: () => lookupHeld(dataset, "IND", "MEX", { held }),
  decide: () => [
    decide(dataset, trip),
    decide(dataset, { ...trip, passport: "IND", held: [...held] }),
    decide(dataset, { passports: ["USA", "DEU", "ZZZ"], stops }),
    decide(dataset, {
      ...trip,
      passport: "MLI",
      stops: [{ destination: "SEN", from: "2026-12-01", to: "2026-12-05" }],
    }),
    decide(dataset, { ...trip, passport: "ZZZ" }),
    decide(dataset, { ...trip, stops: [] }),
  ],
  decideWithRemedies: () => decideWithRemedies(dataset, trip),
  decideGroup: () =>
    decideGroup(dataset, { travellers: [{ passport: "USA" }, { passport: "GTM" }], stops, transit: ["GBR"] }),
  intersectGroup: () => intersectGroup(dataset, ["FRA", "IND", "USA"]),
  chooseBestPassports: () => chooseBestPassports(dataset, ["FRA", "IND"]),
  listEntrants: () => listEntrants(dataset, "JPN"),
  scorePassport: () => scorePassport(dataset, "JPN"),
  rankPassports: () => rankPassports(dataset),
  comparePassports: () => comparePassports(dataset, { passport1: "JPN", passport2: "IND" }),
  listScheduledChanges: () => listScheduledChanges(dataset),
  zones: () => dataset.zones,
  validityRules: () => readProvisions(dataset).list("validity"),
  transitRules: () => readProvisions(dataset).list("transit"),
  requirements: () => [REQUIREMENTS, DEFAULT_WEIGHTS, isRequirement("eta")],
}

// Writes into everything that can be reached and written into: every field becomes something else, every list gets one entry more.
function vandalise(value: unknown, seen = new Set<unknown>()): void {
  if (typeof value !== "object" || value === null || seen.has(value)) return
  seen.add(value)
  for (const [key, inner] of Object.entries(value)) {
    vandalise(inner, seen)
    try {
      ;(value as Record<string, unknown>)[key] = "vandalised"
    } catch {
      // Frozen.
    }
  }
  try {
    ;(value as Record<string, unknown>).vandalised = true
    if (Array.isArray(value)) value.push("vandalised")
  } catch {
    // Frozen.
  }
}

describe("what is handed out", () => {
  const before = Object.fromEntries(Object.entries(QUESTIONS).map(([name, ask]) => [name, structuredClone(ask())]))

  it.each(Object.keys(QUESTIONS))("by %s changes no later answer, whatever is written into it", name => {
    vandalise(QUESTIONS[name]?.())
    for (const [other, ask] of Object.entries(QUESTIONS)) {
      expect(ask(), `${other} after writing into ${name}`).toEqual(before[other])
    }
  })
})
