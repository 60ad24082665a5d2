import { describe, expect, it } from "vitest"
import { run, runCli } from "./run.ts"

const lines = async (...args: readonly string[]) => (await run(...args)).stdout.trimEnd().split("\n")

describe("landfall check --on a past day", () => {
  it("prints what tables showed, and that it is not verified", async () => {
    expect(await lines("check", "FRA", "CHN", "--on", "2024-01-01")).toEqual([
      "France (FRA) → China (CHN) on 2024-01-01: visa_free, up to 15 days",
      "first seen: between 2023-11-06 and 2023-12-03; last seen on 2024-11-11",
      "source: Passport Index data: 45 dated tables from 2020-11-19 to 2026-02-17, imported, not verified for this pair",
      "Data, not legal advice.",
    ])
  })

  it("prints both answers between two tables that differ", async () => {
    expect((await lines("check", "FRA", "CHN", "--on", "2023-11-20")).slice(0, 3)).toEqual([
      "France (FRA) → China (CHN) on 2023-11-20: visa_required; or visa_free, up to 15 days",
      "last seen on 2023-11-06: visa_required",
      "first seen on 2023-12-03: visa_free, up to 15 days. The days between are not recorded.",
    ])
  })

  it("has days of an authority's own lists, and words of the past", async () => {
    expect((await lines("check", "JOR", "GBR", "--on", "2024-05-01")).slice(0, 2)).toEqual([
      "Jordan (JOR) → United Kingdom (GBR) on 2024-05-01: eta",
      "published: 2024-02-22 to 2024-09-09",
    ])
    expect((await lines("check", "IND", "THA", "--on", "2021-03-01"))[0]).toContain(
      "no_admission (ban of the pandemic)",
    )
    expect((await lines("check", "FRA", "USA", "--on", "2022-03-01"))[0]).toContain("e_visa or eta")
    expect((await lines("check", "FRA", "QAT", "--on", "2022-11-20"))[0]).toContain("Hayya entry permit")
  })

  it("prints the status of the answer for programs, never `verified`", async () => {
    const record = JSON.parse((await run("check", "FRA", "CHN", "--on", "2023-11-20", "--json")).stdout)
    expect(record).toMatchObject({
      on: "2023-11-20",
      status: "imported",
      requirement: "visa_required",
      last_seen: "2023-11-06",
      or: { requirement: "visa_free", visa_free_days: 15, first_seen: { after: "2023-11-06", by: "2023-12-03" } },
      source: { id: "passport-index-tables" },
      last_verified: null,
    })
  })

  it("judges a past journey, and names both answers between two tables that differ", async () => {
    const trip = { passport: "FRA", stops: [{ destination: "CHN", from: "2023-11-20", to: "2023-11-25" }] }
    const { stdout } = await runCli(["itinerary", "-"], { stdin: JSON.stringify(trip) })
    expect(stdout).toContain(
      "requirement: Last seen on 2023-11-06: visa_required; first seen on 2023-12-03: visa_free. Which of the two held between is not known. (rule_seen_between)",
    )
  })

  it("exits with 1 for a day before the first, and names the first", async () => {
    expect(await run("check", "FRA", "CHN", "--on", "2020-11-18")).toMatchObject({
      status: 1,
      stderr: expect.stringContaining("FRA to CHN: Nothing is recorded before 2020-11-19."),
    })
  })
})

describe("landfall history", () => {
  it("names the two tables between which a change was first seen, and the day of a published one", async () => {
    const seen = JSON.parse((await run("history", "FRA", "CHN", "--json")).stdout).changes
    expect(seen[0]).toMatchObject({ kind: "seen", first_seen: { after: "2023-11-06", by: "2023-12-03" } })
    const published = JSON.parse((await run("history", "JOR", "GBR", "--json")).stdout).changes
    expect(published.map(({ kind, on }: { kind: string; on: string }) => [kind, on])).toEqual([
      ["published", "2024-02-22"],
      ["published", "2024-09-10"],
    ])
  })
})

describe("landfall score and rank --on a past day", () => {
  it("score a passport on a past day, and rank all", async () => {
    expect((await lines("score", "JPN", "--on", "2022-03-06"))[0]).toMatch(
      /^Japan \(JPN\): \d+\.\d of 1000, rank \d+ of 199/,
    )
    expect((await lines("rank", "--on", "2022-03-06")).indexOf("")).toBe(200)
  })

  it("exit with 2 for a day before the first", async () => {
    expect(await run("score", "JPN", "--on", "2020-11-18")).toMatchObject({
      status: 2,
      stderr: expect.stringContaining(
        'on: "2020-11-18" is not a calendar date YYYY-MM-DD from 2020-11-19 to 2026-02-17.',
      ),
    })
  })
})
