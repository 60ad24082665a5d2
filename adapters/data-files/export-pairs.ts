/**
 * Which table of a dataset does a data warehouse get?
 *
 * A row for each pair with a record, as of one day: the six columns of the answer, and behind them what it rests on. A pair without a record
 * has no row: a table should not show an unknown as an answer. The schema is described in docs/warehouse.md.
 */
import type { SchemaElement } from "hyparquet-writer"
import { type Dataset, lookupAt } from "../../src/index.ts"
import { type ExportRow, toExportRow } from "../answers/export-row.ts"

/** A column of the whole table: its name, its type, and whether a cell may be empty. */
interface ExportColumn {
  readonly name: string
  readonly type: "text" | "integer" | "truth" | "date"
  readonly isOptional: boolean
}

/** The columns of the whole table, in order. */
export const EXPORT_COLUMNS: readonly ExportColumn[] = [
  { name: "passport", type: "text", isOptional: false },
  { name: "destination", type: "text", isOptional: false },
  { name: "requirement", type: "text", isOptional: false },
  { name: "days", type: "integer", isOptional: true },
  { name: "status", type: "text", isOptional: true },
  { name: "home", type: "truth", isOptional: false },
  { name: "basis", type: "text", isOptional: true },
  { name: "bloc", type: "text", isOptional: true },
  { name: "source", type: "text", isOptional: true },
  { name: "verified_on", type: "date", isOptional: true },
  { name: "as_of", type: "date", isOptional: false },
  { name: "dataset_version", type: "text", isOptional: false },
]

/** The rows of a dataset, as of its day, by passport and destination. */
export function listExportRows(dataset: Dataset): readonly ExportRow[] {
  return dataset.passports.flatMap((passport, p) =>
    dataset.destinations.flatMap((destination, d) => {
      const answer = lookupAt(dataset, p, d)
      return answer.kind === "found" ? [toExportRow(answer, { passport, destination, asOf: dataset.asOf })] : []
    }),
  )
}

/** The names of the columns: the answers alone, or with what they rest on. */
export const listExportNames = (withSources: boolean): readonly string[] =>
  EXPORT_COLUMNS.slice(0, withSources ? undefined : 6).map(({ name }) => name)

/** Writes rows as CSV; codes and words need no quotes. */
export function writeCsv(rows: readonly ExportRow[], names: readonly string[]): string {
  return [names.join(), ...rows.map(row => names.map(name => row[name] ?? "").join()), ""].join("\n")
}

const DAY_MS = 86_400_000

const PARQUET_TYPES: Readonly<Record<ExportColumn["type"], Pick<SchemaElement, "type" | "converted_type">>> = {
  text: { type: "BYTE_ARRAY", converted_type: "UTF8" },
  integer: { type: "INT32" },
  truth: { type: "BOOLEAN" },
  date: { type: "INT32", converted_type: "DATE" },
}

/** Writes the whole table as Parquet: dates as dates, in one row group. */
export async function writeParquet(rows: readonly ExportRow[]): Promise<Uint8Array> {
  // Loaded here, because nothing else needs it.
  const { parquetWriteBuffer } = await import("hyparquet-writer")
  const toCell = (type: ExportColumn["type"], value: ExportRow[string]) =>
    type === "date" && typeof value === "string" ? Date.parse(value) / DAY_MS : value
  const bytes = parquetWriteBuffer({
    schema: [
      { name: "root", num_children: EXPORT_COLUMNS.length },
      ...EXPORT_COLUMNS.map(
        ({ name, type, isOptional }): SchemaElement => ({
          name,
          repetition_type: isOptional ? "OPTIONAL" : "REQUIRED",
          ...PARQUET_TYPES[type],
        }),
      ),
    ],
    columnData: EXPORT_COLUMNS.map(({ name, type }) => ({
      name,
      data: rows.map(row => toCell(type, row[name] ?? null)),
    })),
    rowGroupSize: rows.length,
  })
  return new Uint8Array(bytes)
}
