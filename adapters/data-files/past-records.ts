/**
 * What is the form of the files of `data/past/`?
 *
 * `tables.json` lists the dated tables that were read, including copies of the previous one. `seen/` has a file for each destination, in
 * which a row says in which table a value is first seen and for whom; a newer table adds rows and changes none. `published/` has the lists
 * of an authority, with the day on which each was published. Codes are one text, separated by blanks.
 */
import { existsSync } from "node:fs"
import { join } from "node:path"
import { Option, Result, Schema } from "effect"
import { type HistorySeriesFacts, PAST_WORDS, type PastWord } from "../../src/compiler.ts"
import { isCode, parseCivilDate } from "../../src/engine.ts"
import { DataError, type FileIssue } from "../files/data-error.ts"
import { readRecordFile, readRecordFolder } from "../files/record-files.ts"
import { SourceRecord } from "./file-records.ts"

const Text = Schema.NonEmptyString
const MaybeText = Schema.NullOr(Text)
const OptionalText = Schema.optionalKey(Text)

/** The tables, in the order of their days. */
export const TablesRecord = Schema.Struct({
  source: Text,
  verified_on: MaybeText,
  tables: Schema.Array(
    Schema.Struct({
      on: Text,
      /** The version of the source that holds the table. */
      commit: OptionalText,
      /** True for a table with the same pairs as the one before: it proves nothing. */
      copy: Schema.optionalKey(Schema.Boolean),
    }),
  ),
})

const change = {
  on: Text,
  /** Null from the day on which a list no longer has these passports. */
  word: Schema.NullOr(Schema.Literals([...PAST_WORDS])),
  days: Schema.optionalKey(Schema.Int),
}

export const SeenRecord = Schema.Struct({
  destination: Text,
  changes: Schema.Array(Schema.Struct({ ...change, passports: Text })),
})

const PublishedRecord = Schema.Struct({
  destination: Text,
  source: Text,
  /** The last day for which the last list is known to hold. */
  until: Text,
  verified_on: MaybeText,
  note: OptionalText,
  changes: Schema.Array(Schema.Struct({ ...change, commit: OptionalText, passports: Text })),
})

export type TablesRecord = typeof TablesRecord.Type
export type PublishedRecord = typeof PublishedRecord.Type
export type SeenRecord = typeof SeenRecord.Type

/** The folder of these files, below the data folder. */
export const PAST_FOLDER = "past"

type Report = (issue: FileIssue) => void

/** Says whether a data folder has a past. */
export const hasPast = (folder: string): boolean => existsSync(join(folder, PAST_FOLDER, "tables.json"))

/** Reads the days of the tables, without copies; none where there is no list of them. */
export function readTableDays(folder: string, report: Report): readonly string[] {
  if (!hasPast(folder)) return []
  const file = join(folder, PAST_FOLDER, "tables.json")
  const record = Option.getOrNull(readRecordFile(file, TablesRecord, report))
  return record === null ? [] : listDays(record)
}

/** Reads the lists that authorities published, each checked; none where the folder has none. */
export function readPublished(folder: string, report: Report): readonly PublishedRecord[] {
  if (!hasPast(folder)) return []
  const at = join(folder, PAST_FOLDER, "published")
  const published = readRecordFolder(at, PublishedRecord, ({ destination }) => destination, report)
  for (const record of published) {
    const file = join(at, `${record.destination}.json`)
    checkDay({ file, field: "until", on: record.until }, report)
    checkChanges(file, record, report)
  }
  return published
}

const listDays = ({ tables }: TablesRecord): readonly string[] =>
  tables.filter(({ copy }) => copy !== true).map(({ on }) => on)

/** Reads `data/past/` as series that can be laid out, or fails with every mistake in the files. */
export function readPast(folder: string): Result.Result<readonly HistorySeriesFacts[], DataError> {
  const issues: FileIssue[] = []
  const report: Report = issue => issues.push(issue)
  const at = (...path: readonly string[]) => join(folder, PAST_FOLDER, ...path)
  const list = readRecordFile(join(folder, "sources.json"), Schema.Array(SourceRecord), report)
  const sources = new Map(Option.getOrElse(list, () => []).map(source => [source.id, source]))
  const tables = Option.getOrNull(readRecordFile(at("tables.json"), TablesRecord, report))
  const seen = readRecordFolder(at("seen"), SeenRecord, ({ destination }) => destination, report)
  const published = readPublished(folder, report)
  const checkSource = (file: string, id: string) => {
    if (!sources.has(id)) report({ file, field: "source", message: `"${id}" stands in no record of sources.json.` })
  }
  if (tables !== null) {
    checkSource(at("tables.json"), tables.source)
    for (const [row, { on }] of tables.tables.entries()) {
      checkDay({ file: at("tables.json"), field: `tables[${row}].on`, on }, report)
    }
  }
  for (const record of seen) checkChanges(at("seen", `${record.destination}.json`), record, report)
  for (const { destination, source } of published) checkSource(at("published", `${destination}.json`), source)
  if (tables === null || issues.length > 0) return Result.fail(DataError.of(issues))
  const sourceOf = (id: string) => {
    const { name, url } = sources.get(id) as SourceRecord
    return { id, name, url }
  }
  const ofTables: HistorySeriesFacts = {
    source: sourceOf(tables.source),
    kind: "seen",
    days: listDays(tables),
    untilOn: tables.tables.at(-1)?.on ?? "",
    changes: seen.flatMap(record => readChanges(record)),
  }
  const ofLists = published.map(
    (record): HistorySeriesFacts => ({
      source: sourceOf(record.source),
      kind: "published",
      days: [...new Set(record.changes.map(({ on }) => on))].sort(),
      untilOn: record.until,
      changes: readChanges(record),
    }),
  )
  return Result.succeed([...ofLists, ofTables])
}

function readChanges({ destination, changes }: Pick<SeenRecord, "destination" | "changes">) {
  return changes.map(({ on, word, days, passports }) => ({
    destination,
    on,
    word: word as PastWord | null,
    days: days ?? null,
    passports: passports.split(" "),
  }))
}

function checkDay(
  { file, field, on }: { readonly file: string; readonly field: string; readonly on: string },
  report: Report,
): void {
  if (parseCivilDate(on) === null) {
    report({ file, field, message: `${JSON.stringify(on)} is not a calendar date YYYY-MM-DD.` })
  }
}

function checkChanges(
  file: string,
  { destination, changes }: Pick<SeenRecord, "destination" | "changes">,
  report: Report,
): void {
  if (!isCode(destination)) report({ file, field: "destination", message: `"${destination}" is not a code.` })
  changes.forEach(({ on, passports, days }, row) => {
    checkDay({ file, field: `changes[${row}].on`, on }, report)
    const stranger = passports.split(" ").find(code => !isCode(code))
    if (stranger !== undefined) {
      report({ file, field: `changes[${row}].passports`, message: `"${stranger}" is not a code.` })
    }
    if (days !== undefined && (days < 1 || days > 3650)) {
      report({ file, field: `changes[${row}].days`, message: `${days} is not a whole number from 1 to 3650.` })
    }
  })
}
