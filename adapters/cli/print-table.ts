/**
 * How wide is a text, and so a table, on a terminal?
 *
 * As Effect's own help measures it: East Asian letters take two columns, marks none. This is separate from the layout, because
 * commands that answer without Effect cannot use it.
 */
import { CliOutput } from "effect/cli"
import { layOutTable, type TableOptions } from "./table-layout.ts"
import { measurePlain } from "./wrap.ts"

/** How many columns of a terminal a text takes. */
export const measureColumns = (text: string): number => measurePlain(text) ?? CliOutput.displayWidth(text)

/** Lays rows out as a table without borders, readable in a terminal and in a pipe; without a first line where the head is empty. */
export const formatTable = (
  head: readonly string[],
  rows: readonly (readonly (string | number)[])[],
  options: Omit<TableOptions, "measure"> = {},
): string => layOutTable(head, rows, { ...options, measure: measureColumns })
