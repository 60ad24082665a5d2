/**
 * Seven people with a question, each walked by roles and keys: what he reads at the end is what the engine says. Typing names and dates is free; each needs at
 * most eight clicks or keystrokes beyond, as the browser counts them, those into a field included.
 */
import { readFileSync } from "node:fs"
import type { Locator } from "playwright-core"
import { afterEach, assert, beforeAll, beforeEach, describe, expect, it } from "vitest"
import { FLOW_TIMEOUT_MS, PATIENT, useExplorer } from "./explorer-page.ts"
import { AGENT, NO_PERMIT, PERMIT, VALIDITY } from "./walks.ts"

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
  beforeEach(() => {
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

  it("holds an Indian passport and a US visa, and asks for Mexico and Georgia", async () => {
    const { page } = explorer
    await explorer.open()
    await choose(combobox("I hold a passport of"), "indian")
    await press("button", "Visa: United States")
    await choose(combobox("I am going to"), "mexico")
    await page
      .getByRole("region", { name: "Mexico" })
      .getByText(/Visa: United States: Visa-free/)
      .waitFor()
    await choose(combobox("I am going to"), "georgia")
    await page
      .getByRole("region", { name: "Georgia" })
      .getByText(/Visa: United States: Visa-free/)
      .waitFor()
  })

  it("is French, travels with an Indian for two weeks in March, and finds places that suit both", async () => {
    const { page } = explorer
    await explorer.open()
    await press("link", "Where to?")
    const person = (number: number) => page.getByRole("region", { name: `Person ${number}` }).getByRole("combobox")
    await choose(person(1), "french")
    await press("button", "Add a person")
    await choose(person(2), "indian")
    await type(page.getByLabel("First day"), "2027-03-01")
    await press("radio", "No visa")
    await page.getByRole("heading", { name: /^Places that fit: [1-9]/ }).waitFor()
    assert.isAtLeast(steps, 7)
  })

  it("goes to Bali and Thailand and home through Dubai with seven months of passport", async () => {
    const { page } = explorer
    await explorer.open("trip")
    await choose(page.getByRole("region", { name: "Passports of the traveller" }).getByRole("combobox"), "indian")
    await type(page.getByLabel("Valid until"), "2027-09-10")
    await choose(combobox("Add a stop"), "bali")
    await choose(combobox("Add a stop"), "thailand")
    await choose(combobox("Changing planes in"), "dubai")
    await page.getByRole("slider", { name: "2 Thailand" }).waitFor()
    await expect.poll(() => page.url(), PATIENT).toMatch(/passports=IND~2027-09-10&stops=IDN~.*,THA~.*&transit=ARE/)
    await explorer.open(VALIDITY)
    const verdict = page.getByRole("region", { name: "Verdict" })
    await verdict.getByRole("heading", { name: /^(Blocked|To obtain|A fact|Nothing known)/ }).waitFor()
    await page.getByRole("slider", { name: "2 Thailand" }).waitFor()
  })

  it("lives in Spain with a British passport, with a permit and without", async () => {
    const { page } = explorer
    await explorer.open(NO_PERMIT)
    await page.getByRole("heading", { name: /^Blocked/ }).waitFor()
    await choose(combobox("Residence"), "spain")
    await page.getByText("The last day of its validity decides: please give it.").waitFor()
    await type(
      page.getByRole("region", { name: "Visas and residence permits" }).getByLabel("Valid until"),
      "2029-01-01",
    )
    const verdict = page.getByRole("region", { name: "Verdict" })
    await verdict.getByRole("heading", { name: /^(To obtain|A fact|Nothing known)/ }).waitFor()
    const address = new URLSearchParams(page.url().split("?")[1])
    assert.deepStrictEqual(
      JSON.parse(String(address.get("held"))),
      JSON.parse(String(new URLSearchParams(PERMIT).get("held"))),
    )
  })

  it("asks how old an answer is, and who has read it", async () => {
    const { page } = explorer
    await explorer.open()
    await choose(combobox("I hold a passport of"), "indian")
    await choose(combobox("I am going to"), "georgia")
    await page.getByText(/^Answered for /).waitFor()
    const verdict = page.getByRole("region", { name: "Requirement" })
    assert.match(await verdict.innerText(), /\d{4}|[Nn]ot/)
    const report = await page.getByRole("link", { name: "Report a mistake" }).getAttribute("href")
    assert.include(decodeURIComponent(String(report)), "title=Data:+IND+→+GEO")
  })

  it("is a travel agent, who gives a customer a trip as a calendar, a table and a link", async () => {
    const { page } = explorer
    await explorer.open(AGENT)
    await page
      .getByRole("region", { name: "Verdict" })
      .getByRole("heading", { name: /^To obtain/ })
      .waitFor()
    const takeFile = async (name: string) => {
      const [file] = await Promise.all([page.waitForEvent("download"), press("button", name)])
      return readFileSync(await file.path(), "utf8")
    }
    assert.match(await takeFile("Calendar (.ics)"), /BEGIN:VEVENT\r\n[\s\S]*DTSTART;VALUE=DATE:20270610/)
    assert.match(await takeFile("Table (.csv)"), /France,2027-06-10,2027-06-20,11,India/)
    await page.context().grantPermissions(["clipboard-read", "clipboard-write"])
    await press("button", "Copy the link")
    await page.getByRole("button", { name: "Copied" }).waitFor()
    const link = await page.evaluate(() => navigator.clipboard.readText())
    await page.goto(link)
    await page.getByRole("slider", { name: "2 Japan" }).waitFor()
  })

  it("is a journalist, who embeds a ranking in a page of his own", async () => {
    const { page } = explorer
    const embedded = `${explorer.server.url}embed.html#/ranking?passports=FRA,IND&lang=en`
    await explorer.open()
    await page.goto(embedded)
    await page.getByRole("heading", { level: 1, name: "How far each passport reaches" }).waitFor()
    assert.strictEqual(await page.getByRole("navigation").count(), 0)
    const link = await page.getByRole("link", { name: "Open in Landfall" }).getAttribute("href")
    assert.match(String(link), /#\/ranking\?passports=FRA,IND/)
  })
})
