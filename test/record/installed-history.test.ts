import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { continueHistory, type HistoryChange, type HistoryStep, listUnrecorded, openHistory } from "../../src/full.ts"

const step = (on: string, from: "eta" | "visa_free", to: "eta" | "visa_free", days: readonly number[] = []) => ({
  on,
  from,
  to,
  daysBefore: days[0] ?? null,
  daysAfter: days[1] ?? null,
})

const anyStep: fc.Arbitrary<HistoryStep> = fc
  .record({
    day: fc.integer({ min: 1, max: 28 }),
    year: fc.integer({ min: 2015, max: 2027 }),
    from: fc.constantFrom("eta", "visa_free" as const),
    to: fc.constantFrom("eta", "visa_free" as const),
  })
  .map(({ day, year, from, to }) => step(`${year}-03-${String(day).padStart(2, "0")}`, from, to))
const anySteps = fc
  .array(anyStep, { maxLength: 8 })
  .map(steps => steps.toSorted((a, b) => (a.on < b.on ? -1 : a.on > b.on ? 1 : 0)))

describe("changes by installed datasets", () => {
  it("is listed once if a table shows it too, before or after", () => {
    const shown = step("2026-02-17", "eta", "visa_free")
    expect(listUnrecorded([shown], [{ ...shown, on: "2026-11-21" }])).toEqual([])
    expect(listUnrecorded([shown], [{ ...shown, on: "2026-01-05" }])).toEqual([])
  })

  it("is another change if years are between, if it goes another way, and if other days changed", () => {
    const shown = step("2026-02-17", "eta", "visa_free")
    const others = [{ ...shown, on: "2030-02-17" }, step("2026-02-17", "visa_free", "eta")]
    for (const other of others) expect(listUnrecorded([shown], [other])).toEqual([other])
    const days = step("2026-02-17", "eta", "eta", [30, 90])
    const fewer = step("2026-02-17", "eta", "eta", [90, 30])
    expect(listUnrecorded([days], [fewer])).toEqual([fewer])
  })

  it("that was reverted and repeated is listed again", () => {
    const steps = [
      step("2026-06-01", "eta", "visa_free"),
      step("2026-07-01", "visa_free", "eta"),
      step("2026-08-01", "eta", "visa_free"),
    ]
    const [first, ...others] = steps
    expect(listUnrecorded([first as HistoryStep], steps)).toEqual(others)
  })

  it("is never more than was installed, keeps its order, and is all of it where no table shows anything", () => {
    fc.assert(
      fc.property(anySteps, anySteps, (recorded, installed) => {
        const told = listUnrecorded(recorded, installed)
        expect(told).toEqual(installed.filter(one => told.includes(one)))
        expect(installed.length - told.length).toBeLessThanOrEqual(recorded.length)
        expect(listUnrecorded([], installed)).toEqual(installed)
      }),
    )
  })

  it("continues after the last table, up to the day of the question", () => {
    const tables = openHistory({
      source: "s",
      asOf: "2026-02-17",
      days: ["2021-01-01"],
      changes: { BBB: [[0, 4, 1, null, null, 0, "AAA"]] },
    })
    const sources = [{ name: "A law", url: null }]
    const change = (on: string): HistoryChange => ({ ...step(on, "eta", "visa_free"), afterBan: false, sources })
    const installed = [change("2026-06-01"), { ...change("2026-12-01"), to: "eta", from: "visa_free" } as const]
    const nothing: readonly HistoryChange[] = []
    const list = (passport: string) => (passport === "AAA" ? installed : nothing)
    const days = (untilOn: string) => continueHistory(tables, list, untilOn).listChanges("AAA", "BBB")
    expect(days("2026-11-30").map(({ on }) => on)).toEqual(["2021-01-01", "2026-06-01"])
    expect(days("2026-12-01").map(({ on }) => on)).toEqual(["2021-01-01", "2026-06-01", "2026-12-01"])
    const continued = continueHistory(tables, list, "2026-12-01")
    expect(continued.listChanges("AAA", "BBB")).toBe(continued.listChanges("AAA", "BBB"))
    expect(continued.listChanges("CCC", "BBB")).toEqual([])
  })
})
