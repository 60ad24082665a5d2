/**
 * How does a row of a table become a request?
 *
 * A column is a field of the request, under its name in any case. For the usual journey there are columns `destination`, `from` and `to`, and for further stops `destination_2`, `from_2`,
 * `to_2` up to 12; `transit` and `passports` take codes between commas or semicolons. Lists and objects are JSON in their cells, or nested values of Parquet. Empty cells are ignored.
 * The names of the columns are judged once: a column with a name that is spelled almost like a field's is refused, because a misspelt expiry date would count as not given; any
 * other unknown column is repeated in the answers, or refused on request. Countries may have their codes or any name that means one country for sure; dates are those of
 * ISO 8601, or of the one other form that the caller names.
 */
import { distance } from "fastest-levenshtein"
import { DECISION_REQUEST, type InputIssue, isCode } from "../../../src/engine.ts"

const { fields } = DECISION_REQUEST
const { stops: STOPS } = fields
const STOP_FIELDS = Object.values(STOPS.is.of.fields).filter(({ need, wire }) => need === "required" || wire === "to")
const STOP_NAMES: readonly string[] = STOP_FIELDS.map(({ wire }) => wire)
const MOST_STOPS = STOPS.is.most
const NUMBERED = /^(.+?)_(\d+)$/
const ID = "id"

/** How the text of a cell is read. */
type Reading = "country" | "countries" | "day" | "plain"

/** What a column says: a field of a stop, another field of the request, or something that is only repeated. */
type Column =
  | { readonly kind: "stop"; readonly place: number; readonly field: string; readonly reading: Reading }
  | { readonly kind: "field"; readonly field: string; readonly reading: Reading }
  | { readonly kind: "id" }
  | { readonly kind: "carried" }
  | { readonly kind: "unnamed" }

interface Readable {
  readonly kind: string
  readonly of?: { readonly kind: string; readonly bare?: unknown }
}

function readingOf(is: Readable): Reading {
  if (is.kind === "code") return "country"
  if (is.kind === "day") return "day"
  return is.kind === "list" && is.of?.kind === "object" && typeof is.of.bare === "string" ? "countries" : "plain"
}

const READINGS: ReadonlyMap<string, Reading> = new Map(
  Object.values(fields).map(({ wire, is }) => [wire, readingOf(is as Readable)]),
)
const STOP_READINGS: ReadonlyMap<string, Reading> = new Map(
  STOP_FIELDS.map(({ wire, is }) => [wire, readingOf(is as Readable)]),
)
/** The columns of which one says who travels. */
const TRAVELLERS = [fields.passport, fields.passports, fields.travellers]
/** Every name of a column, without the numbered ones. */
const NAMES = [ID, ...STOP_NAMES, ...READINGS.keys()]

/** The columns of a table, judged. */
export interface Columns {
  readonly columns: readonly Column[]
  /** The names of those whose cells answers repeat, as they are written. */
  readonly given: readonly string[]
}

/** The names of the columns were refused: every mistake, with its place. */
export class HeaderRefused extends Error {
  constructor(mistakes: readonly string[]) {
    super(mistakes.join("\n"))
  }
}

const MOST_MISTAKES = 20
const fold = (name: string) =>
  name
    .trim()
    .toLowerCase()
    .replace(/[\s-]+/g, "_")
const withoutSigns = (name: string) => name.replaceAll("_", "")

/** The known name that a misspelt one means, if it is missing: one letter is wrong, or two of a long name. */
function findMeant(name: string, present: ReadonlySet<string>): string | undefined {
  const plain = withoutSigns(name)
  if (plain.length < 3 || plain.length > 40) return undefined
  return NAMES.find(known => {
    const other = withoutSigns(known)
    const most = other.length >= 8 ? 2 : other.length >= 4 ? 1 : 0
    if (present.has(known) || Math.abs(other.length - plain.length) > most) return false
    return distance(plain, other) <= most || (other.length >= 4 && isSwapped(plain, other))
  })
}

// Two neighbours are swapped, and nothing else is wrong.
function isSwapped(one: string, other: string): boolean {
  if (one.length !== other.length) return false
  const at = [...one].findIndex((letter, place) => letter !== other[place])
  return one.slice(0, at) + (one[at + 1] ?? "") + (one[at] ?? "") + one.slice(at + 2) === other
}

/** Judges the names of a table's columns; `place` says where they are, such as `line 1`. Throws {@link HeaderRefused} with every mistake. */
export function judgeColumns(names: readonly string[], place: string, isStrict = false): Columns {
  const mistakes: string[] = []
  const refuse = (at: number, message: string) => {
    if (mistakes.length < MOST_MISTAKES)
      mistakes.push(`${place}, column ${at + 1} ${JSON.stringify(names[at]?.slice(0, 40))}: ${message}`)
  }
  const folded = names
    .map(fold)
    .map(name => (STOP_NAMES.includes(name.replace(/_1$/, "")) ? name.replace(/_1$/, "") : name))
  const present = new Set(folded)
  const seen = new Set<string>()
  const last = folded.findLastIndex(name => name !== "")
  const stops = new Set<number>()
  const columns = folded.map((name, at): Column => {
    if (name === "") {
      if (at < last) refuse(at, "every column needs a name.")
      return { kind: "unnamed" }
    }
    if (seen.has(name)) refuse(at, "the column is given twice.")
    seen.add(name)
    if (name === "__proto__") {
      refuse(at, `no column can have this name; known: ${NAMES.join(", ")}.`)
      return { kind: "carried" }
    }
    const [, base = name, number] = NUMBERED.exec(name) ?? []
    if (number !== undefined && STOP_NAMES.includes(base)) {
      const stop = Number(number)
      if (stop < 1 || stop > MOST_STOPS)
        refuse(at, `a trip has at most ${MOST_STOPS} stops: ${base}, ${base}_2 to ${base}_${MOST_STOPS}.`)
      stops.add(stop)
      return { kind: "stop", place: stop - 1, field: base, reading: STOP_READINGS.get(base) ?? "plain" }
    }
    if (STOP_NAMES.includes(name)) {
      stops.add(1)
      return { kind: "stop", place: 0, field: name, reading: STOP_READINGS.get(name) ?? "plain" }
    }
    const reading = READINGS.get(name)
    if (reading !== undefined) return { kind: "field", field: name, reading }
    if (name === ID) return { kind: "id" }
    if (number !== undefined && READINGS.has(base)) {
      refuse(at, `only ${STOP_NAMES.join(", ")} are numbered. Several passports are a list in one column, passports.`)
      return { kind: "carried" }
    }
    const meant = findMeant(number !== undefined ? base : name, present)
    if (meant !== undefined)
      refuse(at, `there is no such column; did you mean ${meant}? Rename the column if you did not.`)
    else if (isStrict) refuse(at, `there is no such column, and --strict is given; known: ${NAMES.join(", ")}.`)
    return { kind: "carried" }
  })
  const missing = (message: string) => mistakes.push(`${place}: ${message}`)
  if (last < 0) missing("the names of the columns are expected, such as passport,destination,from,to.")
  else if (mistakes.length === 0) {
    if (!TRAVELLERS.some(({ wire }) => present.has(wire))) missing("a column passport is expected.")
    if (present.has("stops") && stops.size > 0)
      missing("a column stops and columns for each stop are given; one of them is expected.")
    else if (!present.has("stops")) {
      const most = Math.max(1, ...stops)
      for (let stop = 1; stop <= most; stop++) {
        for (const { wire, need } of STOP_FIELDS) {
          const name = stop === 1 ? wire : `${wire}_${stop}`
          if (!present.has(name) && (need === "required" || stop < most)) missing(`a column ${name} is expected.`)
        }
      }
    }
  }
  if (mistakes.length > 0) throw new HeaderRefused(mistakes)
  return { columns, given: names.filter((_, at) => isGiven(columns[at])).map(name => name.trim()) }
}

const isGiven = (column: Column | undefined): boolean => column?.kind !== "id" && column?.kind !== "unnamed"

/** Forms of dates besides that of ISO 8601: the order of day, month and year. */
export const DATE_FORMS = ["dmy", "mdy", "ymd"] as const
export type DateForm = (typeof DATE_FORMS)[number]

/** Reads a country's name, or another code, as its code; or says why it is not sure to be one. */
export type ReadCountryCell = (text: string, field: string) => { readonly code: string } | { readonly message: string }

/** How cells are read. */
export interface RowRules {
  readonly dates?: DateForm | undefined
  /** Whether a code is one of the dataset's; every well-formed code where nothing is said. */
  readonly isKnown?: ((code: string) => boolean) | undefined
  readonly readCountry?: ReadCountryCell | undefined
}

/** A row that was read. */
interface ReadRow {
  readonly request: Record<string, unknown>
  /** The cells that answers repeat, with countries and dates as they were understood. */
  readonly given: readonly string[]
  readonly mistakes: readonly InputIssue[]
}

/** Whether a cell of a row names a country in another way than by a known code. */
export function namesCountries(
  { columns }: Columns,
  cells: readonly unknown[],
  isKnown: (code: string) => boolean,
): boolean {
  return columns.some((column, at) => {
    const cell = cells[at]
    if (!("reading" in column) || typeof cell !== "string" || /^\s*[[{]/.test(cell)) return false
    if (column.reading === "country") return cell !== "" && !isKnown(cell)
    return column.reading === "countries" && splitCountries(cell).some(each => !isKnown(each))
  })
}

/** Turns the cells of a row, text from CSV or any value from Parquet, into the request that a line of JSON would carry. */
export function readRow({ columns }: Columns, cells: readonly unknown[], rules: RowRules = {}): ReadRow {
  const request: Record<string, unknown> = {}
  const stops: (Record<string, unknown> | undefined)[] = []
  const given: string[] = []
  const mistakes: InputIssue[] = []
  for (let at = 0; at < columns.length; at++) {
    const column = columns[at] as Column
    const cell = cells[at]
    if (column.kind === "unnamed") continue
    let value = readCell(cell)
    if (column.kind === "id") {
      // An id is only repeated, not interpreted.
      if (value !== undefined) request[ID] = typeof cell === "string" ? cell : value
      continue
    }
    if (column.kind !== "carried" && value !== undefined) {
      const path = column.kind === "stop" ? `stops[${column.place}].${column.field}` : column.field
      if (typeof value === "string") value = interpret(value, { ...column, path }, rules, mistakes)
      if (column.kind === "stop") stops[column.place] = { ...stops[column.place], [column.field]: value }
      else request[column.field] = value
    }
    given.push(show(value))
  }
  if (stops.length > 0) request.stops = Array.from(stops, stop => stop ?? {})
  return { request, given, mistakes }
}

interface Place {
  readonly path: string
  readonly field: string
  readonly reading: Reading
}

function interpret(text: string, { path, field, reading }: Place, rules: RowRules, mistakes: InputIssue[]): unknown {
  if (reading === "country") return toCode(text, path, field, rules, mistakes)
  if (reading === "countries")
    return splitCountries(text).map((each, at) => toCode(each, `${path}[${at}]`, field, rules, mistakes))
  return reading === "day" ? toDay(text, path, rules, mistakes) : text
}

function toCode(
  text: string,
  path: string,
  field: string,
  { readCountry, isKnown = isCode }: RowRules,
  mistakes: InputIssue[],
): string {
  if (readCountry === undefined || isKnown(text)) return text
  const read = readCountry(text, field)
  if ("code" in read) return read.code
  mistakes.push({ path, message: read.message })
  return text
}

function splitCountries(text: string): readonly string[] {
  const parts = text.split(/[,;]/).map(part => part.trim())
  // Blanks separate codes, and are part of names.
  return parts
    .flatMap(part => (part.split(/\s+/).every(isCode) ? part.split(/\s+/) : [part]))
    .filter(part => part !== "")
}

const ISO_DAY = /^\d{4}-\d{2}-\d{2}$/
const OTHER_DAY = /^(\d{1,4})([./-]) ?(\d{1,2})\2 ?(\d{1,4})$/

/** Reads a day as ISO 8601 writes it, or in the order that is named; null for any other text. */
export function readDay(text: string, dates: DateForm | undefined): string | null {
  if (ISO_DAY.test(text)) return text
  const [, first = "", , second = "", third = ""] = OTHER_DAY.exec(text) ?? []
  if (first === "" || dates === undefined) return null
  const parts = { [dates[0] as string]: first, [dates[1] as string]: second, [dates[2] as string]: third }
  const { y = "", m = "", d = "" } = parts
  const isDay = y.length === 4 && m.length <= 2 && d.length <= 2 && Number(m) <= 12
  return isDay ? `${y}-${m.padStart(2, "0")}-${d.padStart(2, "0")}` : null
}

function toDay(text: string, path: string, { dates }: RowRules, mistakes: InputIssue[]): string {
  const day = readDay(text, dates)
  if (day !== null || !OTHER_DAY.test(text)) return day ?? text
  const message =
    dates === undefined
      ? `${JSON.stringify(text)} is not a date such as 2026-12-01. If the file writes dates in another order, name it: --dates dmy, mdy or ymd.`
      : `${JSON.stringify(text)} is not a date in the order ${dates}, with a year of four digits.`
  mistakes.push({ path, message })
  return text
}

const show = (value: unknown): string =>
  value === undefined
    ? ""
    : typeof value === "string"
      ? value
      : Array.isArray(value) && value.every(each => typeof each === "string")
        ? value.join(" ")
        : typeof value === "object"
          ? JSON.stringify(value)
          : String(value)

// Undefined for an empty value.
function readCell(cell: unknown): unknown {
  if (cell === null || cell === undefined) return undefined
  if (cell instanceof Date) return cell.toISOString().slice(0, 10)
  if (typeof cell === "bigint") return Number.isSafeInteger(Number(cell)) ? Number(cell) : String(cell)
  if (typeof cell === "string") return readText(cell.trim())
  if (Array.isArray(cell)) return cell.map(readNested)
  return typeof cell === "object" ? readFields(cell) : cell
}

function readText(text: string): unknown {
  if (text === "") return undefined
  if (!/^[[{]/.test(text)) return text
  try {
    return JSON.parse(text)
  } catch {
    // The text is left as it is, and refused where a list is expected.
    return text
  }
}

function readNested(value: unknown): unknown {
  return readCell(value) ?? null
}

function readFields(value: object): object {
  const read = Object.entries(value).map(([name, held]) => [name, readCell(held)] as const)
  return Object.fromEntries(read.filter(([, held]) => held !== undefined))
}
