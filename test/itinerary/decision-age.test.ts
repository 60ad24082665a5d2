import { describe, expect, it } from "vitest"
import { decide, describePair, embeddedDataset, type ItineraryRequest, lookup } from "../../src/index.ts"

const dataset = embeddedDataset()
const SPAN = { from: "2027-01-10", to: "2027-01-12" }

function ageOf(request: ItineraryRequest): number | null {
  const judged = decide(dataset, request)
  if (!judged.ok || judged.value.kind !== "decided") throw new Error("not decided")
  return judged.value.ageDays
}

function pairAge(passport: string, destination: string): number | null {
  const pair = describePair(dataset, passport, destination, { on: SPAN.from })
  if (pair.kind !== "found") throw new Error("no record")
  return pair.ageDays
}

describe("the age of a decision", () => {
  it("of one stop is that of its answer on the first day, for every 29th pair", () => {
    const { passports, destinations } = dataset
    let compared = 0
    for (let place = 0; place < passports.length * destinations.length; place += 29) {
      const passport = passports[place % passports.length] as string
      const destination = destinations[Math.floor(place / passports.length)] as string
      if (lookup(passport, destination).kind !== "found") continue
      const age = ageOf({ passport, stops: [{ destination, ...SPAN }] })
      expect([passport, destination, age]).toEqual([passport, destination, pairAge(passport, destination)])
      compared++
    }
    expect(compared).toBeGreaterThan(1_000)
  })

  it("is that of the oldest answer of several stops, each on its own day", () => {
    const stops = [
      { destination: "JPN", ...SPAN },
      { destination: "THA", from: "2027-01-12", to: "2027-01-20" },
    ]
    const later = describePair(dataset, "FRA", "THA", { on: "2027-01-12" })
    const ages = [pairAge("FRA", "JPN"), later.kind === "found" ? later.ageDays : null]
    expect(ages.every(age => age !== null && age > 0)).toBe(true)
    expect(ageOf({ passport: "FRA", stops })).toBe(Math.max(...(ages as number[])))
  })

  it("is null for a citizen at home, and for a visa of the destination in hand", () => {
    expect(ageOf({ passport: "FRA", stops: [{ destination: "FRA", ...SPAN }] })).toBeNull()
    const visa = { kind: "visa", issuer: "CHN", entries: "multiple", validUntil: "2028-01-01" } as const
    expect(ageOf({ passport: "IND", held: [visa], stops: [{ destination: "CHN", ...SPAN }] })).toBeNull()
  })

  it("is null if the day of one answer is unknown, for any age of the others", () => {
    const first = { destination: "JPN", ...SPAN }
    const passport = "IND"
    const isUndated = (destination: string) => {
      const pair = describePair(dataset, passport, destination, { on: SPAN.from })
      return pair.kind === "found" && !pair.answer.home && pair.ageDays === null
    }
    const undated = dataset.destinations.filter(isUndated)
    const dated = dataset.destinations.filter(code => code !== passport && !undated.includes(code))
    expect(ageOf({ passport, stops: [first] })).toBeGreaterThan(0)
    for (const destination of [...undated, ...dated].slice(0, 40)) {
      const stops = [first, { destination, from: "2027-01-12", to: "2027-01-20" }]
      expect(ageOf({ passport, stops }) === null).toBe(undated.includes(destination))
    }
    expect(undated.length).toBeGreaterThan(0)
  })

  it("is that of the rule that names a held document instead of the answer that it changes", () => {
    const visa = { kind: "visa", issuer: "USA", entries: "multiple", validUntil: "2028-01-01" } as const
    const judged = decide(dataset, { passport: "IND", held: [visa], stops: [{ destination: "MEX", ...SPAN }] })
    const decision = judged.ok && judged.value.kind === "decided" ? judged.value : null
    const requirement = decision?.steps[0]?.requirement
    const waiver = requirement?.status === "known" ? requirement.because?.[0]?.waiver : null
    const day = waiver?.verifiedOn ?? waiver?.citedOn ?? null
    expect(waiver).toBeTruthy()
    const expected = day === null ? null : Math.max(0, (Date.parse(SPAN.from) - Date.parse(day)) / 86_400_000)
    expect(decision?.ageDays).toBe(expected)
  })
})
