/**
 * People with a question, each walked from the first address by roles and keys: what he reads at the end is what the engine says. Typing names and dates is
 * free; clicks and keystrokes beyond are counted by the browser itself, those into a field included.
 */
import { readFileSync } from "node:fs"
import type { BrowserContextOptions, Locator, Page } from "playwright-core"
import { afterEach, assert, beforeAll, beforeEach, describe, expect, it } from "vitest"
import { SITE_FOLDER } from "../../site/build/build-site.ts"
import { decide, embeddedDataset, formatCivilDate, type HeldDocument, parseCivilDate } from "../../src/index.ts"
import { IS_WHOLE } from "../sample.ts"
import { FLOW_TIMEOUT_MS, PATIENT, useExplorer, WITH_SERVICE_WORKER } from "./explorer-page.ts"
import { keepFewCountries } from "./site-server.ts"

// Somebody without a network asks for Thailand.
const explorer = useExplorer(() => keepFewCountries(SITE_FOLDER, ["THA"]))
const MOST_STEPS = 8
/** Each walk loads the page anew: who asks as others do, of other countries, walks each night. */
const eachNight = it.runIf(IS_WHOLE)

/** Counts what the browser itself reports: clicks by the pointer, and keys that write nothing. */
const COUNT_STEPS = `
  addEventListener("click", event => { if (event.isTrusted && event.detail > 0) tookStep() }, true)
  addEventListener("keydown", ({ isTrusted, key, target }) => {
    const writes = key.length === 1 && target.matches("input[type=text], input[type=date], textarea")
    if (isTrusted && !writes) tookStep()
  }, true)`

describe("somebody who knows nothing of visas", { timeout: FLOW_TIMEOUT_MS }, () => {
  let steps = 0
  beforeAll(async () => {
    await explorer.page.exposeFunction("tookStep", () => {
      steps++
    })
    await explorer.page.addInitScript(COUNT_STEPS)
  })
  beforeEach(async () => {
    // Nothing that the one before chose is carried along.
    await explorer.page.goto("about:blank")
    await explorer.page.goto(explorer.server.url)
    await explorer.page.getByRole("heading", { level: 1 }).waitFor()
    steps = 0
  })
  afterEach(() => {
    assert.isAtMost(steps, MOST_STEPS)
  })
  const press = async (role: "button" | "radio" | "link", name: string | RegExp) => {
    const control = explorer.page.getByRole(role, { name, exact: true }).first()
    await control.press(role === "radio" ? "Space" : "Enter")
  }
  const isFocused = (field: Locator) => field.evaluate(element => element === document.activeElement)
  const type = async (field: Locator, text: string) => {
    if (!(await isFocused(field))) await field.click()
    await field.fill(text)
  }
  const choose = async (field: Locator, text: string) => {
    await type(field, text)
    await field.press("Enter")
  }
  const combobox = (name: string) => explorer.page.getByRole("combobox", { name })

  eachNight("holds an Indian passport and a US visa, and asks for Mexico", async () => {
    const { page } = explorer
    await choose(combobox("I hold a passport of"), "indian")
    await page.getByText("Documents and expiry of the passport").click()
    await press("button", "Visa: United States")
    await choose(combobox("I am going to"), "mexico")
    await press("button", "Show the answer")
    const card = page.getByRole("region", { name: "Entry requirement" })
    await card.getByText("Clear", { exact: true }).waitFor()
    await card.getByRole("heading", { level: 2, name: /^Clear No visa, 180 days/ }).waitFor()
  })

  eachNight("is French, travels with an Indian for two weeks in March, and finds places that suit both", async () => {
    const { page } = explorer
    await choose(combobox("I hold a passport of"), "french")
    await press("button", "Add a person")
    await choose(page.getByRole("group", { name: "Person 2" }).getByRole("combobox").first(), "indian")
    await type(page.getByLabel("First day"), "2027-03-01")
    await type(page.getByLabel("Last day"), "2027-03-14")
    await press("button", "Show the answer")
    await page.getByRole("heading", { level: 1, name: /^No visa: [1-9]/ }).waitFor()
    assert.isAtLeast(steps, 6)
  })

  const verdict = () => explorer.page.getByRole("region", { name: "Verdict" })
  const passport = () => explorer.page.getByRole("region", { name: "Passports of the traveller" })
  /** A passport of the traveller, and the last day of its validity, for which the page asks next. */
  const choosePassport = async (people: string, expiry: string) => {
    await choose(passport().getByRole("combobox"), people)
    const until = passport().getByLabel("Valid until")
    await expect.poll(() => isFocused(until), PATIENT).toBe(true)
    await type(until, expiry)
  }

  it("goes to Bali and Thailand and home through Dubai with seven months of passport", async () => {
    const { page } = explorer
    await press("link", "Trip")
    const until = new Date()
    until.setUTCMonth(until.getUTCMonth() + 7)
    await choosePassport("indian", until.toISOString().slice(0, 10))
    await choose(combobox("Add a stop"), "bali")
    await choose(combobox("Add a stop"), "thailand")
    await choose(combobox("Changing planes in"), "dubai")
    await page.getByRole("heading", { name: "2 Thailand" }).waitFor()
    await expect.poll(() => page.url(), PATIENT).toMatch(/passports=IND~[-\d]+&stops=IDN~.*,THA~.*&transit=ARE/)
    await verdict()
      .getByRole("heading", { name: /^(Stopped|Get first|Not known)/ })
      .waitFor()
  })

  eachNight("lives in Spain with a British passport and no permit, and is told that it blocks", async () => {
    const { page } = explorer
    await press("link", "Trip")
    await choosePassport("british", "2031-01-01")
    await choose(combobox("Add a stop"), "spain")
    await type(page.getByRole("region", { name: "Stops" }).getByLabel("Last day"), "2027-12-20")
    await verdict()
      .getByRole("heading", { name: /^Stopped/ })
      .waitFor()
  })

  it("lives in Spain with a British passport and a permit, and is asked for the day that decides", async () => {
    const { page } = explorer
    await press("link", "Trip")
    await choosePassport("british", "2031-01-01")
    await choose(combobox("Residence"), "spain")
    await page.getByText("The last day of its validity decides: please give it.").waitFor()
    const until = page.getByRole("region", { name: "Visas and residence permits" }).getByLabel("Valid until")
    await expect.poll(() => isFocused(until), PATIENT).toBe(true)
    await type(until, "2029-01-01")
    await choose(combobox("Add a stop"), "spain")
    await type(page.getByRole("region", { name: "Stops" }).getByLabel("Last day"), "2027-12-20")
    await verdict()
      .getByRole("heading", { name: /^(Get first|Not known|Clear)/ })
      .waitFor()
    const held = [{ kind: "residence_permit", issuer: "ESP", valid_until: "2029-01-01" }]
    const readHeld = () => JSON.parse(new URLSearchParams(page.url().split("?")[1]).get("held") ?? "null")
    await expect.poll(readHeld, PATIENT).toEqual(held)
  })

  it("asks how old an answer is, and who has read it", async () => {
    const { page } = explorer
    await choose(combobox("I hold a passport of"), "indian")
    await choose(combobox("I am going to"), "georgia")
    await press("button", "Show the answer")
    await page.getByText(/^Answered for /).waitFor()
    const verdict = page.getByRole("region", { name: "Entry requirement" })
    assert.match(await verdict.innerText(), /\d{4}|[Nn]ot/)
    await page.getByText("More facts", { exact: true }).click()
    const report = await page.getByRole("link", { name: "Report a mistake" }).getAttribute("href")
    assert.include(decodeURIComponent(String(report)), "title=Data:+IND+→+GEO")
  })

  it("is a travel agent, who gives a customer a trip as a calendar, a table and a link", async () => {
    const { page } = explorer
    await press("link", "Trip")
    await choosePassport("indian", "2031-01-01")
    await choose(combobox("Add a stop"), "france")
    await choose(combobox("Add a stop"), "japan")
    await page.getByRole("heading", { name: "2 Japan" }).waitFor()
    await verdict()
      .getByRole("heading", { name: /^Get first/ })
      .waitFor()
    const takeFile = async (name: string) => {
      const [file] = await Promise.all([page.waitForEvent("download"), press("button", name)])
      return readFileSync(await file.path(), "utf8")
    }
    assert.match(
      await takeFile("Calendar (.ics)"),
      /BEGIN:VEVENT\r\n[\s\S]*DTSTART;VALUE=DATE:20\d{6}[\s\S]*END:VCALENDAR/,
    )
    assert.match(await takeFile("Table (.csv)"), /France,20[-\d]{8},20[-\d]{8},\d+,India/)
    await page.waitForURL(/passports=IND~2031-01-01&stops=FRA~.*,JPN~/)
    const link = page.url()
    await page.goto("about:blank")
    await page.goto(link)
    await page.getByRole("heading", { name: "2 Japan" }).waitFor()
  })
})

const dayAfter = (days: number) => formatCivilDate((parseCivilDate(new Date().toISOString().slice(0, 10)) ?? 0) + days)
const FROM = dayAfter(100)
const UNTIL = dayAfter(107)

/** The outcome of the engine for a traveller whose passport is valid for long. */
function outcomeOf(passport: string, destination: string, held: readonly HeldDocument[] = [], purpose = "tourism") {
  const passports = [{ passport, passportExpiry: dayAfter(3_000), passportIssued: dayAfter(-300) }]
  const judged = decide(embeddedDataset(), {
    passports,
    held,
    purpose,
    stops: [{ destination, from: FROM, to: UNTIL }],
  })
  assert(judged.ok && judged.value.kind === "decided")
  return judged.value.outcome
}
const US_VISA: HeldDocument = {
  kind: "visa",
  issuer: "USA",
  entries: "multiple",
  validFrom: "2000-01-01",
  validUntil: "2199-12-31",
}

/** Somebody before the first view of the page, in a browser of his own. */
class Walker {
  steps = 0
  readonly page: Page
  constructor(page: Page) {
    this.page = page
  }

  /** Writes into a field as somebody does who has to go there first. */
  async type(field: Locator, text: string): Promise<void> {
    if (!(await field.evaluate(element => element === document.activeElement))) await field.click()
    await field.fill(text)
  }
  async choose(name: string, text: string): Promise<void> {
    const field = this.page.getByRole("combobox", { name }).last()
    await this.type(field, text)
    await field.press("Enter")
  }
  async paste(label: RegExp, text: string): Promise<void> {
    await this.page.context().grantPermissions(["clipboard-read", "clipboard-write"])
    await this.page.evaluate(pasted => navigator.clipboard.writeText(pasted), text)
    await this.page.getByLabel(label).click()
    await this.page.keyboard.press("ControlOrMeta+v")
  }
  press = (role: "button" | "link", name: string | RegExp) =>
    this.page.getByRole(role, { name, exact: true }).first().press("Enter")
  dates = async () => {
    await this.type(this.page.getByLabel("First day"), FROM)
    await this.type(this.page.getByLabel("Last day"), UNTIL)
  }
}

describe("a walk from the first address", { timeout: FLOW_TIMEOUT_MS }, () => {
  /** Walks in a browser of its own, from the first address, in so many steps. */
  async function walk(expected: number, options: BrowserContextOptions, go: (walker: Walker) => Promise<void>) {
    const { context, page } = await explorer.openContext(options)
    const walker = new Walker(page)
    await page.exposeFunction("tookStep", () => {
      walker.steps++
    })
    await page.addInitScript(COUNT_STEPS)
    await page.goto(explorer.server.url)
    await page.getByRole("heading", { level: 1 }).waitFor()
    await go(walker)
    const { steps } = walker
    await context.close()
    // A walk that became shorter has a lower number from then on.
    assert.strictEqual(steps, expected)
  }

  it("of a family with one US passport ends at an answer for each, the hardest first", () =>
    walk(11, {}, async walker => {
      const { page } = walker
      await walker.choose("I hold a passport of", "indian")
      for (const people of ["indian", "american"]) {
        await walker.press("button", "Add a person")
        await walker.choose("I hold a passport of", people)
      }
      await walker.choose("I am going to", "mexico")
      await walker.press("button", "Show the answer")
      const groups = page.locator(".groups li")
      await groups.first().waitFor()
      assert.strictEqual(outcomeOf("IND", "MEX"), "obtain")
      assert.strictEqual(outcomeOf("USA", "MEX"), "clear")
      await expect
        .poll(async () => (await groups.allInnerTexts()).join("|"), PATIENT)
        .toMatch(/^\s*Get first 2 × India\|\s*Clear United States$/)
      const first = page.getByRole("region", { name: "Entry requirement" }).first()
      await first.getByRole("link", { name: /^Official page/ }).waitFor()
    }))

  eachNight("of a Nigerian with a UK permit over Casablanca ends at what Spain and Morocco ask", () =>
    walk(9, {}, async walker => {
      const { page } = walker
      await walker.press("link", "Trip")
      const passports = page.getByRole("region", { name: "Passports of the traveller" })
      await walker.type(passports.getByRole("combobox"), "nigerian")
      await passports.getByRole("combobox").press("Enter")
      await walker.type(passports.getByLabel("Valid until"), dayAfter(3_000))
      await walker.choose("Residence", "united kingdom")
      const documents = page.getByRole("region", { name: "Visas and residence permits" })
      await walker.type(documents.getByLabel("Valid until"), dayAfter(900))
      await walker.choose("Add a stop", "spain")
      await walker.choose("Changing planes in", "casablanca")
      const verdict = page.getByRole("region", { name: "Verdict" })
      await verdict.getByRole("heading", { level: 2, name: /^Get first Visa required/ }).waitFor()
      await verdict
        .getByText(/^Apply by /)
        .first()
        .waitFor()
      await verdict.getByText(/^Not known: /).waitFor()
      await page.waitForURL(/transit=MAR/)
    }),
  )

  eachNight("with 24 earlier stays ends at the days that are left", () =>
    walk(3, { viewport: { width: 1440, height: 900 } }, async walker => {
      const { page } = walker
      await walker.press("link", "Trip")
      const stays = Array.from({ length: 24 }, (_, at) => `Spain\t${dayAfter(-at * 10 - 2)}\t${dayAfter(-at * 10 - 1)}`)
      await walker.paste(/^Paste stays/, ["Country\tFrom\tTo", ...stays].join("\n"))
      const counter = page.getByRole("region", { name: "Days left today" })
      await counter.getByText(/^36 days of 90 days/).waitFor()
      const findEnd = async () => {
        const { y = 900, height = 900 } = (await counter.boundingBox()) ?? {}
        return y + height
      }
      await expect.poll(findEnd, PATIENT).toBeLessThanOrEqual(900)
    }),
  )

  it("with thirty passengers ends at an answer for each group", () =>
    walk(5, {}, async walker => {
      const { page } = walker
      const papers = (at: number) => (at < 20 ? "FRA" : at < 28 ? "India\t2035-05-01\tUS visa" : "IND\t2035-05-01")
      const passengers = Array.from({ length: 30 }, (_, at) => `Guest ${at + 1}\t${papers(at)}`)
      await walker.paste(/^Paste a list of people/, passengers.join("\n"))
      await page.locator("table.people tr").nth(29).waitFor()
      await walker.choose("I am going to", "mexico")
      await walker.press("button", "Show the answer")
      await page.getByRole("heading", { level: 1, name: "People: 30 Mexico" }).waitFor()
      const groups = [
        "Get first Guest 29, Guest 30: India",
        "Clear 20 × France",
        "Clear 8 × India, Visa: United States",
      ]
      const readGroups = async () => (await page.locator(".groups li").allInnerTexts()).map(group => group.trim())
      await expect.poll(readGroups, PATIENT).toEqual(groups)
      const cards = page.getByRole("region", { name: "Entry requirement" })
      await expect.poll(() => cards.count(), PATIENT).toBe(groups.length)
    }))

  eachNight("of an Indian with a US visa ends at the places where a conference needs no visa", () =>
    walk(8, {}, async walker => {
      const { page } = walker
      await walker.choose("I hold a passport of", "indian")
      await page.getByText("Documents and expiry of the passport").click()
      await walker.press("button", "Visa: United States")
      await walker.dates()
      await page.getByLabel("Purpose").selectOption("business")
      await walker.press("button", "Show the answer")
      await page.getByRole("heading", { level: 1, name: /^No visa: [1-9]/ }).waitFor()
      await walker.press("button", /^Show all/)
      const list = page.getByRole("region", { name: "As a list" })
      const free = list.getByRole("region", { name: /^No visa/ })
      await free.getByText("Mexico", { exact: true }).waitFor()
      assert.strictEqual(outcomeOf("IND", "MEX", [US_VISA], "business"), "clear")
      // Korea lets the visa's holder through only in transit: it is counted apart.
      assert.strictEqual(outcomeOf("IND", "KOR", [US_VISA], "business"), "obtain")
      assert.strictEqual(await free.getByText("South Korea").count(), 0)
      await page.getByText("Your document works only in transit").first().waitFor()
    }),
  )

  it("on a phone at the gate, without a network, ends at the card", () =>
    walk(5, { ...WITH_SERVICE_WORKER, viewport: { width: 390, height: 844 } }, async walker => {
      const { page } = walker
      await page.getByText("Everything is kept: the page works without a network.").waitFor()
      await page.context().setOffline(true)
      await page.reload()
      await walker.choose("I hold a passport of", "indian")
      await walker.choose("I am going to", "thailand")
      await walker.press("button", "Show the answer")
      const card = page.getByRole("region", { name: "Entry requirement" })
      await card.getByRole("heading", { level: 2, name: /^Get first / }).waitFor()
      await card.getByRole("link", { name: /^Official page/ }).waitFor()
      await expect.poll(async () => (await card.locator(".word").boundingBox())?.y ?? 844, PATIENT).toBeLessThan(400)
    }))

  it("with a screen reader hears the pair, the outcome and each step in order, and nothing twice", () =>
    walk(5, {}, async walker => {
      const { page } = walker
      await walker.choose("I hold a passport of", "german")
      await walker.choose("I am going to", "india")
      await walker.press("button", "Show the answer")
      const card = page.getByRole("region", { name: "Entry requirement" })
      await card.waitFor()
      // The reader is taken to the heading of what he asked for.
      await expect.poll(() => page.evaluate(() => document.activeElement?.tagName), PATIENT).toBe("H1")
      await expect.poll(() => page.title(), PATIENT).toBe("Passport: Germany · Destination: India · Landfall")
      const headings = page.getByRole("main").getByRole("heading")
      const read = await headings.evaluateAll(found =>
        found.map(each => `${each.tagName} ${each.textContent?.replace(/\s+/g, " ").trim()}`),
      )
      assert.match(read[0] ?? "", /^H1 Germany\s+India$/)
      assert.match(read[1] ?? "", /^H2 Get first E-visa/)
      assert.match(read[2] ?? "", /^H3 E-visa/)
      assert.deepStrictEqual([...new Set(read)], read)
      assert.match(await card.ariaSnapshot(), /heading "Get first E-visa.*" \[level=2\][\s\S]*link "Official page /)
    }))

  it("in Arabic is asked, answered and read from right to left", () =>
    walk(5, { locale: "ar" }, async walker => {
      const { page } = walker
      await page.locator('html[lang="ar"][dir="rtl"]').waitFor()
      const fields = page.locator("form.question [role=combobox]:visible")
      // The passport, then after the country of residence the place to go to.
      for (const [at, text] of [
        [0, "ألمانيا"],
        [2, "الهند"],
      ] as const) {
        await walker.type(fields.nth(at), text)
        await fields.nth(at).press("Enter")
        await page.locator("form.question .chip", { hasText: text }).first().waitFor()
      }
      await page.locator('form.question button[type="submit"]').press("Enter")
      await page.waitForURL(/#\/DEU\/IND/)
      const card = page.locator(".verdict.card")
      await card.waitFor()
      assert.match(await page.getByRole("heading", { level: 1 }).innerText(), /ألمانيا\s+الهند/)
      assert.strictEqual(await card.locator("[data-outcome]").getAttribute("data-outcome"), outcomeOf("DEU", "IND"))
      // Of another alphabet are only names of programmes, forms and hosts, each with its own direction or language.
      const latin = await card.evaluate(root => {
        const walk = document.createTreeWalker(root, NodeFilter.SHOW_TEXT)
        const found: string[] = []
        for (let text = walk.nextNode(); text !== null; text = walk.nextNode()) {
          const parent = text.parentElement
          const said = String(text.nodeValue).replace(/\u2068[^\u2069]*\u2069/g, "")
          if (/[A-Za-z]{4}/.test(said) && parent?.closest("[dir=ltr], [lang], bdi") === document.documentElement)
            found.push(String(text.nodeValue))
        }
        return found
      })
      assert.deepStrictEqual(latin, [])
      const measureBeyond = () => page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth)
      await expect.poll(measureBeyond, PATIENT).toBeLessThanOrEqual(0)
    }))

  it("without colours still tells the four outcomes apart, by mark and word", () =>
    walk(5, {}, async walker => {
      const { page } = walker
      const session = await page.context().newCDPSession(page)
      await session.send("Emulation.setEmulatedVisionDeficiency", { type: "achromatopsia" })
      await walker.choose("I hold a passport of", "iranian")
      await walker.dates()
      await walker.press("button", "Show the answer")
      await page.getByRole("region", { name: "As a list" }).waitFor()
      const marks = new Map<string, { readonly bitmap: string; readonly said: string }>()
      for (const outcome of ["clear", "obtain", "unknown"]) {
        const word = page.locator(`.word[data-outcome="${outcome}"]`).first()
        const bitmap = await word.locator("svg").screenshot()
        marks.set(outcome, { bitmap: bitmap.toString("base64"), said: (await word.innerText()).trim() })
      }
      assert.strictEqual(new Set([...marks.values()].map(({ bitmap }) => bitmap)).size, 3)
      assert.deepStrictEqual(
        [...marks.values()].map(({ said }) => said),
        ["Clear", "Get first", "Not known"],
      )
      // On the map too: each look has its own lines.
      const patterns = await page
        .locator(".legend .swatch, .legend svg")
        .evaluateAll(found => found.map(each => each.innerHTML.replace(/class="[^"]*"/g, "")))
      assert.strictEqual(new Set(patterns).size > 3, true)
    }))

  eachNight("of a journalist ends at a figure with its day, and its code for a page of his own", () =>
    walk(5, {}, async walker => {
      const { page } = walker
      await page.context().grantPermissions(["clipboard-read", "clipboard-write"])
      await walker.press("link", "Ranking")
      // A text that is written over another in the same field, before the search was loaded, takes its place.
      for (const [people, name] of [
        ["french", "France"],
        ["indian", "India"],
      ] as const) {
        await walker.choose("Passports", people)
        await page.getByRole("button", { name: `Remove: ${name}` }).waitFor()
      }
      await page.getByRole("contentinfo").getByText(embeddedDataset().version).waitFor()
      await page.getByRole("button", { name: "Copy the code for your page" }).last().press("Enter")
      await page.getByRole("button", { name: "Copied" }).waitFor()
      const code = await page.evaluate(() => navigator.clipboard.readText())
      const [, address = ""] = /^<iframe src="([^"]+)"/.exec(code) ?? []
      assert.match(address, /embed\.html#\/ranking\?passports=FRA,IND/)
      await page.goto(address)
      await page.getByRole("heading", { level: 1, name: "How far each passport reaches" }).waitFor()
      assert.strictEqual(await page.getByRole("navigation").count(), 0)
      const link = await page.getByRole("link", { name: "Open in Landfall" }).getAttribute("href")
      assert.match(String(link), /#\/ranking\?passports=FRA,IND/)
    }),
  )
})
