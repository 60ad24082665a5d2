/**
 * How is an answer printed?
 *
 * Machines get its record as JSON, with `--json`; people get sentences and tables, as wide as their terminal. Widths are measured as Effect's
 * own help measures them: East Asian letters take two columns, marks none. The layout of tables is apart, because commands that answer without Effect use it too.
 */
import { Console, Context, Effect } from "effect"
import { CliOutput } from "effect/cli"
import { NO_SCREEN, paintCells, paintWords, type Screen } from "./screen.ts"
import { layOutTable, type TableOptions } from "./table-layout.ts"
import { measurePlain, wrapText } from "./wrap.ts"

/** What a command answers. */
export interface Answer {
  /** The record for machines, with its names on the wire. */
  readonly json: unknown
  /** What people read, from top to bottom. */
  readonly text: readonly Block[]
}

/** Sentences, or a table. */
export type Block = string | Sentences | Table

export interface Sentences {
  readonly text: string
  /** What a line begins with that continues one on a narrow terminal; null where lines are not broken. */
  readonly indent: string | null
}

export interface Table {
  readonly head: readonly string[]
  readonly rows: Rows
}

export type Rows = readonly (readonly (string | number)[])[]

/** A table; without a first line where the head is empty. */
export const table = (head: readonly string[], rows: Rows): Table => ({ head, rows })

/** Lines of which each is a point of its own: where one is broken, the rest is indented. */
export const points = (text: string): Sentences => ({ text, indent: "  " })

/** A text that is for programs too, such as Markdown: its lines are not broken, and nothing in it is coloured. */
export const unbroken = (text: string): Sentences => ({ text, indent: null })

/** How many columns of a terminal a text takes. */
export const measureColumns = (text: string): number => measurePlain(text) ?? CliOutput.displayWidth(text)

/** Lays rows out as a table without borders, readable in a terminal and in a pipe; without a first line where the head is empty. */
export const formatTable = (head: readonly string[], rows: Rows, options: Omit<TableOptions, "measure"> = {}): string =>
  layOutTable(head, rows, { ...options, measure: measureColumns })

/** Lays rows out for the width and the colours of a screen. */
const formatScreenTable = (screen: Screen, head: readonly string[], rows: Rows): string =>
  formatTable(head, rows, { columns: screen.columns, paint: paintCells(screen) })

/** The width and the colours of the standard output. */
export const Stdout = Context.Reference<Screen>("landfall/cli/Stdout", { defaultValue: () => NO_SCREEN })

function layOut(screen: Screen, block: Block): string {
  if (typeof block === "object" && "rows" in block) return formatScreenTable(screen, block.head, block.rows)
  const { text, indent } = typeof block === "string" ? { text: block, indent: "" } : block
  return indent === null ? text : wrapText(paintWords(screen, text), screen.columns, measureColumns, indent)
}

/** Prints blocks for people, one below the other. */
const printBlocks = (blocks: readonly Block[]) =>
  Effect.flatMap(Stdout, screen => Console.log(blocks.map(block => layOut(screen, block)).join("\n")))

export const printJson = (value: unknown) => Console.log(JSON.stringify(value, null, 2))

/** Prints an answer. */
export const printAnswer = ({ json, text }: Answer, isForMachines: boolean) =>
  isForMachines ? printJson(json) : text.length > 0 ? printBlocks(text) : Effect.void
