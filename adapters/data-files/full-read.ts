/**
 * What do the files of the extended facts and the catalogues say?
 *
 * Reads all of them and reports every mistake with its file and field: codes, sources and requirements that do not exist,
 * impossible dates, an incomplete catalogue. Files that pass can be compiled.
 */
import { join } from "node:path"
import { Option, Result, Schema } from "effect"
import {
  type Catalogue,
  isWebAddress,
  LANGUAGES,
  type Language,
  listEnglishTexts,
  listMessages,
  listPlaceholders,
  schemaOf,
} from "../../src/compiler.ts"
import { isRequirement, parseCivilDate } from "../../src/engine.ts"
import { DataError, type FileIssue } from "../files/data-error.ts"
import { listJsonFiles, readRecordFile, readRecordFolder } from "../files/record-files.ts"
import { isFields } from "../validation/fields.ts"
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

/** Everything that the full dataset is compiled from. */
export interface FullRecords extends DataRecords {
  readonly subjects: { readonly [Name in SubjectFile]: readonly FactRecord[] }
  readonly cities: PlacesRecord
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

// Is a catalogue of messages complete: every key, every placeholder, every plural form of its language? A catalogue is
// `data/locales/<language>.json`, keys in the order of the engine's list. A form may leave its number out where the language says it by the
// form itself (one, two, none); `other` may not. The English sentences about issues stand in the engine.

const SPELLED_OUT = new Set(["zero", "one", "two"])

/** Checks one catalogue and reports every mistake by its key. */
export function checkCatalogue(language: Language, catalogue: unknown, report: Refuse): void {
  if (!isFields(catalogue)) {
    report("", "an object of messages is expected.")
    return
  }
  const messages = listMessages()
  const ofParts = Object.entries(catalogue).filter(([name]) => name.startsWith("part."))
  const parts = Object.fromEntries(ofParts.map(([name, part]) => [name.slice(5), part]))
  const check = (field: string, text: unknown, needed: readonly string[], allowed: readonly string[]) =>
    checkText(field, text, { needed, allowed, parts: isSentence(field) ? parts : null }, report)
  for (const key of Object.keys(catalogue)) {
    if (!Object.hasOwn(messages, key)) report(key, "no such message is known.")
  }
  for (const [key, placeholders] of Object.entries<readonly string[]>(messages)) {
    const names = placeholders.map(name => name.replace("#", "")).sort()
    const counted = placeholders.find(name => name.startsWith("#"))?.slice(1)
    const text = catalogue[key]
    if (!Object.hasOwn(catalogue, key)) report(key, "the message is missing.")
    // `message` is an English text of the lookup, which others do not repeat, and a document is named by its issuer.
    else if (isSentence(key))
      check(
        key,
        text,
        placeholders.filter(name => name !== "message"),
        placeholders,
      )
    else if (counted === undefined) check(key, text, names, names)
    else if (typeof text !== "object" || text === null) report(key, "an object of plural forms is expected.")
    else {
      const categories: readonly string[] = new Intl.PluralRules(language).resolvedOptions().pluralCategories
      for (const category of categories) {
        if (!Object.hasOwn(text, category)) report(`${key}.${category}`, "the plural form is missing.")
      }
      for (const [category, form] of Object.entries(text)) {
        if (!categories.includes(category)) report(`${key}.${category}`, "the language has no such form.")
        const needed = SPELLED_OUT.has(category) ? names.filter(name => name !== counted) : names
        check(`${key}.${category}`, form, needed, names)
      }
    }
  }
}

/** Says whether a message belongs to the sentences about issues, which write the parameters that the English ones write. */
export const isSentence = (key: string): boolean => /^(issue|part|check)\./.test(key)

interface Placeholders {
  readonly needed: readonly string[]
  readonly allowed: readonly string[]
  /** The parts that a sentence may include; null for other texts. */
  readonly parts: Readonly<Record<string, unknown>> | null
}

function checkText(field: string, text: unknown, { needed, allowed, parts }: Placeholders, report: Refuse): void {
  const isTrimmed = typeof text === "string" && text.trim() !== "" && text === text.trim()
  if (typeof text !== "string" || !(isTrimmed || field.startsWith("part."))) {
    report(field, "a text without blanks around it is expected.")
    return
  }
  const inBraces = () => [...text.matchAll(/\{([^{}]*)\}/g)].map(match => match[1] as string)
  const used = parts === null ? inBraces() : listPlaceholders(text, parts)
  if (used === null) {
    report(field, "a brace or a bracket is left open, or a part is unknown.")
    return
  }
  for (const name of needed) if (!used.includes(name)) report(field, `{${name}} is missing.`)
  for (const name of used) if (!allowed.includes(name)) report(field, `{${name}} is not a placeholder of this message.`)
  const isOpen = parts === null && /[{}]/.test(text.replaceAll(/\{[^{}]*\}/g, ""))
  if (isOpen) report(field, "a brace is left open.")
}

/** Adds the English sentences about issues, which are in no file. */
export const completeEnglish = (catalogue: unknown): unknown =>
  isFields(catalogue) ? { ...catalogue, ...listEnglishTexts() } : catalogue

/** Reads every catalogue of a data folder and reports every mistake; a missing language is a mistake. */
function readCatalogues(folder: string, report: Report): { readonly [Code in Language]: Catalogue } {
  const directory = join(folder, "locales")
  for (const file of listJsonFiles(directory, report)) {
    if (!LANGUAGES.some(language => `${language}.json` === file)) {
      report({ file: join(directory, file), field: "", message: "is not a language of the service." })
    }
  }
  const catalogues = LANGUAGES.map(language => {
    const file = join(directory, `${language}.json`)
    const read = readRecordFile(file, Schema.Unknown, report)
    if (Option.isNone(read)) return [language, {}]
    const catalogue = language === "en" ? completeEnglish(read.value) : read.value
    checkCatalogue(language, catalogue, (field, message) => report({ file, field, message }))
    return [language, catalogue]
  })
  return Object.fromEntries(catalogues) as { readonly [Code in Language]: Catalogue }
}
