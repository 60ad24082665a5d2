/** A pair's page, the ranking and the data's page in a real browser, by roles and keys. */
import { assert, describe, expect, it } from "vitest"
import { SURENESS } from "../../site/coverage/coverage.ts"
import { rankAll } from "../../site/ranking/ranking.ts"
import { embeddedHistory, listPast, pastDataset } from "../../src/history.ts"
import { comparePassports, type Dataset, embeddedDataset, lookupRequirement, scorePassport } from "../../src/index.ts"
import { FLOW_TIMEOUT_MS, PATIENT, readDatasetOn, useExplorer } from "./explorer-page.ts"

const explorer = useExplorer()

/** What is asked of a pair other than home. */
function lookup(dataset: Dataset, passport: string, destination: string): string | null {
  const answer = lookupRequirement(dataset, passport, destination)
  return answer.kind === "found" && !answer.home ? answer.requirement : null
}

describe("a pair's page", { timeout: FLOW_TIMEOUT_MS }, () => {
  it("has its own address, and names the source of each fact", async () => {
    const { page } = explorer
    await explorer.open("FRA/JPN")
    await page.getByRole("heading", { level: 1, name: "France" }).waitFor()
    const links = page.getByRole("region", { name: "Sources" }).getByRole("link")
    await links.first().waitFor()
    const addresses = await links.evaluateAll(found => found.map(link => String(link.getAttribute("href"))))
    for (const address of addresses) assert.match(address, /^https?:/)
  })

  it("shows the rule of a past day, both answers between two tables that differ, and never as verified", async () => {
    const { page } = explorer
    const says = async (view: string, lines: readonly unknown[]) => {
      await explorer.open(view)
      const read = async () => (await page.locator(".verdict").innerText()).split(/\n+/).slice(0, lines.length)
      await expect.poll(read, PATIENT).toEqual(lines)
    }
    await says("FRA/CHN?from=2023-11-20", [
      "Two dated tables around this day differ. One of these held:",
      "Visa required",
      "seen from 19 November 2020 to 6 November 2023",
      "Visa-free, 15 days",
      "first seen on 3 December 2023",
      expect.stringMatching(/^Not checked individually.*45 dated tables/),
    ])
    const periods = page.getByRole("region", { name: "How the rule changed" }).getByRole("listitem")
    await expect
      .poll(async () => (await periods.allInnerTexts()).map(text => text.replace(/\s+/g, " ")), PATIENT)
      .toEqual([
        "19 Nov 2020 Visa required",
        "6 Nov 2023 – 3 Dec 2023 Visa-free, 15 days",
        "11 Nov 2024 – 4 Dec 2024 Visa-free, 30 days",
      ])
    await says("JOR/GBR?from=2024-05-01", [
      "Electronic travel authorisation (ETA)",
      "seen from 22 February 2024 to 9 September 2024",
    ])
    await says("FRA/CHN?from=2019-01-01", ["No record", "Nothing is recorded before 19 November 2020."])
  })

  it("states in one place the provenance of its answer and whether this passport needs a transit visa, with the lists folded", async () => {
    const { page } = explorer
    await explorer.open("IND/DEU")
    const evidence = page.getByRole("region", { name: "Another source" })
    await evidence.getByRole("region", { name: "Sources" }).waitFor()
    const facts = page.getByRole("region", { name: "How we know this" }).locator("dl")
    for (const said of [
      /The source\s+Passport Index/,
      /Our reading\s+Get first: Visa required/,
      /Confirmed\s+Not checked individually/,
    ]) {
      await expect.poll(() => facts.innerText(), PATIENT).toMatch(said)
    }
    await evidence.getByRole("link", { name: "Report a mistake" }).waitFor()
    await explorer.open("IND/MEX?held=visa.USA")
    await page.getByText("Visas, Embassy of Mexico in Washington").first().waitFor()
    await explorer.open("IND/DEU")
    const transit = page.getByRole("region", { name: "Transit", exact: true })
    const readArea = () => transit.locator("dl").first().innerText()
    await expect.poll(readArea, PATIENT).toMatch(/inside the international area\s+no$/)
    assert.isFalse(await transit.getByText(/Afghanistan/).isVisible())
    await transit.getByText("Passports on the list").click()
    await transit.getByText(/Afghanistan/).waitFor()
    await explorer.open("AFG/DEU")
    await expect.poll(readArea, PATIENT).toMatch(/inside the international area\s+yes$/)
  })

  it("shows a change with the two days between which it was seen, or the one that an authority published", async () => {
    const { page } = explorer
    const changes = page.getByRole("region", { name: "How the rule changed" }).getByRole("listitem")
    const readFirst = async () => (await changes.first().innerText()).replace(/\s+/g, " ")
    await explorer.open("FRA/CHN")
    await expect.poll(readFirst, PATIENT).toBe("6 Nov 2023 – 3 Dec 2023 Visa required Visa-free")
    await explorer.open("JOR/GBR")
    await expect.poll(readFirst, PATIENT).toMatch(/^22 Feb 2024 Visa required Electronic travel.*GOV\.UK/)
  })

  it("shows the history of tables on request, as a strip and as a list", async () => {
    const { page } = explorer
    await explorer.open("FRA/CHN")
    const years = page.getByRole("region", { name: "Over the years" })
    await years.getByRole("button", { name: "Show past days" }).click()
    const expected = listPast(embeddedHistory(), "FRA", "CHN")
    assert.isAbove(expected.length, 1)
    await expect.poll(() => years.getByRole("listitem").count(), PATIENT).toBe(expected.length)
    const classes = await years
      .locator("svg[aria-hidden] rect.tint")
      .evaluateAll(parts =>
        parts.filter(part => part.parentElement?.closest(".strip") !== null).map(part => part.getAttribute("class")),
      )
    assert.deepStrictEqual(
      classes,
      expected.map(({ value }) => `tint ${value.requirement ?? "unknown"}`),
    )
  })

  it("is printed without controls", async () => {
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

  it("says that a pair has no record, and for which day", async () => {
    const { page } = explorer
    await explorer.open("ZZZ/JPN")
    await page.getByText("Nothing is recorded for this pair").first().waitFor()
    await explorer.open("IND/THA?from=2030-01-01")
    await page.getByText("Answered for 1 January 2030.").waitFor()
  })
})

describe("the ranking", { timeout: FLOW_TIMEOUT_MS }, () => {
  it("is navigated by keys, filtered by name, and sorted by each column", async () => {
    const { page } = explorer
    const { passports } = readDatasetOn()
    await explorer.open("ranking")
    const plot = page.getByRole("slider", { name: "All passports by rank" })
    await plot.focus()
    await plot.press("End")
    await expect.poll(() => plot.getAttribute("aria-valuenow"), PATIENT).toBe(String(passports.length))
    await plot.press("Home")
    await expect.poll(() => plot.getAttribute("aria-valuenow"), PATIENT).toBe("1")
    await plot.press("Enter")
    const [first = ""] = String(await plot.getAttribute("aria-valuetext")).split(",")
    await page.getByRole("region", { name: first.replace(/^\d+\. /, ""), exact: true }).waitFor()
    await page.getByRole("button", { name: "Visa on arrival" }).press("Enter")
    const most = rankAll(readDatasetOn(), "no_visa", "passports")
      .map(({ detail }) => String(detail.visa_on_arrival))
      .sort((one, other) => Number(other) - Number(one))
    const onArrival = page.locator("tbody tr td:nth-child(5)")
    await expect.poll(() => onArrival.allInnerTexts(), PATIENT).toEqual(most)
    await page.getByRole("searchbox", { name: "Filter" }).fill("🇫🇷")
    await expect.poll(() => page.locator("tbody tr").count(), PATIENT).toBe(1)
    await page.getByRole("searchbox", { name: "Filter" }).fill("nowhere")
    await page.getByText("Nothing found.").waitFor()
  })

  it("shows the number of a passport's open destinations over the years on request, in numbers too, and who gained and lost most", async () => {
    const { page } = explorer
    await explorer.open("ranking?passports=ARE")
    await page.getByRole("button", { name: "Show past days" }).press("Enter")
    const years = page.getByRole("region", { name: "Over the years" })
    const history = embeddedHistory()
    const counted = ["2020-11-19", "2022-12-21"].map(on => {
      const view = pastDataset(history, embeddedDataset(), on)
      const answers = view.ok ? view.value.destinations.map(code => lookup(view.value, "ARE", code)) : []
      return answers.filter(answer => answer === "visa_free").length
    })
    const readCounts = async () => {
      const rows = (await years.getByRole("row").allInnerTexts()).map(text => text.split(/\s*\t\s*/))
      return rows.filter(([day]) => /19 Nov 2020|21 Dec 2022/.test(day ?? "")).map(row => Number(row[1]))
    }
    await expect.poll(readCounts, PATIENT).toEqual(counted)
    await expect.poll(() => years.locator("svg").first().locator("g").count(), PATIENT).toBe(45)
    for (const name of ["Gained most since 19 November 2020", "Lost most since 19 November 2020"]) {
      await expect.poll(() => page.getByRole("region", { name }).getByRole("listitem").count(), PATIENT).toBe(10)
    }
    await page
      .getByRole("region", { name: /^Gained/ })
      .getByText("Kosovo")
      .waitFor()
    await page.getByRole("region", { name: /^Lost/ }).getByText("Russia").waitFor()
  })

  it("shows the engine's scores, and compares two passports", async () => {
    const { page } = explorer
    await explorer.open("ranking")
    await expect.poll(() => page.getByRole("combobox", { name: "Method" }).inputValue(), PATIENT).toBe("no_visa")
    await explorer.open("ranking?passports=FRA,IND&method=score")
    const dataset = readDatasetOn()
    const scored = scorePassport(dataset, "FRA")
    const compared = comparePassports(dataset, { passport1: "FRA", passport2: "IND" })
    assert(scored.ok && scored.value.kind === "found" && compared.ok && compared.value.kind === "found")
    await page.getByRole("region", { name: "France", exact: true }).getByText(String(scored.value.score)).waitFor()
    const comparison = page.getByRole("region", { name: "Side by side" })
    await comparison.getByText(String(compared.value.combined.score)).waitFor()
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
    const addUp = async () =>
      (await page.locator("main li .count").allInnerTexts())
        .slice(0, SURENESS.length)
        .reduce((all, text) => all + Number(text.split("·")[0]?.replaceAll(",", "")), 0)
    await expect.poll(addUp, PATIENT).toBe(pairs)
  })
})
