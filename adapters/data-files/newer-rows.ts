/**
 * Which rows of the second source have changed since they were condensed?
 *
 * The Entry Requirements Dataset has a file for each destination with a row for each passport. The claims of its pages are what people
 * condensed from them. A newer file is compared row by row with that. Nothing is imported: a person first reads the page of the row.
 */
import { join } from "node:path"
import { Option, Result, Schema } from "effect"
import type { Requirement } from "../../src/engine.ts"
import { DataError, type FileIssue } from "../files/data-error.ts"
import { listJsonFiles, readRecordFile } from "../files/record-files.ts"
import { SECOND_SOURCE } from "./answer-claims.ts"
import { type ClaimsRecord, pageOf, readSays, type Said, selectorsOf } from "./claim-records.ts"
import type { DataRecords } from "./data-files.ts"

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

/** The meaning of each word of the source in claims. A claim whose word is read in another sense names it (`word`). */
const MEANINGS: Readonly<Record<string, Requirement | "not_said">> = {
  "freedom-of-movement": "visa_free",
  "visa-free": "visa_free",
  eta: "eta",
  "visa-on-arrival": "visa_on_arrival",
  evisa: "e_visa",
  "embassy-visa": "visa_required",
  "travel-permit": "visa_required",
  banned: "no_admission",
  unconfirmed: "not_said",
}

/** A row that has changed: the source's own word, or what a claim made of it, and its days. */
export interface NewerRow {
  readonly passport: string
  readonly destination: string
  /** Null where it was not condensed. */
  readonly before: Said | null
  readonly now: Said
  /** The page that the row names, or its file. */
  readonly page: string
}

/**
 * Compares the files of a folder with what was condensed from them, or names every file that cannot be read: how many files are newer, of how
 * many in all, the destinations of newer files of which every row says the same as before (`confirmed`), and the other rows.
 */
export function compareNewerRows(from: string, records: DataRecords) {
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
    const record = records.claims.find(claims => claims.destination === destination)
    const [main] = Object.values(record?.pages ?? {}).filter(({ by }) => by === SECOND_SOURCE)
    if (main?.edition !== undefined && read.meta.lastUpdated <= main.edition) continue
    newer++
    const before = listTerms(record)
    const { byPassport, defaultSource } = read.visaPolicy
    const found = Object.entries(byPassport).flatMap(([alpha2, { requirement, maxStayDays = null, source }]) => {
      const passport = codeOf.get(alpha2)
      if (passport === undefined || !passports.has(passport) || passport === destination) return []
      const known = before.get(passport)
      if (known !== undefined && isSameRow(known, requirement, maxStayDays)) return []
      const was = known === undefined ? null : { word: known.word, days: known.days }
      const now = { word: requirement, days: maxStayDays }
      return [{ passport, destination, before: was, now, page: source?.url ?? defaultSource.url }]
    })
    if (found.length === 0) confirmed.push(destination)
    rows.push(...found)
  }
  if (issues.length > 0) return Result.fail(DataError.of(issues))
  return Result.succeed({ newer, files: names.length, confirmed: confirmed.sort(), rows })
}

/** What a claim says, in the source's own word if it was read in another sense: then its days are the reader's. */
interface Known extends Said {
  readonly isOwnWord: boolean
}

function isSameRow({ word, days, isOwnWord }: Known, now: string, daysNow: number | null): boolean {
  if (isOwnWord) return word === now
  if (MEANINGS[now] !== word) return false
  return days === daysNow || word === "visa_required" || word === "no_admission" || word === "not_said"
}

function listTerms(record: ClaimsRecord | undefined): ReadonlyMap<string, Known> {
  const terms = new Map<string, Known>()
  for (const claim of record?.claims ?? []) {
    if (record === undefined || pageOf(record, claim)?.by !== SECOND_SOURCE) continue
    const said = readSays(claim.says)
    const known = { word: claim.word ?? said.word, days: said.days, isOwnWord: claim.word !== undefined }
    for (const passport of selectorsOf(claim)) if (!terms.has(passport)) terms.set(passport, known)
  }
  return terms
}
