/** Every flow of the explorer page in a real browser, by roles and keys, as it is built and sent. */
import { readFileSync } from "node:fs"
import { createRequire } from "node:module"
import type { Browser, BrowserContext, Page } from "playwright-core"
import { afterAll, afterEach, assert, beforeAll, beforeEach, describe, expect, it } from "vitest"
import { buildSiteIfStale, SITE_FOLDER } from "../../site/build/build-site.ts"
import { readTripFile } from "../../site/trip/trip-json.ts"
import { datasetOn, embeddedDataset, lookupRequirement } from "../../src/index.ts"
import { takeReadings } from "../local-time.ts"
import { startChromium } from "./chromium.ts"
import { type SiteServer, serveSite } from "./site-server.ts"

/** Where the page was built before and the browser unpacked there is next to nothing to wait for. */
const START_TIMEOUT_MS = 180_000
const FLOW_TIMEOUT_MS = 120_000

/** What is drawn after a key or a click is asked for until it is there: a browser draws when it can. */
const PATIENT = { timeout: FLOW_TIMEOUT_MS / 2 }

const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8")

/** Tells the console of what the page's policy forbids, which the browser tells nobody else. */
const TELL_OF_VIOLATIONS = `addEventListener("securitypolicyviolation", event =>
  console.error("forbidden by the policy: " + event.violatedDirective + " " + event.blockedURI))`

let server: SiteServer
let browser: Browser
let context: BrowserContext
let page: Page
let faults: string[] = []
let requests: string[] = []

beforeAll(async () => {
  await buildSiteIfStale()
  server = await serveSite(SITE_FOLDER)
  browser = await startChromium()
  // The launcher's library for archives works out a date while it is loaded.
  takeReadings()
}, START_TIMEOUT_MS)
afterAll(async () => {
  await browser.close()
  await server.close()
})

beforeEach(async () => {
  faults = []
  requests = []
  context = await browser.newContext({ locale: "en-GB", timezoneId: "UTC", viewport: { width: 1280, height: 860 } })
  context.setDefaultTimeout(FLOW_TIMEOUT_MS / 2)
  page = await context.newPage()
  await page.addInitScript(TELL_OF_VIOLATIONS)
  page.on("console", message => {
    if (message.type() === "error") faults.push(message.text())
  })
  page.on("pageerror", error => faults.push(String(error)))
  page.on("request", request => requests.push(request.url()))
})
afterEach(async () => {
  await context.close()
  assert.deepStrictEqual(faults, [], "the page reports no fault and breaks no rule of its policy")
  const foreign = requests.filter(url => !url.startsWith(server.url) && !url.startsWith(`blob:${server.url}`))
  assert.deepStrictEqual(foreign, [], "nothing is asked of anybody else")
})

/** Opens a view and waits until its heading is there. */
async function open(view = "", language = "en"): Promise<void> {
  await page.goto(`${server.url}#/${view}${view.includes("?") ? "&" : "?"}lang=${language}`)
  await page.getByRole("heading", { level: 1 }).waitFor()
}

const waitForCategory = (code: string, category: string) =>
  page.locator(`.world [data-code="${code}"][data-category="${category}"]`).first().waitFor({ state: "attached" })

const readDatasetOfToday = () => {
  const view = datasetOn(embeddedDataset(), new Date().toISOString().slice(0, 10))
  return view.ok ? view.value : embeddedDataset()
}

const requirementOf = (passport: string, destination: string): string => {
  const answer = lookupRequirement(readDatasetOfToday(), passport, destination)
  return answer.kind !== "found" ? "unknown" : answer.home ? "home" : answer.requirement
}

describe("the map", { timeout: FLOW_TIMEOUT_MS }, () => {
  it("colours the world for passports that are chosen by keys, alone or together, without a request", async () => {
    await open()
    await page.waitForLoadState("networkidle")
    const before = requests.length
    const field = page.getByRole("combobox", { name: "Passports" })
    await field.fill("franc")
    await field.press("Enter")
    await waitForCategory("FRA", "home")
    await waitForCategory("JPN", requirementOf("FRA", "JPN"))
    await field.fill("🇮🇳")
    await field.press("Enter")
    await page.getByRole("radio", { name: "Of a group" }).check()
    await waitForCategory("JPN", requirementOf("IND", "JPN"))
    await page.getByRole("radio", { name: "Difference" }).check()
    await waitForCategory("DEU", "only_first")
    await page.getByRole("button", { name: "Remove: France" }).click()
    await waitForCategory("IND", "home")
    assert.strictEqual(requests.length, before)
  })

  it("is gone over by keys, names each country, and opens all that is known of one", async () => {
    await open("?passports=FRA")
    const world = page.getByRole("listbox", { name: "France" })
    await world.focus()
    await page.keyboard.press("ArrowRight")
    await expect.poll(() => world.getAttribute("aria-activedescendant"), PATIENT).toBeTruthy()
    const active = await world.getAttribute("aria-activedescendant")
    const name = await page.locator(`#${active}`).getAttribute("aria-label")
    await page.keyboard.press("Enter")
    const [country = ""] = String(name).split(":")
    const card = page.getByRole("region", { name: country, exact: true })
    await card.getByRole("link", { name: "Everything that is known" }).press("Enter")
    await page.getByRole("heading", { level: 1, name: country }).waitFor()
    assert.match(page.url(), /#\/FRA\/[A-Z]{3}/)
  })

  it("shows who may enter a country, the countries of one colour alone, and another day", async () => {
    await open("?passports=FRA&at=JPN")
    await page.getByRole("radio", { name: "Who may enter" }).check()
    await page.getByRole("heading", { level: 1, name: "Entry to: Japan" }).waitFor()
    await waitForCategory("FRA", requirementOf("FRA", "JPN"))
    await page.getByRole("list", { name: "Legend" }).getByRole("button", { name: "Visa required" }).press("Enter")
    await expect.poll(() => page.locator(".place-list h3").count(), PATIENT).toBe(1)
    await page.getByRole("slider", { name: "As of" }).press("ArrowRight")
    await page.getByRole("button", { name: "Today" }).press("Enter")
    await page.waitForURL(url => !/[?&]on=/.test(url.href))
  })

  it("says the same as lookup for every pair", async () => {
    const dataset = readDatasetOfToday()
    // Explorations look at every passport, the usual run at every third.
    const passports = dataset.passports.filter((_, at) => process.env.EXPLORED_TRIPS !== undefined || at % 3 === 0)
    await open(`?passports=${passports[0]}`)
    const answers = await page.evaluate(async passports => {
      const found: Record<string, string> = {}
      // What is drawn is not looked at here, so that it need not be painted two hundred times.
      document.body.style.display = "none"
      for (const passport of passports) {
        location.hash = `#/?passports=${passport}&lang=en`
        const own = `.world [data-code="${passport}"][data-category="home"]`
        for (let turn = 0; turn < 5_000 && document.querySelector(own) === null; turn++)
          await new Promise(resolve => setTimeout(resolve))
        for (const place of document.querySelectorAll<SVGElement>(".world [data-code]"))
          found[`${passport} ${place.dataset.code}`] = String(place.dataset.category)
      }
      return found
    }, passports)
    const wrong = passports.flatMap(passport =>
      dataset.destinations.flatMap(destination => {
        const expected = requirementOf(passport, destination)
        const shown = answers[`${passport} ${destination}`]
        return shown === expected ? [] : [`${passport} ${destination}: ${shown} for ${expected}`]
      }),
    )
    assert.deepStrictEqual(wrong, [])
  })
})

describe("a pair's page", { timeout: FLOW_TIMEOUT_MS }, () => {
  it("has its own address, says where each thing is from, and turns round", async () => {
    await open("FRA/JPN")
    await page.getByRole("heading", { level: 1, name: "France" }).waitFor()
    const links = page.getByRole("region", { name: "Sources" }).getByRole("link")
    await links.first().waitFor()
    for (const link of await links.all()) assert.match(String(await link.getAttribute("href")), /^https?:/)
    await page
      .getByRole("link", { name: "The other way round" })
      .or(page.getByRole("button", { name: "The other way round" }))
      .press("Enter")
    await page.waitForURL(/#\/JPN\/FRA/)
  })

  it("reads from right to left in Arabic, and keeps the language when it is opened again", async () => {
    await open("FRA/JPN", "ar")
    await page.locator('html[dir="rtl"][lang="ar"]').waitFor()
    await page.getByRole("combobox").filter({ hasText: "Deutsch" }).selectOption("de")
    await page.getByRole("heading", { level: 1, name: "Frankreich" }).waitFor()
    await page.reload()
    await page.getByRole("heading", { level: 1, name: "Frankreich" }).waitFor()
    await page.locator('html[dir="ltr"][lang="de"]').waitFor()
  })
})

describe("a trip", { timeout: FLOW_TIMEOUT_MS }, () => {
  it("is judged as it is typed and moved, and shows Schengen's window", async () => {
    await open("trip")
    await page.getByRole("button", { name: "Show an example" }).press("Enter")
    await page.getByRole("heading", { name: /^Blocked/ }).waitFor()
    await page.getByLabel("Valid until").fill("2031-01-01")
    const zone = page.getByRole("region", { name: "Schengen area" })
    await zone.getByText(/The rule is broken\. First on/).waitFor()
    const last = page.getByRole("slider", { name: "3 Italy" })
    for (let step = 0; step < 20; step++) await last.press("Shift+ArrowLeft")
    await page.getByRole("heading", { name: "Nothing known stands in the way" }).waitFor()
    await zone.getByText(/The rule is kept/).waitFor()
    await page.getByLabel("Last day").nth(2).fill("2027-05-10")
    await page.getByRole("heading", { name: /^Blocked/ }).waitFor()
    const day = zone.getByRole("slider")
    const said = await zone.innerText()
    await day.press("Home")
    await expect.poll(() => zone.innerText(), PATIENT).not.toBe(said)
  })

  it("goes out to a file and comes back as it was, and a file that is none is refused", async () => {
    await open("trip")
    await page.getByRole("button", { name: "Show an example" }).click()
    const [download] = await Promise.all([
      page.waitForEvent("download"),
      page.getByRole("button", { name: "Save as a file" }).click(),
    ])
    const text = readFileSync(await download.path(), "utf8")
    const read = readTripFile(text)
    assert.isTrue(read.ok && read.trip.stops.length === 4)
    await page.getByRole("button", { name: "Begin anew" }).click()
    const input = page.locator("input[type=file]")
    const give = (content: string) =>
      input.setInputFiles({ name: "trip.json", mimeType: "application/json", buffer: Buffer.from(content) })
    await give("{")
    await page.getByText("This file is no JSON.").waitFor()
    await give("{}")
    await page.getByText("This file holds no itinerary: a list of stops is missing.").waitFor()
    await give(text)
    await page.getByRole("heading", { name: /^Blocked/ }).waitFor()
  })
})

describe("every view", { timeout: FLOW_TIMEOUT_MS }, () => {
  const VIEWS = ["?passports=FRA,IND", "FRA/JPN", "ranking?passports=FRA", "data"]

  it("has no serious mistake that axe knows, in light and in dark", async () => {
    await page.addInitScript(AXE)
    for (const colorScheme of ["light", "dark"] as const) {
      await page.emulateMedia({ colorScheme, reducedMotion: "reduce" })
      for (const view of [...VIEWS, "trip"]) {
        await open(view)
        if (view === "trip") {
          const example = page.getByRole("button", { name: "Show an example" })
          const zone = page.getByRole("region", { name: "Schengen area" })
          await example.or(zone).first().waitFor()
          if (await example.isVisible()) await example.click()
          await zone.waitFor()
        }
        const found = await page.evaluate(
          async runOnly => {
            const { axe } = window as unknown as {
              axe: { run: (on: Document, options: object) => Promise<{ violations: Record<string, unknown>[] }> }
            }
            const { violations } = await axe.run(document, { resultTypes: ["violations"], ...runOnly })
            return violations
              .filter(({ impact }) => impact === "serious" || impact === "critical")
              .map(
                ({ id, nodes }) =>
                  `${id}: ${(nodes as { html: string }[])
                    .slice(0, 3)
                    .map(({ html }) => html.slice(0, 160))
                    .join(" | ")}`,
              )
          },
          colorScheme === "dark" ? { runOnly: ["color-contrast"] } : {},
        )
        assert.deepStrictEqual(found, [], `${view} in ${colorScheme}`)
      }
    }
  })

  it("works without a network once everything is kept", async () => {
    await open()
    await page.getByText("Everything is kept: the page works without a network.").waitFor()
    await context.setOffline(true)
    for (const view of VIEWS) {
      await open(view, "hi")
      await page.reload()
      await page.getByRole("heading", { level: 1 }).waitFor()
    }
    await open("?passports=FRA")
    await waitForCategory("JPN", requirementOf("FRA", "JPN"))
  })
})
