import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { createRequire } from "node:module"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import type { Browser, Page } from "playwright-core"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { buildDocs, indexPages } from "../../docs/build/build-docs.ts"
import { readPages } from "../../docs/build/pages.ts"
import { SEARCH_OPTIONS } from "../../docs/build/search-terms.ts"
import { takeReadings } from "../local-time.ts"
import { startChromium } from "../site/chromium.ts"

const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8")

let folder = ""
let built: readonly string[] = []
beforeAll(async () => {
  // The library for archives of the browser's launcher works out a date while it is loaded.
  takeReadings()
  folder = mkdtempSync(join(tmpdir(), "landfall-docs-"))
  built = await buildDocs(folder)
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

describe("the search of the documentation", () => {
  const index = indexPages(readPages())
  const find = (words: string) => index.search(words, SEARCH_OPTIONS).map(({ id }) => id as string)

  it.each([
    ["backup restore", "operations.html#backup-and-restore"],
    ["glossary", "glossary.html#glossary"],
    ["add an endpoint", "contributing.html#add-an-endpoint"],
    ["duckdb", "warehouse.html#duckdb"],
    ["correct pair", "contributing.html#correct-a-pair"],
    ["settngs", "api.html#settings"],
  ])("finds %s among the first", (words, id) => {
    expect(find(words).slice(0, 5)).toContain(id)
  })

  it("finds nothing where a word is nowhere", () => {
    expect(find("backup xylophone")).toEqual([])
  })
})

describe("a page of the built documentation", () => {
  it("leads only to pages and files that were built, or to the web", () => {
    const lost = built.flatMap(name => {
      const html = readFileSync(join(folder, name), "utf8")
      const links = [...html.matchAll(/(?:href|src)="([^"#]+)(?:#[^"]*)?"/g)].map(([, link]) => link as string)
      return links.filter(link => {
        if (/^https?:/.test(link)) return false
        try {
          readFileSync(join(folder, link))
          return false
        } catch {
          return true
        }
      })
    })
    expect(lost).toEqual([])
  })

  it("shows code, entities and marks as they were written", () => {
    const html = readFileSync(join(folder, "contributing.html"), "utf8")
    expect(html).toContain("npm run landfall -- explain BRA KEN")
    expect(html).toContain("adapters/faces/http/endpoints/&lt;surface&gt;/")
    expect(html).toContain('<h2 id="correct-a-pair">Correct a pair</h2>')
    expect(html).toContain('<a href="data.html#a-policy">')
  })
})

describe("the built documentation, opened from its folder in a browser", () => {
  let browser: Browser
  let page: Page
  const faults: string[] = []
  beforeAll(async () => {
    browser = await startChromium()
    takeReadings()
    page = await browser.newPage({ viewport: { width: 1100, height: 800 } })
    page.on("console", message => {
      if (message.type() === "error") faults.push(message.text())
    })
    page.on("pageerror", error => faults.push(String(error)))
    page.on("request", request => {
      if (!request.url().startsWith("file:")) faults.push(request.url())
    })
  }, 180_000)
  afterAll(() => browser.close())

  it("is searched by keys, leads to the section, and breaks no rule of its policy", async () => {
    await page.goto(pathToFileURL(join(folder, "index.html")).href)
    await page.keyboard.press("/")
    await page.keyboard.type("backup restore")
    await page.getByText(/sections? found/).waitFor()
    await page.getByRole("link", { name: /^Backup and restore/ }).click()
    await page.waitForURL(/operations\.html#backup-and-restore$/)
    await page.getByRole("heading", { level: 2, name: "Backup and restore" }).waitFor()
    await page.getByRole("searchbox", { name: "Search" }).fill("xylophone")
    await page.getByText("Nothing has all of these words: xylophone").waitFor()
    await page.keyboard.press("Escape")
    expect(await page.getByText("Nothing has all of these words").isVisible()).toBe(false)
    expect(faults).toEqual([])
  })

  it.each([
    ["light", 1100],
    ["dark", 400],
  ] as const)("has no fault that axe finds, in %s at %i pixels", async (colorScheme, width) => {
    await page.emulateMedia({ colorScheme })
    await page.setViewportSize({ width, height: 800 })
    await page.goto(pathToFileURL(join(folder, "batch.html")).href)
    await page.evaluate(AXE)
    const { violations } = (await page.evaluate("axe.run()")) as { violations: { id: string; nodes: object[] }[] }
    expect(violations.map(({ id, nodes }) => [id, nodes.length])).toEqual([])
    expect(await page.evaluate("document.documentElement.scrollWidth <= innerWidth")).toBe(true)
  })
})
