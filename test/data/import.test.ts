import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Option, Result } from "effect"
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest"
import { appendTable, parseTable, REQUIREMENT_BY_WORD } from "../../adapters/data-files/append-table.ts"
import { listExportNames, listExportRows, writeCsv, writeParquet } from "../../adapters/data-files/export-pairs.ts"
import { openRecords, readDataRecords } from "../../adapters/data-files/read-facts.ts"
import { lookupRequirement } from "../../src/engine.ts"
import { runCli } from "../cli/run.ts"
import { copySmallData, openTables } from "./small-data.ts"

const HEAD = "passport,destination,status,days"
const messageOf = (text: string) => Result.getFailure(parseTable(text)).pipe(Option.getOrElse(() => "read"))
const readTable = (text: string) => Result.getOrThrow(parseTable(text))

describe("a table of requirements", () => {
  it("is read with the days of every kind of requirement", () => {
    const text = `${HEAD}\nFRA,JPN,visa free,90\nFRA,IND,e-visa,30\nJPN,IND,eta,60\nJPN,FRA,visa on arrival,\nCHN,JPN,Visa Free,3650\n`
    expect(readTable(text)).toEqual({
      pairs: [
        { passport: "FRA", destination: "JPN", requirement: "visa_free", days: 90, line: 2 },
        { passport: "FRA", destination: "IND", requirement: "e_visa", days: 30, line: 3 },
        { passport: "JPN", destination: "IND", requirement: "eta", days: 60, line: 4 },
        { passport: "JPN", destination: "FRA", requirement: "visa_on_arrival", days: null, line: 5 },
        { passport: "CHN", destination: "JPN", requirement: "visa_free", days: 3650, line: 6 },
      ],
      daysDropped: [],
    })
  })

  it("is read with Windows line ends, quotes and another separator, as Excel writes it", () => {
    const text = '\uFEFFsep=;\r\n"Passport";"Destination";"Status";"Days"\r\n"FRA";"JPN";"visa free";"90"\r\n;;;\r\n'
    expect(readTable(text).pairs).toMatchObject([{ passport: "FRA", destination: "JPN", days: 90 }])
  })

  it("loses days that contradict a required visa, and reports them", () => {
    const table = readTable(`${HEAD}\nCHN,HKG,visa required,7\n`)
    expect(table.pairs).toMatchObject([
      { passport: "CHN", destination: "HKG", requirement: "visa_required", days: null },
    ])
    expect(table.daysDropped).toEqual(["CHN,HKG"])
  })

  const expected = 'expected "passport,destination,status,days" of a source, not an export of Landfall.'
  it.each([
    ["another table", "country,visa\nFRA,yes\n", `The table's first line is "country,visa", ${expected}`],
    ["an empty file", "", `The table's first line is "", ${expected}`],
    [
      "a matrix, which no source publishes any more",
      "Passport,FRA,JPN\nFRA,-1,90\n",
      `The table's first line is "Passport,FRA,JPN", ${expected}`,
    ],
    [
      "a table without days, whose import would drop them",
      "Passport,Destination,Requirement\nFRA,JPN,90\n",
      `The table's first line is "Passport,Destination,Requirement", ${expected}`,
    ],
    ["a first line and nothing below it", `${HEAD}\n`, "The table has no rows below its first line."],
    [
      "an alpha-2 code",
      `${HEAD}\nFR,JPN,visa free,90\n`,
      'Line 2, passport: "FR" is not an ISO 3166-1 alpha-3 code such as FRA.',
    ],
    [
      "a country's name",
      `${HEAD}\nFRA,Japan,visa free,90\n`,
      'Line 2, destination: "Japan" is not an ISO 3166-1 alpha-3 code such as FRA.',
    ],
    [
      "a word that is not a requirement",
      `${HEAD}\nFRA,JPN,covid ban,\n`,
      'Line 2, FRA to JPN: "covid ban" is not a requirement; expected visa free, eta, visa on arrival, e-visa, visa required, no admission.',
    ],
    [
      "a mistake below blank lines and a quoted line break, whose lines count",
      `${HEAD}\n\n\n"FRA","JPN","visa\nfree",\n`,
      'Line 4, FRA to JPN: "visa\nfree" is not a requirement; expected visa free, eta, visa on arrival, e-visa, visa required, no admission.',
    ],
    [
      "a pair twice",
      `${HEAD}\nFRA,JPN,visa free,90\nFRA,JPN,visa free,30\n`,
      "Line 3: the pair FRA,JPN is already on line 2.",
    ],
    [
      "a requirement of one's own country",
      `${HEAD}\nFRA,FRA,visa free,\n`,
      "Line 2: FRA is the own country, which has no row.",
    ],
  ])("is refused with its line: %s", (_, text, message) => {
    expect(messageOf(text)).toBe(message)
  })

  it.each(["ninety", "0x10", "1e2", "3651", "0", "-1", "9.5"])("is refused if a stay has %s days", days => {
    const message = `Line 2, FRA to JPN, days: "${days}" is not a whole number from 1 to 3650.`
    expect(messageOf(`${HEAD}\nFRA,JPN,eta,${days}\n`)).toBe(message)
  })

  it("is refused if it is not CSV, or a row has another number of cells", () => {
    expect(messageOf(`${HEAD}\nFRA,JPN,"visa`)).toBe(
      "The table is not CSV: line 2, column 3: a quote opens the cell and is not closed.",
    )
    expect(messageOf(`${HEAD}\n\nIND,FRA,eta\n`)).toBe("Line 3: The row has 3 cells, 4 are expected.")
  })
})

/** Destinations whose claims are copied: few, because every answer of every pair is compiled. */
const DESTINATIONS = ["FRA", "GBR", "IND", "JPN", "USA"]
const NEXT = "2026-12-01.csv"

describe("landfall data import", () => {
  let home = ""
  let before: Readonly<Record<string, string>> = {}
  const data = () => join(home, "data")
  const readAll = () =>
    Object.fromEntries(
      readdirSync(data(), { recursive: true, encoding: "utf8" })
        .filter(name => name.endsWith(".json"))
        .map(name => [name, readFileSync(join(data(), name), "utf8")]),
    )
  beforeAll(() => {
    home = mkdtempSync(join(tmpdir(), "landfall-import-"))
    copySmallData(data(), DESTINATIONS)
    before = readAll()
  })
  // An import writes claims, tables.json and sources.json, and nothing else.
  afterEach(() => {
    const now = readAll()
    for (const [name, text] of Object.entries(now)) {
      if (before[name] === undefined) rmSync(join(data(), name))
      else if (before[name] !== text) writeFileSync(join(data(), name), before[name])
    }
  })
  afterAll(() => rmSync(home, { recursive: true, force: true }))

  type Options = Omit<Parameters<typeof appendTable>[0], "file" | "folder">
  const importText = (text: string | Uint8Array, options: Options = {}, name = NEXT) => {
    const file = join(home, name)
    writeFileSync(file, text)
    return appendTable({ file, folder: data(), ...options })
  }
  const messageOf = (text: string | Uint8Array, options: Options = {}, name = NEXT) => {
    const result = importText(text, options, name)
    return Result.isFailure(result) ? result.failure.message.replaceAll(`${home}/`, "") : "taken"
  }
  let lines: readonly string[] = []
  /** The last table again, with other cells. */
  const tableWith = (changed: Readonly<Record<string, string>> = {}) => {
    if (lines.length === 0) {
      const dataset = openTables(data())
      const words = new Map([...REQUIREMENT_BY_WORD].map(([word, requirement]) => [requirement, word]))
      lines = DESTINATIONS.flatMap(destination =>
        dataset.passports.flatMap(passport => {
          const answer = lookupRequirement(dataset, passport, destination)
          if (answer.kind !== "found" || answer.home) return []
          return `${passport},${destination},${words.get(answer.requirement)},${answer.days ?? ""}`
        }),
      )
    }
    const cells = lines.map(line => {
      const pair = line.slice(0, 7)
      return changed[pair] === undefined ? line : `${pair},${changed[pair]}`
    })
    return ["passport,destination,status,days", ...cells, ""].join("\n")
  }
  const readClaims = (code: string) => JSON.parse(readFileSync(join(data(), `claims/${code}.json`), "utf8"))
  const changedOf = (result: ReturnType<typeof importText>) =>
    Result.getOrThrow(result)
      .changedFiles.map(file => file.slice(data().length + 1))
      .sort()

  it("adds only its day to tables.json if the table is a copy, which is no look at any pair", () => {
    expect(changedOf(importText(tableWith()))).toEqual(["tables.json"])
    expect(JSON.parse(readAll()["tables.json"]!).tables.at(-1)).toEqual({ on: "2026-12-01", copy: true })
    expect(changedOf(importText(tableWith()))).toEqual([])
  })

  it("adds one row for each value that is new, at the end, and changes no other line", () => {
    const table = tableWith({ "FRA,JPN": "visa free,30", "DEU,JPN": "visa free,30", "AFG,JPN": "e-visa," })
    expect(changedOf(importText(table))).toEqual(["claims/JPN.json", "sources.json", "tables.json"])
    const rows = readClaims("JPN").tables
    expect(rows.slice(-2)).toEqual([
      ["2026-12-01", "e_visa", "AFG"],
      ["2026-12-01", "visa_free 30", "DEU FRA"],
    ])
    const was = before["claims/JPN.json"]!.split("\n")
    const now = readAll()["claims/JPN.json"]!.split("\n")
    expect(was.filter(line => !now.includes(line) && !now.includes(`${line},`))).toEqual([])
    const dataset = openTables(data())
    expect(lookupRequirement(dataset, "FRA", "JPN")).toMatchObject({ requirement: "visa_free", days: 30 })
    expect(lookupRequirement(dataset, "AUT", "JPN")).toMatchObject({ requirement: "visa_free", days: 90 })
    // What people read stands.
    const claimed = openRecords(Result.getOrThrow(readDataRecords(data())))!
    expect(lookupRequirement(claimed, "GBR", "JPN")).toMatchObject({ requirement: "visa_free", days: 90 })
    expect(changedOf(importText(table))).toEqual([])
  })

  it("leaves out no pair that the table before it has without --replace", () => {
    const less = tableWith().replace(/^(AFG|ALB),JPN.*\n/gm, "")
    expect(messageOf(less)).toBe(
      `${NEXT}: the table leaves out 2 pairs that the table before it has (JPN 2). Look at them with --dry-run, and drop them with --replace.`,
    )
    expect(readAll()).toEqual(before)
    Result.getOrThrow(importText(less, { replace: true }))
    expect(readClaims("JPN").tables.at(-1)).toEqual(["2026-12-01", "not_said", "AFG ALB"])
    expect(lookupRequirement(openTables(data()), "AFG", "JPN").kind).toBe("no_record")
  })

  it("stops a table that changes more than twenty passports of a destination, until a second source is named", () => {
    const passports = "AGO ATG BDI BEN BFA BGD BLZ BTN BWA CAF CIV CMR COD COG COM CPV CUB DJI DMA DZA EGY".split(" ")
    const table = tableWith(Object.fromEntries(passports.map(code => [`${code},JPN`, "visa free,90"])))
    const line = table.split("\n").findIndex(row => row.startsWith("AGO,JPN")) + 1
    expect(messageOf(table)).toBe(
      `${NEXT}:${line}: JPN changes for 21 passports, more than 20 in one table: look this up in a second source, and name its page with --confirm JPN=URL.`,
    )
    expect(readAll()).toEqual(before)
    const page = "https://www.mofa.go.jp/new"
    Result.getOrThrow(importText(table, { confirmed: new Map([["JPN", page]]) }))
    expect(readClaims("JPN").tables.at(-1)).toEqual(["2026-12-01", "visa_free 90", passports.join(" "), page])
  })

  it("stops a table that lifts a ban", () => {
    const banned = tableWith({ "AFG,JPN": "no admission," })
    Result.getOrThrow(importText(banned))
    const line =
      tableWith()
        .split("\n")
        .findIndex(row => row.startsWith("AFG,JPN")) + 1
    expect(messageOf(tableWith(), {}, "2026-12-02.csv")).toBe(
      `2026-12-02.csv:${line}: JPN lifts the ban of AFG: look this up in a second source, and name its page with --confirm JPN=URL.`,
    )
  })

  it("writes for review what needs a second source, and reads none of it until each row names one", () => {
    const table = tableWith({ "AFG,JPN": "no admission," })
    Result.getOrThrow(importText(table))
    const name = "2026-12-02.csv"
    expect(Result.getOrThrow(importText(tableWith(), { unconfirmed: true }, name)).doubtful).toEqual([
      { destination: "JPN", what: "lifts the ban of AFG" },
    ])
    const file = join(data(), "claims/JPN.json")
    const text = readFileSync(file, "utf8")
    const line = text.split("\n").findIndex(row => row.includes('["2026-12-02"')) + 1
    const row = readClaims("JPN").tables.length - 1
    const read = () => {
      const result = readDataRecords(data())
      return Result.isFailure(result) ? result.failure.message.replaceAll(`${home}/`, "") : "read"
    }
    expect(read()).toBe(
      `data/claims/JPN.json:${line} tables[${row}]: the table of 2026-12-02 lifts the ban of AFG: look this up in a second source, and add its page at the end of each row of this table.`,
    )
    writeFileSync(file, text.replace('"AFG"]\n', '"AFG", "https://www.mofa.go.jp/"]\n'))
    expect(read()).toBe("read")
  })

  it("takes from a table that was taken already what was left out then, with the same days", () => {
    const table = tableWith({ "FRA,JPN": "visa free,30", "DEU,JPN": "visa free,30" })
    Result.getOrThrow(importText(tableWith({ "FRA,JPN": "visa free,30" })))
    Result.getOrThrow(importText(table))
    expect(readClaims("JPN").tables.slice(-2)).toEqual([
      ["2026-12-01", "visa_free 30", "FRA"],
      ["2026-12-01", "visa_free 30", "DEU"],
    ])
    expect(JSON.parse(readAll()["tables.json"]!).tables.at(-1)).toEqual({ on: "2026-12-01" })
  })

  it("reports what stops it in a dry run, and writes nothing", async () => {
    const file = join(home, NEXT)
    writeFileSync(file, tableWith({ "AFG,JPN": "e-visa," }).replace(/^ALB,JPN.*\n/m, ""))
    const dry = await runCli(["data", "import", file, "--data", data(), "--dry-run"])
    expect(dry.stdout.replaceAll(`${home}/`, "").replaceAll(/ {2,}/g, ": ")).toBe(
      "destination: pairs\nJPN: 1\n\non: 2026-12-01\npairs: 989\ndestinations: 5\nchanges: 2\ndoubtful: –\n" +
        "written: no\nchanged files: data/claims/JPN.json, data/tables.json, data/sources.json\ndays dropped: –\n",
    )
    expect(readAll()).toEqual(before)
    const wrong = await runCli(["data", "import", file, "--data", data(), "--confirm", "Chad"])
    expect([wrong.status, wrong.stderr]).toEqual([
      2,
      expect.stringContaining(
        '--confirm: "Chad" is not a destination and a page, such as TCD=https://example.org/page.',
      ),
    ])
  })

  it("refuses a table without a day, and one before the last", () => {
    expect(messageOf(tableWith(), {}, "table.csv")).toBe(
      "table.csv: the name has no day: YYYY-MM-DD.csv or YYYY-MM-DD.COMMIT.csv is expected.",
    )
    expect(messageOf(tableWith(), {}, "2023-02-29.csv")).toMatch(/^2023-02-29\.csv: the name has no day/)
    expect(messageOf(tableWith(), {}, "2026-02-16.csv")).toBe(
      "2026-02-16.csv: a table of 2026-02-17 was taken already: tables are taken in the order of their days.",
    )
    expect(readAll()).toEqual(before)
  })

  it("refuses its own output in any format", async () => {
    const rows = listExportRows(openTables(data()))
    const written = {
      CSV: writeCsv(rows, listExportNames(false)),
      "CSV with sources": writeCsv(rows, listExportNames(true)),
      "CSV of four columns": writeCsv(rows, listExportNames(false).slice(0, 4)),
      "CSV of a spreadsheet": `\uFEFF${writeCsv(rows, listExportNames(true)).replaceAll("\n", "\r\n")}`,
      JSON: JSON.stringify(rows.slice(0, 100), null, 2),
      Parquet: await writeParquet(rows.slice(0, 100)),
      "a dataset file": readFileSync("test/fixtures/passport-index-2025-01-12.landfall"),
    }
    for (const [format, content] of Object.entries(written)) {
      expect(messageOf(content), format).toMatch(
        /^2026-12-01\.csv: The table('s first line is ".*", expected .* not an export of Landfall| is not CSV: .*)\.$/,
      )
    }
    expect(readAll()).toEqual(before)
  })

  it("replaces no file if one cannot be written, and leaves no temporary file behind", () => {
    // The part of the last file is in the way, so that it cannot be written.
    mkdirSync(join(data(), "sources.json.part/in-the-way"), { recursive: true })
    expect(messageOf(tableWith({ "AFG,JPN": "e-visa," }))).toBe("data: is a folder, a file is expected.")
    rmSync(join(data(), "sources.json.part"), { recursive: true })
    expect(readAll()).toEqual(before)
  })

  it("writes nothing if the table has an unrecorded code, a wrong word, or is no file", () => {
    const rows = (...lines: string[]) => `${[HEAD, ...lines].join("\n")}\n`
    expect(messageOf(rows("FRA,JPN,eta,30", "FRA,QQQ,eta,30", "ATA,JPN,eta,30", "FRA,QQQ,eta,60"))).toBe(
      `${NEXT}: Line 5: the pair FRA,QQQ is already on line 3.`,
    )
    expect(messageOf(rows("FRA,JPN,eta,30", "FRA,QQQ,eta,30", "ATA,JPN,eta,30", "DEU,QQQ,eta,60"))).toBe(
      `${NEXT}: ATA (line 4), QQQ (line 3) stand in no record of passports.json or countries.json.`,
    )
    expect(messageOf(rows("FRA,JPN,perhaps,"))).toMatch(/^2026-12-01\.csv: Line 2, FRA to JPN: "perhaps" is not a req/)
    const nothing = appendTable({ file: join(home, "2027-01-01.csv"), folder: data() })
    expect(Result.isFailure(nothing) && nothing.failure.message).toBe(
      `${join(home, "2027-01-01.csv")}: does not exist.`,
    )
    expect(readAll()).toEqual(before)
  })
})
