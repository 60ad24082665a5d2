/**
 * Which rows of the second source have changed since they were condensed?
 *
 * The Entry Requirements Dataset has a file for each destination with a row for each passport. `data/second-source/` has what people
 * condensed from them. A newer file is compared row by row with that. Nothing is imported: a person first reads the page of the row.
 */
import { existsSync } from "node:fs"
import { join } from "node:path"
import { Option, Result, Schema } from "effect"
import { DataError, type FileIssue } from "../files/data-error.ts"
import { listJsonFiles, readRecordFile } from "../files/record-files.ts"
import type { DataRecords } from "./data-files.ts"
import { SecondSourceRecord } from "./second-source.ts"

const Text = Schema.NonEmptyString

/** The source's own form, of which these keys are read. */
const SourceFile = Schema.Struct({
  iso2: Text,
  meta: Schema.Struct({ lastUpdated: Text }),
  visaPolicy: Schema.Struct({
    defaultSource: Schema.Struct({ url: Text }),
    byPassport: Schema.Record(
      Text,
      Schema.Struct({
        requirement: Text,
        maxStayDays: Schema.optionalKey(Schema.NullOr(Schema.Int)),
        source: Schema.optionalKey(Schema.Struct({ url: Text })),
      }),
    ),
  }),
})

/** The source's requirement in its own words, and its days. */
export interface RowTerms {
  readonly word: string
  readonly days: number | null
}

export interface NewerRow {
  readonly passport: string
  readonly destination: string
  /** Null where it was not condensed. */
  readonly before: RowTerms | null
  readonly now: RowTerms
  /** The page that the row names, or its file. */
  readonly page: string
}

export interface NewerRows {
  /** How many files are newer than what was condensed, and of how many in all. */
  readonly newer: number
  readonly files: number
  /** The destinations of newer files of which every row says the same as before. */
  readonly confirmed: readonly string[]
  readonly rows: readonly NewerRow[]
}

/** Compares the files of a folder with what was condensed from them, or names every file that cannot be read. */
export function compareNewerRows(
  from: string,
  folder: string,
  records: DataRecords,
): Result.Result<NewerRows, DataError> {
  const issues: FileIssue[] = []
  const report = (issue: FileIssue) => issues.push(issue)
  const codeOf = new Map(records.countries.map(({ alpha2, code }) => [alpha2, code]))
  const passports = new Set(records.passports.map(({ code }) => code))
  const rows: NewerRow[] = []
  const confirmed: string[] = []
  let newer = 0
  const names = listJsonFiles(from, report)
  for (const name of names) {
    const read = Option.getOrNull(readRecordFile(join(from, name), SourceFile, report, "ignore"))
    if (read === null) continue
    const destination = codeOf.get(read.iso2)
    if (destination === undefined) {
      report({ file: join(from, name), field: "iso2", message: `"${read.iso2}" is in no record of countries.json.` })
      continue
    }
    const stored = join(folder, "second-source", `${destination}.json`)
    const condensed = existsSync(stored) ? Option.getOrNull(readRecordFile(stored, SecondSourceRecord, report)) : null
    if (condensed !== null && read.meta.lastUpdated <= condensed.last_updated) continue
    newer++
    const before = listTerms(condensed)
    const { byPassport, defaultSource } = read.visaPolicy
    const found = Object.entries(byPassport).flatMap(([alpha2, { requirement, maxStayDays = null, source }]) => {
      const passport = codeOf.get(alpha2)
      const known = before.get(alpha2) ?? null
      const isSame = known?.word === requirement && known.days === maxStayDays
      if (passport === undefined || !passports.has(passport) || passport === destination || isSame) return []
      const now = { word: requirement, days: maxStayDays }
      return [{ passport, destination, before: known, now, page: source?.url ?? defaultSource.url }]
    })
    if (found.length === 0) confirmed.push(destination)
    rows.push(...found)
  }
  if (issues.length > 0) return Result.fail(DataError.of(issues))
  return Result.succeed({ newer, files: names.length, confirmed: confirmed.sort(), rows })
}

function listTerms(condensed: SecondSourceRecord | null): ReadonlyMap<string, RowTerms> {
  return new Map(
    (condensed?.groups ?? []).flatMap(({ requirement, days, passports }) =>
      passports.split(" ").map((alpha2): [string, RowTerms] => [alpha2, { word: requirement, days }]),
    ),
  )
}
