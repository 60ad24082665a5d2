/**
 * How are the rows of rules laid out in a bundle?
 *
 * Column by column, because values of one kind are small beside one another, and places in lists that mostly go up one by one as differences.
 */
import type { EmbeddedRules } from "./embedded-form.ts"

type Rows = readonly (readonly unknown[])[]

/** By list of rows, its columns; a list of plain values stays as it is. */
type Lists = Readonly<Record<string, readonly unknown[] | undefined>>

/** Rules as a bundle has them. */
export interface RuleColumns {
  readonly sources: readonly unknown[]
  readonly header: Lists
  readonly terms?: Lists | undefined
}

/** The columns of places that go up, by list; and the lists whose first column has destinations in the order of their codes. */
const RISING: Readonly<Record<string, number>> = { details: 0, rules: 1, policyConditions: 0, waivers: 3, changes: 1 }
const BY_DESTINATION: readonly string[] = ["rules", "changes", "checks"]

/** The lists with sentences and answers, behind the others: gzip makes them smaller beside one another. */
const LAST: readonly string[] = ["transitWaivers", "sources", "waivers", "stays", "conditions", "checks"]

/** A place in a list, null for none; or several. */
type Places = number | null | readonly Places[]

function subtract(places: readonly Places[]): readonly Places[] {
  let last = 0
  const step = (place: Places): Places => {
    if (place === null) return null
    if (typeof place !== "number") return place.map(step)
    const difference = place - last
    last = place
    return difference
  }
  return places.map(step)
}

function add(differences: readonly Places[]): readonly Places[] {
  let last = 0
  const step = (difference: Places): Places => {
    if (difference === null) return null
    if (typeof difference !== "number") return difference.map(step)
    last += difference
    return last
  }
  return differences.map(step)
}

// A column behind the first that has one value in all rows has it once.
function toColumns(rows: Rows): Rows {
  const columns = (rows[0] ?? []).map((_, at) => rows.map(row => row[at]))
  return columns.map((column, at) => (at > 0 && column.every(value => value === column[0]) ? [column[0]] : column))
}

function toRows(columns: Rows): Rows {
  return (columns[0] ?? []).map((_, row) => columns.map(column => column[column.length === 1 ? 0 : row]))
}

function mapLists(lists: object, change: (name: string, list: Rows) => Rows): Lists {
  return Object.fromEntries(
    Object.entries(lists).map(([name, list]) => [name, Array.isArray(list?.[0]) ? change(name, list) : list]),
  )
}

function mapRules({ sources, header, terms }: EmbeddedRules | RuleColumns, change: (name: string, list: Rows) => Rows) {
  return {
    sources: change("sources", sources as Rows),
    header: mapLists(header, change),
    ...(terms === undefined ? {} : { terms: mapLists(terms, change) }),
  }
}

const sortLists = (lists: object) =>
  Object.entries(lists).sort(([first], [second]) => LAST.indexOf(first) - LAST.indexOf(second))

/** Lays rules out by columns, for the build alone. `destinations`: their codes in order. */
export function writeColumns(rules: EmbeddedRules, destinations: readonly string[]): RuleColumns {
  const { terms, ...rest } = rules
  const ordered = terms && Object.fromEntries(sortLists(terms))
  return mapRules({ ...rest, terms: ordered as EmbeddedRules["terms"] }, (name, rows) =>
    toColumns(rows).map((column, at) => {
      if (at === RISING[name]) return subtract(column as readonly Places[])
      if (at > 0 || !BY_DESTINATION.includes(name)) return column
      return subtract(column.map(code => destinations.indexOf(code as string)))
    }),
  )
}

/** Reads the rows back that {@link writeColumns} has laid out. */
export function readColumns(rules: RuleColumns, destinations: readonly string[]): EmbeddedRules {
  return mapRules(rules, (name, columns) =>
    toRows(
      columns.map((column, at) => {
        if (at === RISING[name]) return add(column as readonly Places[])
        if (at > 0 || !BY_DESTINATION.includes(name)) return column
        return add(column as readonly Places[]).map(place => destinations[place as number])
      }),
    ),
  ) as unknown as EmbeddedRules
}
