/**
 * How does a row of a table become a request?
 *
 * A column is a field of the request, under its name. For the usual journey there are columns `destination`, `from` and `to`, and for further stops `destination_2`, `from_2`, `to_2` up to
 * 12; `transit` takes codes between blanks, commas or semicolons. Lists and objects are JSON in their cells, or nested values of Parquet. Empty cells are ignored. An unknown column is
 * refused with each line, because a misspelt expiry date would count as not given.
 */
import { DECISION_REQUEST } from "../../../src/engine.ts"

const { stops: STOPS, transit: TRANSIT } = DECISION_REQUEST.fields
const STOP_FIELDS = Object.values(STOPS.is.of.fields).filter(({ need, wire }) => need === "required" || wire === "to")
const STOP_COLUMN = new RegExp(`^(${STOP_FIELDS.map(({ wire }) => wire).join("|")})(?:_([2-9]|1[0-2]))?$`)

/** What a column says: a field of a stop, the transit countries, the id, or another field of the request. */
type Column =
  | { readonly kind: "stop"; readonly place: number; readonly field: string }
  | { readonly kind: "transit" | "id" | "field"; readonly field: string }

function readColumn(name: string): Column {
  const [, field, number = "1"] = STOP_COLUMN.exec(name) ?? []
  if (field !== undefined) return { kind: "stop", place: Number(number) - 1, field }
  return { kind: name === TRANSIT.wire ? "transit" : name === "id" ? "id" : "field", field: name }
}

/** Judges the names of the columns once; returns a function that turns the cells of a row, text from CSV or any value from Parquet, into the request that a line of JSON would carry. */
export function makeRowReader(names: readonly string[]): (cells: readonly unknown[]) => Record<string, unknown> {
  const columns = names.map(readColumn)
  return cells => {
    const request: Record<string, unknown> = {}
    const stops: (Record<string, unknown> | undefined)[] = []
    for (const [at, column] of columns.entries()) {
      const cell = cells[at]
      const value = readCell(cell)
      if (value === undefined) continue
      if (column.kind === "stop") stops[column.place] = { ...stops[column.place], [column.field]: value }
      else if (column.kind === "transit" && typeof value === "string") request[column.field] = splitCodes(value)
      // An id is only repeated, not interpreted.
      else request[column.field] = column.kind === "id" && typeof cell === "string" ? cell : value
    }
    if (stops.length > 0 && request.stops === undefined) request.stops = Array.from(stops, stop => stop ?? {})
    // Only one of the two forms is allowed: with both, the columns are refused as unknown fields.
    else if (stops.length > 0) Object.assign(request, ...stops)
    return request
  }
}

function splitCodes(text: string): readonly string[] {
  return text.split(/[\s,;]+/).filter(code => code !== "")
}

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
  const fields = Object.entries(value).map(([name, held]) => [name, readCell(held)] as const)
  return Object.fromEntries(fields.filter(([, held]) => held !== undefined))
}
