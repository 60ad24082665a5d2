/**
 * What do newer copies of the sources change, and what must a person check?
 *
 * Runs every import over a folder of newer copies: the table of all pairs in `table/`, dated tables of the past in `dated-tables/`, files
 * of the second source in `second-source/`. No reviewed rule is changed: it reports newer sources that contradict one, rules that have
 * ended, and pairs whose last check is long ago. Nothing is written unless every file was read.
 */
import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { Result } from "effect"
import { type Dataset, describePair, lookupRequirement, type Requirement, type StaleReason } from "../../src/engine.ts"
import { type DataError, type FileIssue, onFile, refuseFile } from "../files/data-error.ts"
import { writeRecordFiles } from "../files/record-files.ts"
import { readBusiest } from "./busiest.ts"
import type { DataRecords } from "./data-files.ts"
import { DatasetRecord } from "./file-records.ts"
import { type Ending, listEndings } from "./freshness.ts"
import { importTableFile } from "./import-file.ts"
import { importHistoryFolder, listDatedFiles } from "./import-history.ts"
import { parseRequirementTable, type TablePair } from "./import-table.ts"
import { compareNewerRows, type NewerRow, type NewerRows } from "./newer-rows.ts"
import { openRecords, readDataRecords, toFacts, withoutReviewed } from "./read-facts.ts"

/** The id in sources.json of all dated tables together. */
const DATED_TABLES = "passport-index-tables"
/** The most pairs in the list of pairs to check. */
const DUE_PAIRS = 200

export interface Asked {
  readonly requirement: Requirement
  readonly days: number | null
}

/** A pair of which the newer table says something else than the one before. */
export interface TableChange {
  readonly passport: string
  readonly destination: string
  readonly before: Asked | null
  readonly now: Asked
  /** The answer of a reviewed rule, which stands; null if the table decides. */
  readonly reviewed: Asked | null
}

/** A row of the second source that has changed, with our answer. */
export interface ComparedRow extends NewerRow {
  readonly ours: Asked | null
}

/** A pair of which an announced end has passed. */
export interface EndedPair {
  readonly passport: string
  readonly destination: string
  /** Its last day (`YYYY-MM-DD`). */
  readonly endedOn: string
  readonly before: Asked
  readonly now: Asked
}

/** A pair that a person should check. */
export interface DuePair {
  readonly passport: string
  readonly destination: string
  readonly why: StaleReason
  /** Days since the last look, where one is known. */
  readonly ageDays: number | null
  readonly ours: Asked
  /** The page of the answer. */
  readonly page: string | null
}

/** The changes of newer sources, and what is left to a person. */
export interface DataUpdate {
  /** The day of the update (`YYYY-MM-DD`). */
  readonly on: string
  readonly written: boolean
  readonly changedFiles: readonly string[]
  /** The newest table (`2026-12-01.abc1234.csv`) and the day of the one before it; null where none was given. */
  readonly table: { readonly file: string; readonly isNewer: boolean; readonly before: string | null } | null
  readonly changes: readonly TableChange[]
  /** Null where no files of the second source were given. */
  readonly secondSource: (Omit<NewerRows, "rows"> & { readonly rows: readonly ComparedRow[] }) | null
  readonly ended: readonly EndedPair[]
  readonly endings: readonly Ending[]
  /** How many pairs are due for a look, and those that are asked most, in that order. */
  readonly duePairs: number
  readonly due: readonly DuePair[]
}

/** Takes newer copies of the sources into a data folder. If it fails, nothing was written, or only a part if the file system failed in the middle. */
export function updateData(options: {
  readonly folder: string
  readonly from: string
  /** The day of the update (`YYYY-MM-DD`). */
  readonly on: string
  readonly dryRun?: boolean
}): Result.Result<DataUpdate, DataError> {
  return Result.gen(function* () {
    const { folder, from, on, dryRun = false } = options
    const records = yield* readDataRecords(folder)
    const find = (name: string) => (existsSync(join(from, name)) ? join(from, name) : null)
    const [table, dated, rows] = [find("table"), find("dated-tables"), find("second-source")]
    if (table === null && dated === null && rows === null) {
      return yield* refuseFile(from || '""', "holds none of the folders table, dated-tables and second-source.")
    }
    if (on < records.dataset.as_of) {
      return yield* refuseFile(join(folder, "dataset.json"), `is of ${records.dataset.as_of}, which is after ${on}.`)
    }
    const reader = new AnswerReader(records)
    const newest = table === null ? null : yield* findNewestTable(table, folder, records)
    const changes = newest?.isNewer ? reader.listChanges(newest.pairs, newest.source) : []
    if (newest !== null && losesDays(changes)) {
      const message =
        "gives days where no visa is needed and nowhere else, and the table before it gave them everywhere."
      return yield* refuseFile(newest.file, message)
    }
    const compared = rows === null ? null : yield* compareNewerRows(rows, folder, records)
    const changedFiles: string[] = []
    // Both are tried before one of them writes.
    for (const dry of dryRun ? [true] : [true, false]) {
      const changed: string[] = []
      if (newest?.isNewer) {
        const { file, on: tableDay, source } = newest
        changed.push(...(yield* importTableFile({ file, folder, source, tableDay, dryRun: dry })).changedFiles)
      }
      if (dated !== null) {
        const given = { from: dated, folder, source: DATED_TABLES, dryRun: dry }
        changed.push(...(yield* importHistoryFolder(given)).changedFiles)
      }
      if (changed.length === 0) break
      if (dry === dryRun) changedFiles.push(...changed)
    }
    if (!dryRun && changedFiles.length > 0) changedFiles.push(...(yield* nameDataset(folder, records, on)))
    const comparedRows = compared?.rows.map(row => ({ ...row, ours: reader.ask(row.passport, row.destination) })) ?? []
    const after = dryRun ? records : yield* readDataRecords(folder)
    const dataset = openRecords(after) as Dataset
    const due = listDue(dataset, yield* rankPairs(folder, after), on)
    return {
      on,
      written: !dryRun,
      changedFiles,
      table: newest && { file: newest.name, isNewer: newest.isNewer, before: newest.before },
      changes,
      secondSource: compared && { ...compared, rows: comparedRows },
      ended: listEnded(dataset, on),
      endings: listEndings(toFacts(after), on),
      duePairs: due.length,
      due: due.slice(0, DUE_PAIRS),
    }
  })
}

/** Reads the newest table of a folder, and says whether it is newer than the one that was imported. */
function findNewestTable(place: string, folder: string, records: DataRecords) {
  return Result.gen(function* () {
    const newest = (yield* listDatedFiles(place)).at(-1)!
    const file = join(place, newest.file)
    const imported = records.sources.find(source => source.imported === true)
    if (imported === undefined) {
      return yield* refuseFile(join(folder, "sources.json"), "names no source that is imported.")
    }
    const before = imported.retrieved_on
    const isNewer = before === null || newest.on > before
    const pairs = isNewer ? yield* readPairs(file) : []
    return { file, name: newest.file, on: newest.on, source: imported.id, before, isNewer, pairs }
  })
}

const readPairs = (file: string): Result.Result<readonly TablePair[], DataError> =>
  Result.flatMap(
    onFile(file, () => readFileSync(file, "utf8")),
    text => {
      const parsed = parseRequirementTable(text)
      return Result.isSuccess(parsed) ? Result.succeed(parsed.success.pairs) : refuseFile(file, parsed.failure)
    },
  )

/** Names the dataset after the day of the update, because a release needs a version of its own. */
function nameDataset(
  folder: string,
  { dataset }: DataRecords,
  on: string,
): Result.Result<readonly string[], DataError> {
  const path = join(folder, "dataset.json")
  const record = { ...dataset, version: on.replaceAll("-", "."), as_of: on }
  return onFile(path, () => writeRecordFiles([{ path, schema: DatasetRecord, record }]))
}

/** How many pairs have to lose their days for a table to be taken for one of another form. */
const LOST_DAYS = 100

// The same publication has a table with days only for visa-free entries, which would drop thousands of others.
function losesDays(changes: readonly TableChange[]): boolean {
  const isLost = ({ before, now }: TableChange) =>
    before !== null && before.days !== null && before.requirement === now.requirement && now.days === null
  const hasOthers = ({ now }: TableChange) => now.requirement !== "visa_free" && now.days !== null
  return changes.filter(isLost).length >= LOST_DAYS && !changes.some(hasOthers)
}

/** The answers of the records before the update, with and without reviewed rules. */
class AnswerReader {
  readonly #reviewed: Dataset
  readonly #imported: Dataset

  constructor(records: DataRecords) {
    this.#reviewed = openRecords(records) as Dataset
    this.#imported = openRecords(withoutReviewed(records)) as Dataset
  }

  ask(passport: string, destination: string): Asked | null {
    return askPair(this.#reviewed, passport, destination)
  }

  listChanges(pairs: readonly TablePair[], source: string): readonly TableChange[] {
    return pairs
      .flatMap(({ passport, destination, requirement, days }) => {
        const before = askPair(this.#imported, passport, destination)
        const now = { requirement, days }
        if (before !== null && isSame(before, now)) return []
        const answer = lookupRequirement(this.#reviewed, passport, destination)
        const isReviewed = answer.kind === "found" && answer.source?.id !== source
        return [{ passport, destination, before, now, reviewed: isReviewed ? toAsked(answer) : null }]
      })
      .sort((a, b) => (a.destination + a.passport < b.destination + b.passport ? -1 : 1))
  }
}

const toAsked = ({ requirement, days }: Asked): Asked => ({ requirement, days })

/** Says whether two answers have the same requirement and days. */
export const isSame = (a: Asked, b: Asked): boolean => a.requirement === b.requirement && a.days === b.days

function askPair(dataset: Dataset, passport: string, destination: string): Asked | null {
  const answer = lookupRequirement(dataset, passport, destination)
  return answer.kind === "found" ? toAsked(answer) : null
}

function listEnded(dataset: Dataset, on: string): readonly EndedPair[] {
  return dataset.destinations.flatMap(destination =>
    dataset.passports.flatMap(passport => {
      const pair = describePair(dataset, passport, destination, { on })
      if (pair.kind !== "found" || pair.afterExpiry === null) return []
      const { endedOn, ...before } = pair.afterExpiry
      return [{ passport, destination, endedOn, before: toAsked(before), now: toAsked(pair.answer) }]
    }),
  )
}

/** How much a pair is asked for. */
type Rank = (passport: string, destination: string) => number

/**
 * Questions are not counted here. As in models of tourism, a pair is weighted by the visitors of its destination (data/busiest.json) times
 * the economy of the passport's country (gross domestic product, data/countries.json).
 */
function rankPairs(folder: string, { countries }: DataRecords): Result.Result<Rank, DataError> {
  const issues: FileIssue[] = []
  const busiest = readBusiest(folder, issue => issues.push(issue))
  const [first] = issues
  if (first !== undefined) return refuseFile(first.file, first.message)
  const visitors = new Map(busiest?.destinations.map(({ code, visitors: count }) => [code, count]))
  const economy = new Map(countries.map(({ code, gdp_usd: gdp }) => [code, gdp ?? 0]))
  return Result.succeed((passport, destination) => (visitors.get(destination) ?? 0) * (economy.get(passport) ?? 0))
}

function listDue(dataset: Dataset, rank: Rank, on: string): readonly DuePair[] {
  return dataset.destinations
    .flatMap(destination =>
      dataset.passports.flatMap((passport): DuePair[] => {
        const pair = describePair(dataset, passport, destination, { on })
        if (pair.kind !== "found" || pair.stale === null) return []
        const { stale: why, ageDays, answer, sourceUrl: page } = pair
        return [{ passport, destination, why, ageDays, ours: toAsked(answer), page }]
      }),
    )
    .map(pair => ({ pair, asked: rank(pair.passport, pair.destination) }))
    .sort((a, b) => b.asked - a.asked)
    .map(({ pair }) => pair)
}
