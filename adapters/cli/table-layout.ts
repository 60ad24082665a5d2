/**
 * How do rows become a table that people can read?
 *
 * Columns without borders, as wide as their widest cell, in time linear in the number of cells. On a narrower terminal, the widest columns
 * shrink and their cells are wrapped between words; if that is not enough, each row is written as a list of its fields.
 */
import { wrapLine } from "./wrap.ts"

const GAP = "  "

export interface TableOptions {
  /** How many columns of a terminal a text takes. */
  readonly measure: (text: string) => number
  /** The width of the terminal; null for a pipe, where nothing is broken. */
  readonly columns?: number | null
  /** Colours the cells of a column, and the head (row -1). */
  readonly paint?: (text: string, at: { readonly row: number; readonly column: number }) => string
}

/** Lays rows out as a table without borders, readable in a terminal and in a pipe; without a first line where the head is empty. */
export function layOutTable(
  head: readonly string[],
  rows: readonly (readonly (string | number)[])[],
  { measure, columns = null, paint = text => text }: TableOptions,
): string {
  const cells = (head.length === 0 ? rows : [head, ...rows]).map(row => row.map(cell => String(cell)))
  const first = head.length === 0 ? 0 : -1
  const natural: readonly number[] = (cells[0] ?? []).map((_, column) =>
    cells.reduce((most, row) => Math.max(most, measure(row[column] ?? "")), 0),
  )
  const widths = columns === null ? natural : narrow(cells, natural, columns, measure)
  if (widths === null) return formatList(cells, first, { measure, columns: columns as number, paint })
  return cells
    .flatMap((row, at) => layRow(row, widths, measure, (text, column) => paint(text, { row: at + first, column })))
    .join("\n")
}

function layRow(
  row: readonly string[],
  widths: readonly number[],
  measure: TableOptions["measure"],
  paint: (text: string, column: number) => string,
) {
  const parts = widths.map((width, column) => wrapLine(row[column] ?? "", width, measure))
  const height = Math.max(...parts.map(({ length }) => length))
  return Array.from({ length: height }, (_, line) => {
    const last = parts.findLastIndex(part => (part[line] ?? "") !== "")
    return parts
      .slice(0, last + 1)
      .map((part, column) => {
        const text = part[line] ?? ""
        const blanks = column === last ? "" : " ".repeat((widths[column] as number) - measure(text)) + GAP
        return (text === "" ? "" : paint(text, column)) + blanks
      })
      .join("")
  })
}

/** Finds widths that fit: the widest columns shrink first, none below its longest word; null if the words alone are too wide. */
function narrow(
  cells: readonly (readonly string[])[],
  natural: readonly number[],
  columns: number,
  measure: TableOptions["measure"],
): readonly number[] | null {
  const room = columns - GAP.length * (natural.length - 1)
  const sum = (widths: readonly number[]) => widths.reduce((all, width) => all + width, 0)
  if (sum(natural) <= room) return natural
  const least = natural.map((_, column) =>
    cells.reduce((most, row) => {
      const words = (row[column] ?? "").split(" ")
      return words.reduce((widest, word) => Math.max(widest, measure(word)), most)
    }, 0),
  )
  if (sum(least) > room) return null
  const capAt = (cap: number) => natural.map((width, column) => Math.max(least[column] as number, Math.min(width, cap)))
  let cap = Math.max(...natural)
  while (sum(capAt(cap)) > room) cap -= 1
  // The rest below the cap goes to the columns that it cut, from the left.
  const widths = capAt(cap)
  let left = room - sum(widths)
  return widths.map((width, column) => {
    const more = Math.min(left, (natural[column] as number) - width)
    left -= more
    return width + more
  })
}

function formatList(
  cells: readonly (readonly string[])[],
  first: number,
  {
    measure,
    columns,
    paint,
  }: TableOptions & { readonly columns: number; readonly paint: NonNullable<TableOptions["paint"]> },
): string {
  const rows = cells.slice(-first)
  const head = first === 0 ? (cells[0] ?? []).map(() => "") : (cells[0] as readonly string[])
  const width = Math.max(...head.map(name => measure(name)))
  const room = Math.max(1, columns - width - GAP.length)
  return rows
    .map((row, at) =>
      head
        .flatMap((name, column) => {
          const text = row[column] ?? ""
          if (text === "") return []
          return wrapLine(text, room, measure).map((part, line) => {
            const label = line === 0 ? paint(name, { row: -1, column }) : ""
            const blanks = " ".repeat(width - (line === 0 ? measure(name) : 0)) + GAP
            return label + blanks + paint(part, { row: at, column })
          })
        })
        .join("\n"),
    )
    .join("\n\n")
}
