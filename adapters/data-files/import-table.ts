/**
 * What does a table of requirements say, pair by pair?
 *
 * Reads the two forms in which the Passport Index tables are published, with ISO 3166-1 alpha-3 codes: tidy
 * (`Passport,Destination,Requirement`) and tidy with days (`passport,destination,status,days`). A number is a visa-free stay in days, `-1` the own country. An unknown word or code is an error with its
 * line, never a guess. What this program wrote is refused: an answer of ours is no source.
 */
import { Result } from "effect"
import { isCode, isRequirement, type Requirement } from "../../src/engine.ts"
import { CsvBroken, type CsvRow, readTable } from "../files/csv.ts"

/** One pair of a table; the own country is left out. */
export interface TablePair<Word extends string = Requirement> {
  readonly passport: string
  readonly destination: string
  readonly requirement: Word
  readonly days: number | null
  /** Its line in the file. */
  readonly line: number
}

/** A table, and the values that had to be dropped. */
export interface Table<Word extends string = Requirement> {
  readonly form: "tidy" | "tidy with days"
  readonly pairs: readonly TablePair<Word>[]
  /** Pairs whose days contradict their requirement: the days were dropped. */
  readonly daysDropped: readonly string[]
}

export interface RecordedCodes {
  readonly passports: ReadonlySet<string>
  readonly destinations: ReadonlySet<string>
}

/** The result of reading, or why it failed: line, column, the found and the expected value. */
type Read<Value> = Result.Result<Value, string>

/** The words of a table of today. */
export const REQUIREMENT_BY_WORD: ReadonlyMap<string, Requirement> = new Map([
  ["visa free", "visa_free"],
  ["eta", "eta"],
  ["visa on arrival", "visa_on_arrival"],
  ["e-visa", "e_visa"],
  ["visa required", "visa_required"],
  ["no admission", "no_admission"],
])

/** The columns with which every table of `landfall dataset export` begins. */
export const EXPORTED_COLUMNS = ["passport", "destination", "requirement", "days", "status", "home"] as const

/** Why nothing is imported that this program wrote itself. */
export const OWN_EXPORT =
  "holds answers of Landfall, which an import would give another source: import the table that they were made from."

// How a dataset file, Parquet and the JSON of an export begin.
const OWN_BEGINNING = /^\uFEFF?(?:LNDF|PAR1|\s*\[\s*\{\s*"passport":\s*"[^"]*",\s*"destination":)/

/**
 * Reads a table whose words, in lower case, mean what `words` says, or says in words what is wrong with its first bad line; a number is
 * always a visa-free stay. With `recorded`, all unknown codes are refused in one message.
 */
export function parseTableOf<Word extends string>(
  text: string,
  words: ReadonlyMap<string, Word>,
  recorded?: RecordedCodes,
): Read<Table<Word | "visa_free">> {
  if (OWN_BEGINNING.test(text)) return Result.fail(OWN_EXPORT)
  let rows: readonly CsvRow[]
  try {
    rows = readTable(new TextEncoder().encode(text))
  } catch (cause) {
    if (cause instanceof CsvBroken) return Result.fail(`The table is not CSV: ${cause.message}`)
    throw cause
  }
  const [head, ...body] = rows
  const columns = head?.cells ?? []
  const names = columns.map(column => column.toLowerCase())
  // No table of a source has these four, and an export may have lost the others.
  if (EXPORTED_COLUMNS.slice(0, 4).every((name, at) => names[at] === name)) return Result.fail(OWN_EXPORT)
  const form = recogniseForm(names)
  if (head === undefined || form === null) {
    return Result.fail(
      `The table's first line is "${columns.slice(0, 4).join(",")}", expected "Passport,Destination,Requirement" ` +
        `or "passport,destination,status,days".`,
    )
  }
  if (body.length === 0) return Result.fail("The table has no rows below its first line.")
  for (const { line, cells, error } of body) {
    if (error !== null) return Result.fail(`Line ${line}: ${error}`)
    if (cells.length !== columns.length)
      return Result.fail(`Line ${line}: The row has ${cells.length} cells, ${columns.length} are expected.`)
  }
  const cells = body.map(({ line, cells: [passport = "", destination = "", word = "", days = ""] }) => {
    return { line, passport, destination, word, days }
  })
  const table = readCells(form, cells, words)
  const strangers = recorded === undefined || Result.isFailure(table) ? null : findStrangers(cells, recorded)
  return strangers === null ? table : Result.fail(strangers)
}

function findStrangers(cells: readonly Cell[], { passports, destinations }: RecordedCodes): string | null {
  const strangers = new Map<string, number>()
  const note = (code: string, line: number) => strangers.has(code) || strangers.set(code, line)
  for (const { line, passport, destination } of cells) {
    if (!passports.has(passport)) note(passport, line)
    if (!destinations.has(destination)) note(destination, line)
  }
  if (strangers.size === 0) return null
  const named = [...strangers].sort().map(([code, line]) => `${code} (line ${line})`)
  const verb = named.length === 1 ? "stands" : "stand"
  return `${named.join(", ")} ${verb} in no record of passports.json or countries.json.`
}

function recogniseForm(names: readonly string[]): Table["form"] | null {
  if (names.join() === "passport,destination,requirement") return "tidy"
  return names.join() === "passport,destination,status,days" ? "tidy with days" : null
}

interface Cell {
  readonly line: number
  readonly passport: string
  readonly destination: string
  readonly word: string
  readonly days: string
}

function readCells<Word extends string>(
  form: Table["form"],
  cells: readonly Cell[],
  words: ReadonlyMap<string, Word>,
): Read<Table<Word | "visa_free">> {
  const pairs: TablePair<Word | "visa_free">[] = []
  const daysDropped: string[] = []
  const seen = new Map<string, number>()
  for (const cell of cells) {
    const { line, passport, destination } = cell
    for (const [field, code] of [
      ["passport", passport],
      ["destination", destination],
    ] as const) {
      if (!isCode(code)) {
        return Result.fail(`Line ${line}, ${field}: "${code}" is not an ISO 3166-1 alpha-3 code such as FRA.`)
      }
    }
    const earlier = seen.get(passport + destination)
    if (earlier !== undefined) {
      return Result.fail(`Line ${line}: the pair ${passport},${destination} is already on line ${earlier}.`)
    }
    seen.set(passport + destination, line)
    const read = readValue(cell, words)
    if (Result.isFailure(read)) return Result.fail(read.failure)
    const value = read.success
    if (value === null) continue
    if (value.days !== null && (value.requirement === "visa_required" || value.requirement === "no_admission")) {
      daysDropped.push(`${passport},${destination}`)
      value.days = null
    }
    pairs.push({ passport, destination, ...value, line })
  }
  return Result.succeed({ form, pairs, daysDropped })
}

function readValue<Word extends string>(
  { line, passport, destination, word, days }: Cell,
  words: ReadonlyMap<string, Word>,
): Read<{ requirement: Word | "visa_free"; days: number | null } | null> {
  const place = `Line ${line}, ${passport} to ${destination}`
  if (word === "-1" || (word === "" && passport === destination)) {
    if (passport === destination) return Result.succeed(null)
    return Result.fail(`Line ${line}: -1 marks the own country, and ${passport} is not ${destination}.`)
  }
  if (passport === destination) {
    return Result.fail(`Line ${line}: ${passport} is the own country, -1 is expected, "${word}" found.`)
  }
  if (/^\d+$/.test(word)) {
    if (days !== "" && days !== word) {
      return Result.fail(`${place}: the stay is ${word} days and ${days} days.`)
    }
    return readDays(place, "visa_free" as const, word)
  }
  const requirement = words.get(word.toLowerCase())
  if (requirement === undefined && isRequirement(word))
    return Result.fail(`${place}: "${word}" shows that it ${OWN_EXPORT}`)
  if (requirement === undefined) {
    const known = [...words.keys()].join(", ")
    return Result.fail(`${place}: "${word}" is not a requirement; expected a number of days, -1, or ${known}.`)
  }
  return days === "" ? Result.succeed({ requirement, days: null }) : readDays(place, requirement, days)
}

function readDays<Word extends string>(
  place: string,
  requirement: Word,
  text: string,
): Read<{ requirement: Word; days: number }> {
  const days = /^\d+$/.test(text) ? Number(text) : 0
  if (days < 1 || days > 3650) {
    return Result.fail(`${place}, days: "${text}" is not a whole number from 1 to 3650.`)
  }
  return Result.succeed({ requirement, days })
}
