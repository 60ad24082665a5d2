/**
 * What do the rows of a block of CSV hold?
 *
 * A block is parsed as a whole; if that fails, row by row, so that a row with a mistake does not affect the others.
 */
import { isUtf8 } from "node:buffer"
import { parse } from "csv-parse/sync"
import { listRows } from "./blocks.ts"

/** A row from the parser, with the line of the block on which it ends. */
interface CsvRow {
  readonly record: readonly string[]
  readonly info: { readonly lines: number }
  readonly raw: string
}

/** A row of CSV, or its mistake. */
export interface ParsedRow {
  /** The line on which it begins. */
  readonly line: number
  readonly cells: readonly string[]
  readonly error: string | null
}

/** Parses rows of CSV; blank ones are skipped, and one with a mistake does not affect the others. */
export function* parseRows(bytes: Uint8Array, firstLine: number, delimiter: string): Generator<ParsedRow> {
  const whole = isUtf8(bytes) ? parseText(toText(bytes), firstLine, delimiter) : null
  if (whole?.ok) {
    yield* whole.rows
    return
  }
  for (const row of listRows(bytes, firstLine, delimiter.charCodeAt(0))) {
    if (!isUtf8(row.bytes)) yield { line: row.line, cells: [], error: "The row is not UTF-8." }
    else {
      const alone = parseText(toText(row.bytes), row.line, delimiter)
      if (alone.ok) yield* alone.rows
      else yield { line: row.line, cells: [], error: `The row is not CSV: ${alone.message}` }
    }
  }
}

type ParsedText =
  | { readonly ok: true; readonly rows: readonly ParsedRow[] }
  | { readonly ok: false; readonly message: string }

function parseText(text: string, firstLine: number, delimiter: string): ParsedText {
  const options = {
    delimiter,
    relax_column_count: true,
    relax_quotes: true,
    skip_empty_lines: true,
    trim: true,
  } as const
  try {
    const rows = parse(text, { ...options, info: true, raw: true }) as unknown as readonly CsvRow[]
    return {
      ok: true,
      rows: rows.map(({ record, info, raw }) => {
        // The parser knows the line on which a row ends, and a quoted cell may have several.
        const lineBreaks = raw.trim().match(/\n/g)?.length ?? 0
        return { line: firstLine + info.lines - 1 - lineBreaks, cells: record, error: null }
      }),
    }
  } catch (cause) {
    return { ok: false, message: (cause as Error).message }
  }
}

/** Bytes that are known to be UTF-8, as text. */
export function toText(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("utf8")
}
