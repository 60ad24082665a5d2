/** How are many rows given to one statement? As one parameter of JSON, so that the text of the statement does not depend on their number. */
import type { SqlClient } from "effect/sql"

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
