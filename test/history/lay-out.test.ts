import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { type HistorySeriesFacts, layOutHistory, PAST_WORDS } from "../../src/compiler.ts"
import { lookupPast, openHistory } from "../../src/history.ts"
import "../property-seed.ts"

const SOURCE = { id: "tables", name: "Tables", url: null }
const DAYS = ["2021-01-01", "2021-02-01", "2021-02-02", "2022-01-01"]
const CODES = ["AAA", "BBB", "CCC", "DDD"]

const series = (changes: HistorySeriesFacts["changes"], kind: "seen" | "published" = "seen"): HistorySeriesFacts => ({
  source: SOURCE,
  kind,
  days: DAYS,
  untilOn: DAYS.at(-1) as string,
  changes,
})

const change = (
  on: string,
  passport: string,
  word: HistorySeriesFacts["changes"][number]["word"],
  days: number | null = null,
) => ({
  destination: "ZAF",
  on,
  word,
  days,
  passports: [passport],
})

function open(...all: readonly HistorySeriesFacts[]) {
  const bytes = layOutHistory(all)
  if (!bytes.ok) throw new Error(bytes.error.message)
  const opened = openHistory(bytes.value)
  if (!opened.ok) throw new Error(opened.error.message)
  return { bytes: bytes.value, history: opened.value }
}

const messageOf = (facts: HistorySeriesFacts) => {
  const bytes = layOutHistory([facts])
  return bytes.ok ? "laid out" : bytes.error.message
}

describe("a history that was laid out", () => {
  const arbitraryValue = fc.option(
    fc.record({ word: fc.constantFrom(...PAST_WORDS), days: fc.option(fc.integer({ min: 1, max: 400 })) }),
  )
  const arbitraryTables = fc.array(fc.dictionary(fc.constantFrom(...CODES), arbitraryValue, { maxKeys: 4 }), {
    minLength: DAYS.length,
    maxLength: DAYS.length,
  })

  it("returns every value of every table, and both between two tables that differ", () => {
    fc.assert(
      fc.property(arbitraryTables, tables => {
        // Each table whole, as an importer of whole tables would say it: what is missing is gone.
        const changes = tables.flatMap((table, at) =>
          CODES.map(code => {
            const value = table[code] ?? null
            return change(DAYS[at] as string, code, value?.word ?? null, value?.days ?? null)
          }),
        )
        if (changes.every(({ word }) => word === null)) return
        const { history } = open(series(changes))
        tables.forEach((table, at) => {
          for (const code of CODES) {
            const value = table[code] ?? null
            const answer = lookupPast(history, code, "ZAF", DAYS[at] as string)
            if (value === null) expect(answer.kind).toBe("no_record")
            else expect(answer).toMatchObject({ kind: "found", value, or: null })
          }
        })
      }),
    )
  })

  it("makes the same bytes for the same facts, in any order", () => {
    const changes = CODES.map((code, at) => change(DAYS[at % 2] as string, code, "visa_free", at + 1))
    expect(open(series(changes)).bytes).toEqual(open(series(changes.toReversed())).bytes)
  })

  it("uses published lists first, and tables for passports that they do not name", () => {
    const tables = series([change("2021-01-01", "AAA", "visa_required"), change("2021-01-01", "BBB", "visa_required")])
    const lists = series([change("2021-01-01", "AAA", "visa_free"), change("2022-01-01", "AAA", "eta")], "published")
    const { history } = open(tables, lists)
    expect(lookupPast(history, "AAA", "ZAF", "2021-12-31")).toMatchObject({
      status: "published",
      value: { requirement: "visa_free" },
      lastSeen: "2021-12-31",
      or: null,
    })
    expect(lookupPast(history, "BBB", "ZAF", "2021-12-31")).toMatchObject({
      status: "imported",
      value: { requirement: "visa_required" },
    })
  })

  it("is refused if a byte is missing or added", () => {
    const { bytes } = open(series([change("2021-01-01", "AAA", "visa_free", 90)]))
    for (let length = 0; length < bytes.length; length++) {
      expect(openHistory(bytes.slice(0, length)).ok, `${length}`).toBe(false)
    }
    expect(openHistory(Uint8Array.from([...bytes, 0])).ok).toBe(false)
  })

  it("opens or is refused with any changed byte, and never throws", () => {
    const { bytes } = open(series([change("2021-01-01", "AAA", "visa_free", 90), change("2021-02-01", "BBB", "eta")]))
    fc.assert(
      fc.property(fc.nat(bytes.length - 1), fc.integer({ min: 0, max: 255 }), (at, byte) => {
        const damaged = bytes.slice()
        damaged[at] = byte
        const opened = openHistory(damaged)
        if (opened.ok) lookupPast(opened.value, "AAA", "ZAF", "2021-06-01")
      }),
      { numRuns: 2000 },
    )
  })

  it("is refused for days that are not in order, changes on other days and two values on one day", () => {
    const one = change("2021-01-01", "AAA", "visa_free")
    expect(messageOf({ ...series([one]), days: ["2021-02-01", "2021-01-01"] })).toBe(
      "past/tables days: the days of the lists are expected in order, one list a day.",
    )
    expect(messageOf({ ...series([one]), untilOn: "2020-01-01" })).toBe(
      "past/tables until: 2020-01-01 is before the last list, 2022-01-01.",
    )
    expect(messageOf(series([change("2021-01-02", "AAA", "visa_free")]))).toBe(
      "past/ZAF 2021-01-02: tables has no list of this day.",
    )
    expect(messageOf(series([one, change("2021-01-01", "AAA", "eta")]))).toBe(
      "past/ZAF 2021-01-01: AAA has two values on this day.",
    )
  })
})
