import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Option, Result } from "effect"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { importHistoryFolder } from "../../adapters/data-files/import-history.ts"
import { readPast } from "../../adapters/data-files/past-records.ts"
import { layOutHistory } from "../../src/compiler.ts"
import { lookupPast, openHistory } from "../../src/history.ts"

const HEAD = "Passport,Destination,Requirement\n"

let place: string
let data: string
let tables: string

beforeEach(() => {
  place = mkdtempSync(join(tmpdir(), "landfall-history-"))
  data = join(place, "data")
  tables = join(place, "tables")
  mkdirSync(data)
  for (const name of ["countries.json", "passports.json", "sources.json"]) cpSync(join("data", name), join(data, name))
  cpSync("test/fixtures/past-tables", tables, { recursive: true })
})

afterEach(() => rmSync(place, { recursive: true }))

const run = (dryRun = false) =>
  importHistoryFolder({ from: tables, folder: data, source: "passport-index-tables", dryRun })
const errorOf = () => Result.getFailure(run()).pipe(Option.getOrThrow).message.replaceAll(`${place}/`, "")
const write = (name: string, ...lines: readonly string[]) =>
  writeFileSync(join(tables, name), HEAD + lines.map(line => `${line}\n`).join(""))
const readPastFiles = () =>
  readdirSync(join(data, "past"), { recursive: true, encoding: "utf8" })
    .filter(file => file.endsWith(".json"))
    .sort()
    .map(file => [file, readFileSync(join(data, "past", file), "utf8")])

describe("importing a folder of dated tables", () => {
  it("keeps every value of every table, and reports what it did", () => {
    write("2023-12-04.0123abc.csv", ...readFileSync(join(tables, "2023-12-03.csv"), "utf8").trim().split("\n").slice(1))
    write("2019-04-17.csv", "FRA,CHN,1")
    const report = Result.getOrThrow(run())
    expect(report).toMatchObject({
      tables: ["2022-11-06", "2023-11-06", "2023-12-03", "2024-05-27", "2025-01-12", "2026-02-17"],
      copies: ["2023-12-04"],
      tooOld: ["2019-04-17.csv"],
      pairs: 594,
      destinations: 3,
      written: true,
    })
    const bytes = layOutHistory(Result.getOrThrow(readPast(data)))
    const opened = bytes.ok ? openHistory(bytes.value) : bytes
    if (!opened.ok) throw new Error(opened.error.message)
    expect(lookupPast(opened.value, "FRA", "CHN", "2024-05-26")).toMatchObject({
      value: { requirement: "visa_free", days: 15 },
      firstSeen: { after: "2023-11-06", by: "2023-12-03" },
    })
    expect(JSON.parse(readFileSync(join(data, "past", "tables.json"), "utf8")).tables).toContainEqual({
      on: "2023-12-04",
      commit: "0123abc",
      copy: true,
    })
  })

  it("changes no byte the second time, and only adds rows for a newer table", () => {
    const last = join(tables, "2026-02-17.csv")
    const newest = readFileSync(last, "utf8")
    rmSync(last)
    Result.getOrThrow(run())
    const first = new Map(readPastFiles() as [string, string][])
    expect(Result.getOrThrow(run()).changedFiles).toEqual([])
    writeFileSync(last, newest)
    expect(Result.getOrThrow(run()).changedFiles.length).toBeGreaterThan(0)
    for (const [file, text] of readPastFiles() as [string, string][]) {
      if (file === "tables.json") continue
      const rows = JSON.parse(text).changes
      expect(rows.slice(0, JSON.parse(first.get(file) ?? "{}").changes.length)).toEqual(
        JSON.parse(first.get(file) ?? "{}").changes,
      )
    }
  })

  it("writes nothing in a dry run", () => {
    expect(Result.getOrThrow(run(true))).toMatchObject({ written: false })
    expect(readdirSync(data)).not.toContain("past")
  })

  it.each([
    [
      "an unknown code",
      ["FRA,CHN,30", "FRA,QQQ,30"],
      "QQQ (line 3) stands in no record of passports.json or countries.json.",
    ],
    ["no code", ["FRA,China,30"], 'Line 2, destination: "China" is not an ISO 3166-1 alpha-3 code such as FRA.'],
    ["a duplicate", ["FRA,CHN,30", "FRA,CHN,15"], "Line 3: the pair FRA,CHN is already on line 2."],
    [
      "an unknown word",
      ["FRA,CHN,perhaps"],
      'Line 2, FRA to CHN: "perhaps" is not a requirement; expected a number of days, -1, or visa free, eta, visa on arrival, e-visa, visa required, no admission, covid ban, hayya entry permit, evw.',
    ],
    ["impossible days", ["FRA,CHN,9999"], 'Line 2, FRA to CHN, days: "9999" is not a whole number from 1 to 3650.'],
  ])("reports the file and the line of %s, and writes nothing", (_, lines, message) => {
    write("2024-01-05.csv", ...lines)
    expect(errorOf()).toBe(`tables/2024-01-05.csv: ${message}`)
    expect(readdirSync(data)).not.toContain("past")
  })

  it("reports every bad table at once", () => {
    write("2024-01-05.csv", "FRA,CHN,perhaps")
    writeFileSync(join(tables, "2024-02-07.csv"), "")
    expect(errorOf().split("\n")).toHaveLength(2)
  })

  it("refuses a file without a day in its name", () => {
    write("newest.csv", "FRA,CHN,30")
    write("2023-02-29.csv", "FRA,CHN,30")
    expect(errorOf()).toBe(
      "tables/2023-02-29.csv: the name has no day: YYYY-MM-DD.csv or YYYY-MM-DD.COMMIT.csv is expected.\n" +
        "tables/newest.csv: the name has no day: YYYY-MM-DD.csv or YYYY-MM-DD.COMMIT.csv is expected.",
    )
  })

  it("refuses two tables of one day", () => {
    write("2023-12-03.0123abc.csv", "FRA,CHN,30")
    expect(errorOf()).toBe("tables/2023-12-03.csv: 2023-12-03.0123abc.csv is a table of the same day.")
  })

  it("refuses a folder without a table that was imported before", () => {
    Result.getOrThrow(run())
    const before = readPastFiles()
    rmSync(join(tables, "2024-05-27.csv"))
    expect(errorOf()).toBe("tables: the tables of 2024-05-27 were imported before and are not here.")
    expect(readPastFiles()).toEqual(before)
  })

  it("refuses a folder without tables, one that does not exist, and one with old tables only", () => {
    rmSync(tables, { recursive: true })
    expect(errorOf()).toBe("tables: does not exist.")
    cpSync("test/fixtures/past-tables", tables, { recursive: true })
    for (const file of readdirSync(tables)) rmSync(join(tables, file))
    expect(errorOf()).toBe("tables: holds no .csv file.")
    write("2019-04-17.csv", "FRA,CHN,1")
    expect(errorOf()).toBe("tables: no table is of 2020-11-19 or later: older ones use other words.")
  })

  it("refuses a source that is not in sources.json", () => {
    const refused = importHistoryFolder({ from: tables, folder: data, source: "nobody" })
    expect(Result.getFailure(refused).pipe(Option.getOrThrow).message).toBe(
      `${join(data, "sources.json")}: "nobody" stands in no record.`,
    )
  })
})

describe("the files of data/past", () => {
  it("are refused with file and field if they are wrong", () => {
    Result.getOrThrow(run())
    const file = join(data, "past", "seen", "CHN.json")
    const record = JSON.parse(readFileSync(file, "utf8"))
    record.changes[0] = { ...record.changes[0], on: "2022-13-01", passports: "FRA Fr" }
    writeFileSync(file, JSON.stringify(record))
    expect(Result.getFailure(readPast(data)).pipe(Option.getOrThrow).message).toBe(
      `${file} changes[0].on: "2022-13-01" is not a calendar date YYYY-MM-DD.\n${file} changes[0].passports: "Fr" is not a code.`,
    )
  })
})
