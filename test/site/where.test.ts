/** Where some people can go together, in a real browser, by roles and keys: what is found, and in which order. */
import fc from "fast-check"
import { assert, describe, expect, it } from "vitest"
import { HOLDING_KINDS } from "../../site/holdings.ts"
import { EFFORTS, readSearchAddress, type Search, writeSearchAddress } from "../../site/where/search.ts"
import { decide, easeRank, embeddedDataset, type Requirement } from "../../src/index.ts"
import { FLOW_TIMEOUT_MS, PATIENT, useExplorer } from "./explorer-page.ts"

const explorer = useExplorer()
const code = fc.constantFrom("USA", "IND", "FRA", "ESP", "BRA")

const search: fc.Arbitrary<Search> = fc.record({
  people: fc.array(
    fc.record({
      passports: fc.uniqueArray(code, { minLength: 1, maxLength: 4 }),
      held: fc.uniqueArray(fc.record({ kind: fc.constantFrom(...HOLDING_KINDS), issuer: code }), {
        selector: ({ kind, issuer }) => kind + issuer,
        maxLength: 3,
      }),
      expiry: fc.constantFrom("", "2031-01-31"),
    }),
    { minLength: 1, maxLength: 6 },
  ),
  from: fc.constantFrom("", "2027-03-01"),
  days: fc.integer({ min: 1, max: 365 }),
  effort: fc.constantFrom(...EFFORTS),
  region: fc.constantFrom(null, "035"),
})

/** What is asked of the person for whom a place is hardest; null where somebody is blocked or it is not known of somebody. */
function judgeTogether(passports: readonly string[], destination: string, span: { from: string; to: string }) {
  const ranks = passports.map(passport => {
    const judged = decide(embeddedDataset(), { passports: [passport], stops: [{ destination, ...span }] })
    if (!judged.ok || judged.value.kind !== "decided" || judged.value.blockers.length > 0) return null
    const requirement = judged.value.steps[0]?.requirement
    return requirement?.status === "known" ? easeRank(requirement.value as Requirement) : null
  })
  return ranks.includes(null) ? null : Math.max(...(ranks as number[]))
}

describe("a search for places", { timeout: FLOW_TIMEOUT_MS }, () => {
  it("is restored from its address", () => {
    fc.assert(
      fc.property(search, given => {
        const query = new URLSearchParams(
          writeSearchAddress(given)
            .filter(([, value]) => value !== null && value !== "")
            .map(([name, value]) => `${name}=${value}`)
            .join("&"),
        )
        assert.deepStrictEqual(readSearchAddress(query), given)
      }),
      { numRuns: 200 },
    )
  })

  it("finds what the engine decides for everybody, the easiest first, with the reason", async () => {
    const { page } = explorer
    await explorer.open("where")
    const choose = async (number: number, text: string) => {
      const field = page.getByRole("region", { name: `Person ${number}` }).getByRole("combobox")
      await field.fill(text)
      await field.press("Enter")
    }
    await choose(1, "french")
    await page.getByRole("button", { name: "Add a person" }).press("Enter")
    await choose(2, "indian")
    await page.getByRole("option", { name: "Northern Africa", exact: true }).waitFor({ state: "attached" })
    await page.getByLabel("First day").fill("2027-03-01")
    await page.getByRole("radio", { name: "No visa" }).check()
    const span = { from: "2027-03-01", to: "2027-03-14" }
    const { destinations } = embeddedDataset()
    const expected = destinations.filter(each => judgeTogether(["FRA", "IND"], each, span) === 0)
    const places = page.getByRole("region", { name: "Places" })
    await places.getByRole("heading", { name: `Places that fit: ${expected.length}` }).waitFor()
    const listCodes = () =>
      places.locator("li[data-code]").evaluateAll(rows => rows.map(row => (row as HTMLElement).dataset.code as string))
    assert.deepStrictEqual([...(await listCodes())].sort(), [...expected].sort())
    await page.getByRole("radio", { name: "A visa too" }).check()
    await expect.poll(async () => (await listCodes()).length, PATIENT).toBeGreaterThan(expected.length)
    const ranks = (await listCodes()).map(each => judgeTogether(["FRA", "IND"], each, span) ?? -1)
    assert.deepStrictEqual(
      ranks,
      [...ranks].sort((one, other) => one - other),
    )
    await places
      .getByText(/^Person 2: Visa required/)
      .first()
      .waitFor()
    // The address restores it.
    const found = await listCodes()
    await page.goto("about:blank")
    await page.goBack()
    await page.getByRole("region", { name: "Places" }).waitFor()
    assert.deepStrictEqual(await listCodes(), found)
  })

  it("omits places for which a passport is not valid long enough, with the reason", async () => {
    const { page } = explorer
    await explorer.open("where?people=IND~2027-05-01&from=2027-03-01&days=14&effort=any&region=035")
    await page.getByText(/^Not possible or not known: /).click()
    const blocked = page.locator('.where-others li[data-code="IDN"]')
    await blocked.getByText(/2027/).waitFor()
    assert.strictEqual(await page.locator('.where-found li[data-code="IDN"]').count(), 0)
  })

  it("shows the day of the rules, in the colour of every text", async () => {
    const { page } = explorer
    await explorer.open("where?people=FRA&from=2027-03-01&days=14")
    const day = new Intl.DateTimeFormat("en", { dateStyle: "long", timeZone: "UTC" })
    const known = day.format(new Date(`${embeddedDataset().asOf}T00:00:00Z`))
    await page.getByText(`The rules as known on ${known}.`).waitFor()
    const colourOf = (selector: string) =>
      page.evaluate(found => getComputedStyle(document.querySelector(found) ?? document.body).color, selector)
    assert.strictEqual(await colourOf("main h1"), await colourOf("body"))
  })
})
