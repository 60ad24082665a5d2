import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, unlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Result } from "effect"
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest"
import { writeReport } from "../../adapters/cli/data-commands.ts"
import { NO_SCREEN, writeBlocks } from "../../adapters/cli/print.ts"
import { formatFullCoverage } from "../../adapters/data-files/full-coverage.ts"
import { readFullRecords } from "../../adapters/data-files/full-read.ts"
import { verifyData } from "../../adapters/data-files/verify-data.ts"
import type { FileIssue } from "../../adapters/files/data-error.ts"

const report = Result.getOrThrow(verifyData("data", { today: "2026-11-30" }))

describe("the project's facts", () => {
  it("are sound, and cover 250 destinations and 199 passports", () => {
    expect(report).toMatchObject({ pairs: 49_750, tables: 45 })
    expect(report.coverage.found).toBeGreaterThan(43_000)
    expect(report.coverage.silentDestinations).toEqual(["ATA", "ATF", "BVT", "ESH", "HMD", "IOT", "SGS", "TKL", "UMI"])
  })
})

describe("the report of the project's facts", () => {
  it("is printed by the command `data verify`", () => {
    const printed = writeBlocks(NO_SCREEN, writeReport(report))
    expect(printed).toMatch(/all\s+49750\s+100\.0 %/)
    expect(printed).toMatch(/\n\nNo mistakes found\.$/)
  })
})

describe("the coverage of the full record", () => {
  it("counts the fields of records, and states why the rest is missing", () => {
    const coverage = report.fields
    const row = (field: string) => coverage.rows.find(found => found.field === field)
    expect(row("requirement")?.pairs).toBe(coverage.pairs)
    expect(row("entry_by_mode")?.destinations).toBeGreaterThan(0)
    const insured = Result.getOrThrow(readFullRecords("data")).subjects.insurance.flatMap(each => each.destinations)
    expect(row("insurance_required")?.destinations).toBeGreaterThan(0)
    expect(row("insurance_required")?.destinations).toBeLessThanOrEqual(new Set(insured).size)
    for (const { field, pairs, remark } of coverage.rows) {
      if (pairs < coverage.pairs) expect(remark, field).not.toBe("")
    }
    const table = formatFullCoverage(coverage).trim().split("\n")
    expect(table).toHaveLength(coverage.rows.length + 2)
    expect(new Set(table.map(line => line.split("|").length)).size).toBe(1)
  })
})

describe("the list of the busiest destinations", () => {
  it("has forty, each once, the busiest first", () => {
    const { destinations }: { destinations: readonly { code: string; visitors: number }[] } = JSON.parse(
      readFileSync("data/busiest.json", "utf8"),
    )
    expect(new Set(destinations.map(({ code }) => code)).size).toBe(40)
    expect(destinations.toSorted((one, other) => other.visitors - one.visitors)).toEqual(destinations)
  })
})

describe("landfall data verify", () => {
  let folder = ""
  const changed = new Set<string>()
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), "landfall-verify-"))
    cpSync("data", folder, { recursive: true })
  })
  afterEach(() => {
    for (const name of changed) {
      rmSync(join(folder, name), { recursive: true, force: true })
      cpSync(join("data", name), join(folder, name))
    }
    changed.clear()
  })
  afterAll(() => rmSync(folder, { recursive: true, force: true }))

  /** Where a file stands that is to be changed; it is put back after the test. */
  const take = (name: string): string => {
    changed.add(name)
    return join(folder, name)
  }
  const edit = (name: string, change: (text: string) => string) =>
    writeFileSync(take(name), change(readFileSync(join(folder, name), "utf8")))
  const issues = () => {
    const result = verifyData(folder, { today: "2026-11-30" })
    return Result.isFailure(result)
      ? result.failure.issues.map(issue => ({ ...issue, file: issue.file.slice(folder.length + 1) }))
      : []
  }

  it("reports file, line and field of an unknown code", () => {
    edit("claims/JPN.json", text => text.replace('"who": "AND ARG', '"who": "AND ARX'))
    expect(issues()).toContainEqual({
      file: expect.stringMatching(/^claims\/JPN\.json:\d+$/),
      field: "claims[0].who",
      message: '"ARX" is not a passport of passports.json, a @bloc of blocs/ or *.',
    })
  })

  it("reports a missing field", () => {
    edit("claims/JPN.json", text => text.replace('"destination": "JPN",', ""))
    expect(issues()).toContainEqual({ file: "claims/JPN.json", field: "destination", message: "Missing key" })
  })

  it("refuses an unknown key, so that a misspelt one is not ignored", () => {
    edit("blocs/AES.json", text => text.replace('"freedom_of_movement"', '"freedom_of_movment"'))
    expect(issues().map(issue => `${issue.file} ${issue.field}`)).toEqual(
      expect.arrayContaining(["blocs/AES.json freedom_of_movement", "blocs/AES.json freedom_of_movment"]),
    )
  })

  it("reports where a file is not valid JSON", () => {
    edit("sources.json", text => text.slice(0, -3))
    expect(issues()[0]).toMatchObject({
      file: "sources.json",
      field: "",
      message: expect.stringMatching(/^is not JSON: /),
    })
  })

  it("reports a missing catalogue, and where one is not valid JSON", () => {
    unlinkSync(take("locales/ja.json"))
    edit("locales/ko.json", () => "{\n")
    expect(issues()).toEqual([
      { file: "locales/ja.json", field: "", message: "does not exist." },
      {
        file: "locales/ko.json",
        field: "",
        message: expect.stringMatching(/^is not JSON: .*line 2 column 1\)$/),
      },
    ])
  })

  it("reports a folder where a file is expected", () => {
    unlinkSync(take("sources.json"))
    mkdirSync(take("sources.json"))
    expect(issues()).toEqual([{ file: "sources.json", field: "", message: "is a folder, a file is expected." }])
  })

  it("reports a destination without claims", () => {
    const small = mkdtempSync(join(tmpdir(), "landfall-verify-small-"))
    cpSync("data", small, { recursive: true, filter: path => !/claims\/(?!FRA)/.test(path) })
    const result = verifyData(small, { today: "2026-11-30" })
    rmSync(small, { recursive: true })
    expect(Result.isFailure(result) && result.failure.issues).toContainEqual({
      file: join(small, "claims/JPN.json"),
      field: "",
      message: "is missing: every destination has a file of claims.",
    })
  })

  it("requires claims to be in the file of their destination", () => {
    edit("claims/JPN.json", text => text.replace('"destination": "JPN"', '"destination": "KOR"'))
    expect(issues()).toContainEqual({
      file: "claims/JPN.json",
      field: "",
      message: "is named after its record: KOR.json is expected.",
    })
  })
})

describe("every mistake in a folder", () => {
  let folder = ""
  let found: readonly FileIssue[] = []
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), "landfall-verify-"))
    cpSync("data", folder, { recursive: true })
    const edit = (name: string, change: (text: string) => string) =>
      writeFileSync(join(folder, name), change(readFileSync(join(folder, name), "utf8")))
    edit("waivers.json", text => text.replace(/"verified_on": "20\d\d/, '"verified_on": "2062'))
    edit("blocs/AES.json", text => text.replace(/(\{"code": "BFA"\})(,\s*)(\{"code": "MLI"\})/, "$3$2$1"))
    edit("blocs/CTA.json", text => text.replace(/\n/g, "\r\n"))
    edit("sources.json", text =>
      text.replace(/ "licence_reason": "[^"]*",/, "").replace('"licence": "CC0"', '"licence": "Hearsay 1.0"'),
    )
    edit("passports.json", text => text.replace("passport-index", "hearsay"))
    edit("treaties.json", text => text.replace(/"read_on": "20\d\d/, '"read_on": "2062'))
    const result = verifyData(folder, { today: "2026-11-30" })
    found = Result.isFailure(result)
      ? result.failure.issues.map(issue => ({ ...issue, file: issue.file.slice(folder.length + 1) }))
      : []
  })
  afterAll(() => rmSync(folder, { recursive: true, force: true }))
  const issuesOf = (name: string) => found.filter(({ file }) => file.split(" ")[0] === name)

  it("is reported in one run, and nothing else is", () => {
    expect(found).toHaveLength(7)
  })

  it("may be a confirmation after the dataset's day", () => {
    expect(issuesOf("waivers.json")).toEqual([
      {
        file: "waivers.json",
        field: expect.stringMatching(/^\[\d+\]\.verified_on$/),
        message: expect.stringMatching(/^2062-\d\d-\d\d is after the dataset's day, 2026-11-21\.$/),
      },
    ])
  })

  it("may be a page of a treaty that was read after today", () => {
    expect(found.filter(({ file }) => file.startsWith("treaties.json"))).toEqual([
      {
        file: "treaties.json:2",
        field: "[0].read_on",
        message: expect.stringMatching(
          /^2062-\d\d-\d\d is after today, 2026-11-30: a page cannot have been read then\.$/,
        ),
      },
    ])
  })

  it("may be a row that is not in the order of codes, or a file that is not formatted", () => {
    const message =
      "is not as landfall data format writes it: rows and keys in order, two spaces, lines of 120 characters."
    for (const file of ["blocs/AES.json", "blocs/CTA.json"])
      expect(issuesOf(file)).toEqual([{ file, field: "", message }])
  })

  it("may be a source without a licence that LICENSES.md names and without the reason why none is needed", () => {
    expect(issuesOf("sources.json")).toEqual([
      {
        file: "sources.json",
        field: "licence",
        message: 'are-remote-work has no licence, and "licence_reason" does not say why none is needed.',
      },
      {
        file: "sources.json",
        field: "licence",
        message: expect.stringMatching(/^[\w-]+ is under "Hearsay 1\.0", which LICENSES\.md does not name\.$/),
      },
    ])
  })

  it("may be an unknown source", () => {
    expect(issuesOf("passports.json")).toEqual([
      {
        file: "passports.json AFG",
        field: "source",
        message: '"hearsay" is not an id of sources.json.',
      },
    ])
  })
})
