/** A pair's page, the ranking and the data's page in a real browser, by roles and keys. */
import { assert, describe, expect, it } from "vitest"
import { SURENESS } from "../../site/coverage/coverage.ts"
import { comparePassports, scorePassport } from "../../src/index.ts"
import { FLOW_TIMEOUT_MS, PATIENT, readDatasetOn, useExplorer } from "./explorer-page.ts"

const explorer = useExplorer()

describe("a pair's page", { timeout: FLOW_TIMEOUT_MS }, () => {
  it("has its own address, says where each thing is from, and turns round", async () => {
    const { page } = explorer
    await explorer.open("FRA/JPN")
    await page.getByRole("heading", { level: 1, name: "France" }).waitFor()
    const links = page.getByRole("region", { name: "Sources" }).getByRole("link")
    await links.first().waitFor()
    const addresses = await links.evaluateAll(found => found.map(link => String(link.getAttribute("href"))))
    for (const address of addresses) assert.match(address, /^https?:/)
    await page
      .getByRole("link", { name: "The other way round" })
      .or(page.getByRole("button", { name: "The other way round" }))
      .press("Enter")
    await page.waitForURL(/#\/JPN\/FRA/)
  })

  it("is printed without what only a screen needs", async () => {
    const { page } = explorer
    await explorer.open("FRA/JPN")
    await page.getByRole("region", { name: "Sources" }).waitFor()
    await page.emulateMedia({ media: "print" })
    const isShown = (selector: string) => page.locator(selector).first().isVisible()
    const shown = await Promise.all(["h1", ".verdict", ".foot", "nav", ".settings", ".picker"].map(isShown))
    await page.emulateMedia({ media: "screen" })
    assert.deepStrictEqual(shown, [true, true, true, false, false, false])
  })

  it("reads from right to left in Arabic, and keeps the language when it is opened again", async () => {
    const { page } = explorer
    await explorer.open("FRA/JPN", { language: "ar" })
    await page.locator('html[dir="rtl"][lang="ar"]').waitFor()
    await page.getByRole("combobox").filter({ hasText: "Deutsch" }).selectOption("de")
    await page.getByRole("heading", { level: 1, name: "Frankreich" }).waitFor()
    await page.reload()
    await page.getByRole("heading", { level: 1, name: "Frankreich" }).waitFor()
    await page.locator('html[dir="ltr"][lang="de"]').waitFor()
  })

  it("says that nothing is recorded where nothing is, and which day it answers for", async () => {
    const { page } = explorer
    await explorer.open("ZZZ/JPN")
    await page.getByText("Nothing is recorded for this pair").first().waitFor()
    await explorer.open("IND/THA?on=2030-01-01")
    await page.getByText("Answered for January 1, 2030.").waitFor()
  })
})

describe("the ranking", { timeout: FLOW_TIMEOUT_MS }, () => {
  it("is gone over by keys, looked through by name, and ordered by each column", async () => {
    const { page } = explorer
    const { passports } = readDatasetOn()
    await explorer.open("ranking")
    const plot = page.getByRole("slider", { name: "All passports by rank" })
    await plot.focus()
    await plot.press("End")
    await expect.poll(() => plot.getAttribute("aria-valuenow"), PATIENT).toBe(String(passports.length))
    await plot.press("Home")
    await plot.press("Enter")
    const [first = ""] = String(await plot.getAttribute("aria-valuetext")).split(",")
    await page.getByRole("region", { name: first.replace(/^\d+\. /, ""), exact: true }).waitFor()
    await page.getByRole("button", { name: "Visa on arrival" }).press("Enter")
    const onArrival = await page.locator("tbody tr td:nth-child(5)").allInnerTexts()
    assert.deepStrictEqual(
      onArrival.map(Number),
      onArrival.map(Number).sort((one, other) => other - one),
    )
    await page.getByRole("searchbox", { name: "Filter" }).fill("🇫🇷")
    await expect.poll(() => page.locator("tbody tr").count(), PATIENT).toBe(1)
    await page.getByRole("searchbox", { name: "Filter" }).fill("nowhere")
    await page.getByText("Nothing found.").waitFor()
  })

  it("shows the engine's scores, and what two passports have together", async () => {
    const { page } = explorer
    await explorer.open("ranking?passports=FRA,IND")
    const dataset = readDatasetOn()
    const scored = scorePassport(dataset, "FRA")
    const compared = comparePassports(dataset, { passport1: "FRA", passport2: "IND" })
    assert(scored.ok && scored.value.kind === "found" && compared.ok && compared.value.kind === "found")
    await page.getByRole("region", { name: "France", exact: true }).getByText(String(scored.value.score)).waitFor()
    const comparison = page.getByRole("region", { name: "Difference" })
    await comparison.getByText(String(compared.value.combined.score)).waitFor()
    await comparison.getByRole("link", { name: "The difference on the map" }).press("Enter")
    await page.waitForURL(/passports=FRA,IND&together=difference/)
    await explorer.waitForCategory("DEU", "only_first")
  })
})

describe("the data's page", { timeout: FLOW_TIMEOUT_MS }, () => {
  it("names the dataset, and counts every pair once", async () => {
    const { page } = explorer
    await explorer.open("data")
    const dataset = readDatasetOn()
    const pairs = dataset.passports.length * dataset.destinations.length
    await page.getByText(`Of ${pairs.toLocaleString("en")} pairs`).waitFor()
    await page.getByText(dataset.version, { exact: true }).waitFor()
    const counts = await page.locator("main li .count").allInnerTexts()
    const sum = counts
      .slice(0, SURENESS.length)
      .reduce((all, text) => all + Number(text.split("·")[0]?.replaceAll(",", "")), 0)
    assert.strictEqual(sum, pairs)
  })
})
