/** What a trip can be taken along as, and what its verdict says, in a real browser and by an independent reader of calendars. */
import { readFileSync } from "node:fs"
import { parse } from "csv-parse/sync"
import fc from "fast-check"
import ICAL from "ical.js"
import { assert, describe, expect, it } from "vitest"
import { type DayEvent, writeCalendar, writeTable } from "../../site/download.ts"
import { formatCivilDate } from "../../src/index.ts"
import { FLOW_TIMEOUT_MS, PATIENT, useExplorer } from "./explorer-page.ts"

const explorer = useExplorer()
const text = fc.string({ unit: "grapheme", maxLength: 120 }).map(each => each.replace(/[\r\u2066-\u2069\p{Cc}]/gu, ""))
const event: fc.Arbitrary<DayEvent> = fc.record({
  id: fc.stringMatching(/^[a-z]{1,8}$/),
  from: fc.integer({ min: 20_000, max: 21_000 }).map(formatCivilDate),
  to: fc.integer({ min: 21_000, max: 22_000 }).map(formatCivilDate),
  title: text.filter(each => each !== ""),
  note: text,
})

function readEvents(calendar: string) {
  return new ICAL.Component(ICAL.parse(calendar)).getAllSubcomponents("vevent").map(each => {
    const { startDate, endDate, summary, description } = new ICAL.Event(each)
    endDate.adjust(-1, 0, 0, 0)
    return { from: startDate.toString(), to: endDate.toString(), title: summary, note: description ?? "" }
  })
}

describe("a trip that is taken along", { timeout: FLOW_TIMEOUT_MS }, () => {
  it("is a calendar that another reader understands, with lines of at most 75 bytes", () => {
    fc.assert(
      fc.property(fc.array(event, { maxLength: 4 }), events => {
        const calendar = writeCalendar(events, "2026-11-23T07:00:00.000Z")
        assert.deepStrictEqual(
          readEvents(calendar),
          events.map(({ id: _, ...rest }) => rest),
        )
        for (const line of calendar.split("\r\n")) assert.isAtMost(new TextEncoder().encode(line).length, 75)
      }),
      { numRuns: 100 },
    )
  })

  it("is a table that another reader understands, and that runs no formula", () => {
    const rows = [
      ["a,b", 'c"d', "e\nf"],
      ["=1+1", "-2", "é"],
    ]
    assert.deepStrictEqual(parse(writeTable(rows)), [rows[0], ["'=1+1", "'-2", "é"]])
  })

  it("has what is to be obtained, until when, and the last day in the zone", async () => {
    const { page } = explorer
    await explorer.open("trip?passports=IND~2031-01-01&stops=FRA~2027-06-10~2027-06-20,JPN~2027-06-21~2027-06-30")
    await page.getByRole("heading", { level: 2, name: /^Get first Visa required/ }).waitFor()
    const toDo = page.getByRole("list", { name: "To do" })
    await toDo
      .getByText(/^Apply by /)
      .first()
      .waitFor()
    const save = async (name: string) => {
      const [file] = await Promise.all([page.waitForEvent("download"), page.getByRole("button", { name }).click()])
      return readFileSync(await file.path(), "utf8")
    }
    const events = readEvents(await save("Calendar (.ics)"))
    assert.includeDeepMembers(
      events.map(({ from, to }) => [from, to]),
      [
        ["2027-06-10", "2027-06-20"],
        ["2027-06-21", "2027-06-30"],
      ],
    )
    const applying = events.filter(({ note }) => note.includes("Apply by"))
    assert.isAbove(applying.length, 0)
    // Regulation (EC) No 810/2009, Art. 9(1): six months before the visit at the earliest.
    assert.include(applying.map(({ note }) => note).join(), "Apply from 10 December 2026 on")
    await toDo.getByText("Apply from 10 December 2026 on").first().waitFor()
    // The list, the calendar and the print have the same days.
    const shown = (await toDo.innerText()).match(/(?<=Apply by ).*\d{4}/g)
    assert.deepStrictEqual(
      shown,
      applying.map(({ from }) => formatLong(from)),
    )
    // One passport is at one office after the other, and back before the journey: no bar begins before the one above it ends.
    const boxes = await Promise.all((await page.locator(".applications .bar").all()).map(bar => bar.boundingBox()))
    assert.strictEqual(boxes.length, applying.length + 2)
    for (const [at, box] of boxes.entries()) {
      const above = boxes[at - 1]
      if (box && above) assert.isAtLeast(box.x, above.x + above.width - 1)
    }
    await page.emulateMedia({ media: "print" })
    const sheet = page.locator(".sheet")
    await sheet.waitFor()
    assert.deepStrictEqual((await sheet.innerText()).match(/(?<=Apply by ).*\d{4}/g), shown)
    await page.emulateMedia({ media: null })
    const [, france, japan] = parse(await save("Table (.csv)"), { bom: true }) as string[][]
    assert.deepStrictEqual([france?.slice(0, 4), japan?.[0]], [["France", "2027-06-10", "2027-06-20", "11"], "Japan"])
  })
})

const formatLong = (on: string) =>
  new Intl.DateTimeFormat("en-GB", { dateStyle: "long", timeZone: "UTC" }).format(new Date(on))

describe("the verdict of a trip", { timeout: FLOW_TIMEOUT_MS }, () => {
  it("names one cause once, and stays in sight on a phone", async () => {
    const { page } = explorer
    await page.setViewportSize({ width: 390, height: 800 })
    await explorer.open(
      "trip?passports=GBR~2031-01-01&stops=ESP~2027-01-10~2027-03-30,ITA~2027-04-01~2027-04-20,FRA~2027-04-20~2027-05-10",
    )
    const blockers = page.getByRole("list", { name: "What blocks it" })
    await blockers.getByText(/Italy.*France/).waitFor()
    assert.strictEqual(await blockers.locator(":scope > li").count(), 1)
    await page.getByRole("heading", { level: 2, name: /^Stopped / }).waitFor()
    const bar = page.locator(".verdict-bar")
    await bar.waitFor()
    const scroll = async () => {
      await page.evaluate(() => window.scrollTo(0, 900))
      return Math.abs((await bar.boundingBox())?.y ?? 999)
    }
    await expect.poll(scroll, PATIENT).toBeLessThan(5)
    await page.setViewportSize({ width: 1280, height: 860 })
  })

  it("treats a resident as one, asks for the deciding day, and judges without it as for a visitor", async () => {
    const { page } = explorer
    await explorer.open("trip?passports=GBR~2031-01-01&stops=ESP~2027-01-10~2027-12-20")
    await page.getByRole("heading", { level: 2, name: /^Stopped/ }).waitFor()
    const field = page.getByRole("combobox", { name: "Residence" })
    await field.fill("spain")
    await field.press("Enter")
    const documents = page.getByRole("region", { name: "Visas and residence permits" })
    await documents.getByText("The last day of its validity decides: please give it.").waitFor()
    await documents.getByLabel("Valid until").fill("2029-01-01")
    await page.getByRole("heading", { level: 2, name: /^Stopped/ }).waitFor({ state: "detached" })
    const earlier = page.getByRole("combobox", { name: "Add an earlier stay" })
    await earlier.fill("spain")
    await earlier.press("Enter")
    await page.waitForURL(/ESP~\d{4}-\d\d-\d\d~\d{4}-\d\d-\d\d~residence/)
  })

  it("says in the page's language that stops overlap, or end before they begin", async () => {
    const { page } = explorer
    await explorer.open("trip?passports=FRA~2031-01-01&stops=JPN~2027-01-10~2027-01-20,KOR~2027-01-15~2027-01-30", {
      language: "de",
    })
    await page.getByText("Diese Station beginnt, bevor eine frühere endet.").waitFor()
    await explorer.open("trip?passports=FRA~2031-01-01&stops=JPN~2027-01-10~2027-01-02", { language: "de" })
    await page.getByText("Der letzte Tag liegt vor dem ersten.").waitFor()
  })
})
