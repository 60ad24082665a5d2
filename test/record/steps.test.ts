import { beforeAll, describe, expect, it } from "vitest"
import { assembleFullRecord, type LocalisedFacts } from "../../src/full.ts"
import { openFacts, recordOf } from "./localised-facts.ts"

describe("the steps of a record", () => {
  let today: LocalisedFacts
  beforeAll(async () => {
    today = await openFacts()
  })

  it("tell an Indian to have the visa for the Emirates applied for by a sponsor, and name no embassy", () => {
    const steps = recordOf(today, "IND", "ARE").process ?? []
    expect(steps.slice(0, 5)).toEqual([
      "Check that your passport is valid for the whole journey.",
      "Have the visa applied for by one of these: a travel agency, the airline, the hotel, a sponsor in the country",
      "Send them a copy of your passport and the other documents that they ask for.",
      expect.stringMatching(/^Pay the fee of AED\s300\.00\.$|^Pay the fee of AED\s300\.$/),
      "Wait for the decision. As a rule it takes up to 2 days.",
    ])
    expect(steps.filter(step => /embassy|consulate/.test(step))).toEqual([])
  })

  it("tell everybody whose rule has a sponsor to ask him, and nobody else", () => {
    for (const destination of today.dataset.destinations) {
      for (const passport of ["AFG", "IND", "USA", "NGA", "CHN"]) {
        const record = assembleFullRecord(today, passport, destination)
        if (record === null) continue
        const isSponsored = record.conditions?.some(({ kind }) => kind === "sponsor") ?? false
        const asks =
          record.process?.some(step => step.startsWith("Have the visa applied for by one of these: ")) ?? false
        expect([passport, destination, asks]).toEqual([passport, destination, isSponsored])
      }
    }
  })

  it("send those who need an approval before the journey to no visa counter", () => {
    const steps = recordOf(today, "AFG", "GMB").process ?? []
    expect(steps).toContain("Get this approval before the journey: Entry clearance, Gambia Immigration Department")
    expect(steps).toContain("Show the approval on arrival, where the visa is issued.")
    expect(steps).not.toContain("Ask for the visa at the visa counter when you arrive.")
    expect(recordOf(today, "AZE", "GRD").process).toContain(
      "Get this approval before the journey: Pre-clearance letter",
    )
    expect(recordOf(today, "FRA", "EGY").process).toContain("Ask for the visa at the visa counter when you arrive.")
  })

  it("are the same whoever was asked about before", () => {
    const first = recordOf(today, "USA", "CHN")
    recordOf(today, "NGA", "CHN")
    expect(recordOf(today, "USA", "CHN")).toEqual(first)
    expect(recordOf(today, "NGA", "CHN").tips).not.toEqual(first.tips)
  })
})

describe("transit without a visa", () => {
  it("of 240 hours is told to Americans in China, and to no Nigerian", async () => {
    const today = await openFacts()
    const tip = "Transit to a third country is possible without a visa, with an onward ticket. Hours, at most: 240"
    for (const passport of ["USA", "UKR", "LTU", "MEX", "IDN"]) {
      expect(recordOf(today, passport, "CHN").tips, passport).toContain(tip)
    }
    expect(recordOf(today, "NGA", "CHN").tips).not.toContain(tip)
    expect(recordOf(today, "FRA", "CHN").tips).not.toContain(tip)
    expect(recordOf(today, "USA", "CHN").tips).toContain(
      "Official information: https://www.zj.gov.cn/col/col1229438211/art/2026/art_ccf41b01adb0452b9ed371c5908f75af.html",
    )
  })
})

describe("another way to enter", () => {
  it("is a condition, and disputes nothing", async () => {
    const today = await openFacts()
    for (const [passport, destination] of [
      ["IND", "KHM"],
      ["FRA", "EGY"],
    ] as const) {
      const record = recordOf(today, passport, destination)
      expect(record.requirement).toBe("visa_on_arrival")
      expect(record.conditions?.map(({ text }) => text)).toContain(
        "The same entry can also be had in another way: with an electronic visa.",
      )
      expect(record.disputed).toBeUndefined()
    }
  })
})
