import { copyFileSync, cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Option, Result } from "effect"
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest"
import { listExportNames, listExportRows, writeCsv, writeParquet } from "../../adapters/data-files/export-pairs.ts"
import { importTableFile } from "../../adapters/data-files/import-file.ts"
import { parseRequirementTable, REQUIREMENT_BY_WORD } from "../../adapters/data-files/import-table.ts"
import { readDataRecords, toFacts } from "../../adapters/data-files/read-facts.ts"
import { compileFacts } from "../../src/compiler.ts"
import { lookupAt, openParts } from "../../src/engine.ts"

const messageOf = (text: string) => Result.getFailure(parseRequirementTable(text)).pipe(Option.getOrElse(() => "read"))

const readTable = (text: string) => Result.getOrThrow(parseRequirementTable(text))

describe("a table of requirements", () => {
  const pairs = [
    { passport: "FRA", destination: "JPN", requirement: "visa_free", days: 90 },
    { passport: "FRA", destination: "IND", requirement: "e_visa", days: null },
    { passport: "JPN", destination: "FRA", requirement: "visa_free", days: null },
    { passport: "JPN", destination: "IND", requirement: "no_admission", days: null },
  ]

  it("is read in the tidy form, where a number is a visa-free stay", () => {
    const text =
      "Passport,Destination,Requirement\nFRA,JPN,90\nFRA,IND,e-visa\nFRA,FRA,-1\nJPN,FRA,visa free\nJPN,IND,no admission\n"
    expect(readTable(text)).toEqual({ form: "tidy", pairs, daysDropped: [] })
  })

  it("is read in the form with days, for every kind of requirement", () => {
    const text =
      "passport,destination,status,days\nFRA,JPN,visa free,90\nFRA,IND,e-visa,30\nJPN,IND,eta,60\nJPN,FRA,visa on arrival,15\n"
    expect(readTable(text)).toMatchObject({
      form: "tidy with days",
      pairs: [
        { requirement: "visa_free", days: 90 },
        { requirement: "e_visa", days: 30 },
        { requirement: "eta", days: 60 },
        { requirement: "visa_on_arrival", days: 15 },
      ],
    })
  })

  it("is read in the matrix form, with Windows line ends and a byte-order mark", () => {
    const text = "\uFEFFPassport,FRA,JPN,IND,DEU\r\nFRA,-1,90,e-visa,visa free\r\nJPN,visa free,-1,no admission,90\r\n"
    const table = readTable(text)
    expect(table.form).toBe("matrix")
    expect(table.pairs.filter(pair => pair.destination !== "DEU")).toEqual(pairs)
  })

  it("loses days that contradict a required visa, and reports them", () => {
    const table = readTable("passport,destination,status,days\nCHN,HKG,visa required,7\n")
    expect(table.pairs).toEqual([{ passport: "CHN", destination: "HKG", requirement: "visa_required", days: null }])
    expect(table.daysDropped).toEqual(["CHN,HKG"])
  })

  it.each([
    [
      "another table",
      "country,visa\nFRA,yes\n",
      'The table\'s first line is "country,visa", expected "Passport,Destination,Requirement", "passport,destination,status,days" or "Passport" and one column a destination.',
    ],
    [
      "an empty file",
      "",
      'The table\'s first line is "", expected "Passport,Destination,Requirement", "passport,destination,status,days" or "Passport" and one column a destination.',
    ],
    [
      "an alpha-2 code",
      "Passport,Destination,Requirement\nFR,JPN,90\n",
      'Line 2, passport: "FR" is not an ISO 3166-1 alpha-3 code such as FRA.',
    ],
    [
      "a country's name",
      "Passport,Destination,Requirement\nFRA,Japan,90\n",
      'Line 2, destination: "Japan" is not an ISO 3166-1 alpha-3 code such as FRA.',
    ],
    [
      "a word that is not a requirement",
      "Passport,Destination,Requirement\nFRA,JPN,covid ban\n",
      'Line 2, FRA to JPN: "covid ban" is not a requirement; expected a number of days, -1, or visa free, eta, visa on arrival, e-visa, visa required, no admission.',
    ],
    [
      "a pair twice",
      "Passport,Destination,Requirement\nFRA,JPN,90\nFRA,JPN,30\n",
      "Line 3: the pair FRA,JPN is already on line 2.",
    ],
    [
      "-1 for another country",
      "Passport,Destination,Requirement\nFRA,JPN,-1\n",
      "Line 2: -1 marks the own country, and FRA is not JPN.",
    ],
    [
      "a requirement of one's own country",
      "Passport,Destination,Requirement\nFRA,FRA,90\n",
      'Line 2: FRA is the own country, -1 is expected, "90" found.',
    ],
    [
      "days that are not a number",
      "passport,destination,status,days\nFRA,JPN,eta,ninety\n",
      'Line 2, FRA to JPN, days: "ninety" is not a whole number from 1 to 3650.',
    ],
    [
      "days in another notation",
      "passport,destination,status,days\nFRA,JPN,eta,0x10\n",
      'Line 2, FRA to JPN, days: "0x10" is not a whole number from 1 to 3650.',
    ],
    [
      "days with an exponent",
      "passport,destination,status,days\nFRA,JPN,eta,1e2\n",
      'Line 2, FRA to JPN, days: "1e2" is not a whole number from 1 to 3650.',
    ],
    [
      "more days than ten years",
      "Passport,Destination,Requirement\nFRA,JPN,3651\n",
      'Line 2, FRA to JPN, days: "3651" is not a whole number from 1 to 3650.',
    ],
    [
      "two numbers of days",
      "passport,destination,status,days\nFRA,JPN,90,30\n",
      "Line 2, FRA to JPN: the stay is 90 days and 30 days.",
    ],
    [
      "a first line and nothing below it",
      "Passport,Destination,Requirement\n",
      "The table has no rows below its first line.",
    ],
    [
      "an empty cell of a matrix",
      "Passport,FRA,JPN\nFRA,-1,\n",
      'Line 2, FRA to JPN: "" is not a requirement; expected a number of days, -1, or visa free, eta, visa on arrival, e-visa, visa required, no admission.',
    ],
    [
      "a destination twice in a matrix",
      "Passport,FRA,JPN,FRA\nIND,90,90,30\n",
      "Line 1, column 4: FRA is already in column 2.",
    ],
    [
      "a destination of a matrix that is not a code",
      "Passport,FRA,Japan\nIND,90,90\n",
      'Line 1, column 3: "Japan" is not an ISO 3166-1 alpha-3 code such as FRA.',
    ],
    [
      "a mistake below blank lines and a quoted line break, whose lines count",
      'Passport,Destination,Requirement\n\n\n"FRA","JPN","visa\nfree"\n',
      'Line 4, FRA to JPN: "visa\nfree" is not a requirement; expected a number of days, -1, or visa free, eta, visa on arrival, e-visa, visa required, no admission.',
    ],
    [
      "a stay of no days",
      "Passport,Destination,Requirement\nFRA,JPN,0\n",
      'Line 2, FRA to JPN, days: "0" is not a whole number from 1 to 3650.',
    ],
  ])("is refused with its line: %s", (_, text, message) => {
    expect(messageOf(text)).toBe(message)
  })

  it("is refused if it is not CSV, or a row has another number of cells", () => {
    expect(messageOf('Passport,JPN\nFRA,"9')).toMatch(/^Line 2: The row is not CSV: a quote opens/)
    expect(messageOf("Passport,FRA,JPN\n\nIND,90\n")).toBe("Line 3: The row has 2 cells, 3 are expected.")
  })

  it("is read as a matrix however few destinations it has, quoted or not, as Excel writes it", () => {
    expect(readTable('\rsep=;\r"Passport";"JPN"\r"FRA";"90"\r;\r')).toEqual({
      form: "matrix",
      pairs: pairs.slice(0, 1),
      daysDropped: [],
    })
  })

  it("accepts days that are given twice and agree", () => {
    expect(readTable("passport,destination,status,days\nFRA,JPN,90,90\n").pairs).toEqual(pairs.slice(0, 1))
    expect(readTable("Passport,Destination,Requirement\nFRA,JPN,3650\n").pairs).toMatchObject([{ days: 3650 }])
  })
})

describe("landfall data import", () => {
  let folder = ""
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), "landfall-import-"))
    // An import does not use missions, history, past tables and the second source.
    const isAsked = (path: string) => !/^data.(missions|history|locales|past|second-source)/.test(path)
    cpSync("data", join(folder, "data"), { recursive: true, filter: isAsked })
  })
  // An import writes policies and nothing else.
  afterEach(() => {
    for (const name of readdirSync("data/policies")) {
      const [ours, theirs] = [join("data/policies", name), join(folder, "data/policies", name)]
      if (!readFileSync(ours).equals(readFileSync(theirs))) copyFileSync(ours, theirs)
    }
  })
  afterAll(() => rmSync(folder, { recursive: true, force: true }))

  const readPolicies = () =>
    Object.fromEntries(
      readdirSync(join(folder, "data/policies")).map(name => [
        name,
        readFileSync(join(folder, "data/policies", name), "utf8"),
      ]),
    )
  const importText = (
    text: string | Uint8Array,
    source: string | null = null,
    options: { readonly dryRun?: boolean; readonly replace?: boolean } = { replace: true },
  ) => {
    const file = join(folder, "table.csv")
    writeFileSync(file, text)
    return importTableFile({ file, folder: join(folder, "data"), source, ...options })
  }
  const openData = ({ reviewed } = { reviewed: true }) => {
    const facts = toFacts(Result.getOrThrow(readDataRecords(join(folder, "data"))))
    const policies = facts.policies.map(policy => (reviewed ? policy : { ...policy, reviewed: [] }))
    const compiled = compileFacts({ ...facts, policies })
    const opened = compiled.ok ? openParts(compiled.value) : compiled
    if (!opened.ok) throw new Error(opened.error.message)
    return opened.value
  }
  let table: readonly string[] | undefined
  // The table of the policies, in the importer's form, without the texts that people wrote.
  const exportTable = () => {
    table ??= writeTable()
    return table
  }
  // The table of some destinations alone, which is as good where one of them changes.
  const ofSome = (lines: readonly string[]) =>
    lines.filter((line, at) => at === 0 || /^...,(JPN|FRA|IND|USA),/.test(line))
  const writeTable = () => {
    const dataset = openData({ reviewed: false })
    const words: Record<string, string> = {
      visa_free: "visa free",
      visa_on_arrival: "visa on arrival",
      e_visa: "e-visa",
      visa_required: "visa required",
      no_admission: "no admission",
    }
    const lines = ["passport,destination,status,days"]
    dataset.passports.forEach((passport, p) => {
      for (const destination of dataset.passports) {
        const answer = lookupAt(dataset, p, dataset.destinations.indexOf(destination))
        if (answer.kind !== "found" || answer.home) continue
        lines.push(`${passport},${destination},${words[answer.requirement] ?? answer.requirement},${answer.days ?? ""}`)
      }
    })
    return lines
  }

  it("changes no byte when the policies' own table is imported, nor texts that people wrote", () => {
    const before = readPolicies()
    const report = Result.getOrThrow(importText(exportTable().join("\n")))
    expect(report).toMatchObject({ pairs: 39_402, destinations: 199, pairsLeftOut: 0, changedFiles: [] })
    // Reviewed rules, notes, and policies that the table does not cover stand in them too.
    expect(readPolicies()).toEqual(before)
    expect(JSON.parse(before["GBR.json"] as string).reviewed).not.toEqual([])
    expect(Object.keys(before)).toContain("GIB.json")
  })

  it("changes only the file of the changed destination, and answers as in the table", () => {
    const lines = ofSome(exportTable()).map(line => (line.startsWith("FRA,JPN,") ? "FRA,JPN,visa free,30" : line))
    const report = Result.getOrThrow(importText(lines.join("\n")))
    expect(report.changedFiles.map(file => file.slice(-8))).toEqual(["JPN.json"])
    const dataset = openData({ reviewed: false })
    const ask = (passport: string) =>
      lookupAt(dataset, dataset.passports.indexOf(passport), dataset.destinations.indexOf("JPN"))
    expect(ask("FRA")).toMatchObject({ requirement: "visa_free", days: 30 })
    expect(ask("DEU")).toMatchObject({ requirement: "visa_free", days: 90 })
  })

  it("gives a destination no default if the table leaves passports out", () => {
    const text = "passport,destination,status,days\nFRA,JPN,visa free,90\nDEU,JPN,visa free,90\n"
    // 199 passports, less Japan's own and the two.
    expect(Result.getOrThrow(importText(text)).pairsLeftOut).toBe(196)
    const policy = JSON.parse(readPolicies()["JPN.json"] as string)
    expect(policy).toMatchObject({
      default: [],
      rules: [{ requirement: "visa_free", days: 90, passports: ["DEU", "FRA"] }],
    })
    const dataset = openData({ reviewed: false })
    expect(lookupAt(dataset, dataset.passports.indexOf("IND"), dataset.destinations.indexOf("JPN")).kind).toBe(
      "no_record",
    )
  })

  it("answers for no member of a bloc that the table leaves out, however many others agree", () => {
    const members = ["AUT", "BEL", "DEU", "ESP", "FRA", "ITA", "NLD", "POL"]
    const lines = members.map(code => `${code},JPN,visa free,90`)
    Result.getOrThrow(importText(["passport,destination,status,days", ...lines].join("\n")))
    expect(JSON.parse(readPolicies()["JPN.json"] as string).rules).toMatchObject([{ passports: members }])
    const dataset = openData({ reviewed: false })
    const ask = (passport: string) =>
      lookupAt(dataset, dataset.passports.indexOf(passport), dataset.destinations.indexOf("JPN")).kind
    expect([ask("POL"), ask("SWE"), ask("IND")]).toEqual(["found", "no_record", "no_record"])
  })

  it("drops no imported rule without --replace, and reports how many pairs would lose theirs", () => {
    const before = readPolicies()
    const text = "passport,destination,status,days\nFRA,JPN,visa free,90\nDEU,JPN,visa free,90\n"
    const refused = importText(text, null, {})
    expect(Result.isFailure(refused) && refused.failure.message.slice(join(folder, "table.csv").length)).toBe(
      ": the table leaves out 196 pairs that have an imported rule (JPN 196). Look at them with --dry-run, and drop them with --replace.",
    )
    expect(readPolicies()).toEqual(before)
  })

  it("writes nothing in a dry run", () => {
    const before = readPolicies()
    const text = "passport,destination,status,days\nFRA,JPN,visa free,90\n"
    const report = Result.getOrThrow(importText(text, null, { dryRun: true }))
    expect(report).toMatchObject({ written: false, pairsDropped: [{ destination: "JPN", pairs: 197 }] })
    expect(report.changedFiles.map(path => path.slice(-8))).toEqual(["JPN.json"])
    expect(readPolicies()).toEqual(before)
    const lines = ofSome(exportTable()).map(line => (line.startsWith("FRA,JPN,") ? "FRA,JPN,visa free,30" : line))
    expect(Result.getOrThrow(importText(lines.join("\n"), null, { dryRun: true }))).toMatchObject({ pairsDropped: [] })
    expect(readPolicies()).toEqual(before)
  })

  describe("of its own output", () => {
    const written = async () => {
      const dataset = openData()
      const rows = listExportRows(dataset)
      const json = (names: readonly string[]) =>
        JSON.stringify(
          rows.map(row => Object.fromEntries(names.map(name => [name, row[name]]))),
          null,
          2,
        )
      const words = new Map([...REQUIREMENT_BY_WORD].map(([word, requirement]) => [requirement as string, word]))
      const others = rows.filter(row => row.home !== true)
      const tidy = others.map(row =>
        [row.passport, row.destination, words.get(String(row.requirement)), row.days].join(),
      )
      return {
        CSV: writeCsv(rows, listExportNames(false)),
        "CSV with sources": writeCsv(rows, listExportNames(true)),
        "CSV of a spreadsheet": `\uFEFF${writeCsv(rows, listExportNames(true)).replaceAll("\n", "\r\n")}`,
        JSON: json(listExportNames(false)),
        "JSON with sources": json(listExportNames(true)),
        Parquet: await writeParquet(rows),
        "a dataset file": readFileSync("test/fixtures/passport-index-2025-01-12.landfall"),
        "CSV in the form of a source": ["passport,destination,status,days", ...tidy, ""].join("\n"),
      }
    }

    it("refuses it in any format, with the reason", async () => {
      const before = readPolicies()
      for (const [format, content] of Object.entries(await written())) {
        const result = importText(content)
        const said = Result.isFailure(result) && result.failure.message.slice(join(folder, "table.csv").length)
        expect(said, format).toBe(
          ": holds answers of Landfall, which an import would give another source: import the table that they were made from.",
        )
      }
      expect(readPolicies()).toEqual(before)
    })
  })

  it("replaces no file if one cannot be written, and leaves no temporary file behind", () => {
    const before = readPolicies()
    // The part of the last file is in the way, so that it cannot be written.
    mkdirSync(join(folder, "data/policies/JPN.json.part/in-the-way"), { recursive: true })
    const result = importText("Passport,Destination,Requirement\nFRA,DEU,30\nFRA,JPN,30\n")
    expect(Result.isFailure(result) && result.failure.message).toMatch(/policies: is a folder, a file is expected\.$/)
    rmSync(join(folder, "data/policies/JPN.json.part"), { recursive: true })
    expect(readPolicies()).toEqual(before)
  })

  it("reports that a folder is not a table", () => {
    const result = importTableFile({ file: folder, folder: join(folder, "data"), source: null })
    expect(Result.isFailure(result) && result.failure.message).toBe(`${folder}: is a folder, a file is expected.`)
  })

  it("writes nothing if the table has an unrecorded code", () => {
    const before = readPolicies()
    const refusal = (text: string) => {
      const result = importText(text)
      return Result.isFailure(result) && result.failure.message.slice(join(folder, "table.csv").length)
    }
    expect(refusal("Passport,Destination,Requirement\nFRA,JPN,30\nFRA,QQQ,30\nATA,JPN,30\nFRA,QQQ,60\n")).toBe(
      ": Line 5: the pair FRA,QQQ is already on line 3.",
    )
    expect(refusal("Passport,Destination,Requirement\nFRA,JPN,30\nFRA,QQQ,30\nATA,JPN,30\nDEU,QQQ,60\n")).toBe(
      ": ATA (line 4), QQQ (line 3) stand in no record of passports.json or countries.json.",
    )
    expect(refusal("Passport,QQQ,JPN\nFRA,visa required,30\n")).toBe(
      ": QQQ (line 1) stands in no record of passports.json or countries.json.",
    )
    expect(readPolicies()).toEqual(before)
  })

  it("lists the sources if the named one does not exist", () => {
    const result = importText("Passport,Destination,Requirement\nFRA,JPN,30\n", "hearsay")
    expect(Result.isFailure(result) && result.failure.message).toMatch(
      /sources\.json: --source takes the id of a table here \(passport-index\), "hearsay" given\.$/,
    )
  })

  it("reports that a file does not exist", () => {
    const result = importTableFile({ file: join(folder, "nothing.csv"), folder: join(folder, "data"), source: null })
    expect(Result.isFailure(result) && result.failure.message).toBe(`${join(folder, "nothing.csv")}: does not exist.`)
  })
})
