import { execFileSync } from "node:child_process"
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Result } from "effect"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { fetchSources, readTableDay, writeTable } from "../../.ci/newer-sources.ts"
import { explainClaims } from "../../adapters/data-files/answer-claims.ts"
import { REQUIREMENT_BY_WORD } from "../../adapters/data-files/append-table.ts"
import { openRecords, readDataRecords } from "../../adapters/data-files/read-facts.ts"
import { updateData } from "../../adapters/data-files/update.ts"
import { formatEach, formatUpdate } from "../../adapters/data-files/update-report.ts"
import { describePair, lookupRequirement } from "../../src/engine.ts"
import { runCli } from "../cli/run.ts"
import { copySmallData, openTables } from "./small-data.ts"

/** The destinations whose rules are copied: few, because every answer of every pair is compiled several times. */
const DESTINATIONS = ["EGY", "JPN", "KEN"]
const ON = "2026-12-02"

let home = ""
let data = ""
let newer = ""
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), "landfall-update-"))
  data = join(home, "data")
  newer = join(home, "newer")
  copySmallData(data, DESTINATIONS)
})
afterEach(() => rmSync(home, { recursive: true, force: true }))

const write = (path: string, text: string) => {
  mkdirSync(join(newer, path, ".."), { recursive: true })
  writeFileSync(join(newer, path), text)
}
const readData = (name: string) => JSON.parse(readFileSync(join(data, name), "utf8"))
const readAll = () =>
  Object.fromEntries(
    readdirSync(data, { recursive: true, encoding: "utf8" })
      .filter(name => name.endsWith(".json"))
      .map(name => [name, readFileSync(join(data, name), "utf8")]),
  )
/** The pairs of the table that the rules were imported from, with its cells; all tests begin with the same. */
let cells: readonly (readonly [pair: string, cell: string])[] = []
/** That table, with other cells. */
const tableWith = (changed: Readonly<Record<string, string>>) => {
  if (cells.length === 0) cells = readCells()
  const rows = cells.map(([pair, cell]) => `${pair},${changed[pair] ?? cell}`)
  return `passport,destination,status,days\n${rows.join("\n")}\n`
}
const readCells = () => {
  const dataset = openTables(data)
  const words = new Map([...REQUIREMENT_BY_WORD].map(([word, requirement]) => [requirement, word]))
  return DESTINATIONS.flatMap(destination =>
    dataset.passports.flatMap(passport => {
      const answer = lookupRequirement(dataset, passport, destination)
      if (answer.kind !== "found" || answer.home) return []
      return [[`${passport},${destination}`, `${words.get(answer.requirement)},${answer.days ?? ""}`] as const]
    }),
  )
}
/** The claims of Japan, without what they say about some passports. */
const silentOn = (codes: readonly string[]) => {
  const japan = readData("claims/JPN.json")
  const page = Object.keys(japan.pages)[0]
  const others = japan.claims.map((claim: { who: string }) => ({
    ...claim,
    who: claim.who
      .split(" ")
      .filter(code => !codes.includes(code))
      .join(" "),
  }))
  const claims = others.filter(({ who }: { who: string }) => who !== "")
  return { ...japan, claims: [...claims, { page, says: "not_said", who: codes.join(" ") }] }
}
const kenya = (lastUpdated: string, rows: object) =>
  JSON.stringify({
    id: "kenya",
    iso2: "KE",
    meta: { lastUpdated },
    visaPolicy: { defaultSource: { url: "https://etakenya.go.ke/eligibility" }, byPassport: rows },
  })
const update = (options: { readonly dryRun?: boolean; readonly on?: string; readonly unconfirmed?: boolean } = {}) =>
  updateData({ folder: data, from: newer, on: ON, ...options })
const messageOf = (result: ReturnType<typeof update>) =>
  Result.isFailure(result) ? result.failure.message.replaceAll(home, "") : "no failure"

describe("landfall data update", () => {
  it("takes in what a newer table says, and reports where it contradicts a claim", () => {
    const before = readAll()
    write("table/2026-12-01.abcdef1.csv", tableWith({ "AFG,JPN": "e-visa,", "DEU,JPN": "visa free,30" }))
    write(
      "second-source/kenya.json",
      kenya("2026-11-30", {
        US: { requirement: "visa-free", maxStayDays: 30, notes: "Not read." },
        GB: { requirement: "eta", maxStayDays: null },
      }),
    )
    const japan = silentOn(["AFG", "DEU"])
    const claims = [...japan.claims, { page: "press", says: "visa_free 60", who: "DEU" }]
    const pages = { ...japan.pages, press: { by: "press-reports", read: ["2026-10-01"] } }
    writeFileSync(join(data, "claims/JPN.json"), JSON.stringify({ ...japan, pages, claims }))
    const report = Result.getOrThrow(update())
    expect(report.changes).toEqual([
      {
        passport: "AFG",
        destination: "JPN",
        before: { requirement: "visa_required", days: null },
        now: { requirement: "e_visa", days: null },
        claimed: null,
      },
      {
        passport: "DEU",
        destination: "JPN",
        before: { requirement: "visa_free", days: 90 },
        now: { requirement: "visa_free", days: 30 },
        claimed: { requirement: "visa_free", days: 60 },
      },
    ])
    expect(report.secondSource).toEqual({
      newer: 1,
      files: 1,
      confirmed: [],
      rows: [
        {
          passport: "USA",
          destination: "KEN",
          before: { word: "eta", days: null },
          now: { word: "visa-free", days: 30 },
          page: "https://etakenya.go.ke/eligibility",
          ours: { requirement: "eta", days: 90 },
        },
      ],
    })
    expect(report.changedFiles.map(path => path.slice(data.length + 1)).sort()).toEqual([
      "claims/JPN.json",
      "dataset.json",
      "sources.json",
      "tables.json",
    ])
    expect(readData("claims/JPN.json").claims).toEqual(claims)
    expect(readData("dataset.json")).toEqual({
      ...JSON.parse(before["dataset.json"]!),
      version: "2026.12.02",
      as_of: ON,
    })
    const sources: { id: string; retrieved_on: string }[] = readData("sources.json")
    // What is new has a source with the day of its table; all other answers are as old as they were.
    const dayOf = (id: string) => sources.find(source => source.id === id)?.retrieved_on
    expect([dayOf("passport-index"), dayOf("passport-index-2026-12-01")]).toEqual(["2026-02-17", "2026-12-01"])
    const dataset = openRecords(Result.getOrThrow(readDataRecords(data)))!
    expect(lookupRequirement(dataset, "AFG", "JPN")).toMatchObject({ requirement: "e_visa" })
    expect(lookupRequirement(dataset, "DEU", "JPN")).toMatchObject({ requirement: "visa_free", days: 60 })
    // What is left is as it was, and a second update finds nothing new.
    const after = readAll()
    for (const name of Object.keys(after)) {
      if (!/^(dataset|sources|tables|claims.JPN)\.json$/.test(name)) expect(after[name], name).toBe(before[name])
    }
    const again = Result.getOrThrow(update())
    expect([again.table?.isNewer, again.changes, again.changedFiles]).toEqual([false, [], []])
    expect(readAll()).toEqual(after)
  })

  it("lists ended rules, ending rules and pairs without a recent check, the most important first", () => {
    write("second-source/kenya.json", kenya("2026-11-30", { GB: { requirement: "eta" } }))
    const japan = silentOn(["PHL", "VNM"])
    const pages = { ...japan.pages, press: { by: "press-reports", read: [] } }
    const rule = { page: "press", says: "visa_free 15" }
    const ending = [
      { ...rule, until: "2026-11-01", who: "VNM" },
      { ...rule, until: "2027-01-01", who: "PHL" },
    ]
    const claims = [...japan.claims, ...ending]
    writeFileSync(join(data, "claims/JPN.json"), JSON.stringify({ ...japan, pages, claims }))
    const report = Result.getOrThrow(update())
    expect(report.secondSource).toEqual({ newer: 1, files: 1, confirmed: ["KEN"], rows: [] })
    expect(report.ended).toEqual([
      {
        passport: "VNM",
        destination: "JPN",
        endedOn: "2026-10-31",
        before: { requirement: "visa_free", days: 15 },
        now: { requirement: "e_visa", days: null },
      },
    ])
    expect(report.endings).toContainEqual({
      on: "2026-12-31",
      record: "claims/JPN",
      field: `claims[${claims.length - 1}]`,
      destinations: ["JPN"],
      passports: 1,
    })
    // Two years later every answer is due, and the most asked are listed.
    const later = Result.getOrThrow(update({ on: "2028-12-02", dryRun: true }))
    expect(later.duePairs).toBe(3 * 198)
    expect(later.due).toHaveLength(200)
    const visitors = new Map<string, number>(
      readData("busiest.json").destinations.map((row: { code: string; visitors: number }) => [row.code, row.visitors]),
    )
    const economies = new Map<string, number>(
      readData("countries.json").map((row: { code: string; gdp_usd?: number }) => [row.code, row.gdp_usd ?? 0]),
    )
    const weights = later.due.map(
      ({ passport, destination }) => (visitors.get(destination) ?? 0) * (economies.get(passport) ?? 0),
    )
    expect(weights).toEqual(weights.toSorted((a, b) => b - a))
    const text = formatUpdate(report)
    expect(text).toContain("| JPN | 2026-10-31 | `visa_free`, 15 days | `e_visa` | VNM |")
    expect(text).toContain(`| 2026-12-31 | claims/JPN claims[${claims.length - 1}] | JPN | 1 |`)
    expect(text).toContain("- No table was given.\n")
    expect(text).toContain("Every row says the same: KEN.")
  })

  it("shows the text of foreign files escaped", () => {
    const hostile = (url: string) => ({ requirement: "`|\n| @everyone ![](x)", source: { url } })
    write(
      "second-source/kenya.json",
      kenya("2026-11-30", {
        US: hostile("https://x.example/a|b) ![p](https://y.example/<img>"),
        GB: hostile("javascript:alert(1)"),
        FR: hostile(`https://x.example/${"a".repeat(10_000)}`),
      }),
    )
    const report = formatUpdate(Result.getOrThrow(update({ dryRun: true })))
    const rows = report.split("\n").filter(line => line.startsWith("| KEN |") && line.includes("everyone"))
    const said = "| KEN | `eta`, 90 days | `eta` | ` @everyone ![](x)` |"
    expect(rows.map(line => line.slice(0, said.length))).toEqual([said, said, said])
    expect(rows.map(line => line.slice(said.length)).sort()).toEqual([
      ` \`https://x.example/${"a".repeat(182)}\` | FRA |`,
      " `javascript:alert(1)` | GBR |",
      " https://x.example/a%7Cb)%20!%5Bp%5D(https://y.example/%3Cimg%3E | USA |",
    ])
  })

  it("writes only the report in a dry run", async () => {
    const table = tableWith({ "AFG,JPN": "e-visa," })
    write("table/2026-12-01.csv", table)
    const before = readAll()
    const dry = await runCli(["data", "update", newer, "--data", data, "--on", ON, "--dry-run"])
    expect(dry.stdout).toContain("| JPN | `visa_required` | `e_visa` | AFG |")
    expect(dry.stdout).toContain(`would be changed. No claim is among what changed.`)
    expect(readAll()).toEqual(before)
    const report = join(home, "report.md")
    const { stdout } = await runCli(["data", "update", newer, "--data", data, "--on", ON, "-o", report])
    expect(stdout).toMatch(
      /report\.md: 1 pairs of the table, 0 rows of the second source, \d+ pairs due for a look; 4 files changed\.\n$/,
    )
    expect(readFileSync(report, "utf8")).toContain(
      "The table 2026-12-01.csv, after that of 2026-02-17: 1 pairs say something else.",
    )
    expect(readData("tables.json").tables.at(-1)).toEqual({ on: "2026-12-01" })
  })

  it("writes nothing if one of the copies cannot be read", async () => {
    const before = readAll()
    expect(messageOf(update())).toBe("/newer: holds none of the folders table and second-source.")
    write("table/2026-12-01.csv", tableWith({ "AFG,JPN": "e-visa," }))
    write("table/2026-12-01.csv", "passport,destination,status,days\nFRA,JPN,perhaps,\n")
    expect(messageOf(update())).toContain('2026-12-01.csv: Line 2, FRA to JPN: "perhaps" is not a requirement;')
    write("table/2026-12-01.csv", tableWith({ "AFG,JPN": "e-visa," }))
    write("second-source/kenya.json", kenya("2026-11-30", { GB: { requirement: "eta", maxStayDays: "90" } }))
    expect(messageOf(update())).toContain("/newer/second-source/kenya.json visaPolicy.byPassport.GB.maxStayDays: ")
    write("second-source/kenya.json", kenya("2026-11-30", {}).replace('"KE"', '"KX"'))
    expect(messageOf(update())).toBe('/newer/second-source/kenya.json iso2: "KX" is in no record of countries.json.')
    rmSync(join(newer, "second-source"), { recursive: true })
    expect(messageOf(update({ on: "2026-01-01" }))).toMatch(
      /^\/data\/dataset\.json: is of .*, which is after 2026-01-01\.$/,
    )
    const wrongDay = await runCli(["data", "update", newer, "--data", data, "--on", "2026-13-01"])
    expect([wrongDay.status, wrongDay.stderr]).toEqual([
      2,
      expect.stringContaining('--on: a calendar date YYYY-MM-DD from 1900 to 2199 is expected, not "2026-13-01".'),
    ])
    expect(readAll()).toEqual(before)
  })
})

describe("the monthly routine, with a table of 161 changes", () => {
  // 148 passports at one destination, one lifted ban, and twelve other changes: six of them against claims.
  const banned = "AFG"
  const many = () => {
    const codes: string[] = readData("passports.json").map(({ code }: { code: string }) => code)
    return codes.filter(code => code !== "KEN").slice(0, 148)
  }
  const few = ["DZA", "AGO", "BGD", "BEN", "BTN", "BWA", "BFA", "BDI", "KHM", "CMR", "CPV", "CAF"]
  const now = () => ({
    ...Object.fromEntries(many().map(code => [`${code},KEN`, "visa on arrival,14"])),
    ...Object.fromEntries(few.map(code => [`${code},JPN`, "visa on arrival,7"])),
    [`${banned},EGY`]: "visa on arrival,30",
  })
  const give = (name: string, table: string) => write(`table/${name}.csv`, table)
  const describeAll = () => {
    const dataset = openRecords(Result.getOrThrow(readDataRecords(data)))!
    const pairs = DESTINATIONS.flatMap(destination =>
      dataset.passports.map(passport => [`${passport},${destination}`, passport, destination] as const),
    )
    return new Map(
      pairs.map(([pair, passport, destination]) => [pair, describePair(dataset, passport, destination, { on: ON })]),
    )
  }

  it("hides none of them, clears no age, and takes what needs a second source only with one", () => {
    // A table of the month before has the ban.
    give("2026-11-01", tableWith({ [`${banned},EGY`]: "no admission," }))
    Result.getOrThrow(update())
    const table = tableWith(now())
    give("2026-12-01", table)
    const lineOf = (pair: string) => table.split("\n").findIndex(row => row.startsWith(`${pair},`)) + 1
    const before = readAll()
    expect(messageOf(update())).toBe(
      [
        `/newer/table/2026-12-01.csv:${lineOf(`${banned},EGY`)}: EGY lifts the ban of AFG: look this up in a second source, and name its page with --confirm EGY=URL.`,
        `/newer/table/2026-12-01.csv:${lineOf(`${many()[0]},KEN`)}: KEN changes for 148 passports, more than 20 in one table: look this up in a second source, and name its page with --confirm KEN=URL.`,
      ].join("\n"),
    )
    expect(readAll()).toEqual(before)
    const was = describeAll()

    // For review everything is written and reported, and nothing of it is read yet.
    const report = Result.getOrThrow(update({ unconfirmed: true }))
    expect(report.changes).toHaveLength(161)
    const each = formatEach(report)
    expect([...each.keys()]).toEqual(DESTINATIONS)
    expect(each.get("KEN")).toContain("- KEN changes for 148 passports, more than 20 in one table.")
    expect(each.get("JPN")).not.toContain("second source. If it says so too")
    expect(formatUpdate(report)).toContain("## Needs a second source")
    expect(Result.isFailure(readDataRecords(data))).toBe(true)
    expect(
      messageOf(update())
        .split("\n")
        .map(line => line.replace(/:\d+.*/, "")),
    ).toEqual(["/data/claims/EGY.json", "/data/claims/KEN.json"])

    // A reviewer names the pages.
    for (const code of ["EGY", "KEN"]) {
      const record = readData(`claims/${code}.json`)
      const tables = record.tables.map((row: string[]) =>
        row[0] === "2026-12-01" ? [...row, "https://visas.example/"] : row,
      )
      writeFileSync(join(data, `claims/${code}.json`), JSON.stringify({ ...record, tables }))
    }
    const after = describeAll()
    const records = Result.getOrThrow(readDataRecords(data))
    const changed = new Set(report.changes.map(({ passport, destination }) => `${passport},${destination}`))
    expect(changed).toEqual(new Set(Object.keys(now())))
    const hidden = report.changes.filter(({ passport, destination, now: said, claimed }) => {
      const pair = after.get(`${passport},${destination}`)!
      if (pair.kind !== "found") return true
      const isTaken = pair.answer.requirement === said.requirement
      // Where a claim stands, the report has it, and the order of claims says why.
      const trace = explainClaims(records, passport, destination)?.trace ?? []
      return !isTaken && (claimed === null || !trace.some(({ value }) => value.isOfTable))
    })
    expect(hidden).toEqual([])
    const laundered = [...after].filter(([pair, now]) => {
      const then = was.get(pair)!
      if (changed.has(pair) || now.kind !== "found" || then.kind !== "found") return false
      return now.ageDays !== then.ageDays || now.stale !== then.stale || now.evidence?.level !== then.evidence?.level
    })
    expect(laundered.map(([pair]) => pair)).toEqual([])
  })
})

describe("the copies of the sources", () => {
  it("are fetched from their repositories in the form that an update reads", () => {
    const git = (place: string, ...words: string[]) =>
      execFileSync("git", ["-C", place, "-c", "user.name=t", "-c", "user.email=t@example.org", ...words], {
        encoding: "utf8",
      })
    const commitFiles = (name: string, files: Readonly<Record<string, string>>) => {
      const place = join(home, name)
      for (const [path, text] of Object.entries(files)) {
        mkdirSync(join(place, path, ".."), { recursive: true })
        writeFileSync(join(place, path), text)
      }
      git(place, "init", "--quiet")
      git(place, "add", "--all")
      git(place, "commit", "--quiet", "--message", "files")
      return { place, commit: git(place, "rev-parse", "--short=7", "HEAD").trim() }
    }
    const tables = commitFiles("tables", {
      "README.md": "# Data\n\nLast updated: **1 December 2026**.\n",
      "passport-index.json":
        '{"FR": {"FR": {"status": "-1"}, "JP": {"status": "visa free", "days": 30}, "IN": {"status": "e-visa"}}}',
      "passport-index-tidy-iso3.csv": "Passport,Destination,Requirement\nFRA,JPN,30\n",
    })
    const rows = commitFiles("rows", { "destinations/kenya.json": "{}" })
    fetchSources(newer, { tables: tables.place, "second-source": `file://${rows.place}` })
    const files = readdirSync(newer, { recursive: true, encoding: "utf8" }).filter(name => /\.(csv|json)$/.test(name))
    expect(files.sort()).toEqual(["second-source/kenya.json", `table/2026-12-01.${tables.commit}.csv`])
    expect(readFileSync(join(newer, `table/2026-12-01.${tables.commit}.csv`), "utf8")).toBe(
      "passport,destination,status,days\nFRA,JPN,visa free,30\nFRA,IND,e-visa,\n",
    )
  })

  it("have the day of their own page, and keep unknown codes", () => {
    expect(readTableDay("Last updated: **17 February 2026**.")).toBe("2026-02-17")
    expect(() => readTableDay("Last updated: soon")).toThrow("names no day")
    expect(writeTable('{"XX": {"JP": {"status": "eta"}}}', new Map([["JP", "JPN"]]))).toBe(
      "passport,destination,status,days\nXX,JPN,eta,\n",
    )
  })
})
