/** How are many rows given to one statement? As one parameter of JSON, so that the text of the statement does not depend on their number. */
import type { SqlClient } from "effect/sql"

// How are many rows written with few statements? In pieces with far fewer parameters than any database allows.

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

export type ColumnType = "BIGINT" | "INTEGER" | "TEXT"

/** Rows of values as a table with named columns, for a FROM clause. */
export const listJsonRows = (
  sql: SqlClient.SqlClient,
  types: Readonly<Record<string, ColumnType>>,
  rows: readonly (readonly unknown[])[],
) => {
  const [given, names] = [JSON.stringify(rows), Object.entries(types)]
  const columns = (write: (at: number, type: ColumnType) => string) =>
    sql.literal(names.map(([name, type], at) => `${write(at, type)} AS ${name}`).join(", "))
  return sql.onDialectOrElse({
    pg: () => sql`SELECT ${columns((at, type) => `CAST(value ->> ${at} AS ${type})`)}
      FROM json_array_elements(CAST(CAST(${given} AS TEXT) AS JSON))`,
    orElse: () => sql`SELECT ${columns(at => `value ->> ${at}`)} FROM json_each(${given})`,
  })
}
