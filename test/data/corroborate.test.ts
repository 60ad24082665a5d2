import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Result } from "effect"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { compareStoredFiles, corroborateFiles } from "../../adapters/data-files/corroborate-files.ts"
import { countComparison, formatDifferences } from "../../adapters/data-files/differences.ts"
import { readDataRecords, toFacts } from "../../adapters/data-files/read-facts.ts"
import { compileFacts } from "../../src/compiler.ts"
import { lookupRequirement, openParts } from "../../src/engine.ts"

const PAGE = "https://visas.example/list"

const country = (code: string, alpha2: string) => ({
  code,
  alpha2,
  numeric: null,
  name: code,
  region: null,
  subregion: null,
  sovereign: true,
  source: null,
  verified_on: null,
})
const table = { source: "table", verified_on: null }

// Five passports and one destination, whose table has a visa on arrival of 30 days, and other answers for two passports.
const files: Readonly<Record<string, unknown>> = {
  "dataset.json": { version: "test.1", as_of: "2026-11-21", since: "2026-02-17" },
  "sources.json": [
    { id: "law", name: "A law", url: null, licence: null, retrieved_on: null },
    { id: "table", name: "A table", url: null, licence: "MIT", retrieved_on: "2026-02-17", imported: true },
    { id: "travelrequirements", name: "A second source", url: null, licence: "CC BY 4.0", retrieved_on: "2026-10-09" },
  ],
  "countries.json": [
    country("CHN", "CN"),
    country("FRA", "FR"),
    country("GBR", "GB"),
    country("IND", "IN"),
    country("LKA", "LK"),
    country("NGA", "NG"),
  ],
  "passports.json": ["CHN", "FRA", "GBR", "IND", "LKA", "NGA"].map(code => ({
    code,
    source: null,
    verified_on: null,
  })),
  "passport-validity.json": [],
  "transit.json": [],
  "policies/LKA.json": {
    destination: "LKA",
    default: [{ requirement: "visa_on_arrival", days: 30, ...table }],
    rules: [
      { requirement: "e_visa", ...table, passports: ["CHN"] },
      { requirement: "visa_required", ...table, passports: ["NGA"] },
    ],
    reviewed: [{ requirement: "eta", days: 60, source: "law", verified_on: "2026-05-01", passports: ["IND"] }],
  },
}

const condensed = {
  destination: "LKA",
  last_updated: "2026-10-09",
  last_row: "NG",
  policy_source: { name: "The page", url: PAGE, last_verified: "2026-10-03" },
  groups: [
    { requirement: "eta", days: 30, passports: "FR GB IN" },
    { requirement: "evisa", days: 30, passports: "CN" },
    { requirement: "embassy-visa", days: null, passports: "NG" },
    { requirement: "freedom-of-movement", days: null, passports: "LK" },
  ],
  facts: {},
  sources: [PAGE],
}

let folder = ""
const write = (name: string, record: unknown) => {
  const path = join(folder, name)
  mkdirSync(join(path, ".."), { recursive: true })
  writeFileSync(path, JSON.stringify(record))
  return path
}
const read = (name: string) => JSON.parse(readFileSync(join(folder, "data", name), "utf8"))
const run = (record: unknown) =>
  corroborateFiles({ files: [write("given.json", record)], folder: join(folder, "data") })
const messageOf = (record: unknown) => {
  const result = run(record)
  return Result.isFailure(result) ? result.failure.message.replaceAll(`${folder}/`, "") : "taken"
}
const ask = (passport: string, on?: string) => {
  const compiled = compileFacts(toFacts(Result.getOrThrow(readDataRecords(join(folder, "data")))))
  const opened = compiled.ok ? openParts(compiled.value) : compiled
  if (!opened.ok) throw new Error(opened.error.message)
  return lookupRequirement(opened.value, passport, "LKA", { on })
}

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "landfall-corroborate-"))
  for (const [name, record] of Object.entries(files)) write(join("data", name), record)
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

describe("landfall data corroborate", () => {
  it("lets the newer official page decide if its requirement differs, with the page and its day", () => {
    Result.getOrThrow(run(condensed))
    expect(ask("FRA")).toMatchObject({ requirement: "eta", days: 30, verifiedOn: "2026-10-03" })
    expect(read("policies/LKA.json").reviewed).toContainEqual({
      requirement: "eta",
      days: 30,
      source: "travelrequirements",
      source_url: PAGE,
      verified_on: "2026-10-03",
      passports: ["FRA", "GBR"],
    })
  })

  it("writes no rule if both have the same requirement, and lists the source's statement beside them", () => {
    Result.getOrThrow(run(condensed))
    const named = read("policies/LKA.json").reviewed.flatMap((rule: { passports: string[] }) => rule.passports)
    expect(named).not.toContain("NGA")
    expect(read("corroboration/LKA.json")).toEqual({
      destination: "LKA",
      checks: [
        {
          source: "travelrequirements",
          source_url: PAGE,
          checked_on: "2026-10-03",
          says: [
            { requirement: "eta", days: 30, passports: ["FRA", "GBR", "IND"] },
            { requirement: "e_visa", days: 30, passports: ["CHN"] },
            { requirement: "visa_required", passports: ["NGA"] },
          ],
          reasons: [{ passports: ["IND"], reason: "Reviewed in another source: A law on 2026-05-01." }],
        },
      ],
    })
  })

  it("adds the days that only the source has", () => {
    Result.getOrThrow(run(condensed))
    expect(ask("CHN")).toMatchObject({ requirement: "e_visa", days: 30, verifiedOn: "2026-10-03" })
  })

  it("keeps a rule that a person reviewed in another source, with the reason", () => {
    const { checks } = Result.getOrThrow(run(condensed))
    expect(ask("IND")).toMatchObject({ requirement: "eta", days: 60, verifiedOn: "2026-05-01" })
    expect(checks[0]?.checks.find(({ passport }) => passport === "IND")?.outcome).toBe("kept")
  })

  it("keeps our answer if the file gives a reason", () => {
    Result.getOrThrow(run({ ...condensed, kept: [{ passports: "FR", reason: "A treaty." }] }))
    expect(ask("FRA")).toMatchObject({ requirement: "visa_on_arrival", days: 30 })
    expect(ask("GBR")).toMatchObject({ requirement: "eta" })
  })

  it("reads a group by its own terms, if the table of words is wrong for it", () => {
    const [eta, ...others] = condensed.groups
    const read_as = { requirement: "visa_required", reason: "an agent applies" }
    const conditions = [{ kind: "sponsor", by: ["agency"] }]
    Result.getOrThrow(run({ ...condensed, groups: [{ ...eta, read_as, conditions }, ...others] }))
    expect(ask("FRA")).toMatchObject({ requirement: "visa_required", days: null })
    expect(read("policies/LKA.json").reviewed.at(-1)).toMatchObject({ requirement: "visa_required", conditions })
  })

  it("ends a rule on its day, and states what follows", () => {
    const [eta, ...others] = condensed.groups
    const ending = { ...eta, until: "2027-01-01", afterwards: { requirement: "visa_required" } }
    Result.getOrThrow(run({ ...condensed, groups: [ending, ...others] }))
    expect(ask("FRA", "2026-12-31")).toMatchObject({ requirement: "eta" })
    expect(ask("FRA", "2027-01-01")).toMatchObject({ requirement: "visa_required", days: null })
  })

  it("uses nothing from `unconfirmed` and from groups that contradict themselves", () => {
    const [eta, evisa, ...others] = condensed.groups
    const groups = [{ ...eta, unsettled: "Two pages differ." }, { ...evisa, requirement: "unconfirmed" }, ...others]
    const { checks } = Result.getOrThrow(run({ ...condensed, groups }))
    expect(ask("FRA")).toMatchObject({ requirement: "visa_on_arrival" })
    expect(ask("CHN")).toMatchObject({ requirement: "e_visa", days: null })
    const open = checks[0]?.checks.filter(({ outcome }) => outcome === "open").map(({ passport }) => passport)
    expect(open).toEqual(["FRA", "GBR", "IND"])
    const [check] = read("corroboration/LKA.json").checks
    expect(check.silent).toEqual(["CHN"])
    expect(check.reasons).toEqual([{ passports: ["FRA", "GBR", "IND"], reason: "Two pages differ.", open: true }])
    expect(formatDifferences(checks)).toContain(
      "| LKA | FRA GBR | `visa_on_arrival`, 30 days | `eta`, 30 days | Two pages differ. |",
    )
  })

  it("counts another way that the source names as agreement, and writes no rule for it", () => {
    const [eta, ...others] = condensed.groups
    const { checks } = Result.getOrThrow(
      run({ ...condensed, groups: [{ ...eta, also: ["visa-on-arrival"] }, ...others] }),
    )
    expect(checks[0]?.checks.find(({ passport }) => passport === "FRA")?.outcome).toBe("way")
    expect(ask("FRA")).toMatchObject({ requirement: "visa_on_arrival", days: 30, source: { id: "table" } })
    expect(read("corroboration/LKA.json").checks[0].says).toContainEqual({
      requirement: "visa_on_arrival",
      passports: expect.arrayContaining(["FRA"]),
    })
  })

  it("counts an alternative in our rule as agreement, unless that rule comes from the source itself", () => {
    const outcomeOf = (source: string) => {
      const policy = files["policies/LKA.json"] as object
      const also = { kind: "also", requirement: "eta", requirements: ["visa_on_arrival"], source }
      write("data/policies/LKA.json", { ...policy, conditions: [also] })
      const { checks } = Result.getOrThrow(run(condensed))
      return checks[0]?.checks.find(({ passport }) => passport === "FRA")?.outcome
    }
    expect(outcomeOf("travelrequirements")).toBe("requirement")
    expect(outcomeOf("law")).toBe("way")
    expect(read("corroboration/LKA.json").checks[0].says).toContainEqual(
      expect.objectContaining({ requirement: "eta", passports: expect.arrayContaining(["FRA"]) }),
    )
  })

  it("changes no byte in a second run, also of the copies that it stored", () => {
    expect(Result.getOrThrow(run(condensed)).changedFiles).toHaveLength(3)
    expect(Result.getOrThrow(run(condensed)).changedFiles).toEqual([])
    const stored = { files: [join(folder, "data/second-source/LKA.json")], folder: join(folder, "data") }
    expect(Result.getOrThrow(corroborateFiles(stored)).changedFiles).toEqual([])
  })

  it("stores the file with every further fact, in the given order", () => {
    const facts = { yellow_fever: "a certificate", blank_pages: 2, waivers: ["with a visa of another state"] }
    expect(messageOf({ ...condensed, facts })).toBe("taken")
    expect(JSON.stringify(read("second-source/LKA.json").facts)).toBe(JSON.stringify(facts))
  })

  it("removes the rules of an earlier run when the source has changed", () => {
    Result.getOrThrow(run(condensed))
    const [eta, ...others] = condensed.groups
    Result.getOrThrow(run({ ...condensed, groups: [{ ...eta, requirement: "visa-on-arrival" }, ...others] }))
    expect(ask("FRA")).toMatchObject({ requirement: "visa_on_arrival", days: 30, verifiedOn: null })
    expect(ask("IND")).toMatchObject({ requirement: "eta", days: 60 })
  })

  it("counts every pair of the source once", () => {
    Result.getOrThrow(run(condensed))
    const checks = Result.getOrThrow(compareStoredFiles(join(folder, "data")))
    expect(countComparison(checks)).toEqual({
      destinations: 1,
      known: 5,
      byOutcome: { agrees: 1, adds: 1, days: 0, requirement: 2, way: 0, kept: 1, open: 0 },
      taken: 3,
      silent: 0,
      unread: 0,
    })
  })

  it.each([
    [
      "an unknown passport",
      { groups: [{ requirement: "eta", days: 30, passports: "NG XX" }], incomplete: "the rest" },
      'given.json groups[0].passports: "XX" is not the alpha-2 code of a passport.',
    ],
    [
      "a passport listed twice",
      {
        groups: [
          { requirement: "eta", days: 30, passports: "FR NG" },
          { requirement: "evisa", days: 30, passports: "GB FR" },
        ],
        incomplete: "the rest",
      },
      "given.json groups[1].passports: FRA is already in groups[0].",
    ],
    [
      "a passport that is not listed",
      { groups: [...condensed.groups.slice(1), { requirement: "eta", days: 30, passports: "FR GB" }] },
      'given.json groups: IND is in no group, and "incomplete" does not say why.',
    ],
    [
      "no last row",
      { last_row: undefined },
      "given.json last_row: is missing: name the last passport of the source's list that was read.",
    ],
    ["a last row that it did not read", { last_row: "ZW" }, 'given.json last_row: "ZW" is in no group.'],
    [
      "an unknown word",
      { groups: [{ requirement: "covid-ban", days: null, passports: "FR" }] },
      'given.json groups[0].requirement: Expected "freedom-of-movement" | "visa-free" | "eta" | "visa-on-arrival" | "evisa" | "embassy-visa" | "travel-permit" | "banned" | "unconfirmed"',
    ],
    ["a destination without a policy", { destination: "FRA" }, 'given.json destination: "FRA" has no policy.'],
    [
      "a day after the dataset's",
      { policy_source: { ...condensed.policy_source, last_verified: "2026-12-01" } },
      "given.json policy_source.last_verified: 2026-12-01 is after the dataset's day, 2026-11-21.",
    ],
  ])("refuses a file with %s, and writes nothing", (_, changes, message) => {
    const before = readFileSync(join(folder, "data/policies/LKA.json"), "utf8")
    expect(messageOf({ ...condensed, ...changes })).toBe(message)
    expect(readFileSync(join(folder, "data/policies/LKA.json"), "utf8")).toBe(before)
  })

  it("refuses a data folder without the source", () => {
    write("data/sources.json", (files["sources.json"] as { id: string }[]).slice(0, 2))
    expect(messageOf(condensed)).toBe('data/sources.json: a source with the id "travelrequirements" is expected.')
  })
})
