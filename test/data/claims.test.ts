import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Result } from "effect"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { explainClaims } from "../../adapters/data-files/answer-claims.ts"
import { ClaimsRecord } from "../../adapters/data-files/claim-records.ts"
import { formatDataFolder, nameFiles, readDataRecords, toFacts } from "../../adapters/data-files/read-facts.ts"
import { formatRecord } from "../../adapters/files/record-files.ts"
import { compileFacts } from "../../src/compiler.ts"
import { lookupRequirement, openParts } from "../../src/engine.ts"

const PAGE = "https://visas.example/list"

const country = (code: string, alpha2: string) => ({
  ...{ code, alpha2, numeric: null, name: code, region: null, subregion: null, sovereign: true },
  ...{ source: null, verified_on: null },
})
const source = (id: string, name: string, more: object = {}) => ({
  ...{ id, name, url: null, licence: null, retrieved_on: null },
  ...more,
})

/** Six passports and one destination, whose table has a visa on arrival of 30 days, and other answers for two passports. */
const FILES: Readonly<Record<string, unknown>> = {
  "dataset.json": { version: "test.1", as_of: "2026-11-21", since: "2026-02-17" },
  "sources.json": [
    source("law", "A law"),
    source("table", "A table", { retrieved_on: "2026-02-17", imported: true }),
    source("travelrequirements", "A second source", { retrieved_on: "2026-10-09" }),
  ],
  "countries.json": [
    ...[country("CHN", "CN"), country("FRA", "FR"), country("GBR", "GB")],
    ...[country("IND", "IN"), country("LKA", "LK"), country("NGA", "NG")],
  ],
  "passports.json": ["CHN", "FRA", "GBR", "IND", "LKA", "NGA"].map(code => ({ code, source: null, verified_on: null })),
  "passport-validity.json": [],
  "transit.json": [],
  "tables.json": {
    ...{ source: "table", latest: "table", history: "table", verified_on: null },
    tables: [{ on: "2025-01-12" }, { on: "2026-02-17" }],
  },
}

type Row = Readonly<Record<string, unknown>>

const LIST = { by: "travelrequirements", url: PAGE, title: "The page", edition: "2026-10-09", read: ["2026-10-03"] }
const ETA: Row = { page: "list", says: "eta 30", who: "FRA GBR IND" }
const OTHERS: readonly Row[] = [
  { page: "list", says: "e_visa 30", who: "CHN" },
  { page: "list", says: "visa_required", who: "NGA" },
]
const LAW: Row = { page: "law", says: "eta 60", who: "IND" }
const RECORD = {
  destination: "LKA",
  pages: { law: { by: "law", read: ["2026-05-01"] }, list: LIST },
  claims: [ETA, ...OTHERS, LAW] as readonly Row[],
  tables: [
    ["2025-01-12", "visa_on_arrival 30", "FRA GBR IND NGA"],
    ["2026-02-17", "e_visa", "CHN"],
    ["2026-02-17", "visa_required", "NGA"],
  ],
}

let folder = ""
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "landfall-claims-"))
  mkdirSync(join(folder, "claims"))
  for (const [name, record] of Object.entries(FILES)) writeFileSync(join(folder, name), JSON.stringify(record))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const claim = (changes: object = {}) =>
  writeFileSync(join(folder, "claims/LKA.json"), formatRecord(ClaimsRecord, { ...RECORD, ...changes }))
const facts = () => toFacts(Result.getOrThrow(readDataRecords(folder)))
const ask = (passport: string, on?: string) => {
  const compiled = compileFacts(facts())
  const opened = compiled.ok ? openParts(compiled.value) : compiled
  if (!opened.ok) throw new Error(opened.error.message)
  return lookupRequirement(opened.value, passport, "LKA", { on })
}
/** What the second source says beside our answers. */
const checkOf = () => facts().corroboration?.[0]?.checks[0]
const messageOf = (changes: object) => {
  claim(changes)
  const read = readDataRecords(folder)
  if (Result.isFailure(read)) return read.failure.message.replaceAll(`${folder}/`, "")
  const compiled = compileFacts(toFacts(read.success))
  return compiled.ok ? "read" : nameFiles(folder, compiled.error, read.success).message.replaceAll(`${folder}/`, "")
}

describe("the answer of a pair", () => {
  it("is what an official page says where a table says something else, with the page and the day of reading", () => {
    claim()
    const page = { requirement: "eta", days: 30, verifiedOn: "2026-10-03" }
    expect(ask("FRA")).toMatchObject(page)
    expect(facts().policies[0]?.reviewed).toContainEqual(
      expect.objectContaining({ requirement: "eta", sourceUrl: PAGE, passports: ["FRA", "GBR"] }),
    )
  })

  it("stays the table's where both say the same, and the page stands beside it", () => {
    claim()
    expect(ask("NGA")).toMatchObject({ requirement: "visa_required", source: { id: "table" } })
    expect(checkOf()).toEqual({
      source: "travelrequirements",
      sourceUrl: PAGE,
      checkedOn: "2026-10-03",
      says: [
        { requirement: "eta", days: 30, passports: ["FRA", "GBR", "IND"] },
        { requirement: "e_visa", days: 30, passports: ["CHN"] },
        { requirement: "visa_required", days: null, passports: ["NGA"] },
      ],
      reasons: [{ passports: ["IND"], reason: "Reviewed in another source: A law on 2026-05-01." }],
    })
  })

  it("is completed by the days that only the page has", () => {
    claim()
    expect(ask("CHN")).toMatchObject({ requirement: "e_visa", days: 30, verifiedOn: "2026-10-03" })
  })

  it("is what a person read before what a compiler says", () => {
    claim()
    expect(ask("IND")).toMatchObject({ requirement: "eta", days: 60, verifiedOn: "2026-05-01" })
  })

  it("stays the table's where a person says why it stands", () => {
    claim({ claims: [...RECORD.claims, { says: "visa_on_arrival 30", settles: "A treaty.", who: "FRA" }] })
    expect(ask("FRA")).toMatchObject({ requirement: "visa_on_arrival", days: 30 })
    expect(ask("GBR")).toMatchObject({ requirement: "eta" })
    expect(checkOf()?.reasons).toContainEqual({ passports: ["FRA"], reason: "A treaty." })
  })

  it("ends on its day, and what the page says of the time from then on follows", () => {
    const ending = [
      { ...ETA, until: "2027-01-01" },
      { page: "list", says: "visa_required", from: "2027-01-01", who: "FRA GBR IND" },
    ]
    claim({ claims: [...ending, ...OTHERS, LAW] })
    expect(ask("FRA", "2026-12-31")).toMatchObject({ requirement: "eta" })
    expect(ask("FRA", "2027-01-01")).toMatchObject({ requirement: "visa_required", days: null })
  })

  it("is disputed where a claim contradicts itself, and a page that says nothing decides nothing", () => {
    const claims = [{ ...ETA, doubt: "Two pages differ." }, { page: "list", says: "not_said", who: "CHN" }, OTHERS[1]!]
    claim({ claims: [...claims, LAW] })
    expect(ask("FRA")).toMatchObject({ requirement: "visa_on_arrival" })
    expect(ask("CHN")).toMatchObject({ requirement: "e_visa", days: null })
    expect(checkOf()?.silent).toEqual(["CHN"])
    const reason = { passports: ["FRA", "GBR", "IND"], reason: "Two pages differ.", open: true }
    expect(checkOf()?.reasons).toEqual([reason])
  })

  it("agrees with another way that the page names", () => {
    claim({ claims: [{ ...ETA, also: ["visa_on_arrival"] }, ...OTHERS, LAW] })
    expect(ask("FRA")).toMatchObject({ requirement: "visa_on_arrival", days: 30, source: { id: "table" } })
    expect(checkOf()?.says).toContainEqual({ requirement: "visa_on_arrival", days: null, passports: ["FRA", "GBR"] })
  })

  it("agrees with another way that a condition names, unless it was read in the same source", () => {
    const conditions = (by: string) => [
      { kind: "also", requirement: "eta", requirements: ["visa_on_arrival"], source: by },
    ]
    claim({ conditions: conditions("travelrequirements") })
    expect(ask("FRA")).toMatchObject({ requirement: "eta" })
    claim({ conditions: conditions("law") })
    expect(ask("FRA")).toMatchObject({ requirement: "visa_on_arrival", source: { id: "table" } })
  })

  it("is that of the last table that has the pair, and none where it leaves the pair out", () => {
    const left = ["2026-02-17", "not_said", "FRA"]
    claim({ pages: {}, claims: [], tables: [...RECORD.tables, left] })
    expect(ask("GBR")).toMatchObject({ requirement: "visa_on_arrival", days: 30 })
    expect(ask("NGA")).toMatchObject({ requirement: "visa_required" })
    expect(ask("FRA")).toMatchObject({ kind: "no_record" })
  })
})

describe("the order of claims", () => {
  /** Says what a passport's answer is, with the compiler's page and rows of tables. */
  const decide = (
    { says, ...claimed }: Row,
    rows: readonly (readonly [on: string, says: string])[],
    treaties: readonly Row[] = [],
    page: object = {},
  ) => {
    const days = ["2023-01-11", "2024-01-05", "2025-01-12", "2026-02-17", "2026-11-20"]
    const tables = days.filter(on => on <= rows.at(-1)![0]).map(on => ({ on }))
    const named = { source: "table", latest: "table", history: "table", verified_on: null }
    writeFileSync(join(folder, "tables.json"), JSON.stringify({ ...named, tables }))
    writeFileSync(join(folder, "treaties.json"), JSON.stringify(treaties))
    claim({
      pages: { list: { ...LIST, title: undefined, ...page } },
      claims: [{ page: "list", ...(says === undefined ? { says: "not_said" } : { says }), ...claimed, who: "FRA" }],
      tables: rows.map(([on, value]) => [on, value, "FRA"]),
    })
    const answer = ask("FRA")
    const found = answer.kind === "found" ? `${answer.requirement} ${answer.days ?? ""}`.trim() : answer.kind
    const ruling = explainClaims(Result.getOrThrow(readDataRecords(folder)), "FRA", "LKA")
    const other = ruling?.disputed?.other
    const by = other?.isOfTable ? "table" : "page"
    return { answer: found, disputed: other === undefined ? null : `${by}: ${ruling?.disputed?.why}` }
  }
  const treaty = (changes: object = {}) => ({
    ...{ id: "FRA_LKA", name: "Agreement", sides: ["FRA", "LKA"], says: "visa_free 90", from: "2020-01-01" },
    ...{ source: "law", source_url: PAGE, read_on: "2026-11-20" },
    ...changes,
  })

  it("lets an official page decide against a table", () => {
    expect(decide({ says: "visa_required" }, [["2026-02-17", "visa_free 90"]])).toEqual({
      answer: "visa_required",
      disputed: null,
    })
  })

  it("takes a treaty in force as a floor for the requirement and the days, whatever a page says", () => {
    const table = [["2026-02-17", "visa_required"]] as const
    expect(decide({ says: "visa_required" }, table, [treaty()]).answer).toBe("visa_free 90")
    expect(decide({ says: "visa_free 30" }, table, [treaty()]).answer).toBe("visa_free 90")
    expect(decide({ says: "visa_free 180" }, table, [treaty()]).answer).toBe("visa_free 180")
    expect(decide({ says: "eta 90" }, table, [treaty({ permits: "eta" })]).answer).toBe("eta 90")
    expect(decide({ says: "visa_required" }, table, [treaty({ sides: ["LKA", "FRA"] })]).answer).toBe("visa_free 90")
  })

  it("takes a treaty one way only if it says so, and not after its end", () => {
    const table = [["2026-02-17", "visa_required"]] as const
    const oneWay = treaty({ sides: ["LKA", "FRA"], one_way: true })
    expect(decide({ says: "visa_required" }, table, [oneWay]).answer).toBe("visa_required")
    expect(decide({ says: "visa_required" }, table, [treaty({ until: "2026-11-01" })]).answer).toBe("visa_required")
  })

  it("goes below a treaty only by a refusal of admission, or by a law that began later", () => {
    const table = [["2026-02-17", "visa_free 90"]] as const
    expect(decide({ says: "no_admission" }, table, [treaty()]).answer).toBe("no_admission")
    const law = { by: "law", publisher: "law" }
    expect(decide({ says: "visa_required", from: "2025-01-01" }, table, [treaty()], law).answer).toBe("visa_required")
    expect(decide({ says: "visa_required" }, table, [treaty()], law).answer).toBe("visa_free 90")
  })

  it("lets a table that moved after the page was read bring news", () => {
    const rows = [
      ["2024-01-05", "visa_required"],
      ["2026-11-20", "visa_free 30"],
    ] as const
    expect(decide({ says: "visa_required" }, rows)).toEqual({ answer: "visa_free 30", disputed: null })
  })

  it("disputes a newer table that never said what was read", () => {
    const rows = [
      ["2024-01-05", "e_visa"],
      ["2026-11-20", "visa_free 30"],
    ] as const
    expect(decide({ says: "visa_required" }, rows)).toEqual({
      answer: "visa_required",
      disputed: "table: a table that is newer than the reading says something else",
    })
  })

  it("counts a claim with neither a day of the rule nor a day of reading as read before the tables that followed", () => {
    for (const by of [{ read: [] }, { by: "law", read: [] }]) {
      for (const before of ["e_visa", "visa_required"]) {
        const rows = [
          ["2024-01-05", before],
          ["2026-11-20", "visa_free 30"],
        ] as const
        expect(decide({ says: "visa_required" }, rows, [], by)).toEqual({ answer: "visa_free 30", disputed: null })
      }
    }
    const older = decide({ says: "visa_required" }, [["2024-01-05", "e_visa"]], [], { read: [] })
    expect(older).toEqual({ answer: "visa_required", disputed: null })
  })

  it("disputes a page that returns to a value which tables gave up, unless it names a later day", () => {
    const rows = [
      ["2023-01-11", "visa_required"],
      ["2024-01-05", "visa_free 30"],
    ] as const
    expect(decide({ says: "visa_required" }, rows)).toEqual({
      answer: "visa_required",
      disputed: "table: the tables gave this value up, and no later day of the rule is named",
    })
    for (const settled of [{ from: "2026-01-01" }, { settles: "A visa by a sponsor is no e-visa." }]) {
      expect(decide({ says: "visa_required", ...settled }, rows)).toEqual({ answer: "visa_required", disputed: null })
    }
  })

  it("disputes a third state's advice that differs from the table", () => {
    const advice = decide({ says: "visa_required" }, [["2026-02-17", "visa_free 90"]], [], { publisher: "third_state" })
    expect(advice).toEqual({ answer: "visa_required", disputed: "table: the page is a third state's advice" })
  })

  it("counts a table's older word for e-visas and eTAs as both", () => {
    const rows = [
      ["2023-01-11", "e_visa_or_eta"],
      ["2025-01-12", "visa_on_arrival"],
    ] as const
    expect(decide({ says: "eta" }, rows).disputed).toContain("gave this value up")
  })

  it.each([
    [
      "one side",
      { sides: ["FRA"] },
      "treaties.json:1 [0].sides: FRA_LKA has one side: a treaty has two, and the same one twice if it is among members.",
    ],
    [
      "an unknown country",
      { sides: ["FRA", "QQQ"] },
      'treaties.json:1 [0].sides: "QQQ" is not a code of countries.json or a @bloc of blocs/.',
    ],
    [
      "no requirement",
      { says: "free" },
      'treaties.json:1 [0].says: "free" is not a requirement with its days, such as "visa_free 90".',
    ],
    [
      "an impossible day",
      { from: "2020-02-30" },
      'treaties.json:1 [0].from: "2020-02-30" is not a calendar date YYYY-MM-DD.',
    ],
    [
      "an unknown publisher",
      { source: "hearsay" },
      'treaties.json:1 [0].source: "hearsay" is an unknown publisher: add it to sources.json, or name one of its ids.',
    ],
    [
      "a page without an address",
      { source_url: "a library" },
      'treaties.json:1 [0].source_url: "a library" is not an address that begins with http:// or https://.',
    ],
    [
      "an impossible day of reading",
      { read_on: "today" },
      'treaties.json:1 [0].read_on: "today" is not a calendar date YYYY-MM-DD.',
    ],
    ["no day of reading", { read_on: undefined }, "treaties.json [0].read_on: Missing key"],
  ])("refuses a treaty with %s", (_, changes, message) => {
    writeFileSync(join(folder, "treaties.json"), JSON.stringify([treaty(changes)]))
    expect(messageOf({})).toBe(message)
  })
})

describe("a file of claims", () => {
  it("reads `*` in a compiler's list and in the first table as the codes that no other row names, and keeps it", () => {
    const read = () => toFacts(Result.getOrThrow(readDataRecords(folder)))
    const named = {
      ...{ pages: { list: LIST }, claims: [ETA, ...OTHERS] },
      tables: [
        ["2025-01-12", "visa_on_arrival 30", "FRA GBR IND NGA"],
        ["2025-01-12", "eta", "CHN"],
      ],
    }
    claim(named)
    const facts = read()
    const rest = {
      ...{ pages: named.pages, claims: [{ ...ETA, who: "*" }, ...OTHERS] },
      tables: [
        ["2025-01-12", "visa_on_arrival 30", "*"],
        ["2025-01-12", "eta", "CHN"],
      ],
    }
    claim(rest)
    expect(read()).toEqual(facts)
    formatDataFolder(folder)
    expect(JSON.parse(readFileSync(join(folder, "claims/LKA.json"), "utf8"))).toMatchObject(rest)
    expect(formatDataFolder(folder)).toEqual(Result.succeed([]))
  })

  it("has one line for each page, claim and row, however long", () => {
    claim()
    const lines = readFileSync(join(folder, "claims/LKA.json"), "utf8").split("\n")
    expect(lines.filter(line => line.startsWith("    "))).toHaveLength(2 + 4 + 3)
  })

  it.each([
    [
      "a publisher that sources.json does not have",
      { pages: { ...RECORD.pages, law: { by: "hearsay", read: [] } } },
      'claims/LKA.json:4 pages.law.by: "hearsay" is an unknown publisher: add it to sources.json, or name one of its ids.',
    ],
    [
      "a page that was read after the dataset's day",
      { pages: { ...RECORD.pages, law: { by: "law", read: ["2026-05-01", "2026-12-01"] } } },
      "claims/LKA.json:4 pages.law.read[1]: 2026-12-01 is after the dataset's day, 2026-11-21: a page cannot have been read then.",
    ],
    [
      "a compiler's file of a day after the dataset's",
      { pages: { ...RECORD.pages, list: { ...LIST, edition: "2026-12-09" } } },
      "claims/LKA.json:5 pages.list.edition: 2026-12-09 is after the dataset's day, 2026-11-21: a page cannot have been read then.",
    ],
    [
      "a page without a day",
      { pages: { ...RECORD.pages, law: { by: "law" } } },
      "claims/LKA.json:4 pages.law.read: is missing: list the days on which somebody read the page, or [] if nobody did.",
    ],
    [
      "a page without an address that can be opened",
      { pages: { ...RECORD.pages, law: { by: "law", url: "visas.example", read: [] } } },
      'claims/LKA.json:4 pages.law.url: "visas.example" is not an address that begins with http:// or https://.',
    ],
    [
      "a complete list that says nothing of all others",
      { pages: { ...RECORD.pages, law: { by: "law", complete: true, read: [] } } },
      'claims/LKA.json:4 pages.law.complete: the list is complete, and no claim says what it asks of all others: add one with "who": "*".',
    ],
    [
      "a page that is not in the file",
      { claims: [ETA, ...OTHERS, { ...LAW, page: "decree" }] },
      'claims/LKA.json:11 claims[3].page: "decree" is not one of the pages of this file: add a line to "pages".',
    ],
    [
      "an unknown word",
      { claims: [ETA, ...OTHERS, { ...LAW, says: "visa-free 90" }] },
      'claims/LKA.json:11 claims[3].says: "visa-free" is not known; expected visa_free, eta, visa_on_arrival, e_visa, visa_required, no_admission, not_said, changed, with days such as "visa_free 90".',
    ],
    [
      "impossible days",
      { claims: [ETA, ...OTHERS, { ...LAW, says: "visa_free 0" }] },
      'claims/LKA.json:11 claims[3].says: "visa_free 0" has no whole number of days from 1 to 3650.',
    ],
    [
      "a passport that does not exist",
      { claims: [ETA, ...OTHERS, { ...LAW, who: "IND QQQ @EUROPE" }] },
      'claims/LKA.json:11 claims[3].who: "QQQ" is not a passport of passports.json, a @bloc of blocs/ or *.\n' +
        'claims/LKA.json:11 claims[3].who: "@EUROPE" is not a passport of passports.json, a @bloc of blocs/ or *.',
    ],
    [
      "a day that does not exist",
      { claims: [ETA, ...OTHERS, { ...LAW, from: "2026-02-30" }] },
      'claims/LKA.json:11 claims[3].from: "2026-02-30" is not a calendar date YYYY-MM-DD.',
    ],
    [
      "a passport of which one compiler says two things",
      { claims: [ETA, ...OTHERS, { page: "list", says: "visa_free 90", who: "FRA" }] },
      "claims/LKA.json:11 claims[3].who: FRA is already in claims[0].",
    ],
    [
      "passports of which a whole list says nothing",
      { claims: [{ ...ETA, who: "GBR" }, ...OTHERS] },
      "claims/LKA.json:7 claims: FRA, IND: no claim of travelrequirements names them, though its list is whole; add them to one, which may say not_said.",
    ],
    [
      "a row of a day without a table",
      { tables: [["2026-03-01", "eta", "FRA"]] },
      'claims/LKA.json:14 tables[0]: "2026-03-01" is not the day of a table of tables.json.',
    ],
    [
      "a change between words for one permission without a page",
      { changes: [{ on: "2026-02-17", from: "eta", to: "e_visa", who: "FRA" }] },
      "claims/LKA.json:14 changes[0]: from eta to e_visa needs a page of its own: tables use these words for one permission.",
    ],
    [
      "a claim that the compiler of facts refuses",
      { claims: [ETA, ...OTHERS, { ...LAW, from: "2026-06-01", until: "2026-05-01" }] },
      'claims/LKA.json:11 claims[3].until: 2026-05-01 is not after "from" 2026-06-01.',
    ],
  ])("is refused with its line for %s", (_, changes, message) => {
    expect(messageOf(changes)).toBe(message)
  })
})
