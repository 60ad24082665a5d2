import { describe, expect, it } from "vitest"
import { loadHistory, openHistory } from "../../src/full.ts"

describe("history", () => {
  const small = openHistory({
    source: "s",
    asOf: "2026-02-17",
    days: ["2021-01-01", "2022-01-01"],
    changes: {
      BBB: [
        [0, 4, 3, null, null, 1, "AAACCC"],
        [1, 0, 0, 30, 90, 0, "AAA"],
      ],
    },
  })

  it("lists the changes of a pair, the oldest first", () => {
    expect(small.listChanges("AAA", "BBB")).toEqual([
      { on: "2021-01-01", from: "visa_required", to: "e_visa", daysBefore: null, daysAfter: null, afterBan: true },
      { on: "2022-01-01", from: "visa_free", to: "visa_free", daysBefore: 30, daysAfter: 90, afterBan: false },
    ])
    expect(small.listChanges("CCC", "BBB")).toHaveLength(1)
  })

  it("names the last table with another answer, without copies of a table", async () => {
    const history = await loadHistory()
    const seen = history.listChanges("FRA", "CHN").map(({ seenAfter, on }) => [seenAfter, on])
    expect(seen).toEqual([
      ["2023-11-06", "2023-12-03"],
      ["2024-11-11", "2024-12-04"],
    ])
    // The tables of May, June and July 2023 are copies of that of April.
    expect(history.listChanges("GEO", "RUS")).toContainEqual(
      expect.objectContaining({ seenAfter: "2023-04-06", on: "2023-08-15", to: "visa_free" }),
    )
  })

  it("has the exact day and the source of a list that an authority published, and uses no table for its passports", async () => {
    const history = await loadHistory()
    const gov = { name: expect.stringContaining("GOV.UK"), url: "https://github.com/alphagov/smart-answers" }
    const change = { daysBefore: null, daysAfter: null, afterBan: false, isPublished: true, sources: [gov] }
    expect(history.listChanges("JOR", "GBR")).toEqual([
      { on: "2024-02-22", from: "visa_required", to: "eta", ...change },
      { on: "2024-09-10", from: "eta", to: "visa_required", ...change },
    ])
    // The lists do not name Taiwan.
    expect(history.listChanges("TWN", "GBR")).toEqual([
      expect.objectContaining({ seenAfter: "2024-12-04", on: "2025-01-02" }),
    ])
  })

  it("has a change that no table shows if the authority published it", async () => {
    const history = await loadHistory()
    for (const passport of ["GBR", "CAN"]) {
      expect(history.listChanges(passport, "CHN")).toEqual([
        expect.objectContaining({
          on: "2026-02-17",
          from: "visa_required",
          to: "visa_free",
          isPublished: true,
          sources: [{ name: expect.stringContaining("Spokesperson"), url: expect.stringContaining("mfa.gov.cn") }],
        }),
      ])
    }
  })

  it("names no table if the earlier ones are not known", () => {
    expect(small.listChanges("AAA", "BBB").every(change => !("seenAfter" in change))).toBe(true)
  })

  it("has no change of other pairs, nor of an invalid code", () => {
    for (const [passport, destination] of [
      ["BBB", "AAA"],
      ["AAA", "ZZZ"],
      ["toString", "constructor"],
      ["AAA", "__proto__"],
    ] as const) {
      expect(small.listChanges(passport, destination)).toEqual([])
    }
  })

  it("has no requirement from a ban of the pandemic, nor from an ambiguous word of the earliest table", async () => {
    const history = await loadHistory()
    const { historyParts } = await import("../../src/record/history.generated.ts")
    expect(history.asOf).toBe("2026-02-17")
    const rows = Object.values(historyParts.changes).flat()
    for (const [, from, to, before, after] of rows) {
      expect(from === to).toBe(before !== null && after !== null)
      expect([0, 1, 2, 3, 4, 5]).toEqual(expect.arrayContaining([from, to]))
    }
  })

  it("does not count another word for the same authorisation as a change: ESTA, eTA, NZeTA and the eVisitor were no visas", async () => {
    const history = await loadHistory()
    for (const [passport, destination] of [
      ["FRA", "USA"],
      ["FRA", "CAN"],
      ["FRA", "NZL"],
      ["POL", "AUS"],
      ["FRA", "IND"],
      ["DEU", "LKA"],
    ] as const) {
      expect(history.listChanges(passport, destination), `${passport} ${destination}`).toEqual([])
    }
    expect(history.listChanges("MEX", "CAN").map(({ on, from, to }) => [on, from, to])).toEqual([
      ["2024-03-02", "eta", "visa_required"],
    ])
    expect(history.listChanges("FRA", "KOR").map(({ from, to }) => [from, to])).toEqual([
      ["visa_free", "eta"],
      ["eta", "visa_free"],
    ])
  })

  it("shows a new way to apply if a source says that the old one ended", async () => {
    const history = await loadHistory()
    const ways = (passport: string, destination: string) =>
      history.listChanges(passport, destination).map(({ on, from, to }) => [on, from, to])
    expect(ways("FRA", "KEN")).toContainEqual(["2021-05-13", "visa_on_arrival", "e_visa"])
    expect(ways("FRA", "MRT")).toContainEqual(["2026-02-17", "visa_on_arrival", "e_visa"])
  })

  it("distinguishes a ban of the pandemic from a change of the rule", async () => {
    const history = await loadHistory()
    const changes = history.listChanges("BRN", "JPN")
    expect(changes[0]).toMatchObject({ on: "2021-10-28", daysBefore: 14, daysAfter: 90, afterBan: true })
  })
})
