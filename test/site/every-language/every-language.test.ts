/** What takes too long for `npm test`: every view by axe in every language and both themes, and drawn pairs on a phone. `npx vitest run --project languages`. */
import fc from "fast-check"
import { assert, describe, it } from "vitest"
import { LANGUAGES } from "../../../src/full.ts"
import { embeddedDataset, zone } from "../../../src/index.ts"
import { categoryOf, readDatasetOn, useExplorer } from "../explorer-page.ts"
import { findMistakes } from "../find-mistakes.ts"

const VIEWS = [
  "",
  "?people=FRA+IND~visa.USA",
  "SYR/DEU?kind=refugee_convention",
  "IND/DEU",
  "IND/DEU?kind=diplomatic",
  "?people=FRA,IND~visa.USA&from=2027-03-01&until=2027-03-14",
  "trip?passports=GBR~2031-01-01&stops=ESP~2027-01-10~2027-02-28,ITA~2027-03-20~2027-05-10",
  "trip?earlier=ESP~2026-10-01~2026-10-20,ITA~2026-02-30~2026-03-01",
  "ranking?passports=FRA,IND",
  "ranking?by=destinations&method=score",
  "ranking?passports=ARE&on=2022-03-06",
  "?people=IND~visa.USA,FRA&to=KOR&from=2027-03-01&until=2027-03-08",
  "?people=FRA+IND~visa.USA",
  "FRA/CHN?from=2023-11-20",
  "IND/MYS?from=2027-03-01",
  "schengen",
  "data",
]
const DRAWN_PAIRS = 200
const PRINTED_PAIRS = 40
const SEED = 20_261_124

const explorer = useExplorer()

describe("every language", () => {
  it.each(LANGUAGES)("has no serious mistake that axe knows, in any view, in light and in dark: %s", async language => {
    const { page } = explorer
    const mistakes: string[] = []
    for (const view of VIEWS) {
      await explorer.open(view, { language })
      for (const mistake of await findMistakes(page)) mistakes.push(`${view}: ${mistake}`)
    }
    assert.deepStrictEqual(mistakes, [])
  })
})

describe("a view", () => {
  it.each(LANGUAGES)("needs no scrolling sideways on a phone or at twice the size: %s", async language => {
    const { page } = explorer
    const beyond: string[] = []
    for (const view of VIEWS) {
      await explorer.open(view, { language })
      for (const width of [640, 390, 320]) {
        await page.setViewportSize({ width, height: 800 })
        const pixels = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth)
        if (pixels > 0) beyond.push(`${view} at ${width}: ${pixels}`)
      }
    }
    await page.setViewportSize({ width: 1280, height: 860 })
    assert.deepStrictEqual(beyond, [])
  })

  it("of a whole passport prints on two sheets of A4", async () => {
    const { page } = explorer
    await explorer.open("?people=IND")
    const pdf = (await page.pdf({ format: "A4" })).toString("latin1")
    assert.lengthOf(pdf.match(/\/Type\s*\/Page\b/g) ?? [], 2)
  })
})

describe("a pair on a phone", () => {
  it(`fits 390 pixels, for ${DRAWN_PAIRS} drawn pairs in drawn languages`, async () => {
    const { page } = explorer
    await page.setViewportSize({ width: 390, height: 844 })
    const { passports, destinations } = embeddedDataset()
    const pair = fc.tuple(
      fc.constantFrom(...passports),
      fc.constantFrom(...destinations),
      fc.constantFrom(...LANGUAGES),
    )
    const beyond: string[] = []
    for (const [passport, destination, language] of fc.sample(pair, { numRuns: DRAWN_PAIRS, seed: SEED })) {
      await explorer.open(`${passport}/${destination}`, { language })
      await page.locator("article.pair section").first().waitFor()
      const pixels = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth)
      if (pixels > 0) beyond.push(`${passport}/${destination} in ${language}: ${pixels}`)
    }
    assert.deepStrictEqual(beyond, [])
  })
})

describe("a printed pair", () => {
  // All that a visa of the Schengen area takes fills two, as in `layout.test.ts`.
  const inArea = new Set(zone("schengen")?.members.map(({ code }) => code))

  it.each(["en", "de"] as const)(`takes one sheet of A4, for ${PRINTED_PAIRS} drawn pairs: %s`, async language => {
    const { page } = explorer
    const dataset = readDatasetOn()
    const { passports, destinations } = dataset
    const pair = fc
      .tuple(fc.constantFrom(...passports), fc.constantFrom(...destinations))
      .filter(([passport, destination]) => categoryOf(passport, destination, dataset) !== "unknown")
    const longer: string[] = []
    for (const [passport, destination] of fc.sample(pair, { numRuns: PRINTED_PAIRS, seed: SEED })) {
      await page.goto("about:blank")
      await explorer.open(`${passport}/${destination}`, { language })
      await page.locator(".evidence").waitFor()
      const pdf = (await page.pdf({ format: "A4" })).toString("latin1")
      const sheets = pdf.match(/\/Type\s*\/Page\b/g)?.length ?? 0
      if (sheets === 0 || sheets > (inArea.has(destination) ? 2 : 1))
        longer.push(`${passport}/${destination}: ${sheets}`)
    }
    assert.deepStrictEqual(longer, [])
  })
})
