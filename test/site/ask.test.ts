/** The question and its answers in a real browser, by roles and keys: one place, any place, several people; each says what the engine decides. */
import fc from "fast-check"
import { assert, describe, expect, it } from "vitest"
import { type AskAddress, addressOf, readAddress, writeAddress } from "../../site/address.ts"
import { findPlaces } from "../../site/anywhere/find-places.ts"
import { MOST, PURPOSES, type Question } from "../../site/ask/question.ts"
import { HOLDING_KINDS } from "../../site/holdings.ts"
import { isApart, LOOKS } from "../../site/verdict/looks.ts"
import { decide, embeddedDataset, type Outcome } from "../../src/index.ts"
import { sampleOf } from "../sample.ts"
import { categoryOf, FLOW_TIMEOUT_MS, PATIENT, readDatasetOn, useExplorer } from "./explorer-page.ts"

const explorer = useExplorer()
const code = fc.constantFrom("USA", "IND", "FRA", "ESP", "BRA")
const question: fc.Arbitrary<Question> = fc
  .record({
    people: fc.array(
      fc.record({
        name: fc.constantFrom("", "Ana Paula", "Zoë O’Neil-Ba. Jr"),
        passports: fc.uniqueArray(code, { minLength: 1, maxLength: MOST.passports }),
        kind: fc.constantFrom("", "diplomatic" as const),
        held: fc.uniqueArray(fc.record({ kind: fc.constantFrom(...HOLDING_KINDS), issuer: code }), {
          selector: ({ kind, issuer }) => kind + issuer,
          maxLength: 3,
        }),
        expiry: fc.constantFrom("", "2031-01-31"),
        live: fc.constantFrom("", "ESP"),
      }),
      { minLength: 1, maxLength: MOST.people },
    ),
    to: fc.constantFrom(null, "JPN"),
    leave: fc.constantFrom("", "KEN"),
    from: fc.constantFrom("", "2027-03-01"),
    until: fc.constantFrom("", "2027-03-14"),
    purpose: fc.constantFrom(...PURPOSES),
    unread: fc.constant(""),
  })
  .map(given => ({ ...given, until: given.from === "" ? "" : given.until }))

/** The outcome of the engine, for the one place where the page says it. */
function outcomeOf(passport: string, destination: string, from: string, to: string, more = {}): Outcome {
  const passports = [{ passport, passportExpiry: "2040-01-01", passportIssued: "2026-01-01" }]
  const judged = decide(embeddedDataset(), {
    passports,
    stops: [{ destination, from, to }],
    purpose: "tourism",
    ...more,
  })
  return judged.ok && judged.value.kind === "decided" ? judged.value.outcome : "unknown"
}

describe("a question", { timeout: FLOW_TIMEOUT_MS }, () => {
  it("is restored from its address", () => {
    fc.assert(
      fc.property(question, given => {
        const { address } = readAddress(writeAddress(addressOf(given), null))
        assert.deepStrictEqual(address, addressOf(given))
      }),
      { numRuns: 200 },
    )
  })

  it.each([
    ["FRA/JPN?from=2027-02-30", "2027-02-30"],
    ["FRA/JPN?from=2027-03-10&until=2027-03-01", "2027-03-01"],
    ["FRA/JPN?from=2027-03-10&until=2029-03-01", "2029-03-01"],
    ["FRA/JPN?until=2027-03-01", "2027-03-01"],
    ["?people=FRA&from=2027-03-10&until=ten", "ten"],
  ])("says which days of its address were not understood, and keeps them there: %s", async (view, unread) => {
    const { address } = readAddress(view)
    assert.deepInclude((address as AskAddress).question, { unread, until: "" })
    assert.deepStrictEqual(readAddress(writeAddress(address, null)).address, address)
    await explorer.open(view)
    await explorer.page.getByText(`Not understood in the address, and left out: ${unread}`).waitFor()
  })

  it("comes first, and leads to the answer by keys, with documents and a purpose", async () => {
    const { page } = explorer
    await explorer.open()
    assert.strictEqual(await page.locator("main svg.world").count(), 0)
    const passport = page.getByRole("combobox", { name: "I hold a passport of" })
    await passport.fill("indian")
    await passport.press("Enter")
    await page.getByText("Documents and expiry of the passport").click()
    await page.getByRole("button", { name: "Visa: United States" }).press("Enter")
    const going = page.getByRole("combobox", { name: "I am going to" })
    await going.fill("korea")
    await going.press("Enter")
    await page.getByLabel("First day").fill("2027-03-01")
    await page.getByLabel("Purpose").selectOption("business")
    await page.getByRole("button", { name: "Show the answer" }).press("Enter")
    await page.waitForURL(url => url.hash.startsWith("#/IND/KOR?held=visa.USA&from=2027-03-01&for=business"))
    const card = page.getByRole("region", { name: "Entry requirement" })
    await card.getByRole("heading", { level: 2, name: /^Get first Visa required/ }).waitFor()
    await card.getByText("Get first").waitFor()
    await card.getByText("Your document works only in transit").waitFor()
  })

  it("about several places is a trip, with the days, papers and purpose that were given", async () => {
    const { page } = explorer
    await explorer.open()
    const choose = async (name: string, text: string) => {
      const field = page.getByRole("combobox", { name })
      await field.fill(text)
      await field.press("Enter")
    }
    await choose("I hold a passport of", "indian")
    await choose("I am going to", "japan")
    await choose("I am going to", "france")
    await page.getByLabel("First day").fill("2027-03-01")
    await page.getByLabel("Last day").fill("2027-03-20")
    await page.getByLabel("Purpose").selectOption("business")
    await page.getByRole("button", { name: "Show the answer" }).press("Enter")
    await page.waitForURL(url =>
      /^#\/trip\?passports=IND&stops=JPN~2027-03-01,FRA~~2027-03-20&purpose=business/.test(url.hash),
    )
    await page.getByRole("region", { name: "Stops" }).getByText("France").waitFor()
  })

  it("asks where the journey begins, and says which certificate those who leave from there need", async () => {
    const { page } = explorer
    const certificate = page
      .getByRole("region", { name: "Entry requirement" })
      .getByText(/^A yellow fever certificate is needed/)
      .first()
    await explorer.open("DEU/IND?from=2027-02-08")
    await page.getByRole("region", { name: "Entry requirement" }).waitFor()
    assert.strictEqual(await certificate.count(), 0)
    await page.getByText("Change", { exact: true }).click()
    const leaving = page.getByRole("combobox", { name: "I leave from" })
    assert.strictEqual(await leaving.getAttribute("placeholder"), "Germany")
    await leaving.fill("kenya")
    await leaving.press("Enter")
    await page.getByRole("button", { name: "Show the answer" }).press("Enter")
    await page.waitForURL(/#\/DEU\/IND\?leave=KEN&from=2027-02-08/)
    await certificate.waitFor()
    await page.locator(".question-bar:not([open])").waitFor()
    await explorer.open("KEN/IND")
    await page
      .getByRole("region", { name: "Entry requirement" })
      .getByText(/A yellow fever certificate is needed .* on a journey from or through Kenya/)
      .first()
      .waitFor()
    await explorer.open("KEN/IND?live=DEU")
    await page.getByRole("region", { name: "Entry requirement" }).waitFor()
    assert.strictEqual(await certificate.count(), 0)
  })

  it("is changed in the line above its answer", async () => {
    const { page } = explorer
    await explorer.open("DEU/IND?from=2027-02-08&until=2027-02-22")
    await page.getByText("Change", { exact: true }).click()
    await page.getByRole("button", { name: "Remove: India" }).press("Enter")
    await page.getByRole("button", { name: "Show the answer" }).press("Enter")
    await page.getByRole("heading", { level: 1, name: /^No visa: \d+/ }).waitFor()
    await page.waitForURL(/people=DEU&from=2027-02-08&until=2027-02-22/)
  })

  it("about another kind of passport is answered by the rules for the kind only", async () => {
    const { page } = explorer
    await explorer.open("IND/DEU?kind=diplomatic")
    const card = page.getByRole("region", { name: "Entry requirement" })
    await card.getByText("No rule is recorded here for this kind of passport").first().waitFor()
    assert.notInclude(await page.getByRole("main").innerText(), "Visa required")
  })

  it("outside the days of the rules is not answered", async () => {
    const { page } = explorer
    for (const view of ["?people=FRA&from=2150-01-01", "FRA/JPN?from=2150-01-01", "?people=FRA&from=2022-03-06"]) {
      await explorer.open(view)
      await page.getByRole("heading", { level: 1, name: /^Nothing can be said of / }).waitFor()
      assert.strictEqual(await page.locator("main svg").count(), 0)
    }
  })
})

describe("the answer card", { timeout: FLOW_TIMEOUT_MS }, () => {
  it.each([
    ["GBR/THA?from=2027-02-08&until=2027-02-22", "GBR", "THA", "2027-02-08", "2027-02-22", {}],
    ["DEU/IND?from=2027-02-08&until=2027-02-22", "DEU", "IND", "2027-02-08", "2027-02-22", {}],
    ["IND/MYS?from=2027-03-01&until=2027-03-08", "IND", "MYS", "2027-03-01", "2027-03-08", {}],
    ["USA/IDN?valid=2027-03-20&from=2027-02-08&until=2027-02-22", "USA", "IDN", "2027-02-08", "2027-02-22", "short"],
  ])(
    "says the outcome, its evidence and what to do within the first screen of a phone: %s",
    async (view, passport, to, from, until, more) => {
      const { context, page } = await explorer.openContext({ viewport: { width: 390, height: 844 } })
      await explorer.open(view, { page })
      const card = page.getByRole("region", { name: "Entry requirement" })
      const short = { passports: [{ passport, passportExpiry: "2027-03-20", passportIssued: "2018-01-01" }] }
      const expected = outcomeOf(passport, to, from, until, more === "short" ? short : {})
      assert.strictEqual(await card.locator("[data-outcome]").first().getAttribute("data-outcome"), expected)
      const official = card.getByRole("link", { name: /^Official page/ })
      for (const part of [
        card.locator(".word"),
        card.locator(".evidence-mark"),
        card.getByRole("heading", { level: 2 }),
        ...(expected === "obtain" ? [official] : []),
      ]) {
        const findEnd = async () => {
          const { y = 844, height = 0 } = (await part.first().boundingBox()) ?? {}
          return y + height
        }
        await expect.poll(findEnd, PATIENT).toBeLessThan(844)
      }
      if (expected === "unknown") assert.notMatch(await card.innerText(), /visa-free|no visa/i)
      await context.close()
    },
  )

  it("after an announced end says whom to ask and why, and nothing of what lies under the rule", async () => {
    const { page } = explorer
    await explorer.open("IND/MYS?from=2027-03-01&until=2027-03-08")
    const card = page.getByRole("region", { name: "Entry requirement" })
    await card.getByRole("heading", { level: 2, name: "Get first Ask before you book: Malaysia" }).waitFor()
    await card.getByText("Rule ends before you go").waitFor()
    await card.getByText("A rule was announced until 31 December 2026, and nothing newer is recorded").waitFor()
    assert.notMatch(await page.locator(".answer").innerText(), /\b90\b|visa-free|no visa/i)
  })

  it("is one for each of several travellers, and links to the official page of each", async () => {
    const { page } = explorer
    await explorer.open("?people=IND~visa.USA,FRA&to=KOR&from=2027-03-01&until=2027-03-08")
    const cards = page.getByRole("region", { name: "Entry requirement" })
    await expect.poll(() => cards.count(), PATIENT).toBe(2)
    await cards
      .nth(0)
      .filter({ hasText: /^\s*India, Visa: United States/ })
      .waitFor()
    await cards
      .nth(1)
      .filter({ hasText: /^\s*France/ })
      .waitFor()
    // The page of the visa, and that of the arrival form.
    const pages = cards.nth(0).getByRole("link", { name: /^Official page/ })
    const readHosts = () => pages.evaluateAll(all => all.map(each => new URL((each as HTMLAnchorElement).href).host))
    await expect.poll(readHosts, PATIENT).toEqual(["overseas.mofa.go.kr", "www.e-arrivalcard.go.kr"])
  })
})

describe("anywhere", { timeout: FLOW_TIMEOUT_MS }, () => {
  const view = "?people=FRA,IND~visa.USA&from=2027-03-10&until=2027-03-16"
  const asked = readAddress(`#/${view}`).address
  const places = "question" in asked ? findPlaces(readDatasetOn(), asked.question) : []

  it("counts, colours and lists every place by the verdict on it, without a request", async () => {
    const { page } = explorer
    // The parts of the view come with another question; this one is answered without a network.
    await explorer.open("?people=BRA")
    await page.evaluate(() => document.fonts.ready.then(() => undefined))
    await page.context().setOffline(true)
    await explorer.open(view)
    const findWrong = async () => {
      const shown = await explorer.readCategories()
      return places.filter(({ code, verdict }) => shown[code] !== verdict.look).map(({ code }) => code)
    }
    await expect.poll(findWrong, PATIENT).toEqual([])
    for (const look of LOOKS) {
      const expected = places.filter(({ verdict }) => verdict.look === look).length
      assert.strictEqual(await page.locator(`.legend [data-look="${look}"]`).innerText(), String(expected), look)
    }
    const free = places.filter(({ verdicts }) => verdicts.every(({ outcome }) => outcome === "clear"))
    const counted = LOOKS.filter(look => ["home", "clear", "border"].includes(look)).map(
      look => places.filter(({ verdict }) => verdict.look === look).length,
    )
    assert.strictEqual(
      counted.reduce((sum, each) => sum + each, 0),
      free.length,
    )
    assert.isTrue(places.some(({ verdict }) => isApart(verdict.look)))
    const findOthers = async () => {
      const listed = await page
        .locator(".place-list li")
        .evaluateAll(rows =>
          rows.map(row => [
            String((row as HTMLElement).dataset.code),
            ...[...row.querySelectorAll<HTMLElement>("[data-outcome]")].map(({ dataset }) => String(dataset.outcome)),
          ]),
        )
      return listed.filter(([code, ...words]) => {
        const expected = new Set(places.find(place => place.code === code)?.verdicts.map(({ outcome }) => outcome))
        return new Set([...words, ...expected]).size !== expected.size || words.length === 0
      })
    }
    await expect.poll(findOthers, PATIENT).toEqual([])
    await page.context().setOffline(false)
  })

  it("answers whether one can go to a place, and shows the places of one colour alone", async () => {
    const { page } = explorer
    await explorer.open(view)
    await page.getByRole("searchbox", { name: "Filter" }).fill("japan")
    await page.locator('.place-list li[data-code="JPN"]').waitFor()
    await expect.poll(() => page.locator(".place-list li").count(), PATIENT).toBe(1)
    await page.getByRole("searchbox", { name: "Filter" }).fill("")
    await page.getByRole("list", { name: "Legend" }).getByRole("button", { name: "Visa required" }).press("Enter")
    await expect.poll(() => page.locator(".place-list h2").count(), PATIENT).toBe(1)
  })

  it("leads by keys from the map to the answer of a country", async () => {
    const { page } = explorer
    await explorer.open("?people=FRA")
    const world = page.getByRole("listbox", { name: /^No visa/ })
    await world.focus()
    await page.keyboard.press("ArrowRight")
    await expect.poll(() => world.getAttribute("aria-activedescendant"), PATIENT).toBeTruthy()
    await page.keyboard.press("Enter")
    await page.waitForURL(/#\/FRA\/[A-Z]{3}/)
  })

  it("is magnified by keys and by its buttons, with finer outlines, names without overlaps and dots of 24 pixels", async () => {
    const { page } = explorer
    await explorer.open("?people=FRA")
    const coarse = await page.locator('.world path[data-code="FRA"]').getAttribute("d")
    await page.getByRole("listbox", { name: /^No visa/ }).focus()
    for (let step = 0; step < 2; step++) await page.keyboard.press("+")
    await page.locator(".world[data-magnified]").waitFor()
    const readOutline = () => page.locator('.world path[data-code="FRA"]').getAttribute("d")
    await expect.poll(readOutline, PATIENT).not.toBe(coarse)
    await page.keyboard.press("0")
    await page.locator(".world:not([data-magnified])").waitFor()
    for (let step = 0; step < 2; step++) await page.getByRole("button", { name: "Zoom in" }).click()
    await page.locator(".world[data-magnified]").waitFor()
    const labels = page.locator(".place-labels text")
    await expect.poll(() => labels.count(), PATIENT).toBeGreaterThan(8)
    const boxes = await labels.evaluateAll(all => all.map(each => each.getBoundingClientRect().toJSON()))
    for (const [at, one] of boxes.entries()) {
      for (const other of boxes.slice(at + 1)) {
        const isApart =
          one.right <= other.left || other.right <= one.left || one.bottom <= other.top || other.bottom <= one.top
        assert.isTrue(isApart, JSON.stringify([one, other]))
      }
    }
    const measureDot = async () => Math.round((await page.locator(".dot .hit").first().boundingBox())?.width ?? 0)
    await expect.poll(measureDot, PATIENT).toBe(24)
  })

  it("is scrolled in its frame where it is magnified, dragged by a mouse without a choice, and shows the place that the keys go to", async () => {
    const { page } = explorer
    await explorer.open("?people=FRA")
    const before = page.url()
    for (let step = 0; step < 4; step++) await page.getByRole("button", { name: "Zoom in" }).click()
    const frame = page.locator(".map-frame")
    const readLeft = () => frame.evaluate(({ scrollLeft }) => scrollLeft)
    await expect.poll(readLeft, PATIENT).toBeGreaterThan(0)
    const left = await readLeft()
    await frame.hover()
    await page.mouse.down()
    const { x = 0, y = 0, width = 0, height = 0 } = (await frame.boundingBox()) ?? {}
    await page.mouse.move(x + width / 2 - 120, y + height / 2, { steps: 4 })
    await page.mouse.up()
    await expect.poll(readLeft, PATIENT).toBeGreaterThan(left + 50)
    assert.strictEqual(page.url(), before)
    await page.getByRole("listbox", { name: /^No visa/ }).focus()
    for (let step = 0; step < 12; step++) {
      await page.keyboard.press("ArrowRight")
      const tip = await page.locator(".stage .tip").boundingBox()
      assert.isTrue(
        tip !== null && tip.x + tip.width > x && tip.x < x + width && tip.y < y + height,
        JSON.stringify(tip),
      )
    }
  })

  it("draws the right colours, for one passport after another", async () => {
    const dataset = readDatasetOn()
    for (const passport of sampleOf(dataset.passports, 100)) {
      await explorer.open(`?people=${passport}`)
      const expected = Object.fromEntries(dataset.destinations.map(each => [each, categoryOf(passport, each, dataset)]))
      await expect.poll(() => explorer.readCategories(), PATIENT).toMatchObject(expected)
    }
  })

  it("has a header of one row with the views on a phone, and the language and the ranking in the foot", async () => {
    const { context, page } = await explorer.openContext({ viewport: { width: 390, height: 844 } })
    await explorer.open("?people=IND", { page })
    const measureHeader = async () => (await page.locator("header.top").boundingBox())?.height ?? 844
    await expect.poll(measureHeader, PATIENT).toBeLessThan(64)
    const views = await page.getByRole("navigation").getByRole("link").allInnerTexts()
    assert.deepStrictEqual(views, ["Answer", "Anywhere", "Trip"])
    const foot = page.getByRole("contentinfo")
    await foot.getByRole("combobox", { name: "Language" }).waitFor()
    await foot.getByRole("link", { name: "Ranking" }).waitFor()
    await context.close()
  })
})

describe("a field for a country", { timeout: FLOW_TIMEOUT_MS }, () => {
  it("finds a country by a common name, its people, a city or an airport, also with a typing error", async () => {
    const { page } = explorer
    await explorer.open()
    const field = page.getByRole("combobox", { name: "I hold a passport of" })
    for (const [text, name] of [
      ["UK", "United Kingdom"],
      ["indian", "India"],
      ["Gemrany", "Germany"],
      ["米国", "United States"],
    ] as const) {
      await field.fill(text)
      await field.press("Enter")
      await page.getByRole("button", { name: `Remove: ${name}` }).waitFor()
    }
    const going = page.getByRole("combobox", { name: "I am going to" })
    await going.fill("DPS")
    await page.getByRole("option", { name: /^Indonesia.*DPS/ }).waitFor()
    await going.press("Enter")
    await page.getByRole("button", { name: "Remove: Indonesia" }).waitFor()
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
    await going.fill("georgia")
    await going.press("Enter")
    await page.getByRole("link", { name: "Landfall" }).focus()
    release()
    await page.getByRole("button", { name: "Remove: France" }).waitFor()
    await page.getByRole("button", { name: "Remove: Georgia" }).waitFor()
    await field.fill("no such country")
    await field.press("Enter")
    await field.press("Tab")
    await expect.poll(() => field.inputValue(), PATIENT).toBe("")
    await context.close()
  })
})
