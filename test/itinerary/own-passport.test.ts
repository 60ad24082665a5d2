/**
 * Citizens who have to enter on their country's own passport: Venezuela (Ley de Nacionalidad y Ciudadanía, art. 7), Iran (no other nationality is
 * recognised: Civil Code, art. 989), Cuba (Constitution, art. 36; since 1 July 2023 also those who left before 1971), the United States
 * (8 U.S.C. 1185(b)), Colombia (Law 43 of 1993, art. 22), Russia (Federal Law 114-FZ, art. 6). Countries that recognise no other nationality, such as
 * China (Nationality Law, art. 3) and India (Citizenship Act, s. 9): whether they admit citizens on another passport is not known. Who has that passport alone, or is no citizen, is not concerned.
 */
import { readFileSync } from "node:fs"
import { describe, expect, it } from "vitest"
import { embeddedDataset } from "../../src/index.ts"
import { decided, stay } from "./decisions.ts"

const dataset = embeddedDataset()
const dates = { passportExpiry: "2035-01-01", passportIssued: "2026-06-01" }
const all = [...dataset.passports]

/** Says whether the own passport is needed by somebody with these passports who means to enter on one of them. */
function needsOwn(passports: readonly string[], destination: string, used: string) {
  const { blockers } = decided(dataset, {
    passports: passports.map(passport => ({ passport, ...dates })),
    stops: [{ ...stay(destination, "2027-01-01", "2027-01-10"), passport: used }],
  })
  const blocker = blockers.find(({ code }) => code === "own_passport_needed")
  return blocker === undefined ? null : blocker.params.own
}

describe("citizens on another passport", () => {
  it.each([
    [["USA", "CUB"], "CUB", "USA", "CUB"],
    [["USA", "CUB"], "CUB", "CUB", null],
    [["ESP", "VEN"], "VEN", "ESP", "VEN"],
    [["ESP", "VEN"], "VEN", "VEN", null],
    [["ESP", "VEN"], "COL", "ESP", null],
    [["DEU", "IRN"], "IRN", "DEU", "IRN"],
    [["DEU", "IRN"], "IRN", "IRN", null],
    [["DEU", "IRN"], "TUR", "DEU", null],
    [["DEU", "FRA"], "IRN", "DEU", null],
    [["FRA", "USA"], "USA", "FRA", "USA"],
  ])("%j to %s on the passport of %s", (passports, destination, used, own) => {
    expect(needsOwn(passports, destination, used)).toBe(own)
  })

  it("of Cuba, Iran and Venezuela need their own, with any other passport", () => {
    for (const own of ["CUB", "IRN", "VEN"]) {
      const free = all.filter(other => other !== own && needsOwn([other, own], own, other) !== own)
      expect(free, own).toEqual([])
    }
  })

  it("are warned by the record only where the decision blocks the other passport, or asks to check it", () => {
    const facts: readonly { readonly destinations: readonly [string] }[] = JSON.parse(
      readFileSync("data/destinations/dual-nationality.json", "utf8"),
    )
    const found = facts.map(({ destinations: [own] }) => {
      const { outcome, blockers, conditions } = decided(dataset, {
        passports: ["FRA", own].map(passport => ({ passport, ...dates })),
        stops: [{ ...stay(own, "2027-01-01", "2027-01-10"), passport: "FRA", by: "air" }],
      })
      const code = [...blockers, ...conditions].find(each => each.code.startsWith("own_passport"))?.code
      expect(outcome === "clear", own).toBe(false)
      return `${own} ${code}`
    })
    expect(found.filter(each => each.endsWith("needed")).map(each => each.slice(0, 3))).toEqual([
      "CAN",
      "COL",
      "CUB",
      "GBR",
      "IRN",
      "RUS",
      "USA",
      "VEN",
      "ZAF",
    ])
    expect(found.filter(each => each.endsWith(" own_passport"))).toHaveLength(16)
  })

  it("are asked to check nothing at home on their own passport, or without it", () => {
    for (const passports of [["CHN"], ["FRA"], ["CHN", "FRA"]]) {
      const { conditions } = decided(dataset, {
        passports: passports.map(passport => ({ passport, ...dates })),
        stops: [stay("CHN", "2027-01-01", "2027-01-10")],
      })
      expect(conditions.map(({ code }) => code)).not.toContain("own_passport")
    }
  })

  it("have no blocker with two passports if no stop names one", () => {
    const passports = ["ESP", "VEN"].map(passport => ({ passport, ...dates }))
    const stops = [stay("VEN", "2027-01-01", "2027-01-10")]
    const { steps, blockers } = decided(dataset, { passports, stops })
    expect([steps[0]!.passport, blockers]).toEqual(["VEN", []])
  })
})
