/** Where the parts of every view are: below one another's edges on each width of a screen, and on one sheet of paper; and how much they weigh. */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { gzipSync } from "node:zlib"
import { assert, describe, expect, it } from "vitest"
import { SITE_FOLDER } from "../../site/build/build-site.ts"
import { IS_WHOLE } from "../sample.ts"
import { FLOW_TIMEOUT_MS, PATIENT, useExplorer } from "./explorer-page.ts"

const TRIP = "trip?passports=GBR~2031-01-01&stops=ESP~2027-01-10~2027-02-28,ITA~2027-03-20~2027-05-10"
const GROUP = `${TRIP}&with=${encodeURIComponent('[{"passport":"IND","passport_expiry":"2030-05-01"}]')}`
/** What is measured, weighed and printed each night only, because a view takes a second: one of each kind is in every run. */
const eachNight = <Row>(...rows: readonly Row[]): readonly Row[] => (IS_WHOLE ? rows : [])
const VIEWS = [
  "",
  "FRA/JPN",
  TRIP,
  ...eachNight(
    "?people=IND",
    "ranking?passports=FRA,IND",
    "?people=FRA,IND&to=KOR",
    "trip?earlier=ESP~2026-10-01~2026-10-20,ITA~2026-02-30~2026-03-01",
    "data",
  ),
]
/** Adds up how much the browser reports to have moved. */
const SUM_SHIFTS = `window.shifts = 0
new PerformanceObserver(list => { for (const { value } of list.getEntries()) window.shifts += value }).observe({ type: "layout-shift", buffered: true })`
const PRINTED_PAGE = /\/Type\s*\/Page\b/g
/** Regions of a record that decide an entry, of a traveller who needs a visa. */
const DECIDING = [
  "Documents",
  "What to do",
  "Validity of the passport",
  "Types of visa",
  "Fee",
  "Processing time",
  "Transit",
  "How we know this",
  "Another source",
]
const WIDTHS = [390, 1280, 1920, ...eachNight(820, 1440)]

const explorer = useExplorer()

describe("the parts of a view", { timeout: FLOW_TIMEOUT_MS }, () => {
  it.each(VIEWS)("begin and end where the header and the foot do, on each width: %s", async view => {
    const { page } = explorer
    await explorer.open(view)
    const measure = () =>
      page.evaluate(() => {
        const edgesOf = (selector: string) => {
          const { left, right } = (document.querySelector(selector) as Element).getBoundingClientRect()
          return { left: Math.round(left), right: Math.round(right) }
        }
        const parts = [...document.querySelectorAll("main > * > *")]
          .map(part => part.getBoundingClientRect())
          .filter(({ width, height }) => width > 0 && height > 0)
        const { left, right } = edgesOf("main > *")
        return {
          header: [edgesOf(".brand").left - left, edgesOf(".top nav").right - right],
          foot: edgesOf(".foot > p").left - left,
          parts: [
            Math.round(Math.min(...parts.map(part => part.left))) - left,
            Math.round(Math.max(...parts.map(part => part.right))) - right,
          ],
        }
      })
    for (const width of WIDTHS) {
      await page.setViewportSize({ width, height: 860 })
      await expect
        .poll(measure, { ...PATIENT, message: `at ${width}` })
        .toEqual({ header: [0, 0], foot: 0, parts: [0, 0] })
    }
    await page.setViewportSize({ width: 1280, height: 860 })
  })
})

describe("the reasons of an answer", { timeout: FLOW_TIMEOUT_MS }, () => {
  it.each(["DEU/IND?from=2027-02-08", "?people=IND~visa.USA,FRA&to=KOR&from=2027-03-01"])(
    "stand beside each card on a wide screen, and below it on a phone and on paper: %s",
    async view => {
      const { page } = explorer
      await explorer.open(view)
      const isBeside = () =>
        page.locator(".answer").evaluateAll(answers =>
          answers.map(answer => {
            const [card, reasons] = [...answer.children].map(child => child.getBoundingClientRect())
            if (card === undefined || reasons === undefined) return null
            if (reasons.top >= card.bottom) return false
            return reasons.left >= card.right && reasons.top === card.top && card.width > 2 * reasons.width
          }),
        )
      const cards = view.split(",").length
      for (const width of [1280, 1440]) {
        await page.setViewportSize({ width, height: 860 })
        await expect.poll(isBeside, { ...PATIENT, message: `at ${width}` }).toEqual(Array(cards).fill(true))
      }
      await page.emulateMedia({ media: "print" })
      await expect.poll(isBeside, { ...PATIENT, message: "on paper" }).toEqual(Array(cards).fill(false))
      await page.emulateMedia({ media: null })
      await page.setViewportSize({ width: 390, height: 844 })
      await expect.poll(isBeside, { ...PATIENT, message: "on a phone" }).toEqual(Array(cards).fill(false))
      await page.setViewportSize({ width: 1280, height: 860 })
    },
  )
})

describe("a view on a phone", { timeout: FLOW_TIMEOUT_MS }, () => {
  it.each([
    ["", 108_000],
    ["IND/DEU", 190_000],
    [TRIP, 212_000],
    ...eachNight(
      ["?people=IND,FRA&to=KOR&from=2027-03-01&until=2027-03-08", 190_000] as const,
      // The shortest card: what is recorded would stand on its first screen.
      ["FRA/JPN", 190_000] as const,
      ["?people=IND", 196_000] as const,
      ["ranking?passports=FRA,IND", 125_000] as const,
      // The figures of the data are counted from all records, which are files of their own.
      ["data", 400_000, 24] as const,
    ),
  ] as const)(
    "loads only what it shows, in few files, and nothing moves: %s, at most %i bytes with gzip",
    async (view, most, mostFiles?: number) => {
      const { context, page } = await explorer.openContext({ viewport: { width: 390, height: 844 } })
      const paths = new Set<string>()
      page.on("request", request => paths.add(new URL(request.url()).pathname))
      await page.addInitScript(SUM_SHIFTS)
      await page.goto(`${explorer.server.url}#/${view}`)
      await page.getByRole("heading", { level: 1 }).waitFor()
      await page.waitForLoadState("networkidle")
      assert.isAtMost(await page.evaluate(() => (window as unknown as { readonly shifts: number }).shifts), 0.02)
      await context.close()
      const bytes = [...paths].map(path => {
        const file = join(SITE_FOLDER, path === "/" ? "index.html" : path)
        return gzipSync(readFileSync(file), { level: 9 }).length
      })
      assert.isAtMost(
        bytes.reduce((sum, each) => sum + each, 0),
        most,
      )
      assert.isAtMost(paths.size, mostFiles ?? 20)
    },
  )
})

describe("a printed view", { timeout: FLOW_TIMEOUT_MS }, () => {
  it.each([
    // The longest ones: all that a visa of the Schengen area takes.
    ["IND/DEU", 2],
    [GROUP, 2],
    ...eachNight(
      ["?people=IND~visa.USA,FRA&to=KOR&from=2027-03-01", 2] as const,
      ["ranking?passports=FRA,IND", 1] as const,
      ["FRA/JPN", 1] as const,
      [TRIP, 1] as const,
      ["CUB/ESP", 2] as const,
      ["ranking?by=destinations", 1] as const,
      ["data", 1] as const,
      ["?people=FRA,IND~visa.USA~2027-06-01,BRA,ZAF&from=2027-03-01&until=2027-03-14", 2] as const,
    ),
  ] as const)("prints on the expected number of A4 sheets: %s, %i", async (view, sheets) => {
    const { page } = explorer
    await explorer.open(view)
    const pdf = await page.pdf({ format: "A4" })
    assert.lengthOf(pdf.toString("latin1").match(PRINTED_PAGE) ?? [], sheets)
  })

  it("says that what is recorded has not arrived, and has it with the keys that print", async () => {
    const { context, page } = await explorer.openContext()
    await page.goto(`${explorer.server.url}#/IND/DEU`)
    await page.getByText("More facts", { exact: true }).waitFor()
    await page.emulateMedia({ media: "print" })
    await expect
      .poll(() => page.locator(".left-out").innerText(), PATIENT)
      .toMatch(/^Left out on paper: More facts, Embassies and consulates\. All of it: http.*#\/IND\/DEU$/)
    await page.getByText("Loading").waitFor({ state: "hidden" })
    await page.emulateMedia({ media: null })
    await page.keyboard.down("Control")
    await page.getByRole("region", { name: "Sources", includeHidden: true }).waitFor({ state: "attached" })
    await page.keyboard.up("Control")
    assert.isFalse(await page.getByRole("region", { name: "Documents", exact: true }).isVisible())
    const isOpen = () => page.locator("details.more").evaluate(fold => (fold as HTMLDetailsElement).open)
    const open: boolean[] = []
    for (const event of ["beforeprint", "afterprint"]) {
      await page.evaluate(name => dispatchEvent(new Event(name)), event)
      open.push(await isOpen())
    }
    await context.close()
    assert.deepStrictEqual(open, [true, false])
  })

  it("prints what decides an entry, and names what it omits and where the whole is", async () => {
    const { page } = explorer
    await explorer.open("IND/DEU")
    await page.getByRole("region", { name: "Sources" }).waitFor()
    await page.emulateMedia({ media: "print" })
    await page.locator(".left-out").waitFor()
    const hidden = await page
      .locator(".beyond")
      .evaluateAll(lines => lines.filter(line => line.getClientRects().length === 0).length)
    const note = await page.locator(".left-out").innerText()
    const sources = await page.locator(".sources .beyond").count()
    assert.isAbove(hidden, 0)
    assert.strictEqual(await page.locator(".beyond").count(), hidden)
    assert.include(note, `Sources: ${sources}`)
    assert.include(note, `${explorer.server.url}#/IND/DEU`)
    const tip = (text: string) => page.getByRole("region", { name: "Good to know" }).getByText(text)
    await tip("The passport must have been issued within the last 10 years.").waitFor()
    await tip("Border officers may ask").waitFor({ state: "hidden" })
    for (const name of DECIDING) await page.getByRole("region", { name, exact: true }).waitFor()
    const documents = page.getByRole("region", { name: "Documents", exact: true }).getByRole("listitem")
    assert.deepStrictEqual(
      await documents.evaluateAll(lines => lines.filter(line => line.getClientRects().length === 0)),
      [],
    )
    await page.emulateMedia({ media: null })
    await page.locator(".left-out").waitFor({ state: "hidden" })
    await page.locator(".beyond").first().waitFor()
  })
})
