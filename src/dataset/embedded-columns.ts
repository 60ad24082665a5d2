/**
 * How are the rows of rules laid out in a bundle?
 *
 * Column by column, because values of one kind compress well next to each other. Places in lists that mostly increase one by one are stored
 * as distances from the next new one, and values that repeat as their places among the distinct ones.
 */
import type { EmbeddedLists, Rows } from "./embedded-form.ts"

/**
 * A column: its values; numbers as a text with a character for each; or `of` some values, of which `at` has the place of each, as such a text,
 * or which are followed by their places where they repeat.
 */
type Column = readonly unknown[] | string | { readonly of: readonly unknown[]; readonly at?: string }

/** Lists of rows by columns; a list of plain values stays as it is. */
export interface ListColumns extends Pick<EmbeddedLists, "fields"> {
  readonly lists: Readonly<Record<string, readonly (Column | number | null)[]>>
}

/** The columns of places that go up, by list; and the lists whose first column has destinations in the order of their codes. */
const RISING: Readonly<Record<string, number>> = { details: 0, rules: 1, policyConditions: 0, changes: 1 }
const BY_DESTINATION: readonly string[] = ["rules", "changes", "checks"]

/** The order of the lists: gzip makes those with sentences smaller next to each other. */
const ORDER: readonly string[] = [
  "rules",
  "details",
  "policyNotes",
  "borderRules",
  "blocs",
  "ended",
  "stayRules",
  "validity",
  "policyConditions",
  "kindRules",
  "zones",
  "sets",
  "sources",
  "transit",
  "waivers",
  "changes",
  "conditions",
  "checks",
  "retrievedDays",
]

/** A place in a list, null for none; or several. */
type Places = number | null | readonly Places[]

const isRising = (name: string, fields: string | undefined, at: number) =>
  at === RISING[name] || fields?.split(" ")[at]?.endsWith(":places") === true

// Turns places into distances from the next new place, which are 0 in most rows, or distances into places: one is the next new place less the
// other.
function turn(values: readonly unknown[], areDistances: boolean): readonly Places[] {
  let next = 0
  const step = (value: Places): Places => {
    if (value === null) return null
    if (typeof value !== "number") return value.map(step)
    const other = next - value
    next = Math.max(next, (areDistances ? other : value) + 1)
    return other
  }
  return values.map(value => step(value as Places))
}

const toColumns = (rows: Rows): Rows => (rows[0] ?? []).map((_, at) => rows.map(row => row[at]))

// A column behind the first ends where its last value only repeats.
function cutColumn(column: readonly unknown[], at: number): readonly unknown[] {
  const text = column.map(value => JSON.stringify(value))
  let length = column.length
  while (at > 0 && length > 1 && text[length - 1] === text[length - 2]) length--
  return column.slice(0, length)
}

// The characters of no number and of 0: the small numbers are digits and letters.
const NONE = " ".charCodeAt(0)
const ZERO = "0".charCodeAt(0)

const isShort = (value: unknown) =>
  value === null || (Number.isInteger(value) && Number(value) > NONE - ZERO && Number(value) < 0xd800 - ZERO)

const writeNumbers = (column: readonly unknown[]): string =>
  column.map(value => String.fromCharCode(value === null ? NONE : ZERO + Number(value))).join("")

// A column of numbers is a text, because a character takes fewer bits than digits and a comma.
function writePlain(column: readonly unknown[], at: number): Column {
  const cut = cutColumn(column, at)
  return column.every(isShort) ? writeNumbers(cut) : cut
}

// Values that repeat are written once, where that is much shorter; gzip does better with a few repetitions.
function writeColumn(column: readonly unknown[], at: number): Column {
  if (column.every(isShort)) return writePlain(column, at)
  const texts = column.map(value => JSON.stringify(value))
  const distinct = [...new Set(texts)]
  const places = cutColumn(
    texts.map(value => distinct.indexOf(value)),
    at,
  )
  const short = { of: distinct.map(value => JSON.parse(value)), at: writeNumbers(places) }
  const cut = cutColumn(column, at)
  if (JSON.stringify(short).length * 2 < JSON.stringify(cut).length) return short
  if (cut.some(value => typeof value === "number")) return cut
  const of = cut.map((value, row) => (texts.indexOf(texts[row]!) < row ? distinct.indexOf(texts[row]!) : value))
  return JSON.stringify(of).length * 1.25 < JSON.stringify(cut).length ? { of } : cut
}

// A loop, because a process that has compiled nothing yet calls functions slowly.
function readNumbers(text: string): readonly (number | null)[] {
  const numbers: (number | null)[] = []
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at)
    numbers.push(unit === NONE ? null : unit - ZERO)
  }
  return numbers
}

function readColumn(column: Column): readonly unknown[] {
  if (typeof column === "string") return readNumbers(column)
  if (!("of" in column)) return column
  const { of, at } = column
  if (at !== undefined) return readNumbers(at).map(place => of[place as number])
  const distinct: unknown[] = []
  return of.map(value => (typeof value === "number" ? distinct[value] : distinct[distinct.push(value) - 1]))
}

/** Lays lists out by columns, for the build only. `destinations`: their codes in order. */
export function writeColumns({ fields, lists }: EmbeddedLists, destinations: readonly string[]): ListColumns {
  const write = (name: string, column: readonly unknown[], at: number) => {
    if (isRising(name, fields[name], at)) return turn(column, false)
    if (at > 0 || !BY_DESTINATION.includes(name)) return column
    return turn(
      column.map(code => destinations.indexOf(code as string)),
      false,
    )
  }
  const written = Object.entries(lists).map(([name, list]) => {
    // A list of plain values is its only column.
    if (!Array.isArray(list[0])) return [name, list as readonly Column[]] as const
    const writeAny = BY_DESTINATION.includes(name) ? writePlain : writeColumn
    return [name, toColumns(list).map((column, at) => writeAny(write(name, column, at), at))] as const
  })
  written.sort(([first], [second]) => ORDER.indexOf(first) - ORDER.indexOf(second))
  return { fields, lists: Object.fromEntries(written) }
}

/** Reads the rows of a list back that {@link writeColumns} has laid out. */
export function readList({ fields, lists }: ListColumns, name: string, destinations: readonly string[]): Rows {
  const columns = lists[name] ?? []
  // A list of plain values.
  if (typeof columns[0] === "number" || columns[0] === null) return columns as unknown as Rows
  const whole = columns.map(column => readColumn(column as Column))
  const length = whole[0]?.length ?? 0
  return toColumns(
    whole.map((column, at) => {
      const values = Array.from({ length }, (_, row) => column[Math.min(row, column.length - 1)])
      if (isRising(name, fields[name], at)) return turn(values, true)
      if (at > 0 || !BY_DESTINATION.includes(name)) return values
      return turn(values, true).map(place => destinations[place as number])
    }),
  )
}
