/**
 * Imports a folder of dated tables into `data/past/`.
 *
 * The name of a file is the day of its table, `2023-12-03.csv`, or the day and the version of the source that holds it,
 * `2023-12-03.72a4edf.csv`. It is the day on which the table was published, not that of a commit or of a law. The folder must contain every
 * table that was imported before, so the same folder always gives the same files. Nothing is written unless every table was read.
 *
 * Tables before 2020-11-19 use other words (they call a visa on arrival eTA) and are left out. A table with the same pairs as the previous
 * one proves nothing; it is left out too and marked as a copy.
 */
import { mkdirSync, readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { Option, Result, Schema } from "effect"
import type { PastWord } from "../../src/compiler.ts"
import { parseCivilDate } from "../../src/engine.ts"
import { DataError, type FileIssue, onFile, refuseFile } from "../files/data-error.ts"
import { describeFileError } from "../files/file-errors.ts"
import { findChangedFiles, type RecordFile, readRecordFile, writeRecordFiles } from "../files/record-files.ts"
import { CountryRecord, PassportRecord, SourceRecord } from "./file-records.ts"
import { parseTableOf, REQUIREMENT_BY_WORD } from "./import-table.ts"
import { PAST_FOLDER, SeenRecord, TablesRecord } from "./past-records.ts"

/** The first table whose words are those of today, but for e-visa and eTA. */
const FIRST_ON = "2020-11-19"
/** The day of the first table that distinguishes e-visa and eTA. */
const TOLD_APART_ON = "2025-01-12"
/** A value that is replaced by the previous one within this many days counts as temporary. */
const PASSING_DAYS = 30

// The electronic visa waiver of the United Kingdom, of four passports until 2021, is what is called an eTA today.
const PAST_WORDS: ReadonlyMap<string, PastWord> = new Map<string, PastWord>([
  ...REQUIREMENT_BY_WORD,
  ["covid ban", "covid_ban"],
  ["hayya entry permit", "hayya_permit"],
  ["evw", "eta"],
])

const EARLY_WORDS: ReadonlyMap<string, PastWord> = new Map([...PAST_WORDS, ["e-visa", "e_visa_or_eta"]])

/** A table, its day and the version of the source that holds it. */
export interface DatedFile {
  readonly file: string
  readonly on: string
  readonly commit: string | null
}

/** By pair: a value as `word days`. */
type Values = ReadonlyMap<string, string>

interface DatedTable extends DatedFile {
  readonly values: Values
}

/** Imports the dated tables of a folder into a data folder. If it fails, nothing was written, or only a part if the file system failed in the middle. */
export function importHistoryFolder(options: {
  readonly from: string
  readonly folder: string
  readonly source: string
  readonly dryRun?: boolean
}) {
  return Result.gen(function* () {
    const { from, folder, source, dryRun = false } = options
    const { recorded, sources } = yield* readKnown(folder)
    if (!sources.has(source)) {
      return yield* refuseFile(join(folder, "sources.json"), `"${source}" stands in no record.`)
    }
    const files = yield* listDatedFiles(from)
    const used = files.filter(({ on }) => on >= FIRST_ON)
    const missing = findMissing(folder, used)
    if (missing !== null) return yield* refuseFile(from, missing)
    const tables: DatedTable[] = []
    const issues: FileIssue[] = []
    for (const dated of used) {
      const values = readValues(join(from, dated.file), dated.on, recorded)
      if (Result.isSuccess(values)) tables.push({ ...dated, values: values.success })
      else issues.push({ file: join(from, dated.file), field: "", message: values.failure })
    }
    if (issues.length > 0) return yield* Result.fail(DataError.of(issues))
    const isCopy = (at: number) =>
      at > 0 && isSame((tables[at] as DatedTable).values, (tables[at - 1] as DatedTable).values)
    const copies = new Set(tables.filter((_, at) => isCopy(at)).map(({ on }) => on))
    const kept = tables.filter(({ on }) => !copies.has(on))
    const recordFiles = writeRecords(folder, { source, tables, copies, kept })
    const changedFiles = yield* onFile(join(folder, PAST_FOLDER), () => {
      if (dryRun) return findChangedFiles(recordFiles)
      mkdirSync(join(folder, PAST_FOLDER, "seen"), { recursive: true })
      return writeRecordFiles(recordFiles)
    })
    return {
      /** The days of the tables that are used, and of those with the same pairs as the one before. */
      tables: kept.map(({ on }) => on),
      copies: [...copies],
      /** Files of tables that are too old. */
      tooOld: files.filter(({ on }) => on < FIRST_ON).map(({ file }) => file),
      pairs: new Set(kept.flatMap(({ values }) => [...values.keys()])).size,
      destinations: recordFiles.length - 1,
      ...countChanges(kept),
      written: !dryRun,
      changedFiles,
      source,
    }
  })
}

/** Reads which codes and sources there are. */
function readKnown(folder: string) {
  const issues: FileIssue[] = []
  const read = <A>(name: string, schema: Schema.ConstraintDecoder<A>): readonly A[] =>
    Option.getOrElse(
      readRecordFile(join(folder, name), Schema.Array(schema), issue => issues.push(issue)),
      () => [],
    )
  const passports = new Set(read("passports.json", PassportRecord).map(({ code }) => code))
  const destinations = new Set(read("countries.json", CountryRecord).map(({ code }) => code))
  const sources = new Set(read("sources.json", SourceRecord).map(({ id }) => id))
  if (issues.length > 0) return Result.fail(DataError.of(issues))
  return Result.succeed({ sources, recorded: { passports, destinations } })
}

/** Lists the dated tables of a folder by their days, or names every file whose name has none. */
export function listDatedFiles(from: string): Result.Result<readonly DatedFile[], DataError> {
  let names: readonly string[]
  try {
    names = readdirSync(from).filter(name => name.endsWith(".csv"))
  } catch (cause) {
    return refuseFile(from || '""', describeFileError(cause))
  }
  if (names.length === 0) return refuseFile(from, "holds no .csv file.")
  const issues: FileIssue[] = []
  const files: DatedFile[] = []
  for (const file of [...names].sort()) {
    const [, on = "", commit = null] = /^(\d{4}-\d\d-\d\d)(?:\.([0-9a-f]{7,40}))?\.csv$/.exec(file) ?? []
    const twin = files.find(other => other.on === on)
    if (parseCivilDate(on) === null) {
      const message = "the name has no day: YYYY-MM-DD.csv or YYYY-MM-DD.COMMIT.csv is expected."
      issues.push({ file: join(from, file), field: "", message })
    } else if (twin !== undefined) {
      issues.push({ file: join(from, file), field: "", message: `${twin.file} is a table of the same day.` })
    } else files.push({ file, on, commit })
  }
  return issues.length > 0 ? Result.fail(DataError.of(issues)) : Result.succeed(files)
}

// Finds tables that were imported before and are not in the folder: they would be lost.
function findMissing(folder: string, used: readonly DatedFile[]): string | null {
  const known = Option.getOrNull(
    readRecordFile(join(folder, PAST_FOLDER, "tables.json"), TablesRecord, () => undefined),
  )
  const days = new Set(used.map(({ on }) => on))
  const missing = (known?.tables ?? []).filter(({ on }) => !days.has(on)).map(({ on }) => on)
  if (missing.length > 0) return `the tables of ${missing.join(", ")} were imported before and are not here.`
  return used.length === 0 ? `no table is of ${FIRST_ON} or later: older ones use other words.` : null
}

function readValues(
  path: string,
  on: string,
  recorded: { readonly passports: ReadonlySet<string>; readonly destinations: ReadonlySet<string> },
): Result.Result<Values, string> {
  let text: string
  try {
    text = readFileSync(path, "utf8")
  } catch (cause) {
    return Result.fail(describeFileError(cause))
  }
  const words = on < TOLD_APART_ON ? EARLY_WORDS : PAST_WORDS
  return Result.map(parseTableOf(text, words, recorded), ({ pairs }) => {
    return new Map(pairs.map(pair => [pair.passport + pair.destination, `${pair.requirement} ${pair.days ?? ""}`]))
  })
}

function isSame(a: Values, b: Values): boolean {
  if (a.size !== b.size) return false
  for (const [pair, value] of a) if (b.get(pair) !== value) return false
  return true
}

/** What to write, and its input. */
interface Imported {
  readonly source: string
  readonly tables: readonly DatedTable[]
  readonly copies: ReadonlySet<string>
  readonly kept: readonly DatedTable[]
}

function writeRecords(folder: string, { source, tables, copies, kept }: Imported): readonly RecordFile[] {
  const list = tables.map(({ on, commit }) => ({
    on,
    ...(commit === null ? {} : { commit }),
    ...(copies.has(on) ? { copy: true } : {}),
  }))
  const past = join(folder, PAST_FOLDER)
  const changes = kept.flatMap((table, at) => listChanges(table, kept[at - 1]?.values ?? new Map()))
  return [
    {
      path: join(past, "tables.json"),
      schema: TablesRecord,
      record: { source, verified_on: null, tables: list } satisfies TablesRecord,
    },
    ...[...Map.groupBy(changes, ({ destination }) => destination)].sort().map(([destination, rows]) => ({
      path: join(past, "seen", `${destination}.json`),
      schema: SeenRecord,
      record: { destination, changes: rows.map(({ destination: _, ...change }) => change) } satisfies SeenRecord,
    })),
  ]
}

// One row for all passports of a destination with the same new value.
function listChanges({ on, values }: DatedTable, before: Values) {
  const nowOf = (pair: string) => values.get(pair) ?? ""
  const changed = [...new Set([...before.keys(), ...values.keys()])].filter(
    pair => nowOf(pair) !== (before.get(pair) ?? ""),
  )
  return [...Map.groupBy(changed, pair => `${pair.slice(3)} ${nowOf(pair)}`)]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, pairs]) => {
      const [destination = "", word = "", days = ""] = key.split(" ")
      return {
        destination,
        on,
        word: word === "" ? null : (word as PastWord),
        ...(days === "" ? {} : { days: Number(days) }),
        passports: pairs
          .map(pair => pair.slice(0, 3))
          .sort()
          .join(" "),
      }
    })
}

function countChanges(kept: readonly DatedTable[]) {
  const counts = { changes: 0, passing: 0, passingBans: 0 }
  const last = new Map<string, { readonly day: number; readonly was: string }>()
  kept.forEach(({ values, on }, at) => {
    const before = kept[at - 1]?.values ?? values
    const day = parseCivilDate(on) as number
    for (const [pair, value] of values) {
      const was = before.get(pair) ?? ""
      if (value === was || isToldApart(was, value)) continue
      const earlier = last.get(pair)
      counts.changes++
      last.set(pair, { day, was })
      if (earlier === undefined || earlier.was !== value || day - earlier.day > PASSING_DAYS) continue
      counts.passing++
      if (`${was}${value}`.includes("covid_ban")) counts.passingBans++
    }
  })
  return counts
}

// From one word for e-visa and eTA to one of the two: no change was seen.
const isToldApart = (was: string, value: string): boolean => was === "e_visa_or_eta " && /^(e_visa|eta) $/.test(value)
