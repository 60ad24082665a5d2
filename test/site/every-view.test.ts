/** What holds for every view of the page in a real browser: readable, usable on any screen, without a network, without storage, and whatever its address says. */
import { readFileSync } from "node:fs"
import { assert, beforeAll, describe, expect, it } from "vitest"
import { SITE_FOLDER } from "../../site/build/build-site.ts"
import { readOwnMessages } from "../../site/build/page-messages.ts"
import { embeddedDataset, openDataset } from "../../src/index.ts"
import { IS_WHOLE } from "../sample.ts"
import {
  categoryOf,
  FLOW_TIMEOUT_MS,
  PATIENT,
  readDatasetOn,
  useExplorer,
  WITH_SERVICE_WORKER,
} from "./explorer-page.ts"
import { findMistakes } from "./find-mistakes.ts"
import { type FurtherFiles, keepFewCountries, serveSite } from "./site-server.ts"

const TRIP = "trip?passports=GBR~2031-01-01&stops=ESP~2027-01-10~2027-02-28,ITA~2027-03-20~2027-05-10"
const GROUP = `${TRIP}&with=${encodeURIComponent('[{"passport":"IND","passport_expiry":"2030-05-01"}]')}`
const WHERE = "?people=FRA,IND~visa.USA&from=2027-03-01&until=2027-03-14"
const GROUP_ANSWER = "?people=IND~visa.USA,FRA&to=KOR&from=2027-03-01&until=2027-03-08"
/** One of each kind; each night all, those of `every-language` in every language. */
const VIEWS = [
  "",
  "FRA/JPN",
  GROUP,
  ...(IS_WHOLE ? [WHERE, GROUP_ANSWER, "ranking?passports=FRA,IND,ARE,RUS", "data"] : []),
]

const OTHER_DATASET = readFileSync(new URL("../fixtures/passport-index-2025-01-12.landfall", import.meta.url))
const DATASET = { dataset: "dataset.landfall" }
/** The countries of these views. Those of all are kept each night. */
const KEPT = ["ESP", "FRA", "GBR", "IND", "ITA", "JPN", "KOR", "USA"]
const offered = (type: string, bytes: Uint8Array | string): FurtherFiles => ({ "/dataset.landfall": { type, bytes } })

const explorer = useExplorer(() => (IS_WHOLE ? {} : keepFewCountries(SITE_FOLDER, KEPT)))

describe("every view", { timeout: FLOW_TIMEOUT_MS }, () => {
  let offline: Awaited<ReturnType<typeof explorer.openContext>>
  beforeAll(async () => {
    // It keeps what it needs while the other tests run.
    offline = await explorer.openContext(WITH_SERVICE_WORKER)
    await explorer.open("", { page: offline.page })
  })

  it.each(VIEWS)("has no serious mistake that axe knows, in light and in dark: %s", async view => {
    const { page } = explorer
    await explorer.open(view)
    assert.deepStrictEqual(await findMistakes(page), [])
  })

  it("needs no scrolling sideways on a phone or at twice the size, with long words or from right to left", async () => {
    const { page } = explorer
    for (const [language, views] of [
      ["de", VIEWS],
      ["ar", IS_WHOLE ? ["FRA/JPN", TRIP] : [TRIP]],
    ] as const) {
      for (const view of views) {
        await explorer.open(view, { language })
        for (const width of IS_WHOLE ? [640, 390, 320] : [640, 320]) {
          await page.setViewportSize({ width, height: 800 })
          const measure = () => page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth)
          const message = `${view} in ${language} at ${width}`
          await expect.poll(measure, { ...PATIENT, message }).toBeLessThanOrEqual(0)
        }
      }
    }
    await page.setViewportSize({ width: 1280, height: 860 })
  })

  it("stays readable in the colours that a reader forces", async () => {
    const { page } = explorer
    await page.emulateMedia({ forcedColors: "active" })
    await explorer.open("?people=FRA")
    const fills: string[] = []
    for (const category of ["home", "clear", "consulate", "unknown"]) {
      const swatch = page.locator(`.legend .tint.${category}`).first()
      fills.push(await swatch.evaluate(element => getComputedStyle(element).fill))
    }
    await page.emulateMedia({ forcedColors: "none" })
    assert.strictEqual(new Set(fills).size, fills.length)
  })

  it("opens at any address, and breaks at none", async () => {
    const { page } = explorer
    const hostile = [
      "?people=<img src=x onerror=alert(1)>,FRA,FRA,%00,fra",
      "?people=FRA~constructor&to=__proto__&from=2027-02-30",
      `?people=${Array.from({ length: 400 }, () => "FRA,IND,USA").join(",")}`,
      "?to=FRA&people=IND&from=1900-01-01",
      "FRA/FRA?from=9999-99-99",
      "AAA/BBB",
      "constructor/__proto__",
      "ranking?passports=ZZZ,FRA&on=2199-12-31",
      "trip?passports=ZZZ&stops=ZZZ~2027-01-01~2027-01-02",
      "trip?passports=FRA~2020-01-01~2021-01-01&stops=DEU~2027-02-01~2027-01-01",
      `trip?passports=IND&stops=KOR~2027-01-10~2027-01-20&held=${encodeURIComponent('[{"kind":"eta","issuer":"KOR"}]')}`,
      "where?people=FRA&region=999",
      "?people=FRA~live.__proto__~kind,,,~visa.__proto__&to=constructor&leave=__proto__&from=2027-02-30&until=0&for=__proto__",
      "FRA/JPN?held=visa.&valid=x&live=ZZZ&from=2199-12-31&until=2199-12-31",
      `trip?held=${encodeURIComponent("[".repeat(5_000))}&earlier=~~~,FRA&purpose=${encodeURIComponent("<script>".repeat(100))}`,
      "data?x=%E0%A4%A",
      "%E0%A4%A/%",
      "?people=FRA~name.%3Cimg%20src%3Dx%3E,IND~name.constructor~name.__proto__&to=JPN",
      `?people=${Array.from({ length: 200 }, () => "IND~visa.USA").join(",")}&to=JPN`,
      "?people=FRA&from=%3Cscript%3E&until=1e9",
      `FRA/JPN?from=2027-03-10&until=${"x".repeat(5_000)}`,
      "trip?earlier=~~,<b>~x~y,FRA~9999-99-99",
      `trip?earlier=${Array.from({ length: 400 }, () => "ESP~2026-01-01~2025-01-01").join(",")}`,
    ]
    for (const view of hostile) {
      await explorer.open(view)
      await page.getByRole("navigation").waitFor()
      assert.notMatch(await page.locator("main").innerText(), /\b(held|region|requirement|passport)\.\w/, view)
    }
    assert.strictEqual(await page.locator("main img, main script").count(), 0)
  })

  it("keeps the other views where it throws, and shows and reports the error", async () => {
    const { context, page } = await explorer.openContext()
    explorer.expected = /^TypeError: Cannot read properties of undefined/
    // A language without one of the trip's sentences.
    await page.route("**/parts/ar-*.js", async route => {
      const answer = await route.fetch()
      await route.fulfill({ response: answer, body: (await answer.text()).replace('"trip.lead"', '"trip.lost"') })
    })
    await explorer.open("trip?passports=FRA~2031-01-01&stops=EGY~2027-01-10~2027-01-20", { page, language: "ar" })
    const broken = page.getByRole("alert")
    await broken.getByRole("heading", { level: 1, name: readOwnMessages("ar")["view.broken"] }).waitFor()
    assert.match(await broken.locator("[lang=en]").innerText(), /^TypeError: /)
    const report = await broken.getByRole("link", { name: readOwnMessages("ar")["pair.report"] }).getAttribute("href")
    const { searchParams } = new URL(String(report))
    assert.match(String(searchParams.get("saw")), /^TypeError: /)
    assert.strictEqual(searchParams.get("did"), 'Opened the view "trip" in ar.')
    assert.notInclude(String(report), "EGY")
    await expect.poll(() => explorer.faults, PATIENT).toContainEqual(expect.stringMatching(explorer.expected))
    await page.getByRole("link", { name: readOwnMessages("ar")["nav.ranking"] }).click()
    await page.getByRole("heading", { level: 1, name: readOwnMessages("ar")["ranking.title"] }).waitFor()
    await page.goBack()
    await broken.waitFor()
    await page.getByRole("combobox", { name: readOwnMessages("ar")["nav.language"] }).selectOption("en")
    await page.getByRole("region", { name: "Verdict" }).waitFor()
    assert.strictEqual(await broken.count(), 0)
    await page.getByRole("combobox", { name: "Language" }).selectOption("ar")
    await broken.getByRole("link", { name: readOwnMessages("ar")["trip.clear"] }).click()
    await page.waitForURL(url => !url.href.includes("EGY"))
    await context.close()
  })

  it("is replaced by a sentence where the page cannot start", async () => {
    const { context, page } = await explorer.openContext()
    explorer.expected = /ERR_FAILED|Failed to fetch dynamically imported module/
    await page.route("**/parts/en-*.js", route => route.abort())
    await page.goto(`${explorer.server.url}#/FRA/JPN?lang=en`)
    await page.getByText(/^Landfall could not start\. Load the page again\. \(TypeError: /).waitFor()
    await context.close()
  })

  it("goes back and forth with the browser's own buttons", async () => {
    const { page } = explorer
    await explorer.open("?people=FRA")
    await page.getByRole("link", { name: "Ranking" }).click()
    await page.getByRole("heading", { level: 1, name: "How far each passport reaches" }).waitFor()
    await page.goBack()
    await page.getByRole("heading", { level: 1, name: /^No visa/ }).waitFor()
    await page.goForward()
    await page.getByRole("heading", { level: 1, name: "How far each passport reaches" }).waitFor()
  })

  it("works where the browser keeps nothing", async () => {
    const { context, page } = await explorer.openContext()
    await page.addInitScript(() => {
      const refuse = () => {
        throw new DOMException("nothing is kept here", "QuotaExceededError")
      }
      for (const name of ["localStorage", "sessionStorage", "indexedDB", "caches"]) {
        Object.defineProperty(window, name, { get: refuse })
      }
    })
    await explorer.open("?people=FRA", { page })
    await page.getByRole("button", { name: /^Colours/ }).click()
    await page.getByRole("combobox").filter({ hasText: "Deutsch" }).selectOption("fr")
    await page.locator('html[lang="fr"]').waitFor()
    await context.close()
  })

  it("can be installed: its manifest names a start and icons that are there", async () => {
    const { page } = explorer
    const manifest = await page.evaluate(async () => {
      const link = document.querySelector<HTMLLinkElement>('link[rel="manifest"]')
      const answer = await fetch(String(link?.href))
      const { name, start_url, display, icons } = await answer.json()
      const found = await Promise.all(
        (icons as { src: string; sizes: string }[]).map(async ({ src }) => (await fetch(new URL(src, link?.href))).ok),
      )
      return { name, start_url, display, sizes: icons.map(({ sizes }: { sizes: string }) => sizes), found }
    })
    assert.deepInclude(manifest, { name: "Landfall", start_url: "./", display: "standalone" })
    assert.includeMembers(manifest.sizes, ["192x192", "512x512"])
    assert.isFalse(manifest.found.includes(false))
  })

  it("works without a network once everything is kept", async () => {
    const { context, page } = offline
    await page.getByText("Everything is kept: the page works without a network.").waitFor()
    await context.setOffline(true)
    for (const view of VIEWS) await explorer.open(view, { page, language: "hi" })
    await page.reload()
    await page.getByRole("heading", { level: 1 }).waitFor()
    await explorer.open("?people=FRA", { page })
    await explorer.waitForCategory("JPN", categoryOf("FRA", "JPN", readDatasetOn()), page)
    await context.close()
  })
})

describe("a dataset that the host offers", { timeout: FLOW_TIMEOUT_MS }, () => {
  const opened = openDataset(OTHER_DATASET)
  assert(opened.ok)
  const other = opened.value

  it("is answered from, without a network too", async () => {
    const files = { ...offered("application/octet-stream", OTHER_DATASET), ...keepFewCountries(SITE_FOLDER) }
    const host = await serveSite(SITE_FOLDER, files, DATASET)
    const { context, page } = await explorer.openContext(WITH_SERVICE_WORKER)
    await explorer.open("?people=IND", { page, base: host.url })
    await page.getByText(other.version).waitFor()
    const expected = other.destinations.map(code => [code, categoryOf("IND", code, other)] as const)
    const readAll = async () => {
      const shown = await explorer.readCategories(page)
      return expected.filter(([code, category]) => shown[code] !== category)
    }
    await expect.poll(readAll, PATIENT).toEqual([])
    await page.getByText("Everything is kept: the page works without a network.").waitFor()
    await context.setOffline(true)
    await page.reload()
    await page.getByText(other.version).waitFor()
    await expect.poll(readAll, PATIENT).toEqual([])
    await context.close()
    await host.close()
  })

  it.runIf(IS_WHOLE)("is not missed without a network where it is the one in the page", async () => {
    const same = { "/dataset.landfall": { type: "application/octet-stream", bytes: "", status: 204 } }
    const host = await serveSite(SITE_FOLDER, { ...same, ...keepFewCountries(SITE_FOLDER) }, DATASET)
    const { context, page } = await explorer.openContext(WITH_SERVICE_WORKER)
    await explorer.open("?people=IND", { page, base: host.url })
    await page.getByText("Everything is kept: the page works without a network.").waitFor()
    await context.setOffline(true)
    await page.reload()
    await page.getByText(embeddedDataset().version).waitFor()
    assert.strictEqual(await page.getByText("could not be loaded").count(), 0)
    await context.close()
    await host.close()
  })

  it("is waited for a moment, and answered from when it comes later", async () => {
    const host = await serveSite(SITE_FOLDER, offered("application/octet-stream", OTHER_DATASET), DATASET)
    const { context, page } = await explorer.openContext()
    await page.clock.install()
    let send = () => {}
    const isAsked = new Promise<void>(resolve => {
      void page.route("**/dataset.landfall", route => {
        send = () => void route.continue()
        resolve()
      })
    })
    await page.goto(`${host.url}#/?people=IND&lang=en`)
    await isAsked
    assert.strictEqual(await page.getByRole("heading").count(), 0)
    await page.clock.fastForward(3_000)
    await page.getByText(embeddedDataset().version).waitFor()
    send()
    await page.getByText(other.version).waitFor()
    await explorer.waitForCategory("THA", categoryOf("IND", "THA", other), page)
    await context.close()
    await host.close()
  })

  it.each([
    ["is broken", offered("application/octet-stream", OTHER_DATASET.subarray(0, 5_000))],
    ["is not there", {}],
  ])("is not taken where it %s, and the page says so", async (_, further) => {
    explorer.expected = /404/
    const host = await serveSite(SITE_FOLDER, further, DATASET)
    const { context, page } = await explorer.openContext()
    await explorer.open("?people=FRA", { page, base: host.url })
    await page.getByText("The data of this service could not be loaded").waitFor()
    await explorer.waitForCategory("JPN", categoryOf("FRA", "JPN", readDatasetOn()), page)
    await context.close()
    await host.close()
  })

  it("leaves the focus to a reader who writes in a field as soon as it is there", async () => {
    const { page } = explorer
    await explorer.open("data")
    const isKept = await page.evaluate(async () => {
      const field = new Promise<HTMLElement>(resolve => {
        const observer = new MutationObserver(() => {
          const found = [...document.querySelectorAll<HTMLInputElement>("[role=combobox]")].find(({ labels }) =>
            [...(labels ?? [])].some(label => label.textContent === "I hold a passport of"),
          )
          if (found === undefined) return
          observer.disconnect()
          found.focus()
          resolve(found)
        })
        observer.observe(document.body, { childList: true, subtree: true })
      })
      const before = document.title
      location.hash = "#/?lang=en"
      const focused = await field
      // The last that the page does for a view is to name it.
      while (document.title === before) await new Promise(requestAnimationFrame)
      return document.activeElement === focused
    })
    assert.isTrue(isKept)
  })
})
