/**
 * Which files make a dataset, what does each contain, and how are its rows sorted?
 *
 * There is one row for each file, or for each folder of files with one record each. Reading, checking and formatting use this table, so
 * they cover the same files.
 */
import { existsSync } from "node:fs"
import { join } from "node:path"
import { Option, Schema } from "effect"
import { type FiledKind, PROVISION_KINDS, PROVISIONS } from "../../src/compiler.ts"
import type { FileIssue } from "../files/data-error.ts"
import { readRecordFile, readRecordFolder } from "../files/record-files.ts"
import { isFields } from "../validation/fields.ts"
import { AdditionRecord, ClaimsRecord, spellClaims, TablesRecord, TreatyRecord } from "./claim-records.ts"
import { DUTY_FILES, type DutyFile } from "./duty-facts.ts"
import {
  BlocRecord,
  BusiestRecord,
  CountryRecord,
  DatasetRecord,
  factSchema,
  PassportRecord,
  type ProvisionRecord,
  provisionRecord,
  ReadingNotesRecord,
  SourceRecord,
} from "./file-records.ts"

type Decoder<A> = Schema.ConstraintDecoder<A>

/** A file with one record, and one that may be missing. */
const one = <A>(name: string, schema: Decoder<A>) => ({ kind: "one", name, schema, isOptional: false }) as const
const optionalOne = <A>(name: string, schema: Decoder<A>) =>
  ({ kind: "one", name, schema: schema as Decoder<A | null>, isOptional: true }) as const

/** A file with rows, and one that may be missing. */
const rows = <A>(name: string, schema: Decoder<A>, sortKey?: (row: A) => string, isOptional = false) =>
  ({ kind: "rows", name, schema, sortKey, isOptional }) as const
const optionalRows = <A>(name: string, schema: Decoder<A>, sortKey?: (row: A) => string) =>
  rows(name, schema, sortKey, true)

const folder = <A>(name: string, schema: Decoder<A>, idOf: (record: A) => string) =>
  ({ kind: "folder", name, schema, idOf }) as const

/** A file of the full dataset, which is only read here, and may be missing. */
const facts = (subject: DutyFile) =>
  ({ kind: "facts", name: `destinations/${subject}.json`, schema: factSchema(subject), isOptional: true }) as const

const firstDestination = ({ destinations: [first = ""] }: ProvisionRecord) => first

/** The file of each kind of provision; the order of validity and transit rules has a meaning. */
const PROVISION_FILES = Object.fromEntries(
  PROVISION_KINDS.map(of => {
    const sortKey = of === "validity" || of === "transit" ? undefined : firstDestination
    return [of, optionalRows(PROVISIONS[of].file, provisionRecord(of), sortKey)]
  }),
) as Readonly<Record<FiledKind, ReturnType<typeof optionalRows<ProvisionRecord>>>>

/** Every file and folder, by the name of its records. */
const DATA_FILES = {
  dataset: one("dataset.json", DatasetRecord),
  sources: rows("sources.json", SourceRecord, ({ id }) => id),
  busiest: optionalOne("busiest.json", BusiestRecord),
  countries: rows("countries.json", CountryRecord, ({ code }) => code),
  passports: rows("passports.json", PassportRecord, ({ code }) => code),
  blocs: folder("blocs", BlocRecord, ({ id }) => id),
  tables: one("tables.json", TablesRecord),
  treaties: optionalRows("treaties.json", TreatyRecord, ({ id }) => id),
  claims: folder("claims", ClaimsRecord, ({ destination }) => destination),
  additions: folder("additions", AdditionRecord, ({ id }) => id),
  zones: folder("zones", provisionRecord("zones"), ({ id }) => String(id)),
  ...PROVISION_FILES,
  ...(Object.fromEntries(DUTY_FILES.map(file => [file, facts(file)])) as Readonly<
    Record<DutyFile, ReturnType<typeof facts>>
  >),
  readingNotes: optionalRows("reading-notes.json", ReadingNotesRecord, ({ destination }) => destination),
} as const

type Files = typeof DATA_FILES
type RecordOf<File> = File extends { readonly schema: Decoder<infer A> } ? A : never

/** Every record of `data/`, as written. */
export type DataFiles = {
  readonly [Name in keyof Files]: Files[Name]["kind"] extends "one"
    ? RecordOf<Files[Name]>
    : readonly RecordOf<Files[Name]>[]
}

/** The records as they are understood: every list with its codes, and added claims where they count. */
export interface DataRecords extends DataFiles {
  readonly files: DataFiles
}

/** One of the files without the type of its records. */
type AnyFile =
  | ReturnType<typeof one<unknown>>
  | ReturnType<typeof optionalOne<unknown>>
  | ReturnType<typeof rows<never>>
  | ReturnType<typeof folder<never>>
  | ReturnType<typeof facts>

const FILES = Object.entries(DATA_FILES) as unknown as readonly (readonly [keyof Files, AnyFile])[]

/** Reads all files of a data folder, and reports every mistake; without one, the records are whole. */
export function readDataFiles(place: string, report: (issue: FileIssue) => void): DataFiles {
  const read = (file: AnyFile) => {
    const path = join(place, file.name)
    if (file.kind === "folder") return readRecordFolder(path, file.schema, file.idOf, report)
    if (file.isOptional && !existsSync(path)) return file.kind === "one" ? null : []
    if (file.kind === "one") return Option.getOrNull(readRecordFile(path, file.schema, report))
    return Option.getOrElse(readRecordFile(path, Schema.Array(file.schema), report), () => [])
  }
  return Object.fromEntries(FILES.map(([name, file]) => [name, read(file)])) as unknown as DataFiles
}

/** Added claims of a destination. */
const additionsTo = ({ additions }: DataFiles, destination: string) =>
  additions.filter(addition => addition.destination === destination)

/** The records of files that were read without a mistake; the dataset is named after the newest reading of an added claim. */
export function toRecords(files: DataFiles): DataRecords {
  const { additions, dataset, passports } = files
  const read = additions.flatMap(({ pages }) => Object.values(pages).flatMap(page => page.read ?? []))
  const asOf = [dataset.as_of, ...read].sort().at(-1) as string
  const codes = passports.map(({ code }) => code)
  return {
    ...files,
    files,
    dataset: asOf === dataset.as_of ? dataset : { ...dataset, version: asOf.replaceAll("-", "."), as_of: asOf },
    claims: files.claims.map(record => {
      const added = additionsTo(files, record.destination)
      const { claims, ...spelled } = spellClaims(record, codes)
      const pages = Object.assign({}, record.pages, ...added.map(addition => addition.pages))
      return { ...spelled, pages, claims: [...claims, ...added.flatMap(addition => addition.claims)] }
    }),
  }
}

/** A place in the records: the file without its ending, and the field in it. */
export interface Place {
  readonly record: string
  readonly field: string
}

/** Where a field of a destination's claims stands: in its own file, or in that of an added claim. */
export function placeClaim({ files }: DataRecords, { record, field }: Place): Place {
  const destination = record.replace("claims/", "")
  const [, row, rest] = /^claims\[(\d+)(\].*)$/.exec(field) ?? []
  let first = files.claims.find(one => one.destination === destination)?.claims.length ?? 0
  for (const { id, pages, claims } of additionsTo(files, destination)) {
    const isPage = Object.keys(pages).some(name => `${field}.`.startsWith(`pages.${name}.`))
    if (isPage) return { record: `additions/${id}`, field }
    const at = Number(row) - first
    if (at >= 0 && at < claims.length) return { record: `additions/${id}`, field: `claims[${at}${rest}` }
    first += claims.length
  }
  return { record, field }
}

/** A file below the data folder. */
export interface DataFile {
  readonly name: string
  readonly schema: Schema.Constraint
  readonly record: unknown
  /** The sort key of its rows; absent if their order has a meaning. */
  readonly sortKey?: ((row: never) => string) | undefined
}

/** Lists the files; an optional one without rows is left out. */
export const listDataFiles = (files: DataFiles): readonly DataFile[] =>
  FILES.flatMap(([of, file]): readonly DataFile[] => {
    const { name, schema, kind } = file
    const record: unknown = files[of]
    if (kind === "facts") return []
    if (kind === "one") return record === null ? [] : [{ name, schema, record }]
    const all = record as readonly never[]
    if (kind === "folder") return all.map(each => ({ name: `${name}/${file.idOf(each)}.json`, schema, record: each }))
    return file.isOptional && all.length === 0
      ? []
      : [{ name, schema: Schema.Array(schema), record, sortKey: file.sortKey }]
  })

/** Lists of codes whose order says nothing, and which are sorted. */
const CODES = new Set(["passports", "except", "destinations", "silent", "issuers", "states"])

type Row = Readonly<Record<string, unknown>>

const codeOf = ({ code }: Row): string => String(code)

const compareTexts = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)

/** The record of a file with sorted rows, members and codes; no value is changed. */
export function sortRecord({ record, sortKey }: DataFile): unknown {
  const sort = <Item>(items: readonly Item[], keyOf: (item: Item) => string) =>
    items.toSorted((a, b) => compareTexts(keyOf(a), keyOf(b)))
  const sortHeld = ([key, held]: readonly [string, unknown]): unknown => {
    if (key === "who" && typeof held === "string") return sort(held.split(" "), String).join(" ")
    if (Array.isArray(held) && CODES.has(key)) return sort(held, String)
    return Array.isArray(held) && key === "members" ? sort<Row>(held, codeOf) : sortLists(held)
  }
  const sortLists = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(sortLists)
    if (!isFields(value)) return value
    return Object.fromEntries(Object.entries(value).map(entry => [entry[0], sortHeld(entry)]))
  }
  const sorted = sortLists(record)
  return sortKey === undefined ? sorted : sort(sorted as readonly never[], sortKey)
}
