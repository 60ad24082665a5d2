/** The map in a real browser, by roles and keys: what is chosen, how it is coloured, and how it is gone over. */
import { assert, beforeAll, describe, expect, it } from "vitest"
import { START } from "../../site/address.ts"
import type * as Colouring from "../../site/map/colouring.ts"
import { embeddedHistory, pastDataset } from "../../src/history.ts"
import {
  describePair,
  easeRank,
  embeddedDataset,
  formatCivilDate,
  type HeldDocument,
  lookupHeld,
  type Requirement,
} from "../../src/index.ts"
import { categoryOf, FLOW_TIMEOUT_MS, PATIENT, readDatasetOn, useExplorer } from "./explorer-page.ts"
import { importPageModule } from "./page-module.ts"

// Explorations draw the map of every passport, the usual run of every sixth.
const DRAWN_EVERY = process.env.EXPLORED_TRIPS === undefined ? 6 : 1

const explorer = useExplorer()

describe("the colours of the map", () => {
  let colourMap: typeof Colouring.colourMap
  beforeAll(async () => {
    colourMap = (await importPageModule<typeof Colouring>("map/colouring.ts")).colourMap
  })

  it("are the answers of lookup, for every pair", () => {
    const dataset = readDatasetOn()
    const wrong = dataset.passports.flatMap(passport => {
      const { paints } = colourMap(dataset, { ...START, passports: [passport] })
      return dataset.destinations.filter(
        destination => paints.get(destination)?.category !== categoryOf(passport, destination, dataset),
      )
    })
    assert.deepStrictEqual(wrong, [])
  })

  it("are the answers of lookup from the side of every destination", () => {
    const dataset = readDatasetOn()
    const wrong = dataset.destinations.flatMap(destination => {
      const { paints } = colourMap(dataset, { ...START, destination })
      return dataset.passports.filter(
        passport => paints.get(passport)?.category !== categoryOf(passport, destination, dataset),
      )
    })
    assert.deepStrictEqual(wrong, [])
  })
})

describe("the map", { timeout: FLOW_TIMEOUT_MS }, () => {
  it("colours the world for passports that are chosen by keys, alone or together, without a request", async () => {
    const { page } = explorer
    await explorer.open()
    await page.waitForLoadState("networkidle")
    const before = explorer.requests.length
    const field = page.getByRole("combobox", { name: "I hold a passport of" })
    await field.fill("franc")
    await field.press("Enter")
    await explorer.waitForCategory("FRA", "home")
    await explorer.waitForCategory("JPN", categoryOf("FRA", "JPN"))
    await field.fill("🇮🇳")
    await field.press("Enter")
    await page.getByRole("radio", { name: "Several people" }).check()
    await explorer.waitForCategory("JPN", categoryOf("IND", "JPN"))
    await page.getByRole("radio", { name: "Compare the two" }).check()
    await explorer.waitForCategory("DEU", "only_first")
    await page.getByRole("button", { name: "Remove: France" }).click()
    await explorer.waitForCategory("IND", "home")
    // The search is loaded with the first word; nothing that was chosen is part of an address.
    const asked = explorer.requests.slice(before).filter(url => !/\/parts\/[\w.-]+\.js$/.test(url))
    assert.deepStrictEqual(asked, [])
  })

  it("uses texts entered before the search was loaded, in the order of the fields", async () => {
    // The shared page has loaded it.
    const { context, page } = await explorer.openContext()
    const { promise: released, resolve: release } = Promise.withResolvers<void>()
    await page.route(/\/parts\/finder-[^/]*\.js$/, async route => {
      await released
      await route.continue()
    })
    await explorer.open("", { page })
    const field = page.getByRole("combobox", { name: "I hold a passport of" })
    const going = page.getByRole("combobox", { name: "I am going to" })
    await field.fill("french")
    await field.press("Enter")
    await going.fill("no such country")
    await going.press("Enter")
    await field.fill("indian")
    await field.press("Enter")
    await going.fill("georgia")
    await going.press("Enter")
    await page.getByRole("link", { name: "Landfall" }).focus()
    release()
    await page.waitForURL(url => url.hash.startsWith("#/IND/GEO"))
    await explorer.open("", { page })
    await field.fill("no such country")
    await field.press("Enter")
    await field.press("Tab")
    assert.strictEqual(await field.inputValue(), "")
    await context.close()
  })

  it("finds a country by a common name, its people, a city or an airport, also with a typing error", async () => {
    const { page } = explorer
    await explorer.open()
    const field = page.getByRole("combobox", { name: "I hold a passport of" })
    const chosen: string[] = []
    for (const [text, code] of [
      ["UK", "GBR"],
      ["indian", "IND"],
      ["Gemrany", "DEU"],
      ["米国", "USA"],
      ["dubai", "ARE"],
    ] as const) {
      await field.fill(text)
      await field.press("Enter")
      chosen.push(code)
      await page.waitForURL(url => url.hash.includes(`passports=${chosen.join()}`))
    }
    await explorer.open("FRA/JPN")
    const destination = page.getByRole("combobox", { name: "Destination" })
    await destination.fill("DPS")
    await page.getByRole("option", { name: /^Indonesia.*DPS/ }).waitFor()
    await destination.press("Enter")
    await page.waitForURL(url => url.hash.startsWith("#/FRA/IDN"))
  })

  it("begins with a question, the likely passport and examples, and links to the page of a pair", async () => {
    const { page } = explorer
    await explorer.open()
    await page.getByRole("button", { name: "United Kingdom" }).press("Enter")
    await explorer.waitForCategory("GBR", "home")
    const going = page.getByRole("combobox", { name: "I am going to" })
    await going.fill("bali")
    await going.press("Enter")
    await page.waitForURL(url => url.hash.startsWith("#/GBR/IDN"))
    await explorer.open()
    await page.getByRole("link", { name: "India, Visa: United States" }).press("Enter")
    await explorer.waitForCategory("MEX", "visa_free")
  })

  it("asks who holds two passports, colours nothing before the answer, and preselects none", async () => {
    const { page } = explorer
    await explorer.open("?passports=FRA,IND")
    await page.getByText("One person with all of them, or several people?").waitFor()
    assert.strictEqual(await page.getByRole("radio", { checked: true }).count(), 1, "only what the map shows")
    await explorer.waitForCategory("JPN", "plain")
    await page.getByRole("radio", { name: "One person" }).check()
    await explorer.waitForCategory("JPN", categoryOf("FRA", "JPN"))
    await page.waitForURL(/together=best/)
  })

  it("counts in a sentence, and updates the colours for documents in hand, as the engine judges them", async () => {
    const { page } = explorer
    const dataset = readDatasetOn()
    await explorer.open("?passports=IND")
    const free = dataset.destinations.filter(code => categoryOf("IND", code) === "visa_free").length
    await page.getByText(new RegExp(`^${free} without a visa, `)).waitFor()
    await explorer.waitForCategory("MEX", "visa_required")
    await page.getByRole("button", { name: "Visa: United States" }).press("Enter")
    await explorer.waitForCategory("MEX", "visa_free")
    await page.waitForURL(/held=visa\.USA/)
    const held = [
      { kind: "visa", issuer: "USA", entries: "multiple", validFrom: "2000-01-01", validUntil: "2199-12-31" },
    ]
    const shown = await explorer.readCategories()
    const wrong = dataset.destinations.filter(code => {
      const answer = lookupHeld(dataset, "IND", code, { held: held as readonly HeldDocument[], exitOn: dataset.asOf })
      const found = answer.ok && answer.value.kind === "found" ? answer.value : null
      return shown[code] !== (found === null ? "unknown" : found.base.home ? "home" : found.requirement)
    })
    assert.deepStrictEqual(wrong, [])
    await page
      .getByRole("option", { name: /^Mexico: Visa-free, 180 days, Visa: United States/ })
      .waitFor({ state: "attached" })
  })

  it("marks contradictions between sources, in the list and on the map", async () => {
    const { page } = explorer
    const dataset = readDatasetOn()
    const isOpen = (passport: string, code: string) => {
      const pair = describePair(dataset, passport, code)
      return pair.kind === "found" && pair.corroboration?.isOpen === true
    }
    const passport = dataset.passports.find(code => dataset.destinations.some(entered => isOpen(code, entered)))
    assert(passport !== undefined)
    const disputed = dataset.destinations.filter(code => isOpen(passport, code))
    await explorer.open(`?passports=${passport}`)
    await expect.poll(() => page.locator(".world .differs").count(), PATIENT).toBe(disputed.length)
    assert.strictEqual(await page.locator(".place-list").getByText("sources disagree").count(), disputed.length)
  })

  it("reports a day outside the known ones, and draws nothing", async () => {
    const { page } = explorer
    for (const view of ["?passports=FRA&on=2150-01-01", "FRA/JPN?on=2150-01-01"]) {
      await explorer.open(view)
      await page.getByRole("heading", { level: 1, name: /^Nothing can be said of January 1, 2150/ }).waitFor()
      assert.strictEqual(await page.locator("main svg").count(), 0)
    }
  })

  it("gives a group the harder answer of its members everywhere, and one person the easier one", async () => {
    const { page } = explorer
    await explorer.open("?passports=FRA,IND&together=group")
    const pickFor = (pick: (one: number, other: number) => number) => (destination: string) => {
      const both = ["FRA", "IND"].map(passport => categoryOf(passport, destination))
      if (both.includes("unknown")) return null
      const ranks = both.map(category => easeRank((category === "home" ? "visa_free" : category) as Requirement))
      return pick(ranks[0] ?? 0, ranks[1] ?? 0)
    }
    const rankOf = (category: string | undefined) =>
      easeRank((category === "home" ? "visa_free" : category) as Requirement)
    for (const [choice, pick] of [
      ["Several people", Math.max],
      ["One person", Math.min],
    ] as const) {
      await page.getByRole("radio", { name: choice }).check()
      await explorer.waitForCategory("USA", categoryOf(pick === Math.max ? "IND" : "FRA", "USA"))
      const shown = await explorer.readCategories()
      const expected = pickFor(pick)
      const wrong = readDatasetOn().destinations.filter(code => {
        const rank = expected(code)
        return rank !== null && rankOf(shown[code]) !== rank
      })
      assert.deepStrictEqual(wrong, [], choice)
    }
  })

  it("is navigated by keys, names each country, and opens its page", async () => {
    const { page } = explorer
    await explorer.open("?passports=FRA")
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

  it("is magnified by its insets, by keys and by its buttons, with finer outlines", async () => {
    const { page } = explorer
    await explorer.open("?passports=FRA")
    const world = page.getByRole("listbox", { name: "France" })
    const coarse = await page.locator('.world path[data-code="FRA"]').getAttribute("d")
    await page.getByRole("button", { name: "Caribbean" }).press("Enter")
    await page.locator(".world[data-magnified]").waitFor()
    const readOutline = () => page.locator('.world path[data-code="FRA"]').getAttribute("d")
    await expect.poll(readOutline, PATIENT).not.toBe(coarse)
    await page.getByRole("button", { name: "Show the whole world" }).press("Enter")
    await page.locator(".world:not([data-magnified])").waitFor()
    await world.focus()
    for (let step = 0; step < 2; step++) await page.keyboard.press("+")
    await page.locator(".world[data-magnified]").waitFor()
    await page.keyboard.press("0")
    await page.locator(".world:not([data-magnified])").waitFor()
  })

  it("shows who may enter a country, and the countries of one colour alone", async () => {
    const { page } = explorer
    await explorer.open("?passports=FRA&at=JPN")
    await page.getByRole("radio", { name: "Who may enter" }).check()
    await page.getByRole("heading", { level: 1, name: /^Japan Who may enter/ }).waitFor()
    await explorer.waitForCategory("FRA", categoryOf("FRA", "JPN"))
    await explorer.waitForCategory("GRL", "no_passport")
    await page.getByRole("list", { name: "Legend" }).getByRole("button", { name: "Visa required" }).press("Enter")
    await expect.poll(() => page.locator(".place-list h3").count(), PATIENT).toBe(1)
  })

  it("shows past and announced days, and goes from one change to the next", async () => {
    const { page } = explorer
    const { timelines, sinceDay } = embeddedDataset()
    const today = new Date().toISOString().slice(0, 10)
    const days = [...timelines.values()].flatMap(steps => steps.filter((_, at) => at % 2 === 0))
    const changes = [...new Set(days)].filter(day => day > sinceDay).sort((one, other) => one - other)
    const past = changes.map(formatCivilDate).filter(on => on < today)
    const announced = changes.map(formatCivilDate).find(on => on > today)
    await explorer.open("?passports=IND")
    await page.getByRole("button", { name: "Previous change" }).press("Enter")
    await page.waitForURL(url => url.href.includes(`on=${past.at(-1)}`))
    await page.getByRole("button", { name: "Next change" }).press("Enter")
    await page.getByRole("slider", { name: "Day of travel" }).press("Home")
    await page.waitForURL(url => url.href.includes(`on=${formatCivilDate(sinceDay)}`))
    for (const on of [past[0], announced]) {
      if (on === undefined) continue
      await explorer.open(`?passports=IND&on=${on}`)
      await page.getByText("Rules that change on this day").waitFor()
      const dataset = readDatasetOn(on)
      const shown = await explorer.readCategories()
      const wrong = dataset.destinations.filter(code => shown[code] !== categoryOf("IND", code, dataset))
      assert.deepStrictEqual(wrong, [], on)
    }
    await page.getByRole("button", { name: "Today" }).press("Enter")
    await page.waitForURL(url => !/[?&]on=/.test(url.href))
  })

  it("goes back to the first table on request, and loads the history only then", async () => {
    const { page } = explorer
    await explorer.open("?passports=FRA")
    const { sinceDay } = embeddedDataset()
    const slider = page.getByRole("slider", { name: "Day of travel" })
    assert.strictEqual(await slider.getAttribute("min"), String(sinceDay))
    const asked = () => explorer.requests.filter(url => /\/parts\/past-/.test(url)).length
    assert.strictEqual(asked(), 0)
    await page.getByRole("button", { name: "Show past days" }).press("Enter")
    await page.waitForFunction(() => document.querySelector<HTMLInputElement>(".days input")?.min === "18585")
    assert.isAtMost(asked(), 1)
    await slider.press("Home")
    await page
      .getByText("What dated tables showed, the last of them on November 19, 2020. Imported, not verified.")
      .waitFor()
    await page.waitForURL(/on=2020-11-19/)
    const view = pastDataset(embeddedHistory(), embeddedDataset(), "2020-11-19")
    assert(view.ok)
    const dataset = view.value
    await explorer.waitForCategory("JPN", "no_admission")
    const shown = await explorer.readCategories()
    const differing = dataset.destinations.filter(code => shown[code] !== categoryOf("FRA", code, dataset))
    assert.deepStrictEqual(differing, [])
    await page.getByRole("button", { name: "Next change" }).press("Enter")
    await page.waitForURL(/on=2021-01-25/)
    // An address of a past day is answered at once, and one before the first table names it.
    await explorer.open("?destination=CHN&on=2023-06-01")
    await explorer.waitForCategory("FRA", "visa_required")
    await explorer.open("?passports=FRA&on=2019-01-01")
    await page.getByRole("heading", { level: 1, name: "Nothing is recorded before November 19, 2020." }).waitFor()
  })

  it("draws the right colours, for one passport after another", async () => {
    const { page } = explorer
    const dataset = readDatasetOn()
    const passports = dataset.passports.filter((_, at) => at % DRAWN_EVERY === 0)
    await explorer.open(`?passports=${passports[0]}`)
    const answers = await page.evaluate(async passports => {
      const found: Record<string, string> = {}
      // What is drawn is not looked at here, so that it need not be painted again and again.
      document.body.style.display = "none"
      for (const passport of passports) {
        location.hash = `#/?passports=${passport}&lang=en`
        const own = `.world [data-code="${passport}"][data-category="home"]`
        for (let turn = 0; turn < 5_000 && document.querySelector(own) === null; turn++)
          await new Promise(resolve => setTimeout(resolve))
        for (const place of document.querySelectorAll<SVGElement>(".world [data-code]"))
          found[`${passport} ${place.dataset.code}`] = String(place.dataset.category)
      }
      document.body.style.display = ""
      return found
    }, passports)
    const wrong = passports.flatMap(passport =>
      dataset.destinations.flatMap(destination => {
        const expected = categoryOf(passport, destination, dataset)
        const shown = answers[`${passport} ${destination}`]
        return shown === expected ? [] : [`${passport} ${destination}: ${shown} for ${expected}`]
      }),
    )
    assert.deepStrictEqual(wrong, [])
  })

  it("names countries when magnified, without overlaps, and has dots of 24 pixels", async () => {
    const { page } = explorer
    await explorer.open("?passports=IND")
    const labels = page.locator(".place-labels text")
    assert.strictEqual(await labels.count(), 0)
    for (let step = 0; step < 2; step++) await page.getByRole("button", { name: "Zoom in" }).click()
    await labels.first().waitFor()
    const boxes = await labels.evaluateAll(all => all.map(each => each.getBoundingClientRect().toJSON()))
    assert.isAbove(boxes.length, 8)
    for (const [at, one] of boxes.entries()) {
      for (const other of boxes.slice(at + 1)) {
        const isApart =
          one.right <= other.left || other.right <= one.left || one.bottom <= other.top || other.bottom <= one.top
        assert.isTrue(isApart, JSON.stringify([one, other]))
      }
    }
    const dot = await page.locator(".dot .hit").first().boundingBox()
    assert.closeTo(dot?.width ?? 0, 24, 0.5)
  })

  it("has a header of one row on a phone, and the views at the lower edge", async () => {
    const { context, page } = await explorer.openContext({ viewport: { width: 390, height: 844 } })
    await explorer.open("?passports=IND", { page })
    const header = await page.locator("header.top").boundingBox()
    const views = await page.getByRole("navigation").boundingBox()
    assert.isBelow(header?.height ?? 844, 64)
    assert.closeTo((views?.y ?? 0) + (views?.height ?? 0), 844, 1)
    await context.close()
  })
})
