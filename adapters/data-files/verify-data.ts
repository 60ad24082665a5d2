/**
 * Is everything in `data/` sound, and how far does it reach?
 *
 * Reads and compiles every fact, checks that each file is written as the project writes files, and counts coverage and
 * staleness. It never repairs anything.
 */
import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { Result } from "effect"
import { compileFacts } from "../../src/compiler.ts"
import { type Dataset, openParts } from "../../src/engine.ts"
import { openFullFacts, openHistory, openLocale, openLocalisedFacts, openMissions } from "../../src/full.ts"
import { DataError, type FileIssue, refuseFile } from "../files/data-error.ts"
import { formatRecord } from "../files/record-files.ts"
import { listTableDays } from "./claim-records.ts"
import { type DataFile, type DataRecords, listDataFiles, sortRecord } from "./data-files.ts"
import { countCoverage, measureFreshness } from "./freshness.ts"
import { compileFullFacts, compileHistory, compileMissions } from "./full-compile.ts"
import { measureFullCoverage } from "./full-coverage.ts"
import { type FullRecords, readOthers } from "./full-read.ts"
import { nameFiles, nameLine, placeRules, readDataRecords, toFacts } from "./read-facts.ts"

/** What a data folder without mistakes has. */
export type DataReport = ReturnType<typeof verifyData> extends Result.Result<infer Report, unknown> ? Report : never

/** Checks a data folder whole, today: the report, as of a day or of the dataset's own, or every mistake in it. */
export function verifyData(folder: string, { today, on }: { readonly today: string; readonly on?: string }) {
  return Result.gen(function* () {
    const records = yield* readDataRecords(folder)
    const full = yield* readOthers(folder, records)
    const files = listDataFiles(records.files)
    const issues: FileIssue[] = []
    const report: Report = (name, field, message) => issues.push({ file: join(folder, name), field, message })
    findUnformatted(folder, files, report)
    findConfirmedLater(files, records.dataset.as_of, report)
    findReadLater(records, today, (name, field, message) =>
      issues.push(nameLine({ file: join(folder, name), field, message })),
    )
    findMissing(records, report)
    findUnlicensed(folder, records, report)
    const facts = toFacts(records)
    const compiled = compileFacts(facts)
    if (!compiled.ok) issues.push(...nameFiles(folder, compiled.error, records).issues)
    if (issues.length > 0 || !compiled.ok) return yield* Result.fail(DataError.of(issues))
    const dataset = openParts(compiled.value)
    if (!dataset.ok) return yield* refuseFile(folder, dataset.error.message)
    return {
      /** How many pairs have each field of the full record. */
      fields: measureFullCoverage(openFacts(dataset.value, full)),
      coverage: countCoverage(dataset.value),
      /** Rules that end, data that may be stale, and second sources. */
      freshness: measureFreshness(dataset.value, facts, on, placeRules(records)),
      pairs: dataset.value.pairs.length,
      claims: records.claims.reduce((sum, { claims }) => sum + claims.length, 0),
      pages: records.claims.reduce((sum, { pages }) => sum + Object.keys(pages).length, 0),
      tables: listTableDays(records.tables).length,
      sources: records.sources.length,
      asOf: records.dataset.as_of,
    }
  })
}

function openFacts(dataset: Dataset, records: FullRecords) {
  const facts = openFullFacts(compileFullFacts(records))
  return openLocalisedFacts({
    dataset,
    facts,
    locale: openLocale("en", records.catalogues.en, facts.alpha2Of),
    missions: openMissions(compileMissions(records)),
    history: openHistory(compileHistory(records)),
  })
}

type Report = (name: string, field: string, message: string) => void

// A day of verification in the future would make a rule count as fresh until then.
function findConfirmedLater(files: readonly DataFile[], asOf: string, report: Report): void {
  for (const { name, record } of files) {
    for (const { on, field } of listConfirmations(record, "")) {
      if (on > asOf) report(name, field, `${on} is after the dataset's day, ${asOf}.`)
    }
  }
}

// The text of an agreement may be read after the dataset's day, which it is no evidence of, but not after today.
function findReadLater({ treaties }: DataRecords, today: string, report: Report): void {
  treaties.forEach(({ read_on: on }, row) => {
    const message = `${on} is after today, ${today}: a page cannot have been read then.`
    if (on > today) report("treaties.json", `[${row}].read_on`, message)
  })
}

function listConfirmations(value: unknown, path: string): { readonly field: string; readonly on: string }[] {
  if (typeof value !== "object" || value === null) return []
  return Object.entries(value).flatMap(([key, held]) => {
    const field = Array.isArray(value) ? `${path}[${key}]` : path === "" ? key : `${path}.${key}`
    return key === "verified_on" && typeof held === "string" ? [{ field, on: held }] : listConfirmations(held, field)
  })
}

// Writing what was read must change no byte, so that every later diff shows facts only.
function findUnformatted(folder: string, files: readonly DataFile[], report: Report): void {
  const message =
    "is not as landfall data format writes it: rows and keys in order, two spaces, lines of 120 characters."
  for (const file of files) {
    const written = formatRecord(file.schema, sortRecord(file))
    if (readFileSync(join(folder, file.name), "utf8") !== written) report(file.name, "", message)
  }
}

// Users who redistribute the data need its terms: each licence is in the notices, and a missing one has its reason.
function findUnlicensed(folder: string, { sources }: DataRecords, report: Report): void {
  const notices = readNotices(folder)
  for (const { id, licence, licence_reason: reason } of sources) {
    if (licence === null && reason === undefined) {
      const message = `${id} has no licence, and "licence_reason" does not say why none is needed.`
      report("sources.json", "licence", message)
    }
    for (const name of licence?.split("; ") ?? []) {
      if (notices.includes(shortenLicence(name))) continue
      report("sources.json", "licence", `${id} is under "${name}", which LICENSES.md does not name.`)
    }
  }
}

function readNotices(folder: string): string {
  const path = join(folder, "LICENSES.md")
  return existsSync(path) ? readFileSync(path, "utf8").replace(/\s+/g, " ").toLowerCase() : ""
}

// "reuse with attribution (Decision 2011/833/EU)" is identified by the text in brackets.
function shortenLicence(name: string): string {
  return name
    .replace(/^.*\(([^(]*)\)$/, "$1")
    .replace("Canada, ", "")
    .toLowerCase()
}

function findMissing({ countries, passports, blocs, claims, sources }: DataRecords, report: Report): void {
  for (const { code } of countries) {
    if (claims.some(({ destination }) => destination === code)) continue
    report(`claims/${code}.json`, "", "is missing: every destination has a file of claims.")
  }
  const sourced = [
    ...countries.map(({ code, source, gdp_source: gdp, population_source: population }) => {
      return { name: `countries.json ${code}`, named: [source, gdp, population] }
    }),
    ...passports.map(({ code, source }) => ({ name: `passports.json ${code}`, named: [source] })),
    ...blocs.map(({ id, source }) => ({ name: `blocs/${id}.json`, named: [source] })),
  ]
  for (const { name, named } of sourced) {
    for (const id of named) {
      if (id == null || sources.some(source => source.id === id)) continue
      report(name, "source", `"${id}" is not an id of sources.json.`)
    }
  }
}
