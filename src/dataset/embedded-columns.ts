/**
 * How are the rows of rules laid out in a bundle?
 *
 * Column by column, because values of one kind compress well next to each other. Places in lists that mostly increase one by one are stored
 * as distances from the next new one.
 */
import type { EmbeddedRules } from "./embedded-form.ts"
import type { ScopeRow } from "./terms-section.ts"

type Rows = readonly (readonly unknown[])[]

/** By list of rows, its columns; a list of plain values stays as it is. */
export type Lists = Readonly<Record<string, readonly unknown[] | undefined>>

/** A column; one of numbers is a text with a character for each. */
type Column = readonly unknown[] | string

/** Rules as a bundle has them. */
export interface RuleColumns {
  readonly sources: readonly unknown[]
  readonly header: Lists
  readonly terms?: Lists | undefined
}

/** The columns of places that go up, by list; and the lists whose first column has destinations in the order of their codes. */
const RISING: Readonly<Record<string, number>> = { details: 0, rules: 1, policyConditions: 0, waivers: 3, changes: 1 }
/** The columns whose values repeat, by list: a repeated value is written as its number among the distinct ones. */
const REPEATING: Readonly<Record<string, number>> = { conditions: 0, transitWaivers: 1 }
/** The columns of scopes, by list: a single one that names codes, without days, is written as its codes. */
const SCOPES: Readonly<Record<string, number>> = { policyConditions: 3, borders: 5, waivers: 8, stays: 12 }
const BY_DESTINATION: readonly string[] = ["rules", "changes", "checks"]

/** The order of the lists: gzip makes those with sentences smaller next to each other. */
const ORDER: readonly string[] = [
  "rules",
  "details",
  "admissions",
  "ended",
  "kinds",
  "validity",
  "policyConditions",
  "transitWaivers",
  "sources",
  "sets",
  "policyNotes",
  "waivers",
  "stays",
  "borders",
  "conditions",
  "checks",
  "changes",
  "retrievedDays",
]

/** A place in a list, null for none; or several. */
type Places = number | null | readonly Places[]

// Turns places into distances from the next new place, which are 0 in most rows, or distances into places: one is the next new place less the
// other.
function turn(values: readonly Places[], areDistances: boolean): readonly Places[] {
  let next = 0
  const step = (value: Places): Places => {
    if (value === null) return null
    if (typeof value !== "number") return value.map(step)
    const other = next - value
    next = Math.max(next, (areDistances ? other : value) + 1)
    return other
  }
  return values.map(step)
}

function numberRepeated(values: readonly unknown[]): readonly unknown[] {
  const numbers = new Map<string, number>()
  return values.map(value => {
    const text = JSON.stringify(value)
    const number = numbers.get(text)
    if (number === undefined) numbers.set(text, numbers.size)
    return number ?? value
  })
}

function repeatNumbered(values: readonly unknown[]): readonly unknown[] {
  const distinct: unknown[] = []
  return values.map(value => (typeof value === "number" ? distinct[value] : distinct[distinct.push(value) - 1]))
}

function shortenScopes(scopes: readonly ScopeRow[]): readonly ScopeRow[] | string {
  const short = `${scopes[0]?.[1]}`
  return JSON.stringify(readScopes(short)) === JSON.stringify(scopes) ? short : scopes
}

const readScopes = (scopes: readonly ScopeRow[] | string): readonly ScopeRow[] =>
  typeof scopes === "string" ? [[3, scopes, "", null, null]] : scopes

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

// A column of numbers is a text, because a character takes fewer bits than digits and a comma.
function writeNumbers(column: readonly unknown[]): Column {
  const isShort = (value: unknown) =>
    value === null || (Number.isInteger(value) && Number(value) > NONE - ZERO && Number(value) < 0xd800 - ZERO)
  if (!column.every(isShort)) return column
  return column.map(value => String.fromCharCode(value === null ? NONE : ZERO + Number(value))).join("")
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

// A column may be a text.
const isOfRows = (list: readonly unknown[] | undefined) => Array.isArray(list?.[0]) || typeof list?.[0] === "string"

function mapLists(lists: object, change: (name: string, list: Rows) => readonly Column[]): Lists {
  return Object.fromEntries(
    Object.entries(lists).map(([name, list]) => [name, isOfRows(list) ? change(name, list) : list]),
  )
}

function mapRules(
  { sources, header, terms }: EmbeddedRules | RuleColumns,
  change: (name: string, list: Rows) => readonly Column[],
) {
  return {
    sources: change("sources", sources as Rows),
    header: mapLists(header, change),
    ...(terms === undefined ? {} : { terms: mapLists(terms, change) }),
  }
}

const sortLists = (lists: object) =>
  Object.entries(lists).sort(([first], [second]) => ORDER.indexOf(first) - ORDER.indexOf(second))

/** Lays rules out by columns, for the build only. `destinations`: their codes in order. */
export function writeColumns(rules: EmbeddedRules, destinations: readonly string[]): RuleColumns {
  const { terms, ...rest } = rules
  const ordered = terms && Object.fromEntries(sortLists(terms))
  const write = (name: string, column: readonly unknown[], at: number) => {
    if (at === RISING[name]) return turn(column as readonly Places[], false)
    if (at === SCOPES[name]) return numberRepeated(column.map(scopes => shortenScopes(scopes as readonly ScopeRow[])))
    if (at === REPEATING[name]) return numberRepeated(column)
    if (at > 0 || !BY_DESTINATION.includes(name)) return column
    return turn(
      column.map(code => destinations.indexOf(code as string)),
      false,
    )
  }
  return mapRules({ ...rest, terms: ordered as EmbeddedRules["terms"] }, (name, rows) =>
    toColumns(rows).map((column, at) => writeNumbers(cutColumn(write(name, column, at), at))),
  )
}

/** Reads the rows back that {@link writeColumns} has laid out. */
export function readColumns(rules: RuleColumns, destinations: readonly string[]): EmbeddedRules {
  const read = (name: string, column: readonly unknown[], at: number) => {
    if (at === RISING[name]) return turn(column as readonly Places[], true)
    if (at === SCOPES[name]) return (repeatNumbered(column) as (readonly ScopeRow[] | string)[]).map(readScopes)
    if (at === REPEATING[name]) return repeatNumbered(column)
    if (at > 0 || !BY_DESTINATION.includes(name)) return column
    return turn(column as readonly Places[], true).map(place => destinations[place as number])
  }
  return mapRules(rules, (name, columns) => {
    const [first = [], ...others] = columns.map(column => (typeof column === "string" ? readNumbers(column) : column))
    const whole = others.map(column => first.map((_, row) => column[Math.min(row, column.length - 1)]))
    return toColumns([first, ...whole].map((column, at) => read(name, column, at)))
  }) as unknown as EmbeddedRules
}
