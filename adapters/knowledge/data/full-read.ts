/**
 * What do the files of the extended facts and the catalogues say?
 *
 * Reads all of them and reports every mistake with its file and field: codes, sources and requirements that do not exist,
 * impossible dates, an incomplete catalogue. Files that pass can be compiled.
 */
import { join } from "node:path"
import { Option, Result, Schema } from "effect"
import type { Catalogue, FactField, FactFields, Language } from "../../../src/compiler.ts"
import { isWebAddress, MISSION_KINDS } from "../../../src/compiler.ts"
import { isRequirement, parseCivilDate } from "../../../src/engine.ts"
import { DataError, type FileIssue } from "../../platform/files/data-error.ts"
import { readRecordFile, readRecordFolder } from "../../platform/files/record-files.ts"
import { type BusiestRecord, readBusiest } from "./busiest.ts"
import { readCatalogues } from "./catalogues.ts"
import {
  CityRecord,
  type FactRecord,
  fieldsOf,
  HistoryRecord,
  MissionsRecord,
  SUBJECT_FILES,
  type SubjectFile,
  subjectSchema,
  writeName,
} from "./full-records.ts"
import { type PublishedRecord, readPublished, readTableDays } from "./past-records.ts"
import { CountryRecord, DatasetRecord, SourceRecord } from "./records.ts"

/** Everything that the full dataset is compiled from. */
export interface FullRecords {
  readonly dataset: typeof DatasetRecord.Type
  readonly sources: readonly SourceRecord[]
  readonly countries: readonly CountryRecord[]
  readonly subjects: { readonly [Name in SubjectFile]: readonly FactRecord[] }
  readonly cities: readonly CityRecord[]
  /** The destinations with the most visitors, or null where the folder has no list of them. */
  readonly busiest: BusiestRecord | null
  readonly missions: readonly MissionsRecord[]
  readonly history: readonly HistoryRecord[]
  /** The days of the tables that the history comes from, without copies; none where the folder has no list of them. */
  readonly tableDays: readonly string[]
  /** The lists that authorities published. */
  readonly published: readonly PublishedRecord[]
  readonly catalogues: { readonly [Code in Language]: Catalogue }
}

type Report = (issue: FileIssue) => void

/** Reads all files of a data folder that the full dataset is made from, or fails with every mistake in them. */
export function readFullRecords(folder: string): Result.Result<FullRecords, DataError> {
  const issues: FileIssue[] = []
  const report: Report = issue => issues.push(issue)
  const readList = <A>(name: string, schema: Schema.ConstraintDecoder<readonly A[]>): readonly A[] =>
    Option.getOrElse(readRecordFile(join(folder, name), schema, report), () => [])
  const readFolder = <A>(name: string, schema: Schema.ConstraintDecoder<A>, idOf: (record: A) => string) =>
    readRecordFolder(join(folder, name), schema, idOf, report)
  const unread = { version: "", as_of: "", since: "" }
  const records: FullRecords = {
    dataset: Option.getOrElse(readRecordFile(join(folder, "dataset.json"), DatasetRecord, report), () => unread),
    sources: readList("sources.json", Schema.Array(SourceRecord)),
    countries: readList("countries.json", Schema.Array(CountryRecord)),
    subjects: Object.fromEntries(
      SUBJECT_FILES.map(subject => [subject, readList(`destinations/${subject}.json`, subjectSchema(subject))]),
    ) as FullRecords["subjects"],
    cities: readList("cities.json", Schema.Array(CityRecord)),
    busiest: readBusiest(folder, report),
    missions: readFolder("missions", MissionsRecord, ({ operator }) => operator),
    history: readFolder("history", HistoryRecord, ({ destination }) => destination),
    tableDays: readTableDays(folder, report),
    published: readPublished(folder, report),
    catalogues: readCatalogues(folder, report),
  }
  checkRecords(folder, records, report)
  return issues.length > 0 ? Result.fail(DataError.of(issues)) : Result.succeed(records)
}

// Tables use these words interchangeably for one authorisation, so a difference between tables is not a change.
const WAYS_TO_APPLY: ReadonlySet<string> = new Set(["visa_on_arrival", "e_visa", "eta"])

/** Where a field of a fact has a mistake. */
type Refuse = (field: string, message: string) => void

/** Checks what the schema of a fact leaves open: days, codes, currencies and addresses, at any depth. */
function checkFields(
  fields: FactFields,
  values: Readonly<Record<string, unknown>>,
  check: { readonly refuse: Refuse; readonly code: Refuse; readonly date: Refuse },
  path: (field: string) => string,
): void {
  const checkField = (field: FactField, value: unknown, at: string): void => {
    if (value === undefined) return
    if (field.is === "date") check.date(at, value as string)
    else if (field.is === "code") check.code(at, value as string)
    else if (field.is === "list") for (const item of value as readonly unknown[]) checkField(field.of, item, at)
    else if (field.is === "object")
      checkFields(field.fields, value as Readonly<Record<string, unknown>>, check, () => at)
    else if (field.is === "url" && !isWebAddress(value)) check.refuse(at, ADDRESS_EXPECTED)
    else if (field.is === "money") {
      const { currency } = value as { readonly currency: string }
      if (!/^[A-Z]{3}$/.test(currency)) check.refuse(at, `${currency} is not an ISO 4217 code.`)
    }
  }
  for (const [name, field] of Object.entries(fields)) {
    const written = writeName(name)
    checkField(field, values[written], path(written))
  }
}

const ADDRESS_EXPECTED = "an address that begins with http:// or https:// is expected."

function checkRecords(folder: string, records: FullRecords, report: Report): void {
  const codes = new Set(records.countries.map(({ code }) => code))
  const sources = new Set<string>()
  for (const { id } of records.sources) {
    if (sources.has(id)) report({ file: join(folder, "sources.json"), field: id, message: "is given twice." })
    sources.add(id)
  }
  for (const { id, via } of records.sources) {
    if (via === undefined || sources.has(via)) continue
    report({
      file: join(folder, "sources.json"),
      field: `${id}.via`,
      message: `${via} is not a source of sources.json.`,
    })
  }
  const inFile = (file: string) => {
    const refuse = (field: string, message: string) => report({ file: join(folder, file), field, message })
    return {
      refuse,
      code: (field: string, code: string) =>
        codes.has(code) || refuse(field, `${code} is not a code of countries.json.`),
      source: (field: string, id: string | null) =>
        id === null || sources.has(id) || refuse(field, `${id} is not a source of sources.json.`),
      date: (field: string, date: string | null | undefined) =>
        (date ?? null) === null || parseCivilDate(date) !== null || refuse(field, `${date} is not a calendar date.`),
      requirement: (field: string, word: string) =>
        isRequirement(word) || refuse(field, `${word} is not a requirement.`),
    }
  }
  for (const subject of SUBJECT_FILES) {
    const check = inFile(`destinations/${subject}.json`)
    records.subjects[subject].forEach((fact, row) => {
      if (fact.destinations.length === 0) check.refuse(`[${row}].destinations`, "at least one destination is expected.")
      for (const code of fact.destinations) check.code(`[${row}].destinations`, code)
      for (const code of fact.passports ?? []) check.code(`[${row}].passports`, code)
      for (const word of fact.requirements ?? []) check.requirement(`[${row}].requirements`, word)
      check.source(`[${row}].source`, fact.source)
      for (const field of ["as_of", "verified_on"] as const) check.date(`[${row}].${field}`, fact[field])
      if (fact.source_url !== null && !isWebAddress(fact.source_url)) {
        check.refuse(`[${row}].source_url`, ADDRESS_EXPECTED)
      }
      checkFields(fieldsOf(subject), fact, check, field => `[${row}].${field}`)
    })
  }
  if (records.busiest !== null) {
    const check = inFile("busiest.json")
    check.source("source", records.busiest.source)
    for (const [row, { code }] of records.busiest.destinations.entries()) check.code(`destinations[${row}].code`, code)
  }
  const named = new Set<string>()
  const check = inFile("cities.json")
  records.cities.forEach(({ country, name, source }, row) => {
    check.code(`[${row}].country`, country)
    check.source(`[${row}].source`, source)
    if (named.has(country + name)) check.refuse(`[${row}]`, `${name} in ${country} is given twice.`)
    named.add(country + name)
  })
  for (const { operator, source, as_of, missions } of records.missions) {
    const check = inFile(`missions/${operator}.json`)
    check.code("operator", operator)
    check.source("source", source)
    check.date("as_of", as_of)
    const perHost = Map.groupBy(missions, ({ host }) => host)
    for (const [host, sent] of perHost) {
      if (sent.length >= 36) check.refuse("missions", `${sent.length} missions in ${host}; at most 35 are laid out.`)
    }
    missions.forEach((mission, row) => {
      check.code(`missions[${row}].host`, mission.host)
      if (!(MISSION_KINDS as readonly string[]).includes(mission.kind)) {
        check.refuse(`missions[${row}].kind`, `${mission.kind} is not a kind of mission.`)
      }
      if (mission.website !== undefined && !isWebAddress(mission.website)) {
        check.refuse(`missions[${row}].website`, ADDRESS_EXPECTED)
      }
      if (mission.closed !== undefined) {
        check.source(`missions[${row}].closed.source`, mission.closed.source)
        check.date(`missions[${row}].closed.on`, mission.closed.on)
        check.date(`missions[${row}].closed.as_of`, mission.closed.as_of)
      }
      for (const field of ["city", "website", "phone", "email"] as const) {
        if (mission[field]?.includes("\n")) check.refuse(`missions[${row}].${field}`, "one line is expected.")
      }
    })
  }
  for (const { destination, source, as_of, changes } of records.history) {
    const check = inFile(`history/${destination}.json`)
    check.code("destination", destination)
    check.source("source", source)
    check.date("as_of", as_of)
    changes.forEach((change, row) => {
      check.date(`changes[${row}].on`, change.on)
      check.requirement(`changes[${row}].from`, change.from)
      check.requirement(`changes[${row}].to`, change.to)
      if (change.published === true && change.source === undefined) {
        check.refuse(`changes[${row}]`, "a published change needs a source of its own.")
      }
      if (change.source !== undefined) check.source(`changes[${row}].source`, change.source)
      else if (change.from !== change.to && WAYS_TO_APPLY.has(change.from) && WAYS_TO_APPLY.has(change.to)) {
        check.refuse(`changes[${row}]`, `from ${change.from} to ${change.to} needs a source of its own.`)
      }
      for (const code of change.passports) check.code(`changes[${row}].passports`, code)
    })
  }
}
