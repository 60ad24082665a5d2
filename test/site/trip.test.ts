/** The planner of trips in a real browser, by roles and keys, and its files and addresses. */
import { readFileSync } from "node:fs"
import { assert, describe, expect, it } from "vitest"
import { judgeItinerary, readItinerary } from "../../adapters/answers/decision.ts"
import { formatUtcDay, utcDayAt } from "../../adapters/time/utc-calendar.ts"
import { readPageMessages } from "../../site/build/page-messages.ts"
import { decide, embeddedDataset } from "../../src/index.ts"
import { FLOW_TIMEOUT_MS, PATIENT, useExplorer } from "./explorer-page.ts"

const explorer = useExplorer()

describe("the planner of trips", { timeout: FLOW_TIMEOUT_MS }, () => {
  const outcomeHeading = (name: RegExp | string) =>
    explorer.page.getByRole("region", { name: "Verdict" }).getByRole("heading", { level: 2, name }).waitFor()

  it("judges at each input, and shows Schengen's window", async () => {
    const { page } = explorer
    await explorer.open("trip")
    await page.getByRole("button", { name: "Show an example" }).press("Enter")
    await outcomeHeading(/^Stopped/)
    await page.getByLabel("Valid until").fill("2031-01-01")
    const zone = page.getByRole("region", { name: "Schengen area" })
    await zone.getByText(/The rule is broken\. First on/).waitFor()
    const first = await page.getByLabel("First day").first().inputValue()
    assert.isAbove(Date.parse(first), Date.now())
    const last = page.getByLabel("Last day").nth(2)
    const tooLong = await last.inputValue()
    await last.fill(formatUtcDay(utcDayAt(Date.parse(tooLong)) - 12))
    await outcomeHeading(/^(Get first|Not known|Clear)/)
    await zone.getByText(/The rule is kept/).waitFor()
    await last.fill(tooLong)
    await outcomeHeading(/^Stopped/)
    const day = zone.getByRole("slider")
    const said = await zone.innerText()
    await day.press("Home")
    await expect.poll(() => zone.innerText(), PATIENT).not.toBe(said)
  })

  it("asks whether a change stays airside, and how a stop is reached: both decide, and come back from the address", async () => {
    const { page } = explorer
    await explorer.open("trip?passports=IND~2035-01-01&stops=FJI~2027-02-10~2027-02-20&transit=DEU")
    await outcomeHeading(/^Not known/)
    // What is unknown decides, so it is shown without a click.
    await page
      .getByRole("list")
      .getByText(/international area/)
      .first()
      .waitFor()
    const area = page.getByRole("region", { name: "Changing planes in" }).getByRole("combobox", { name: /^Germany/ })
    await area.selectOption("Stay in the international area")
    await outcomeHeading(/^Clear$/)
    await area.selectOption("Pass border control")
    await outcomeHeading(/^Stopped/)
    await page.getByLabel("Arrival").selectOption("by land")
    await expect.poll(() => page.url(), PATIENT).toMatch(/stops=FJI~2027-02-10~2027-02-20~~land&transit=DEU~landside/)
    await page.reload()
    await outcomeHeading(/^Stopped/)
    assert.strictEqual(await page.getByLabel("Arrival").inputValue(), "land")
    assert.strictEqual(await area.inputValue(), "landside")
    await explorer.open("trip?passports=FRA~2035-01-01&stops=VEN~2027-02-10~2027-02-20~~air")
    await outcomeHeading(/^Clear$/)
    await page.getByLabel("Arrival").selectOption("by land")
    await outcomeHeading(/^Stopped/)
  })

  it("asks for the kind of a passport when it is wanted, judges by it, and comes back from the address with it", async () => {
    const { page } = explorer
    await explorer.open("trip?passports=DEU~2035-01-01&stops=GBR~2027-02-10~2027-02-20")
    const passport = page.getByRole("region", { name: "Passports of the traveller" })
    const kind = passport.getByLabel("Kind of passport")
    const stop = page.getByRole("region", { name: "Stops" })
    await stop.getByRole("link", { name: "ETA" }).waitFor()
    assert.isFalse(await kind.isVisible())
    await passport.locator("summary").press("Enter")
    assert.strictEqual(await kind.inputValue(), "ordinary")
    assert.notInclude(await kind.innerText(), "British")
    // No electronic authorisation for it: Immigration Rules, Appendix Visitor: Visa National List.
    await kind.selectOption("Travel document for refugees (1951 Convention)")
    await stop.getByText("Visa required").waitFor()
    const link = await stop.getByRole("link", { name: "Visa required" }).getAttribute("href")
    assert.match(String(link), /DEU\/[A-Z]{3}\?kind=refugee_convention/)
    await expect.poll(() => page.url(), PATIENT).toMatch(/passports=DEU~2035-01-01~~refugee_convention/)
    await page.reload()
    await stop.getByText("Visa required").waitFor()
    assert.strictEqual(await kind.inputValue(), "refugee_convention")
    await kind.selectOption("Ordinary passport")
    await stop.getByRole("link", { name: "ETA" }).waitFor()
    assert.isTrue(await kind.isVisible())
  })

  it("offers the classes of British nationals beside the kinds of a British passport", async () => {
    const { page } = explorer
    await explorer.open("trip?passports=GBR~2035-01-01&stops=JPN~2027-02-10~2027-02-20")
    const passport = page.getByRole("region", { name: "Passports of the traveller" })
    await passport.locator("summary").press("Enter")
    await passport.getByLabel("Kind of passport").selectOption("British National (Overseas)")
    await expect.poll(() => page.url(), PATIENT).toMatch(/passports=GBN~2035-01-01&/)
    await passport.locator(".who", { hasText: "British National (Overseas)" }).waitFor()
    await passport.getByLabel("Kind of passport").selectOption("Diplomatic passport")
    await expect.poll(() => page.url(), PATIENT).toMatch(/passports=GBR~2035-01-01~~diplomatic&/)
  })

  it("gives no answer for a stop too far in the future", async () => {
    const { page } = explorer
    await explorer.open("trip?passports=FRA~2199-01-01&stops=JPN~2190-01-10~2190-01-20")
    const verdict = page.getByRole("region", { name: "Verdict" })
    await verdict.getByRole("heading", { name: "This trip cannot be checked." }).waitFor()
    await page.getByText(/^Nothing can be said of 10 January 2190/).waitFor()
  })

  it("names an expired passport as one reason", async () => {
    const { page } = explorer
    await explorer.open("trip?passports=FRA~2020-01-01&stops=JPN~2027-01-10~2027-01-20")
    const verdict = page.getByRole("region", { name: "Verdict" })
    await verdict.getByRole("heading", { name: /^Stopped / }).waitFor()
    assert.strictEqual(await verdict.getByRole("list", { name: "What blocks it" }).locator("> li").count(), 1)
  })

  it.each([
    ["CHN~2031-01-01&stops=KWT~2026-12-10~2026-12-15", "en", "issue.answer_changed_since"],
    ["AFG~2031-01-01&stops=KWT~2026-12-10~2026-12-15", "ar", "issue.answer_changed_since"],
    ["AND~2031-01-01&stops=BLR~2027-03-01~2027-03-05", "ja", "issue.answer_ended"],
  ] as const)("says that a rule may be out of date: %s in %s", async (trip, language, key) => {
    await explorer.open(`trip?passports=${trip}`, { language })
    const [sentence = ""] = String(readPageMessages(language)[key]).split("{on date}")
    await explorer.page.locator(".gaps li", { hasText: sentence }).first().waitFor({ state: "attached" })
  })

  it("shows the other effects of each remedy", async () => {
    const { page } = explorer
    await explorer.open("trip?passports=GBR~2031-08-01&stops=ESP~2027-01-10~2027-03-30,ITA~2027-03-31~2027-05-10")
    await outcomeHeading(/^Stopped/)
    const remedies = page.getByRole("list", { name: "What would help" }).first()
    await expect.poll(() => remedies.innerText(), PATIENT).toMatch(/Afterwards: /)
  })

  it("names an extension that has to be granted, without a button", async () => {
    const { page } = explorer
    await explorer.open("trip?passports=FRA~2031-08-01~2026-01-01&stops=THA~2027-01-01~2027-03-01")
    await outcomeHeading(/^Stopped/)
    const remedies = page.getByRole("list", { name: "What would help" })
    await remedies.getByText("Have the stay extended after arrival, if this is granted: 30 days").waitFor()
    await remedies.getByText(/^Fee: .*1,900/).waitFor()
    assert.strictEqual(await remedies.getByRole("button", { name: /extended/ }).count(), 0)
  })

  it("says in the open what is not known and decides, and until when a rule was announced", async () => {
    const { page } = explorer
    await explorer.open("trip?passports=IND~2031-01-01~2026-01-01&stops=MYS~2027-03-01~2027-03-08")
    const verdict = page.getByRole("region", { name: "Verdict" })
    await verdict.getByText("A rule was announced until 31 December 2026, and nothing newer is recorded").waitFor()
    await verdict.getByText(/Announced until 31 December 2026/).waitFor()
    assert.notMatch(await verdict.innerText(), /Announced from|contradict/)
  })

  it("judges a past journey by the tables around its days, and names both answers", async () => {
    const { page } = explorer
    await explorer.open(
      "trip?passports=FRA~2031-01-01~2024-01-01&stops=CHN~2023-11-20~2023-11-25,CHN~2024-03-01~2024-03-25",
    )
    await page
      .getByText(/^25 days used/)
      .or(page.getByText(/15 days/))
      .first()
      .waitFor()
    await page.getByText(/^Not known: \d/).click()
    await page
      .getByText(
        "Last seen on 6 November 2023: Visa required; first seen on 3 December 2023: Visa-free. Which of the two held between is not known.",
      )
      .first()
      .waitFor()
    await page
      .getByText(/it was not verified\./)
      .first()
      .waitFor()
  })

  it("shows remedies, and applies them", async () => {
    const { page } = explorer
    await explorer.open(
      "trip?passports=GBR~2031-01-01~2021-01-02&stops=ESP~2027-01-10~2027-02-28,ITA~2027-03-20~2027-05-10",
    )
    await outcomeHeading(/^Stopped/)
    const remedies = page.getByRole("list", { name: "What would help" })
    await remedies.getByRole("button", { name: "Leave by: 28 April 2027" }).press("Enter")
    await outcomeHeading(/^Clear$/)
    await page.waitForURL(url => url.href.includes("ITA~2027-03-20~2027-04-28"))
    await explorer.open(
      "trip?passports=GBR~2031-01-01~2021-01-02,FRA~2031-01-01~2021-01-02&stops=ITA~2027-01-01~2027-05-10~GBR",
    )
    await remedies.getByRole("button", { name: "Use the passport: France" }).first().press("Enter")
    await outcomeHeading(/^Clear$/)
    await page.waitForURL(url => url.href.includes("ITA~2027-01-01~2027-05-10~FRA"))
  })

  it("takes visas, permits and residence into account", async () => {
    const { page } = explorer
    await explorer.open("trip?passports=IND~2031-01-01&stops=MEX~2027-01-10~2027-02-28")
    await page.getByRole("heading", { name: "To do" }).waitFor()
    const field = page.getByRole("combobox", { name: "Add a visa or permit: issuing country" })
    await field.fill("united states")
    await field.press("Enter")
    const documents = page.getByRole("region", { name: "Visas and residence permits" })
    await documents.getByLabel("Valid until").fill("2028-01-01")
    await page.getByText("Use: visa (United States)").waitFor()
    await page.getByRole("heading", { name: "To do" }).waitFor({ state: "detached" })
    await documents.getByText("Further details").click()
    await documents.getByLabel("Entries left").selectOption("for several entries")
    await documents.getByLabel("Class, such as C or B1/B2").fill("B1/B2")
    await page.waitForURL(url => /"type":"B1\/B2".*"entries":"multiple"/.test(decodeURIComponent(url.href)))
    await documents.getByRole("button", { name: "Remove: United States" }).press("Enter")
    await page.getByRole("heading", { name: "To do" }).waitFor()
  })

  it("counts earlier stays, and leaves out those under a permit", async () => {
    const { page } = explorer
    await explorer.open("trip?passports=GBR~2031-01-01~2021-01-02&stops=ITA~2027-03-20~2027-05-10")
    await outcomeHeading(/^Clear$/)
    const field = page.getByRole("combobox", { name: "Add an earlier stay" })
    await field.fill("france")
    await field.press("Enter")
    const stays = page.getByRole("region", { name: "Earlier stays" })
    await stays.getByLabel("First day").fill("2027-01-01")
    await stays.getByLabel("Last day").fill("2027-03-01")
    await outcomeHeading(/^Stopped/)
    await page
      .getByRole("region", { name: "Schengen area" })
      .getByText(/The rule is broken/)
      .waitFor()
    await stays.getByLabel("Was there as").selectOption("residence permit")
    await outcomeHeading(/^Clear$/)
  })

  it("saves the file that landfall itinerary judges alike, opens it again, and refuses other files", async () => {
    const { page } = explorer
    await explorer.open(
      "trip?passports=GBR~2031-08-01,IND&stops=ESP~2027-01-10~2027-02-28~GBR,ITA~2027-03-20~2027-05-10~GBR&earlier=FRA~2026-12-01~2026-12-03&residence=USA",
    )
    await outcomeHeading(/^Stopped/)
    const [download] = await Promise.all([
      page.waitForEvent("download"),
      page.getByRole("button", { name: "Save as a file" }).click(),
    ])
    const text = readFileSync(await download.path(), "utf8")
    const read = readItinerary(JSON.parse(text))
    const judged = read.ok ? judgeItinerary(embeddedDataset(), read.request) : null
    assert(judged?.kind === "found", "the command reads the file")
    const { blockers } = judged.body
    await outcomeHeading(new RegExp(`^Stopped ${blockers[0]?.message.split(" by ")[0]}`))
    const before = page.url()
    await page.getByRole("button", { name: "Start over" }).click()
    const give = (content: string) =>
      page
        .locator("input[type=file]")
        .setInputFiles({ name: "trip.json", mimeType: "application/json", buffer: Buffer.from(content) })
    await give("{")
    await page.getByText("This file is not valid JSON.").waitFor()
    await give('{"stops": [{"destination": "FRA", "until": "2027-01-01"}]}')
    await page.getByText("This file has a field that cannot be read here: stops[0].until").waitFor()
    await give(" ".repeat(200_000))
    await page.getByText("This file holds no itinerary: a list of stops is missing.").waitFor()
    await give(text)
    await outcomeHeading(/^Stopped/)
    await page.waitForURL(before)
  })

  it("answers for a stay of more than a hundred years, and draws no day of it", async () => {
    const { page } = explorer
    await explorer.open("trip?passports=USA&stops=ESP~2027-01-01~2199-12-31")
    await outcomeHeading(/^Stopped/)
    await page.getByRole("region", { name: "Schengen area" }).getByRole("slider").waitFor()
    assert.isBelow(await page.locator("main *").count(), 2_000)
  })

  it("judges each of several travellers, adds and removes them, and comes back from its address", async () => {
    const { page } = explorer
    await explorer.open("trip?passports=FRA~2031-01-01&stops=USA~2027-03-01~2027-03-14")
    await page.getByRole("button", { name: "Add a person" }).click()
    await page.getByRole("region", { name: "Passports of the traveller" }).getByRole("combobox").fill("india")
    await page.getByRole("region", { name: "Passports of the traveller" }).getByRole("combobox").press("Enter")
    const travellers = page.getByRole("region", { name: "Travellers" })
    const readVerdicts = async () => (await travellers.getByRole("listitem").allInnerTexts()).map(text => text.trim())
    const expected = { blocked: /Stopped/, obtain: /Get first/, unknown: /Not known/, clear: /Clear/ }
    await travellers.getByRole("radio", { name: "Person 2: India" }).waitFor()
    const stops = [{ destination: "USA", from: "2027-03-01", to: "2027-03-14" }]
    const outcomes = [{ passport: "FRA", passportExpiry: "2031-01-01" }, { passport: "IND" }].map(passport => {
      const judged = decide(embeddedDataset(), { ...passport, stops })
      assert(judged.ok && judged.value.kind === "decided")
      return judged.value
    })
    await expect
      .poll(readVerdicts, PATIENT)
      .toEqual(outcomes.map(({ outcome }) => expect.stringMatching(expected[outcome])))
    const [first = "", second = ""] = await readVerdicts()
    const verdict = page.getByRole("region", { name: "Verdict" })
    const ofSecond = await verdict.getByRole("heading", { level: 2 }).innerText()
    const ofStops = page.getByRole("region", { name: "Stops" }).getByRole("heading", { level: 4 })
    await ofStops
      .filter({ hasText: /^ ?(Clear|Get first|Stopped|Not known)/ })
      .first()
      .waitFor()
    assert.include(second.replace(/\s+/g, " "), ofSecond.replace(/\s+/g, " ").trim())
    await page.reload()
    await travellers.getByRole("radio", { name: "Person 2: India" }).waitFor()
    await expect.poll(readVerdicts, PATIENT).toEqual([first, second])
    await travellers.getByRole("radio", { name: "Person 2: India" }).check()
    await page.getByRole("button", { name: "Remove person 2" }).click()
    await travellers.getByRole("listitem").first().waitFor({ state: "detached" })
    await page.waitForURL(({ href }) => href.includes("passports=FRA~2031-01-01") && !href.includes("with="))
  })

  it("is printed as a sheet of one page for each traveller", async () => {
    const { page } = explorer
    const others = encodeURIComponent('[{"passport":"IND","passport_expiry":"2030-05-01"}]')
    await explorer.open(
      `trip?passports=FRA~2031-01-01&stops=USA~2027-03-01~2027-03-14,MEX~2027-03-14~2027-03-20&with=${others}`,
    )
    await page.getByRole("radio", { name: "Person 2: India" }).waitFor()
    assert.strictEqual(await page.locator(".sheet").count(), 0)
    await page.emulateMedia({ media: "print" })
    await page.locator(".sheet").nth(1).waitFor()
    assert.deepStrictEqual(await page.locator(".sheet h2").allInnerTexts(), ["Person 1: France", "Person 2: India"])
    await page.getByRole("heading", { level: 1 }).waitFor({ state: "hidden" })
    const pdf = (await page.pdf({ format: "A4" })).toString("latin1")
    assert.strictEqual(pdf.match(/\/Type ?\/Page\b(?!s)/g)?.length, 2)
    await page.emulateMedia({ media: "screen" })
    await page.locator(".sheet").first().waitFor({ state: "detached" })
  })
})
