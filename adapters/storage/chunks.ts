/** How are many rows written with few statements? In pieces with far fewer parameters than any database allows. */

/** How many rows one statement writes. */
const ROWS_A_STATEMENT = 100

/** Cuts rows into pieces of at most {@link ROWS_A_STATEMENT}. */
export function inChunks<Row>(rows: readonly Row[]): readonly (readonly Row[])[] {
  if (rows.length <= ROWS_A_STATEMENT) return rows.length === 0 ? [] : [rows]
  const chunks: Row[][] = []
  for (let at = 0; at < rows.length; at += ROWS_A_STATEMENT) chunks.push(rows.slice(at, at + ROWS_A_STATEMENT))
  return chunks
}

/** Rows as `sql.insert` takes them: its type wants at least one. */
export const asRecords = (rows: readonly object[]) =>
  rows as readonly Record<string, unknown>[] as [Record<string, unknown>]
