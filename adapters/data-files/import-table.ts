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

/** The forms by the names of their columns, in lower case. */
const FORMS: ReadonlyMap<string, Table["form"]> = new Map([
  ["passport,destination,requirement", "tidy"],
  ["passport,destination,status,days", "tidy with days"],
])

/** What is wrong with a table: line, column, the found and the expected value. */
class BadTable extends Error {}

function refuse(message: string): never {
  throw new BadTable(message)
}

/**
 * Reads a table whose words, in lower case, mean what `words` says, or says in words what is wrong with its first bad line; a number is
 * always a visa-free stay. With `recorded`, all unknown codes are refused in one message.
 */
export const parseTableOf = <Word extends string>(
  text: string,
  words: ReadonlyMap<string, Word>,
  recorded?: RecordedCodes,
): Result.Result<Table<Word | "visa_free">, string> =>
  Result.try({
    try: () => readPairs(text, words, recorded),
    catch: cause => {
      if (cause instanceof CsvBroken) return `The table is not CSV: ${cause.message}`
      if (cause instanceof BadTable) return cause.message
      throw cause
    },
  })

function readPairs<Word extends string>(text: string, words: ReadonlyMap<string, Word>, recorded?: RecordedCodes) {
  if (OWN_BEGINNING.test(text)) refuse(OWN_EXPORT)
  const [head, ...body] = readTable(new TextEncoder().encode(text))
  const columns = head?.cells ?? []
  const names = columns.map(column => column.toLowerCase())
  // No table of a source has these four, and an export may have lost the others.
  if (EXPORTED_COLUMNS.slice(0, 4).every((name, at) => names[at] === name)) refuse(OWN_EXPORT)
  const form = FORMS.get(names.join())
  if (form === undefined) {
    refuse(
      `The table's first line is "${columns.slice(0, 4).join(",")}", expected "Passport,Destination,Requirement" ` +
        `or "passport,destination,status,days".`,
    )
  }
  if (body.length === 0) refuse("The table has no rows below its first line.")
  for (const { line, cells, error } of body) {
    if (error !== null) refuse(`Line ${line}: ${error}`)
    if (cells.length !== columns.length)
      refuse(`Line ${line}: The row has ${cells.length} cells, ${columns.length} are expected.`)
  }
  const pairs: TablePair<Word | "visa_free">[] = []
  const daysDropped: string[] = []
  const seen = new Map<string, number>()
  for (const row of body) {
    const { line } = row
    const [passport = "", destination = ""] = row.cells
    for (const [field, code] of Object.entries({ passport, destination })) {
      if (!isCode(code)) refuse(`Line ${line}, ${field}: "${code}" is not an ISO 3166-1 alpha-3 code such as FRA.`)
    }
    const earlier = seen.get(passport + destination)
    if (earlier !== undefined) {
      refuse(`Line ${line}: the pair ${passport},${destination} is already on line ${earlier}.`)
    }
    seen.set(passport + destination, line)
    const value = readValue(row, words)
    if (value === null) continue
    const { requirement } = value
    const isContradicted = value.days !== null && (requirement === "visa_required" || requirement === "no_admission")
    if (isContradicted) daysDropped.push(`${passport},${destination}`)
    pairs.push({ passport, destination, requirement, days: isContradicted ? null : value.days, line })
  }
  if (recorded !== undefined) refuseStrangers(body, recorded)
  return { form, pairs, daysDropped }
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

/** The value of a row; null for the own country. */
function readValue<Word extends string>(
  { line, cells: [passport = "", destination = "", word = "", days = ""] }: CsvRow,
  words: ReadonlyMap<string, Word>,
): { readonly requirement: Word | "visa_free"; readonly days: number | null } | null {
  const place = `Line ${line}, ${passport} to ${destination}`
  if (passport === destination) {
    if (word === "-1" || word === "") return null
    refuse(`Line ${line}: ${passport} is the own country, -1 is expected, "${word}" found.`)
  }
  if (word === "-1") refuse(`Line ${line}: -1 marks the own country, and ${passport} is not ${destination}.`)
  const readDays = (text: string): number => {
    const read = /^\d+$/.test(text) ? Number(text) : 0
    if (read < 1 || read > 3650) refuse(`${place}, days: "${text}" is not a whole number from 1 to 3650.`)
    return read
  }
  if (/^\d+$/.test(word)) {
    if (days !== "" && days !== word) refuse(`${place}: the stay is ${word} days and ${days} days.`)
    return { requirement: "visa_free", days: readDays(word) }
  }
  const requirement = words.get(word.toLowerCase())
  if (requirement === undefined && isRequirement(word)) refuse(`${place}: "${word}" shows that it ${OWN_EXPORT}`)
  if (requirement === undefined) {
    const known = [...words.keys()].join(", ")
    refuse(`${place}: "${word}" is not a requirement; expected a number of days, -1, or ${known}.`)
  }
  return { requirement, days: days === "" ? null : readDays(days) }
}
