/** What is pasted as a table: read line by line, and in a real browser, where days of the Schengen area are counted over pasted stays. */
import fc from "fast-check"
import { assert, beforeAll, describe, expect, it } from "vitest"
import { type Reading, readPeople, readStays } from "../../site/paste/read-rows.ts"
import { NO_TRIP } from "../../site/trip/trip.ts"
import type * as ZoneDays from "../../site/trip/zones.tsx"
import { zone as findZone, formatCivilDate } from "../../src/index.ts"
import { FLOW_TIMEOUT_MS, PATIENT, useExplorer } from "./explorer-page.ts"
import { importPageModule } from "./page-module.ts"

const explorer = useExplorer()
const TODAY = 20_800

const CODES: Readonly<Record<string, string>> = {
  esp: "ESP",
  spain: "ESP",
  españa: "ESP",
  fra: "FRA",
  ind: "IND",
  india: "IND",
  indian: "IND",
  usa: "USA",
  us: "USA",
  jordan: "JOR",
}
const READING: Reading = {
  country: text => CODES[text.trim().toLowerCase()] ?? null,
  language: "es",
  isDayFirst: true,
  kinds: [
    ["permiso de residencia", "permit"],
    ["visado", "visa"],
    ["residence permit", "permit"],
    ["visa", "visa"],
  ],
}
const stay = (destination: string, from: string, to: string) => ({ destination, from, to })

describe("pasted stays", () => {
  it.each([
    ["Spain\t2026-03-01\t2026-03-14", "ESP"],
    ["2026-03-01;2026-03-14;ESP", "ESP"],
    ["3, España, 1/3/2026, 14/3/2026, 14", "ESP"],
    ["Spain: 1.3.2026 – 14.3.26", "ESP"],
    ["Spain from 1 March 2026 to 14 Mar 2026", "ESP"],
    ["March 1, 2026\tMarch 14, 2026\tSpain", "ESP"],
    ["1 de marzo de 2026 | 14 de marzo de 2026 | España", "ESP"],
    ["Schengen area 2026-03-01 2026-03-14", "FRA"],
  ])("are read from a spreadsheet or a text: %s", (line, code) => {
    assert.deepStrictEqual(readStays(line, 10, READING), { rows: [stay(code, "2026-03-01", "2026-03-14")], left: [] })
  })

  it.each([
    "Spain 2026-03-01",
    "Spain 2026-03-14 2026-03-01",
    "Atlantis 2026-03-01 2026-03-14",
    "Spain India 2026-03-01 2026-03-14",
    "Spain 2026-02-30 2026-03-14",
    "Spain 2026-03-01 2026-03-14 2026-03-20",
    "Spain 2026-03-01 2026-03-14 as a resident",
  ])("are given back where a line is not understood: %s", line => {
    assert.deepStrictEqual(readStays(line, 10, READING), { rows: [], left: [line] })
  })

  it("have days and months in the order that any line shows, and are given back where lines contradict each other", () => {
    const american = "Spain 3/1/2026 3/14/2026"
    const british = "Spain 1/3/2026 14/3/2026"
    const read = { rows: [stay("ESP", "2026-03-01", "2026-03-14")], left: [] }
    for (const isDayFirst of [true, false]) {
      assert.deepStrictEqual(readStays(american, 10, { ...READING, isDayFirst }), read)
      assert.deepStrictEqual(readStays(british, 10, { ...READING, isDayFirst }), read)
      const both = `${american}\n${british}`
      assert.deepStrictEqual(readStays(both, 10, { ...READING, isDayFirst }), { rows: [], left: both.split("\n") })
    }
    const either = (isDayFirst: boolean) => readStays("Spain 1/3/2026 2/3/2026", 10, { ...READING, isDayFirst }).rows
    assert.deepStrictEqual(either(true), [stay("ESP", "2026-03-01", "2026-03-02")])
    assert.deepStrictEqual(either(false), [stay("ESP", "2026-01-03", "2026-02-03")])
  })

  it("lose no line: each is a row, or is given back as it was", () => {
    const line = fc.oneof(
      fc.string({ maxLength: 40 }).filter(text => !/[\r\n]/.test(text) && text.trim() !== ""),
      fc.constantFrom("Spain 2026-03-01 2026-03-14", "FRA;1.3.2026;2.3.2026", "India\t1/13/2026\t2/14/2026"),
    )
    fc.assert(
      fc.property(fc.array(line, { maxLength: 30 }), fc.integer({ min: 0, max: 30 }), (lines, most) => {
        const { rows, left } = readStays(lines.join("\n"), most, READING)
        assert.strictEqual(rows.length + left.length, lines.length)
        assert.isAtMost(rows.length, most)
        assert.deepStrictEqual(
          left.filter(each => !lines.includes(each)),
          [],
        )
      }),
      { numRuns: 300 },
    )
  })
})

describe("a pasted list of people", () => {
  const person = { name: "", passports: ["IND"], kind: "", held: [], expiry: "", live: "" } as const

  it.each([
    ["IND", person],
    ["Ana Paula\tIndia\t2030-05-01\tUS visa", { name: "Ana Paula", expiry: "2030-05-01", held: [["visa", "USA"]] }],
    [
      "1; Indian; 1.5.2030; visa.USA; Spain residence permit",
      {
        expiry: "2030-05-01",
        held: [
          ["visa", "USA"],
          ["permit", "ESP"],
        ],
      },
    ],
    ["IND+FRA, Visado: Schengen", { passports: ["IND", "FRA"], held: [["visa", "SCH"]] }],
  ])("has a person in each line: %s", (line, expected) => {
    const { held = [], ...rest } = expected as { readonly held?: readonly (readonly [string, string])[] }
    const documents = held.map(([kind, issuer]) => ({ kind, issuer }))
    assert.deepStrictEqual(readPeople(line, 10, READING), {
      rows: [{ ...person, ...rest, held: documents } as never],
      left: [],
    })
  })

  it.each([
    "Ana",
    "Frnace; 2030-05-01",
    // A person of that name, or a passport of that country?
    "Jordan; IND",
    "IND; US vissa",
    "IND; visa: Atlantis",
    "IND; 2030-05-01; 2031-05-01",
    "Ana IND",
  ])("gives a line back that is not understood: %s", line => {
    assert.deepStrictEqual(readPeople(line, 10, READING), { rows: [], left: [line] })
  })
})

describe("the days of a zone today", { timeout: FLOW_TIMEOUT_MS }, () => {
  let zoneDays: typeof ZoneDays
  beforeAll(async () => {
    zoneDays = await importPageModule<typeof ZoneDays>("trip/zones.tsx")
  })

  it("are as many as the 90 in any 180 still allow, counted day by day", () => {
    const zone = findZone("schengen")
    assert(zone !== undefined)
    const gap = fc.tuple(fc.integer({ min: 1, max: 80 }), fc.integer({ min: 1, max: 40 }))
    fc.assert(
      fc.property(fc.array(gap, { minLength: 1, maxLength: 6 }), fc.boolean(), (gaps, isThere) => {
        const present = new Set<number>()
        let end = TODAY - (isThere ? 0 : 3)
        const earlierStays = gaps.map(([away, length], at) => {
          const last = end
          const first = last - length + 1
          for (let day = first; day <= last; day++) present.add(day)
          end = first - 1 - away
          return stay("ITA", formatCivilDate(first), at === 0 && isThere ? "" : formatCivilDate(last))
        })
        // Days with a permit do not count.
        const resident = {
          ...stay("DEU", formatCivilDate(TODAY - 100), formatCivilDate(TODAY)),
          permit: "residence" as const,
        }
        const usedOn = (days: ReadonlySet<number>, day: number) =>
          [...days].filter(each => each > day - 180 && each <= day).length
        const trip = { ...NO_TRIP, earlierStays: [...earlierStays, resident] }
        const counted = zoneDays.countToday(zone, trip, formatCivilDate(TODAY))
        assert.strictEqual(counted?.used, usedOn(present, TODAY))
        if (counted?.breachOn !== null) return
        const days = new Set(present)
        let left = 0
        for (let day = TODAY; left < 90; day++) {
          days.add(day)
          if (usedOn(days, day) > 90) break
          left++
        }
        assert.strictEqual(counted.leftDays, left)
      }),
      { numRuns: 150 },
    )
  })
})

describe("what is pasted in the page", { timeout: FLOW_TIMEOUT_MS }, () => {
  const paste = async (label: RegExp, text: string) => {
    const { page } = explorer
    await page.context().grantPermissions(["clipboard-read", "clipboard-write"])
    await page.evaluate(pasted => navigator.clipboard.writeText(pasted), text)
    await page.getByLabel(label).click()
    await page.keyboard.press("ControlOrMeta+v")
  }
  const dayOf = (before: number) => new Date(Date.now() - before * 86_400_000).toISOString().slice(0, 10)
  // 24 stays of two days each, ten days apart, the last of them yesterday: nine of them in the last 180 days but half a one.
  const stays = Array.from({ length: 24 }, (_, at) => `Spain\t${dayOf(at * 10 + 2)}\t${dayOf(at * 10 + 1)}`)

  it("is 24 earlier stays, whose days are in sight at 1440 by 900 without a journey, and lines that are marked", async () => {
    const { page } = explorer
    await page.setViewportSize({ width: 1440, height: 900 })
    await explorer.open("trip")
    await page.getByRole("heading", { level: 1, name: "Plan a trip" }).waitFor()
    await paste(/^Paste stays/, ["Country\tFrom\tTo", ...stays, "Atlantis\t2026-01-01\t2026-01-02"].join("\n"))
    const table = page.getByRole("region", { name: "Earlier stays" }).getByRole("row")
    await expect.poll(() => table.count(), PATIENT).toBe(25)
    const counter = page.getByRole("region", { name: "Days left today" })
    await counter.getByText(/^36 days of 90 days/).waitFor()
    await page.getByText("Not understood, and left in the field: 2.").waitFor()
    assert.match(
      await counter.innerText(),
      /Days left today\s+\d+ days\s+Latest day to leave\s+\d.*\s+Next day to enter\s+\d/,
    )
    const isInSight = async () => {
      const { y = -1, height = 900 } = (await counter.boundingBox()) ?? {}
      return y >= 0 && y + height <= 900
    }
    await expect.poll(isInSight, PATIENT).toBe(true)
    const field = page.getByLabel(/^Paste stays/)
    assert.strictEqual(await field.inputValue(), "Country\tFrom\tTo\nAtlantis\t2026-01-01\t2026-01-02")
    assert.strictEqual(await field.getAttribute("aria-invalid"), "true")
    await page.setViewportSize({ width: 1280, height: 860 })
  })

  it("marks a stay that its address does not make clear, and counts the others", async () => {
    const { page } = explorer
    await explorer.open(`trip?earlier=ESP~${dayOf(10)}~${dayOf(1)},XX~2026-01-01~2026-01-02,ITA~2026-02-30~2026-03-01`)
    await page.getByText(/^10 days of 90 days/).waitFor()
    await expect.poll(() => page.getByText(/^Not counted: the place or a day/).count(), PATIENT).toBe(2)
  })

  it("is thirty passengers in two steps: an answer for each group, and lines that are marked", async () => {
    const { page } = explorer
    await explorer.open()
    const passengers = Array.from({ length: 29 }, (_, at) =>
      at < 20
        ? `Guest ${at}\tFRA\t2035-05-01`
        : at < 28
          ? `Guest ${at}\tIndia\t2035-05-01\tUS visa`
          : "Ana\tIND\t2035-05-01",
    )
    await paste(/^Paste a list of people/, [...passengers, "Max\tAtlantis\t2035-05-01"].join("\n"))
    await page.getByText("Not understood, and left in the field: 1.").waitFor()
    const combobox = page.getByRole("combobox", { name: "I am going to" })
    await combobox.fill("mexico")
    await combobox.press("Enter")
    await page.getByRole("button", { name: "Show the answer" }).press("Enter")
    await page.getByRole("heading", { level: 1, name: "People: 29 Mexico" }).waitFor()
    const groups = page.locator(".groups li")
    await groups.first().filter({ hasText: "Ana: India" }).waitFor()
    await groups.filter({ hasText: /Clear.*20 × France/ }).waitFor()
    const cards = page.getByRole("region", { name: "Entry requirement" })
    await expect.poll(() => cards.count(), PATIENT).toBe(await groups.count())
    await page.getByText("Change", { exact: true }).click()
    await expect.poll(() => page.locator("table.people tr").count(), PATIENT).toBe(29)
  })
})
