/**
 * Seven people with a question, each walked by roles and keys: what he reads at the end is what the engine says. Typing names is free; each needs at
 * most eight clicks or keystrokes beyond.
 */
import { readFileSync } from "node:fs"
import { assert, beforeEach, describe, it } from "vitest"
import { FLOW_TIMEOUT_MS, useExplorer } from "./explorer-page.ts"
import { AGENT, NO_PERMIT, PERMIT, VALIDITY } from "./walks.ts"

const explorer = useExplorer()
const MOST_STEPS = 8

describe("somebody who knows nothing of visas", { timeout: FLOW_TIMEOUT_MS }, () => {
  let steps = 0
  beforeEach(() => {
    steps = 0
  })
  const press = async (role: "button" | "radio" | "link", name: string | RegExp) => {
    steps++
    assert.isAtMost(steps, MOST_STEPS)
    const control = explorer.page.getByRole(role, { name, exact: true }).first()
    await control.press(role === "radio" ? "Space" : "Enter")
  }
  const choose = async (field: ReturnType<typeof explorer.page.getByRole>, text: string) => {
    steps++
    assert.isAtMost(steps, MOST_STEPS)
    await field.fill(text)
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
    await page.getByLabel("First day").fill("2027-03-01")
    await press("radio", "No visa")
    await page.getByRole("heading", { name: /^Places that fit: [1-9]/ }).waitFor()
  })

  it("goes to Bali and Thailand and home through Dubai with seven months of passport", async () => {
    const { page } = explorer
    await explorer.open("trip?passports=IND~2027-09-10")
    await choose(combobox("Add a stop"), "bali")
    await choose(combobox("Add a stop"), "thailand")
    await choose(combobox("Changing planes in"), "dubai")
    await page.getByText("1 Indonesia").or(page.getByText("Indonesia")).first().waitFor()
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
    await explorer.open(PERMIT)
    await page.getByRole("region", { name: "Verdict" }).getByRole("heading", { level: 2 }).waitFor()
    assert.strictEqual(await page.getByRole("heading", { name: /^Blocked/ }).count(), 0)
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
