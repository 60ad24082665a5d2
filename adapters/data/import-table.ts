/**
 * What does a table of requirements say, pair by pair?
 *
 * Reads the three forms in which the Passport Index tables are published, with ISO 3166-1 alpha-3 codes: tidy
 * (`Passport,Destination,Requirement`), tidy with days (`passport,destination,status,days`) and matrix (a row a passport, a column a
 * destination). A number is a visa-free stay in days, `-1` the own country. What it does not know is an error with its line,
 * never a guess.
 */
import { parse } from "csv-parse/sync"
import { Schema } from "effect"
import { isCode, type Requirement } from "../../src/engine.ts"

/** One pair of a table; the own country is left out. */
export interface TablePair {
  readonly passport: string
  readonly destination: string
  readonly requirement: Requirement
  readonly days: number | null
}

/** A table, and what had to be dropped from it. */
export interface Table {
  readonly form: "tidy" | "tidy with days" | "matrix"
  readonly pairs: readonly TablePair[]
  /** Pairs whose days contradict their requirement: the days were dropped. */
  readonly daysDropped: readonly string[]
}

/** The table could not be read: line, column, what was found and what is expected. */
export class TableError extends Schema.TaggedError<TableError>()("TableError", { message: Schema.String }) {}

const REQUIREMENT_BY_WORD: ReadonlyMap<string, Requirement> = new Map([
  ["visa free", "visa_free"],
  ["eta", "eta"],
  ["visa on arrival", "visa_on_arrival"],
  ["e-visa", "e_visa"],
  ["visa required", "visa_required"],
  ["no admission", "no_admission"],
])

/** Reads the text of a table; throws a {@link TableError} that names the line. */
export function parseRequirementTable(text: string): Table {
  let rows: string[][]
  try {
    rows = parse(text, { bom: true, skip_empty_lines: true, trim: true })
  } catch (cause) {
    throw new TableError({ message: `The table is not CSV: ${(cause as Error).message}` })
  }
  const header = rows[0]?.map(cell => cell.toLowerCase()) ?? []
  const body = rows.slice(1)
  if (header.join() === "passport,destination,requirement") return readCells("tidy", body.map(tidyCell))
  if (header.join() === "passport,destination,status,days") return readCells("tidy with days", body.map(tidyCell))
  if (header[0] === "passport" && header.length > 4) {
    const destinations = rows[0]?.slice(1) ?? []
    return readCells(
      "matrix",
      body.flatMap((row, at) => matrixCells(row, at, destinations)),
    )
  }
  throw new TableError({
    message:
      `The table's first line is "${rows[0]?.slice(0, 4).join(",") ?? ""}", expected "Passport,Destination,Requirement", ` +
      `"passport,destination,status,days" or "Passport" and one column a destination.`,
  })
}

interface Cell {
  readonly line: number
  readonly passport: string
  readonly destination: string
  readonly word: string
  readonly days: string
}

function tidyCell(row: string[], at: number): Cell {
  const [passport = "", destination = "", word = "", days = ""] = row
  return { line: at + 2, passport, destination, word, days }
}

function matrixCells(row: string[], at: number, destinations: readonly string[]): Cell[] {
  const [passport = "", ...words] = row
  return words.map((word, column) => ({
    line: at + 2,
    passport,
    destination: destinations[column] ?? "",
    word,
    days: "",
  }))
}

function readCells(form: Table["form"], cells: readonly Cell[]): Table {
  const pairs: TablePair[] = []
  const daysDropped: string[] = []
  const seen = new Map<string, number>()
  for (const cell of cells) {
    const { line, passport, destination } = cell
    for (const [field, code] of [
      ["passport", passport],
      ["destination", destination],
    ] as const) {
      if (!isCode(code)) {
        throw new TableError({
          message: `Line ${line}, ${field}: "${code}" is no ISO 3166-1 alpha-3 code such as FRA.`,
        })
      }
    }
    const earlier = seen.get(passport + destination)
    if (earlier !== undefined) {
      throw new TableError({
        message: `Line ${line}: the pair ${passport},${destination} already stands on line ${earlier}.`,
      })
    }
    seen.set(passport + destination, line)
    const value = readValue(cell)
    if (value === null) continue
    if (value.days !== null && (value.requirement === "visa_required" || value.requirement === "no_admission")) {
      daysDropped.push(`${passport},${destination}`)
      value.days = null
    }
    pairs.push({ passport, destination, ...value })
  }
  return { form, pairs, daysDropped }
}

function readValue({
  line,
  passport,
  destination,
  word,
  days,
}: Cell): { requirement: Requirement; days: number | null } | null {
  if (word === "-1" || (word === "" && passport === destination)) {
    if (passport === destination) return null
    throw new TableError({ message: `Line ${line}: -1 marks the own country, and ${passport} is not ${destination}.` })
  }
  if (passport === destination) {
    throw new TableError({ message: `Line ${line}: ${passport} is the own country, -1 is expected, "${word}" found.` })
  }
  if (/^\d+$/.test(word)) return { requirement: "visa_free", days: readDays(line, word) }
  const requirement = REQUIREMENT_BY_WORD.get(word.toLowerCase())
  if (requirement === undefined) {
    const known = [...REQUIREMENT_BY_WORD.keys()].join(", ")
    throw new TableError({
      message: `Line ${line}: "${word}" is no requirement; expected a number of days, -1, or ${known}.`,
    })
  }
  return { requirement, days: days === "" ? null : readDays(line, days) }
}

function readDays(line: number, text: string): number {
  const days = Number(text)
  if (!Number.isInteger(days) || days < 1 || days > 3650) {
    throw new TableError({ message: `Line ${line}, days: "${text}" is no whole number from 1 to 3650.` })
  }
  return days
}
