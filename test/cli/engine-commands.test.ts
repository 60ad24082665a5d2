import { describe, expect, it } from "vitest"
import { run } from "./run.ts"

describe("landfall group", () => {
  it("prints a table for people, easiest first", () => {
    const { status, stdout } = run("group", "FRA,IND")
    expect(status).toBe(0)
    expect(stdout.split("\n")[0]).toMatch(/^destination\s+at worst\s+days\s+each$/)
    expect(stdout).toMatch(/\n\d+ destinations for FRA,IND on \d{4}-\d\d-\d\d\. Dataset/)
  })

  it("prints the names of the wire for machines", () => {
    const group = JSON.parse(run("group", "FRA,IND", "--allow", "visa_free", "--json").stdout)
    expect(group).toMatchObject({ passports: ["FRA", "IND"], allow: ["visa_free"], count: group.destinations.length })
    expect(group.destinations[0]).toMatchObject({
      worst_requirement: "visa_free",
      group_visa_free_days: expect.any(Number),
      passports: [
        { passport: "FRA", requirement: "visa_free", visa_free_days: expect.any(Number) },
        { passport: "IND" },
      ],
    })
  })

  it("ends with 2 for one passport, and with 1 for one that no record has", () => {
    expect(run("group", "FRA")).toMatchObject({
      status: 2,
      stderr: expect.stringContaining("passports: 2 to 10 entries are expected, not 1."),
    })
    expect(run("group", "FRA,ZZZ")).toMatchObject({
      status: 1,
      stderr: expect.stringContaining("No passport with the code ZZZ is recorded."),
    })
  })
})

describe("landfall best and landfall entrants", () => {
  it("choose a passport for every destination, and list who may enter one", () => {
    const best = JSON.parse(run("best", "USA,DEU", "--json").stdout)
    expect(best.destinations.find((entry: { destination: string }) => entry.destination === "FRA").best.passport).toBe(
      "DEU",
    )
    expect(run("entrants", "JPN").stdout).toMatch(/^visa_free \(\d+\): .*FRA 90/)
  })
})

describe("landfall score, compare and rank", () => {
  it("print tables for people", () => {
    expect(run("score", "JPN").stdout).toMatch(/^JPN: \d+\.\d of 1000, rank \d+ of 199/)
    expect(run("compare", "JPN", "IND").stdout).toMatch(/only JPN: .*\bFRA\b/)
    expect(run("rank").stdout.trim().split("\n").length).toBe(200)
  })

  it("print the names of the wire for machines", () => {
    expect(JSON.parse(run("score", "JPN", "--json").stdout)).toMatchObject({
      passport: "JPN",
      total_ranked: 199,
      breakdown: { access: { detail: { visa_free: expect.any(Number) } }, economy: { gdp_share: expect.any(Number) } },
    })
    expect(JSON.parse(run("compare", "JPN", "IND", "--json").stdout)).toMatchObject({
      passport1: { code: "JPN" },
      combined: { only_passport1_count: expect.any(Number), neither_count: expect.any(Number) },
      only_passport2: expect.any(Array),
    })
  })
})

describe("landfall explain", () => {
  it("names the rule that decided and the rules that it beat", () => {
    const { stdout } = run("explain", "LCA", "GBR")
    expect(stdout).toContain("reviewed code")
    expect(stdout.indexOf("reviewed code")).toBeLessThan(stdout.indexOf("@CARICOM"))
  })
})

describe("landfall dataset diff", () => {
  it("says which pairs differ between an older file and today", () => {
    const older = "test/fixtures/passport-index-2025-01-12.landfall"
    const answer = JSON.parse(
      run("dataset", "diff", older, "--fields", "requirement,days", "--days-of", "visa_free", "--json").stdout,
    )
    // The 2,935 of the two tables, and the two that were corrected since.
    expect(answer.count).toBe(2937)
    expect(answer.changes[0]).toMatchObject({
      passport: "AFG",
      previous: { requirement: expect.any(String) },
      severity: expect.stringMatching(/^(minor|major)$/),
    })
    expect(run("dataset", "diff", older, older).stdout).toMatch(
      /^2025\.01\.12 → 2025\.01\.12: 0 pairs differ, 0 of them majorly\.\n/,
    )
    expect(run("dataset", "diff", older, "--fields", "colour")).toMatchObject({
      status: 2,
      stderr: expect.stringContaining('--fields: "colour" is none of'),
    })
  })
})
