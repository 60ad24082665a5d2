/**
 * Seven people with a question, each walked by roles and keys: what he reads at the end is what the engine says. Typing names and dates is free; each needs at
 * most eight clicks or keystrokes beyond, as the browser counts them, those into a field included.
 */
import { readFileSync } from "node:fs"
import type { Locator } from "playwright-core"
import { afterEach, assert, beforeAll, beforeEach, describe, expect, it } from "vitest"
import { FLOW_TIMEOUT_MS, PATIENT, useExplorer } from "./explorer-page.ts"

const explorer = useExplorer()
const MOST_STEPS = 8

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

  it("holds an Indian passport and a US visa, and asks for Mexico", async () => {
    const { page } = explorer
    await explorer.open()
    await choose(combobox("I hold a passport of"), "indian")
    await page.getByText("Documents and expiry of the passport").click()
    await press("button", "Visa: United States")
    await choose(combobox("I am going to"), "mexico")
    await press("button", "Show the answer")
    const card = page.getByRole("region", { name: "Entry requirement" })
    await card.getByText("Clear", { exact: true }).waitFor()
    await card.getByRole("heading", { level: 2, name: /^Clear No visa, 180 days/ }).waitFor()
  })

  it("is French, travels with an Indian for two weeks in March, and finds places that suit both", async () => {
    const { page } = explorer
    await explorer.open()
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
    await explorer.open()
    await press("link", "Trip")
    const until = new Date()
    until.setUTCMonth(until.getUTCMonth() + 7)
    await choosePassport("indian", until.toISOString().slice(0, 10))
    await choose(combobox("Add a stop"), "bali")
    await choose(combobox("Add a stop"), "thailand")
    await choose(combobox("Changing planes in"), "dubai")
    await page.getByRole("slider", { name: "2 Thailand" }).waitFor()
    await expect.poll(() => page.url(), PATIENT).toMatch(/passports=IND~[-\d]+&stops=IDN~.*,THA~.*&transit=ARE/)
    await verdict()
      .getByRole("heading", { name: /^(Stopped|Get first|Not known)/ })
      .waitFor()
  })

  it("lives in Spain with a British passport and no permit, and is told that it blocks", async () => {
    const { page } = explorer
    await explorer.open()
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
    await explorer.open()
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
    const address = new URLSearchParams(page.url().split("?")[1])
    const held = [{ kind: "residence_permit", issuer: "ESP", valid_until: "2029-01-01" }]
    assert.deepStrictEqual(JSON.parse(String(address.get("held"))), held)
  })

  it("asks how old an answer is, and who has read it", async () => {
    const { page } = explorer
    await explorer.open()
    await choose(combobox("I hold a passport of"), "indian")
    await choose(combobox("I am going to"), "georgia")
    await press("button", "Show the answer")
    await page.getByText(/^Answered for /).waitFor()
    const verdict = page.getByRole("region", { name: "Entry requirement" })
    assert.match(await verdict.innerText(), /\d{4}|[Nn]ot/)
    const report = await page.getByRole("link", { name: "Report a mistake" }).getAttribute("href")
    assert.include(decodeURIComponent(String(report)), "title=Data:+IND+→+GEO")
  })

  it("is a travel agent, who gives a customer a trip as a calendar, a table and a link", async () => {
    const { page } = explorer
    await explorer.open()
    await press("link", "Trip")
    await choosePassport("indian", "2031-01-01")
    await choose(combobox("Add a stop"), "france")
    await choose(combobox("Add a stop"), "japan")
    await page.getByRole("slider", { name: "2 Japan" }).waitFor()
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
    const link = page.url()
    await page.goto("about:blank")
    await page.goto(link)
    await page.getByRole("slider", { name: "2 Japan" }).waitFor()
  })

  it("is a journalist, who embeds a ranking in a page of his own", async () => {
    const { page } = explorer
    await page.context().grantPermissions(["clipboard-read", "clipboard-write"])
    await explorer.open()
    await press("link", "Ranking")
    // A text that is written over another in the same field, before the search was loaded, takes its place.
    await choose(combobox("Passports"), "french")
    await page.getByRole("button", { name: "Remove: France" }).waitFor()
    await choose(combobox("Passports"), "indian")
    await page.getByRole("button", { name: "Remove: India" }).waitFor()
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
  })
})
