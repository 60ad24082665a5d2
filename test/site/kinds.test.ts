/** Passports of other kinds than the ordinary one: on the map and for a pair, nothing of ordinary passports is said. */
import { assert, describe, it } from "vitest"
import { decide } from "../../src/index.ts"
import { FLOW_TIMEOUT_MS, readDatasetOn, useExplorer } from "./explorer-page.ts"

const explorer = useExplorer()

const requirementOf = (passport: string, passportKind: "diplomatic" | "refugee_convention", destination: string) => {
  const dataset = readDatasetOn()
  const stops = [{ destination, from: dataset.asOf, to: dataset.asOf }]
  const result = decide(dataset, { passports: [{ passport, passportKind }], stops })
  const requirement = result.ok && result.value.kind === "decided" ? result.value.steps[0]?.requirement : undefined
  return requirement?.status === "known" ? requirement.value : "unknown"
}

describe("the kind of a passport", { timeout: FLOW_TIMEOUT_MS }, () => {
  it("is chosen on the map, which then shows only what is recorded for the kind", async () => {
    const { page } = explorer
    await explorer.open("?passports=SYR")
    await page.getByText("Kind of passport").first().click()
    await page.getByLabel("Kind of passport").selectOption("refugee_convention")
    await explorer.waitForCategory("DEU", "visa_required")
    await explorer.waitForCategory("JPN", "unknown")
    const categories = await explorer.readCategories()
    for (const [code, category] of Object.entries(categories)) {
      if (code !== "SYR") assert.strictEqual(category, requirementOf("SYR", "refugee_convention", code), code)
    }
    assert.match(page.url(), /passports=SYR&kind=refugee_convention/)
    assert.strictEqual(await page.getByRole("button", { name: "Visa: United States" }).count(), 0)
  })

  it("is kept for the pair and for the trip", async () => {
    const { page } = explorer
    await explorer.open("?passports=SYR&kind=refugee_convention&at=DEU")
    await page.getByRole("link", { name: "Everything that is known" }).click()
    await page.getByRole("region", { name: "Requirement" }).getByText("Visa required").first().waitFor()
    assert.match(page.url(), /SYR\/DEU\?kind=refugee_convention/)
    const trip = await page.getByRole("link", { name: "Trip" }).getAttribute("href")
    assert.match(String(trip), /passports=SYR~~~refugee_convention/)
  })

  it("leaves the pair unknown if no rule is recorded for it", async () => {
    const { page } = explorer
    assert.strictEqual(requirementOf("IND", "diplomatic", "DEU"), "unknown")
    await explorer.open("IND/DEU?kind=diplomatic")
    const answer = page.getByRole("region", { name: "Requirement" })
    await answer.getByText("No rule is recorded here for this kind of passport").waitFor()
    assert.notInclude(await answer.innerText(), "Visa required")
    await page.getByLabel("Kind of passport").selectOption("ordinary")
    await page.getByRole("region", { name: "Requirement" }).getByText("Visa required").first().waitFor()
  })
})

describe("a past day", { timeout: FLOW_TIMEOUT_MS }, () => {
  it("has nothing for a passport of another kind, for a pair as on the map", async () => {
    const { page } = explorer
    await explorer.open("IND/DEU?kind=diplomatic&on=2024-01-01")
    const answer = page.getByRole("region", { name: "Requirement" })
    await answer.getByText("No rule is recorded here for this kind of passport").waitFor()
    assert.notInclude(await page.getByRole("main").innerText(), "Visa required")
    await page.getByLabel("Kind of passport").selectOption("ordinary")
    await answer.getByText("Visa required").first().waitFor()
    await explorer.open("?passports=IND&kind=diplomatic&on=2024-01-01")
    await explorer.waitForCategory("DEU", "unknown")
  })
})

describe("the traveller's details on the map", { timeout: FLOW_TIMEOUT_MS }, () => {
  it("are kept for the trip: documents, without dates, and the country of residence", async () => {
    const { page } = explorer
    await explorer.open("?passports=GBR&held=visa.USA,permit.ESP")
    const trip = await page.getByRole("link", { name: "Trip" }).getAttribute("href")
    const given = new URLSearchParams(String(trip).split("?")[1])
    assert.strictEqual(given.get("residence"), "ESP")
    assert.deepStrictEqual(JSON.parse(String(given.get("held"))), [
      { kind: "visa", issuer: "USA" },
      { kind: "residence_permit", issuer: "ESP" },
    ])
  })
})
