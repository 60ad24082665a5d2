/**
 * What do the files of the extended facts and the catalogues say?
 *
 * Reads all of them and reports every mistake with its file and field: codes, sources and requirements that do not exist,
 * impossible dates, an incomplete catalogue. Files that pass can be compiled.
 */
import { existsSync } from "node:fs"
import { join } from "node:path"
import { Option, Result, Schema } from "effect"
import { type Catalogue, isWebAddress, type Language, schemaOf } from "../../src/compiler.ts"
import { isRequirement, parseCivilDate } from "../../src/engine.ts"
import { DataError, type FileIssue } from "../files/data-error.ts"
import { readRecordFile, readRecordFolder } from "../files/record-files.ts"
import { isFields } from "../validation/fields.ts"
import { readCatalogues } from "./catalogues.ts"
import type { DataRecords } from "./data-files.ts"
import {
  camelKeys,
  type FactRecord,
  kindOf,
  MissionsRecord,
  PlacesRecord,
  placesOf,
  readMissions,
  SUBJECT_FILES,
  type SubjectFile,
  subjectSchema,
} from "./file-records.ts"
import { readDataRecords } from "./read-facts.ts"

/** The destinations with the most visitors in one year, the busiest first. */
export const BusiestRecord = Schema.Struct({
  source: Schema.NonEmptyString,
  year: Schema.Int,
  destinations: Schema.Array(Schema.Struct({ code: Schema.NonEmptyString, visitors: Schema.Int })),
})

export type BusiestRecord = typeof BusiestRecord.Type

/** Reads the list of a data folder; null where the folder has none. */
export function readBusiest(folder: string, report: (issue: FileIssue) => void): BusiestRecord | null {
  const path = join(folder, "busiest.json")
  return existsSync(path) ? Option.getOrNull(readRecordFile(path, BusiestRecord, report)) : null
}

/** Everything that the full dataset is compiled from. */
export interface FullRecords extends DataRecords {
  readonly subjects: { readonly [Name in SubjectFile]: readonly FactRecord[] }
  readonly cities: PlacesRecord
  /** The destinations with the most visitors, or null where the folder has no list of them. */
  readonly busiest: BusiestRecord | null
  readonly missions: readonly MissionsRecord[]
  readonly catalogues: { readonly [Code in Language]: Catalogue }
}

type Report = (issue: FileIssue) => void

/** Reads all files of a data folder, or fails with every mistake in those of the pairs, or else in the others. */
export const readFullRecords = (folder: string): Result.Result<FullRecords, DataError> =>
  Result.flatMap(readDataRecords(folder), records => readOthers(folder, records))

/** Reads the files that the full dataset is made from besides those of the pairs. */
export function readOthers(folder: string, pairs: DataRecords): Result.Result<FullRecords, DataError> {
  const issues: FileIssue[] = []
  const report: Report = issue => issues.push(issue)
  const read = <A>(name: string, schema: Schema.ConstraintDecoder<A>, otherwise: A): A =>
    Option.getOrElse(readRecordFile(join(folder, name), schema, report), () => otherwise)
  const records: FullRecords = {
    ...pairs,
    subjects: Object.fromEntries(
      SUBJECT_FILES.map(subject => [subject, read(`destinations/${subject}.json`, subjectSchema(subject), [])]),
    ) as unknown as FullRecords["subjects"],
    cities: read("cities.json", PlacesRecord, { source: null, verified_on: null, places: [] }),
    busiest: readBusiest(folder, report),
    missions: readRecordFolder(join(folder, "missions"), MissionsRecord, ({ operator }) => operator, report),
    catalogues: readCatalogues(folder, report),
  }
  checkRecords(folder, records, report)
  return issues.length > 0 ? Result.fail(DataError.of(issues)) : Result.succeed(records)
}

/** Looks at a text of a field, or says what is wrong with it. */
type Refuse = (field: string, text: string) => void

const ADDRESS_EXPECTED = "an address that begins with http:// or https:// is expected."

const NONE: ReadonlySet<string> = new Set()

function checkRecords(folder: string, records: FullRecords, report: Report): void {
  const codes = new Set(records.countries.map(({ code }) => code))
  const sources = new Set(records.sources.map(({ id }) => id))
  const known = { destinations: codes, passports: codes, sources, blocs: NONE, zones: NONE }
  const inFile = (file: string) => {
    const refuse = (field: string, message: string) => report({ file: join(folder, file), field, message })
    const code: Refuse = (field, given) =>
      codes.has(given) || refuse(field, `${given} is not a code of countries.json.`)
    const source: Refuse = (field, id) => sources.has(id) || refuse(field, `${id} is not a source of sources.json.`)
    const date: Refuse = (field, given) =>
      parseCivilDate(given) !== null || refuse(field, `${given} is not a calendar date.`)
    const requirement: Refuse = (field, word) => isRequirement(word) || refuse(field, `${word} is not a requirement.`)
    const address: Refuse = (field, given) => isWebAddress(given) || refuse(field, ADDRESS_EXPECTED)
    // The kind of a text follows from its key, which is the same in every file.
    const tests: Readonly<Record<string, Refuse>> = {
      ...{ destinations: code, passports: code, destination: code, operator: code, host: code, country: code, code },
      ...{ requirements: requirement, from: requirement, to: requirement, source },
      ...{ as_of: date, verified_on: date, on: date, source_url: address, website: address },
    }
    /** Checks what the schema of a record leaves open, at any depth. */
    const check = (record: unknown, path = ""): void => {
      if (Array.isArray(record)) for (const [at, item] of record.entries()) check(item, `${path}[${at}]`)
      if (!isFields(record)) return
      for (const [key, held] of Object.entries(record)) {
        const field = path === "" ? key : `${path}.${key}`
        const texts = [held].flat().filter(item => typeof item === "string")
        for (const text of texts) tests[key]?.(field, text)
        if (texts.length === 0) check(held, field)
      }
    }
    return { refuse, check }
  }
  const listed = inFile("sources.json")
  records.sources.forEach(({ id }, row) => {
    if (records.sources.findIndex(source => source.id === id) < row) listed.refuse(id, "is given twice.")
  })
  for (const { id, via } of records.sources) {
    const isKnown = via === undefined || sources.has(via)
    if (!isKnown) listed.refuse(`${id}.via`, `${via} is not a source of sources.json.`)
  }
  for (const subject of SUBJECT_FILES) {
    const { refuse, check } = inFile(`destinations/${subject}.json`)
    const value = kindOf(subject)
    const own = Object.keys(schemaOf(value).properties ?? {})
    records.subjects[subject].forEach((fact, row) => {
      if (fact.destinations.length === 0) refuse(`[${row}].destinations`, "at least one destination is expected.")
      check(Object.fromEntries(Object.entries(fact).filter(([key]) => !own.includes(key))), `[${row}]`)
      value.check(camelKeys(fact), `[${row}]`, (_, field, message) => refuse(field, message), known)
    })
  }
  if (records.busiest !== null) inFile("busiest.json").check(records.busiest)
  const named = new Set<string>()
  const cities = inFile("cities.json")
  cities.check(records.cities)
  for (const { country, name } of placesOf(records.cities)) {
    if (named.has(country + name)) cities.refuse(`${country}`, `${name} in ${country} is given twice.`)
    named.add(country + name)
  }
  for (const record of records.missions) {
    const { refuse, check } = inFile(`missions/${record.operator}.json`)
    check(record)
    const missions = readMissions([record], records.countries)
    for (const [host, sent] of Map.groupBy(missions, ({ host }) => host)) {
      if (sent.length >= 36) refuse("missions", `${sent.length} missions in ${host}; at most 35 are laid out.`)
    }
    for (const mission of missions) {
      for (const field of ["city", "website", "phone", "email"] as const) {
        if (mission[field]?.includes("\n"))
          refuse(`${mission.kind} in ${mission.host}`, `${field}: one line is expected.`)
      }
    }
  }
}
