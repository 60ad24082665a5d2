/**
 * Citizens who have to enter on their country's own passport: Venezuela (Ley de Nacionalidad y Ciudadanía, art. 7), Iran (no other nationality is
 * recognised: Civil Code, art. 989), Cuba (Constitution, art. 36; since 1 July 2023 also those who left before 1971), the United States
 * (8 U.S.C. 1185(b)), Colombia (Law 43 of 1993, art. 22), Russia (Federal Law 114-FZ, art. 6). Countries that recognise no other nationality, such as
 * China (Nationality Law, art. 3) and India (Citizenship Act, s. 9): whether they admit citizens on another passport is not known. Who has that passport alone, or is no citizen, is not concerned.
 */
import { describe, expect, it } from "vitest"
import { assembleFullRecord } from "../../src/full.ts"
import { embeddedDataset } from "../../src/index.ts"
import { openFacts } from "../record/localised-facts.ts"
import { decided, stay } from "./decisions.ts"

const dataset = embeddedDataset()
const dates = { passportExpiry: "2035-01-01", passportIssued: "2026-06-01" }
const all = [...dataset.passports]
const WITH_TERRITORIES = ["AUS", "CHN", "DNK", "FIN", "FRA", "GBR", "NLD", "NOR", "NZL", "USA"]

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

  it("are warned by the record of what the decision asks, wherever they are citizens, and of nothing else", async () => {
    const localised = await openFacts()
    const asked = new Set<string>()
    for (const destination of dataset.destinations) {
      for (const passport of ["FRA", "IND", "NZL", "USA"]) {
        const found = new Set<string>()
        for (const own of [destination, ...WITH_TERRITORIES]) {
          if (own === passport || !all.includes(own)) continue
          const { steps, blockers, conditions } = decided(dataset, {
            passports: [passport, own].map(each => ({ passport: each, ...dates })),
            stops: [{ ...stay(destination, "2027-01-01", "2027-01-10"), passport, by: "air" }],
          })
          if (steps[0]!.requirement.status === "unknown") continue
          const notices = [...blockers, ...conditions].filter(({ code }) => code.startsWith("own_passport"))
          for (const { code, params } of notices) {
            asked.add(`${code} ${destination}`)
            found.add(
              code === "own_passport_needed"
                ? `Nationals must travel on the passport of this country, even if they hold another one: ${localised.locale.nameCountry(String(params.own))}.`
                : `This country treats its citizens only as its own, whatever other passport they have: ${localised.locale.nameCountry(destination)}.`,
            )
          }
        }
        const warnings = assembleFullRecord(localised, passport, destination)?.dual_nationality_warnings ?? []
        expect(warnings, `${passport} ${destination}`).toEqual([...found])
      }
    }
    const countBy = (code: string) => [...asked].filter(each => each.startsWith(`${code} `)).map(each => each.slice(-3))
    expect(countBy("own_passport_needed").sort().join(" ")).toBe(
      "AUS CAN COL CUB GBR GGY GUM IMN IRN JEY MNP PRI RUS USA VEN VIR ZAF",
    )
    expect(countBy("own_passport")).toHaveLength(16)
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
