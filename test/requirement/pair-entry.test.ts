import { describe, expect, it } from "vitest"
import { chooseBestPassports, type Dataset, decide, embeddedDataset, lookup } from "../../src/index.ts"
import { findCase } from "../../src/record/full.ts"
import { entryAt, entryOn, type PairEntry } from "../../src/requirement/pair-entry.ts"
import { SAID } from "../itinerary/decisions.ts"
import { openWorld } from "../itinerary/itinerary-worlds.ts"
import { openFacts } from "../record/localised-facts.ts"

const free = [{ fromOn: "2026-01-01", requirement: "visa_free", days: null, free: true }]
const forDays = (days: number) => [{ fromOn: "2026-01-01", requirement: "visa_free", days, free: false }]

// Greenland and Åland: the one outside its country's zone, the other inside.
const small = openWorld({
  sinceOn: "2026-01-01",
  passports: ["DNK", "FIN", "SWE", "USA"],
  destinations: ["ALA", "DNK", "FIN", "GRL", "SWE", "USA"],
  entries: { SWEDNK: free, SWEFIN: free, FINDNK: free, DNKFIN: free, USADNK: forDays(90), USAFIN: forDays(90) },
  follows: { ALA: "FIN", GRL: "DNK" },
  zones: [
    {
      id: "schengen",
      rule: { kind: "rolling", allowanceDays: 90, windowDays: 180 },
      members: ["ALA", "DNK", "FIN", "SWE"].map(code => ({ code, fromDay: null, untilDay: null })),
    },
  ],
  validity: [],
  transit: [],
})

const entryOf = (dataset: Dataset, passport: string, destination: string): PairEntry =>
  entryAt(dataset, dataset.passports.indexOf(passport), dataset.destinations.indexOf(destination))

describe("an entry into a territory", () => {
  it("is at home for citizens of the country that it follows, in its zone or not", () => {
    expect(entryOf(small, "DNK", "GRL")).toMatchObject({ isHome: true, movesFreely: true })
    expect(entryOf(small, "FIN", "ALA")).toMatchObject({ isHome: true, movesFreely: true })
  })

  it("is free for those whom a treaty lets move freely in that country, where the treaty reaches", () => {
    expect(entryOf(small, "SWE", "ALA")).toMatchObject({ isHome: false, movesFreely: true })
    expect(entryOf(small, "SWE", "GRL")).toMatchObject({ isHome: false, movesFreely: false, stay: "unknown" })
  })

  it("is a visitor's for everybody else", () => {
    expect(entryOf(small, "USA", "GRL")).toMatchObject({ isHome: false, movesFreely: false, stay: "days" })
    expect(entryOf(small, "USA", "ALA")).toMatchObject({ isHome: false, movesFreely: false, stay: "days" })
  })

  it("is better the surer the stay: at home, free, for days, not known", () => {
    const efforts = ["FIN", "SWE", "USA"].map(passport => entryOf(small, passport, "ALA").effort)
    expect(efforts).toEqual([...efforts].sort((a, b) => a - b))
    expect(entryOf(small, "USA", "GRL").effort).toBeLessThan(entryOf(small, "SWE", "GRL").effort)
  })
})

describe("the choice of a passport, decisions and the record", () => {
  const decided = (dataset: Dataset, destination: string, ...passports: string[]) => {
    const stops = [{ destination, from: "2026-12-01", to: "2026-12-02" }]
    const result = decide(dataset, {
      passports: passports.map(passport => ({ passport, passportExpiry: "2040-01-01", passportIssued: "2026-01-01" })),
      stops,
    })
    const step = result.ok && result.value.kind === "decided" ? result.value.steps[0] : undefined
    return step ?? expect.fail("not decided")
  }

  it("agree on Greenland: an American passport is the better one there than a Swedish one, whose stay is not known", () => {
    for (const passports of [
      ["SWE", "USA"],
      ["USA", "SWE"],
    ]) {
      const best = chooseBestPassports(small, passports)
      if (!best.ok || best.value.kind !== "found") return expect.fail("no answer")
      const at = (code: string) =>
        best.value.kind === "found" && best.value.destinations.find(each => each.destination === code)?.best?.passport
      expect([at("GRL"), decided(small, "GRL", ...passports).passport]).toEqual(["USA", "USA"])
      expect([at("ALA"), decided(small, "ALA", ...passports).passport]).toEqual(["SWE", "SWE"])
    }
  })

  it("agree on who moves freely, for every passport in every territory of the embedded dataset, and in the country followed", async () => {
    const dataset = embeddedDataset()
    const localised = await openFacts("en")
    const followed = new Map<string, string>()
    for (const destination of dataset.destinations) {
      for (const passport of dataset.passports) {
        const answer = lookup(passport, destination)
        if (answer.kind === "found" && answer.follows !== null) followed.set(destination, answer.follows)
      }
    }
    expect(followed.size).toBeGreaterThan(10)
    for (const destination of new Set([...followed.keys(), ...followed.values()])) {
      for (const passport of dataset.passports) {
        const { answer, movesFreely } = entryOf(dataset, passport, destination)
        if (answer.kind !== "found") continue
        expect(findCase(localised, passport, destination)?.movesFreely, `${passport} ${destination}`).toBe(movesFreely)
        const { passportValidity, zoneStay } = decided(dataset, destination, passport)
        const isForVisitors =
          passportValidity.status === "unknown" && passportValidity.reason === SAID.validity_for_visitors
        if (passportValidity.rule !== null) expect(isForVisitors, `${passport} ${destination}`).toBe(movesFreely)
        if (movesFreely) expect(zoneStay).toBeNull()
      }
    }
  })
})

describe("entries", () => {
  it("are shared and frozen, by day as on the dataset's own day", () => {
    const { destinations, passports } = small
    destinations.forEach((_, destination) => {
      passports.forEach((_, passport) => {
        const found = entryAt(small, passport, destination)
        expect(entryOn(small, passport, destination, small.asOfDay)).toBe(found)
        expect(Object.isFrozen(found)).toBe(true)
      })
    })
  })
})
