/**
 * Takes a dated table of requirements into the claims: what does it say that the table before it did not?
 *
 * Each value that is new is one row at the end of `tables` in the file of its destination; nothing else moves, and a copy of the table
 * before adds its day to tables.json only. The name of the file gives the day, `2026-12-01.csv`, or the day and the version of the source
 * that holds it, `2026-12-01.72a4edf.csv`. Nothing is written unless the whole table was read and the facts compile with it.
 *
 * A table that changes very much of a destination, or lifts a ban, is more often a mistake than news: it is refused until somebody names a
 * second source that says so.
 */
import { mkdirSync, readFileSync } from "node:fs"
import { basename, join } from "node:path"
import { Result, Schema } from "effect"
import { compileFacts } from "../../src/compiler.ts"
import { isCode, parseCivilDate, type Requirement } from "../../src/engine.ts"
import { CsvBroken, type CsvRow, readTable } from "../files/csv.ts"
import { DataError, onFile, refuseFile } from "../files/data-error.ts"
import { findChangedFiles, type RecordFile, writeRecordFiles } from "../files/record-files.ts"
import {
  ClaimsRecord,
  listTableDays,
  listUnconfirmed,
  nameTableSource,
  type TableRow,
  TablesRecord,
  writeSays,
} from "./claim-records.ts"
import { type DataFiles, type DataRecords, toRecords } from "./data-files.ts"
import { SourceRecord } from "./file-records.ts"
import { nameFiles, readDataRecords, toFacts } from "./read-facts.ts"

/** The words of a table. */
export const REQUIREMENT_BY_WORD: ReadonlyMap<string, Requirement> = new Map([
  ["visa free", "visa_free"],
  ["eta", "eta"],
  ["visa on arrival", "visa_on_arrival"],
  ["e-visa", "e_visa"],
  ["visa required", "visa_required"],
  ["no admission", "no_admission"],
])

/** Reads the day of a table and the version of the source that holds it in the name of its file. */
export function readTableName(file: string) {
  const [, on = "", commit] = /^(\d{4}-\d\d-\d\d)(?:\.([0-9a-f]{7,40}))?\.csv$/.exec(basename(file)) ?? []
  return parseCivilDate(on) === null
    ? refuseFile(file || '""', "the name has no day: YYYY-MM-DD.csv or YYYY-MM-DD.COMMIT.csv is expected.")
    : Result.succeed({ on, commit })
}

/** A pair of which a table says something new. */
export interface TableChange {
  readonly passport: string
  readonly destination: string
  /** As it is written (`visa_free 90`); null where no table had the pair. */
  readonly before: string | null
  /** Null where the table leaves the pair out. */
  readonly now: string | null
}

/**
 * Takes a table file into a data folder. `confirmed` has the page of a second source for each destination whose changes were looked up; with
 * `unconfirmed` the others are written too, for review: nothing reads them until their rows name such a page.
 *
 * Refuses a table that leaves out pairs which the table before it had, unless `replace` is given: an incomplete table is usually a mistake.
 * With `dryRun` it says what it would do and writes nothing. If it fails, nothing was written, or only a part if the file system failed in
 * the middle.
 */
export function appendTable(options: {
  readonly file: string
  readonly folder: string
  readonly dryRun?: boolean
  readonly replace?: boolean
  readonly confirmed?: ReadonlyMap<string, string>
  readonly unconfirmed?: boolean
}) {
  return Result.gen(function* () {
    const { file, folder, dryRun = false, replace = false, unconfirmed = false } = options
    const { confirmed = new Map<string, string>() } = options
    const name = yield* readTableName(file)
    const records = yield* readDataRecords(folder)
    const table = yield* readTableFile(file, name.on, records)
    const changes = listChanges(table, records)
    const dropped = changes.filter(({ now }) => now === null)
    if (dropped.length > 0 && !dryRun && !replace) {
      const lost = [...Map.groupBy(dropped, ({ destination }) => destination)].map(
        ([code, pairs]) => `${code} ${pairs.length}`,
      )
      return yield* refuseFile(
        file,
        `the table leaves out ${dropped.length} pairs that the table before it has (${lost.join(", ")}). ` +
          "Look at them with --dry-run, and drop them with --replace.",
      )
    }
    const next = toRecords(append(records.files, name, changes, confirmed))
    const doubtful = next.claims.flatMap(record =>
      listUnconfirmed(record).flatMap(({ on, what }) =>
        on === name.on ? [{ destination: record.destination, what }] : [],
      ),
    )
    if (doubtful.length > 0 && !dryRun && !unconfirmed) {
      const issues = doubtful.map(({ destination, what }) => ({
        file: `${file}:${findLineOf(destination, changes, table)}`,
        field: "",
        message: `${destination} ${what}: look this up in a second source, and name its page with --confirm ${destination}=URL.`,
      }))
      return yield* Result.fail(DataError.of(issues))
    }
    const compiled = compileFacts(toFacts(next))
    if (!compiled.ok) return yield* Result.fail(nameFiles(folder, compiled.error, next))
    const files = listFiles(folder, records.files, next.files)
    const changedFiles = yield* onFile(folder, () => {
      if (!dryRun) mkdirSync(join(folder, "claims"), { recursive: true })
      return dryRun ? findChangedFiles(files) : writeRecordFiles(files)
    })
    return {
      on: name.on,
      pairs: table.pairs.length,
      destinations: new Set(table.pairs.map(({ destination }) => destination)).size,
      changes,
      /** Destinations whose changes need a second source, with the reason. */
      doubtful,
      written: !dryRun,
      changedFiles,
      daysDropped: table.daysDropped,
      /** The records with the table, written or not. */
      next,
    }
  })
}

/** Reads the file, and refuses it if it is out of order. */
function readTableFile(file: string, on: string, records: DataRecords) {
  return Result.gen(function* () {
    const last = listTableDays(records.tables).at(-1)
    if (last !== undefined && on < last) {
      const message = `a table of ${last} was taken already: tables are taken in the order of their days.`
      return yield* refuseFile(file, message)
    }
    const text = yield* onFile(file, () => readFileSync(file, "utf8"))
    const passports = new Set(records.passports.map(({ code }) => code))
    const destinations = new Set(records.countries.map(({ code }) => code))
    const parsed = parseTable(text, { passports, destinations })
    return Result.isFailure(parsed) ? yield* refuseFile(file, parsed.failure) : parsed.success
  })
}

/** What the last table that has a pair says of it, by destination and passport. */
function readLastSays({ claims }: Pick<DataRecords, "claims">): ReadonlyMap<string, string> {
  const last = new Map<string, string>()
  for (const { destination, tables } of claims) {
    for (const [, says, who] of tables) for (const passport of who.split(" ")) last.set(destination + passport, says)
  }
  return last
}

/** Lists what a table says that the tables before it did not, by destination and passport. */
function listChanges(table: Table, records: Pick<DataRecords, "claims">): readonly TableChange[] {
  const before = readLastSays(records)
  const named = new Set<string>()
  const changes: TableChange[] = []
  for (const { passport, destination, requirement, days } of table.pairs) {
    named.add(destination + passport)
    const was = before.get(destination + passport) ?? null
    const now = writeSays({ word: requirement, days })
    if (was !== now) changes.push({ passport, destination, before: was, now })
  }
  for (const [pair, was] of before) {
    if (named.has(pair) || was === "not_said") continue
    changes.push({ passport: pair.slice(3), destination: pair.slice(0, 3), before: was, now: null })
  }
  return changes.sort((a, b) => (a.destination + a.passport < b.destination + b.passport ? -1 : 1))
}

/** The line of the first change of a destination. */
function findLineOf(destination: string, changes: readonly TableChange[], { pairs }: Table): number {
  const changed = new Set(changes.flatMap(one => (one.destination === destination ? one.passport : [])))
  return pairs.find(pair => pair.destination === destination && changed.has(pair.passport))?.line ?? 1
}

/** The files with a table; a table without changes is a copy. */
function append(
  files: DataFiles,
  { on, commit }: { readonly on: string; readonly commit: string | undefined },
  changes: readonly TableChange[],
  confirmed: ReadonlyMap<string, string>,
): DataFiles {
  const { tables, claims, sources } = files
  const isKnown = tables.tables.some(table => table.on === on)
  const byDestination = Map.groupBy(changes, ({ destination }) => destination)
  const appended = (destination: string): readonly TableRow[] =>
    [...Map.groupBy(byDestination.get(destination) ?? [], ({ now }) => now ?? "not_said")]
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([says, pairs]): TableRow => {
        const row = [on, says, pairs.map(({ passport }) => passport).join(" ")] as const
        const page = confirmed.get(destination)
        return page === undefined ? row : [...row, page]
      })
  const known = new Set(claims.map(({ destination }) => destination))
  const added = [...byDestination.keys()].filter(code => !known.has(code))
  const isCopy = changes.length === 0 && listTableDays(tables).length > 0
  const entry = { on, ...(commit === undefined ? {} : { commit }), ...(isCopy ? { copy: true } : {}) }
  return {
    ...files,
    claims: [...claims, ...added.map(destination => ({ destination, pages: {}, claims: [], tables: [] }))].map(
      record => ({ ...record, tables: [...record.tables, ...appended(record.destination)] }),
    ),
    tables: {
      ...tables,
      tables: isKnown
        ? tables.tables.map(({ copy, ...table }) =>
            copy === undefined || (table.on === on && changes.length > 0) ? table : { ...table, copy },
          )
        : [...tables.tables, entry],
    },
    sources: changes.length === 0 ? sources : nameTable(sources, tables.latest, on),
  }
}

// The values that are new in a table are of a source of their own, with its day: all others are as old as they were, because a copy of a table is
// no look at a pair.
function nameTable(sources: DataFiles["sources"], latest: string, on: string): DataFiles["sources"] {
  const id = nameTableSource(latest, on)
  const base = sources.find(source => source.id === latest)
  if (base === undefined || sources.some(source => source.id === id)) return sources
  if (base.retrieved_on === null) return sources.map(one => (one === base ? { ...base, retrieved_on: on } : one))
  if (on <= base.retrieved_on) return sources
  const added = { ...base, id, name: `${base.name}, table of ${on}`, retrieved_on: on }
  return [...sources, added].sort((a, b) => (a.id < b.id ? -1 : 1))
}

function listFiles(folder: string, before: DataFiles, { claims, tables, sources }: DataFiles): readonly RecordFile[] {
  const rows = new Map(before.claims.map(record => [record.destination, record.tables.length]))
  return [
    ...claims
      .filter(record => record.tables.length !== rows.get(record.destination))
      .map(record => ({ path: join(folder, "claims", `${record.destination}.json`), schema: ClaimsRecord, record })),
    { path: join(folder, "tables.json"), schema: TablesRecord, record: tables },
    { path: join(folder, "sources.json"), schema: Schema.Array(SourceRecord), record: sources },
  ]
}

// What does a table of requirements say, pair by pair? The columns are passport and destination as ISO 3166-1 alpha-3 codes, status and days.
// An unknown word or code is an error with its line, never a guess. What this program exports has other columns, and is refused: an answer of
// ours is no source.

/** One pair of a table, with its line in the file. */
interface TablePair {
  readonly passport: string
  readonly destination: string
  readonly requirement: Requirement
  readonly days: number | null
  readonly line: number
}

/** A table, and the values that had to be dropped. */
interface Table {
  readonly pairs: readonly TablePair[]
  /** Pairs whose days contradict their requirement: the days were dropped. */
  readonly daysDropped: readonly string[]
}

type RecordedCodes = Readonly<Record<"passports" | "destinations", ReadonlySet<string>>>

const COLUMNS = ["passport", "destination", "status", "days"]

/** What is wrong with a table: line, column, the found and the expected value. */
class BadTable extends Error {}

function refuse(message: string): never {
  throw new BadTable(message)
}

/** Reads a table, or says in words what is wrong with its first bad line; with `recorded`, all unknown codes are refused in one message. */
export const parseTable = (text: string, recorded?: RecordedCodes) =>
  Result.try({
    try: () => readPairs(text, recorded),
    catch: cause => {
      if (cause instanceof CsvBroken) return `The table is not CSV: ${cause.message}`
      if (cause instanceof BadTable) return cause.message
      throw cause
    },
  })

function readPairs(text: string, recorded?: RecordedCodes): Table {
  const [head, ...body] = readTable(new TextEncoder().encode(text))
  const columns = head?.cells ?? []
  if (columns.join().toLowerCase() !== COLUMNS.join()) {
    const found = JSON.stringify(columns.slice(0, 4).join().slice(0, 100))
    refuse(`The table's first line is ${found}, expected "${COLUMNS.join()}" of a source, not an export of Landfall.`)
  }
  if (body.length === 0) refuse("The table has no rows below its first line.")
  for (const { line, cells, error } of body) {
    if (error !== null) refuse(`Line ${line}: ${error}`)
    if (cells.length !== columns.length)
      refuse(`Line ${line}: The row has ${cells.length} cells, ${columns.length} are expected.`)
  }
  const pairs: TablePair[] = []
  const daysDropped: string[] = []
  const seen = new Map<string, number>()
  for (const { line, cells } of body) {
    const [passport = "", destination = "", word = "", stay = ""] = cells
    for (const [field, code] of Object.entries({ passport, destination })) {
      if (!isCode(code)) refuse(`Line ${line}, ${field}: "${code}" is not an ISO 3166-1 alpha-3 code such as FRA.`)
    }
    if (passport === destination) refuse(`Line ${line}: ${passport} is the own country, which has no row.`)
    const earlier = seen.get(passport + destination)
    if (earlier !== undefined) {
      refuse(`Line ${line}: the pair ${passport},${destination} is already on line ${earlier}.`)
    }
    seen.set(passport + destination, line)
    const place = `Line ${line}, ${passport} to ${destination}`
    const requirement = REQUIREMENT_BY_WORD.get(word.toLowerCase())
    if (requirement === undefined) {
      refuse(`${place}: "${word}" is not a requirement; expected ${[...REQUIREMENT_BY_WORD.keys()].join(", ")}.`)
    }
    const days = stay === "" ? null : /^\d+$/.test(stay) ? Number(stay) : 0
    if (days !== null && (days < 1 || days > 3650)) {
      refuse(`${place}, days: "${stay}" is not a whole number from 1 to 3650.`)
    }
    const isContradicted = days !== null && (requirement === "visa_required" || requirement === "no_admission")
    if (isContradicted) daysDropped.push(`${passport},${destination}`)
    pairs.push({ passport, destination, requirement, days: isContradicted ? null : days, line })
  }
  if (recorded !== undefined) refuseStrangers(body, recorded)
  return { pairs, daysDropped }
}

function refuseStrangers(rows: readonly CsvRow[], { passports, destinations }: RecordedCodes): void {
  const strangers = new Map<string, number>()
  const note = (code: string, line: number) => strangers.has(code) || strangers.set(code, line)
  for (const { line, cells } of rows) {
    const [passport = "", destination = ""] = cells
    if (!passports.has(passport)) note(passport, line)
    if (!destinations.has(destination)) note(destination, line)
  }
  if (strangers.size === 0) return
  const named = [...strangers].sort().map(([code, line]) => `${code} (line ${line})`)
  const verb = named.length === 1 ? "stands" : "stand"
  refuse(`${named.join(", ")} ${verb} in no record of passports.json or countries.json.`)
}
