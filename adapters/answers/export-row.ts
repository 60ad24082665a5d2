/** What does a warehouse get for a pair? The row of `landfall dataset export`, and the answer of `visa` inside the warehouse. */
import type { Found } from "../../src/index.ts"

/** A pair's row: dates as `YYYY-MM-DD`, null for an empty cell. */
export type ExportRow = Readonly<Record<string, string | number | boolean | null>>

/** The row of a pair that has a record. */
export function toExportRow(
  { requirement, days, uncertain, home, basis, bloc, source, verifiedOn, datasetVersion }: Found,
  asked: { readonly passport: string; readonly destination: string; readonly asOf: string },
): ExportRow {
  return {
    passport: asked.passport,
    destination: asked.destination,
    requirement,
    days,
    status: uncertain ? "uncertain" : null,
    home,
    basis,
    bloc,
    source: source?.id ?? null,
    verified_on: verifiedOn,
    as_of: asked.asOf,
    dataset_version: datasetVersion,
  }
}
