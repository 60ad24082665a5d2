/**
 * What do newer copies of the sources change, and what must a person check?
 *
 * Takes in newer copies of the sources from a folder: the tables of all pairs in `table/`, files of the second source in `second-source/`.
 * No claim is changed: it reports newer sources that contradict one, rules that have ended, and pairs whose last check is long ago. Nothing is
 * written unless every file was read.
 */
import { existsSync, readdirSync } from "node:fs"
import { join } from "node:path"
import { Option, Result, Schema } from "effect"
import type { Requirement } from "../../src/engine.ts"
import { type Dataset, describePair, lookupRequirement } from "../../src/engine.ts"
import { DataError, type FileIssue, onFile, refuseFile } from "../files/data-error.ts"
import { listJsonFiles, readRecordFile, writeRecordFiles } from "../files/record-files.ts"
import { SECOND_SOURCE } from "./answer-claims.ts"
import { appendTable, type TableChange as Change, readTableName } from "./append-table.ts"
import { type ClaimsRecord, pageOf, readRequirement, readSays, type Said, selectorsOf } from "./claim-records.ts"
import type { DataRecords } from "./data-files.ts"
import { DatasetRecord } from "./file-records.ts"
import { type Asked, listEndings } from "./freshness.ts"
import { openRecords, placeRules, readDataRecords, toFacts } from "./read-facts.ts"

/** The most pairs in the list of pairs to check. */
const DUE_PAIRS = 200

/** A pair of which the newer table says something else than the one before. */
export interface TableChange {
  readonly passport: string
  readonly destination: string
  readonly before: Asked | null
  readonly now: Asked
  /** The answer of a claim or a treaty, which stands beside the newer table; null if the table decides. */
  readonly claimed: Asked | null
}

/** A row of the second source that has changed, with our answer. */
export interface ComparedRow extends NewerRow {
  readonly ours: Asked | null
}

/** The changes of newer sources, and what is left to a person. */
export type DataUpdate = ReturnType<typeof updateData> extends Result.Result<infer Update, unknown> ? Update : never

/** Takes newer copies of the sources into a data folder. If it fails, nothing was written, or only a part if the file system failed in the middle. */
export function updateData(options: {
  readonly folder: string
  readonly from: string
  /** The day of the update (`YYYY-MM-DD`). */
  readonly on: string
  readonly dryRun?: boolean
  /** The page of a second source for each destination whose many changes were looked up. */
  readonly confirmed?: ReadonlyMap<string, string>
  /** Writes the others too, for review. */
  readonly unconfirmed?: boolean
}) {
  return Result.gen(function* () {
    const { folder, from, on, dryRun = false, unconfirmed = false } = options
    const { confirmed = new Map<string, string>() } = options
    const records = yield* readDataRecords(folder)
    const find = (name: string) => (existsSync(join(from, name)) ? join(from, name) : null)
    const [table, rows] = [find("table"), find("second-source")]
    if (table === null && rows === null) {
      return yield* refuseFile(from || '""', "holds none of the folders table and second-source.")
    }
    if (on < records.dataset.as_of) {
      return yield* refuseFile(join(folder, "dataset.json"), `is of ${records.dataset.as_of}, which is after ${on}.`)
    }
    const asked = openRecords(records) as Dataset
    const newest = table === null ? null : yield* findNewestTable(table, records)
    const compared = rows === null ? null : yield* compareNewerRows(rows, records)
    const changedFiles: string[] = []
    const doubtful: { readonly destination: string; readonly what: string }[] = []
    let changes: readonly TableChange[] = []
    // The table of the last day again may have what was not taken then.
    if (newest !== null && (newest.isNewer || newest.on === newest.before)) {
      const taken = yield* appendTable({ file: newest.file, folder, dryRun, confirmed, unconfirmed })
      changedFiles.push(...taken.changedFiles)
      doubtful.push(...taken.doubtful)
      changes = listTableChanges(taken.changes, openRecords(taken.next) as Dataset)
      if (!dryRun && (newest.isNewer || taken.changes.length > 0)) {
        // A release needs a version of its own.
        const record = { ...records.dataset, version: on.replaceAll("-", "."), as_of: on }
        const named = { path: join(folder, "dataset.json"), schema: DatasetRecord, record }
        changedFiles.push(...(yield* onFile(named.path, () => writeRecordFiles([named]))))
      }
    }
    const comparedRows =
      compared?.rows.map((row): ComparedRow => {
        const answer = lookupRequirement(asked, row.passport, row.destination)
        return { ...row, ours: answer.kind === "found" ? toAsked(answer) : null }
      }) ?? []
    // What needs a second source is not read until its rows name one.
    const after = dryRun || doubtful.length > 0 ? records : yield* readDataRecords(folder)
    const dataset = openRecords(after) as Dataset
    const { ended, due } = listAged(dataset, rankPairs(after), on)
    return {
      on,
      written: !dryRun,
      changedFiles,
      /** The newest table (`2026-12-01.abc1234.csv`) and the day of the one before it; null where none was given. */
      table: newest && { file: newest.name, isNewer: newest.isNewer, before: newest.before },
      changes,
      /** Destinations of which the table changes more than it should alone. */
      doubtful,
      /** Null where no files of the second source were given. */
      secondSource: compared && { ...compared, rows: comparedRows },
      ended,
      endings: listEndings(toFacts(after), on, placeRules(after)),
      /** How many pairs are due for a look, and those that are asked most, in that order. */
      duePairs: due.length,
      due: due.slice(0, DUE_PAIRS),
    }
  })
}

/** Finds the newest table of a folder, and says whether it is newer than the last one. */
function findNewestTable(place: string, { tables }: DataRecords) {
  return Result.gen(function* () {
    const names = (yield* onFile(place, () => readdirSync(place))).filter(name => name.endsWith(".csv")).sort()
    const name = names.at(-1)
    if (name === undefined) return yield* refuseFile(place, "holds no .csv file.")
    const { on } = yield* readTableName(name)
    const before = tables.tables.at(-1)?.on ?? null
    return { file: join(place, name), name, on, before, isNewer: before === null || on > before }
  })
}

/** What a table changes, with the answers that stand against it once it is taken. Words of old tables are no answers. */
function listTableChanges(changes: readonly Change[], asked: Dataset): readonly TableChange[] {
  const read = (says: string | null): Asked | null => {
    const said = says === null ? null : readRequirement({ says })
    return said === null ? null : { requirement: said.word, days: said.days }
  }
  return changes.flatMap(({ passport, destination, before, now: says }) => {
    const now = read(says)
    if (now === null) return []
    const answer = lookupRequirement(asked, passport, destination)
    const isClaimed = answer.kind === "found" && answer.source?.imported !== true
    return [{ passport, destination, before: read(before), now, claimed: isClaimed ? toAsked(answer) : null }]
  })
}

const toAsked = ({ requirement, days }: Asked): Asked => ({ requirement, days })

/** Says whether two answers have the same requirement and days. */
export const isSame = (a: Asked, b: Asked): boolean => a.requirement === b.requirement && a.days === b.days

/** How much a pair is asked for. */
type Rank = (passport: string, destination: string) => number

/**
 * Questions are not counted here. As in models of tourism, a pair is weighted by the visitors of its destination (data/busiest.json) times
 * the economy of the passport's country (gross domestic product, data/countries.json).
 */
function rankPairs({ countries, busiest }: DataRecords): Rank {
  const visitors = new Map(busiest?.destinations.map(({ code, visitors: count }) => [code, count]))
  const economy = new Map(countries.map(({ code, gdp_usd: gdp }) => [code, gdp ?? 0]))
  return (passport, destination) => (visitors.get(destination) ?? 0) * (economy.get(passport) ?? 0)
}

/**
 * Lists the pairs of which an announced end has passed, with its last day, and those that a person should check, with the page of the answer
 * and the days since the last look, where one is known.
 */
function listAged(dataset: Dataset, rank: Rank, on: string) {
  const pairs = dataset.destinations.flatMap(destination =>
    dataset.passports.flatMap(passport => {
      const pair = describePair(dataset, passport, destination, { on })
      return pair.kind === "found" ? [{ passport, destination, pair, now: toAsked(pair.answer) }] : []
    }),
  )
  const ended = pairs.flatMap(({ passport, destination, pair: { afterExpiry }, now }) => {
    if (afterExpiry === null) return []
    return [{ passport, destination, endedOn: afterExpiry.endedOn, before: toAsked(afterExpiry), now }]
  })
  const due = pairs.flatMap(({ passport, destination, pair: { stale: why, ageDays, sourceUrl: page }, now: ours }) =>
    why === null
      ? []
      : [{ pair: { passport, destination, why, ageDays, ours, page }, asked: rank(passport, destination) }],
  )
  return { ended, due: due.sort((a, b) => b.asked - a.asked).map(({ pair }) => pair) }
}

// Which rows of the second source have changed since they were condensed? The Entry Requirements Dataset has a file for each destination
// with a row for each passport. The claims of its pages are what people condensed from them. A newer file is compared row by row with that.
// Nothing is imported: a person first reads the page of the row.

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
interface NewerRow {
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
function compareNewerRows(from: string, records: DataRecords) {
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
