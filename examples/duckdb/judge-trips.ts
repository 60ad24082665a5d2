/**
 * DuckDB has no functions in JavaScript of its own; a program that runs it through `@duckdb/node-api` can add some.
 *
 * `registerJudge(connection)` adds the table function `landfall_trips(file)`: for each line of a file of requests, as `landfall batch` reads them, a row with the outcome and the codes
 * of what blocks and what is needed. `SELECT outcome, count(*) FROM landfall_trips('trips.ndjson') GROUP BY 1` counts them.
 */
import { readFileSync } from "node:fs"
import { type DuckDBConnection, DuckDBTableFunction, INTEGER, VARCHAR } from "@duckdb/node-api"
import { embeddedDataset } from "landfall"
import { judgeRequest, readDecisionRequest } from "landfall/engine"

/** A chunk of DuckDB has at most this many rows. */
const ROWS_A_CHUNK = 2_048

const COLUMNS = [
  ["line", INTEGER],
  ["id", VARCHAR],
  ["outcome", VARCHAR],
  ["blockers", VARCHAR],
  ["conditions", VARCHAR],
  ["error", VARCHAR],
] as const

function judge(text: string, line: number): readonly (string | number | null)[] {
  let id: string | null = null
  const refused = (error: string) => [line, id, null, null, null, error]
  try {
    const { id: given = null, ...request } = JSON.parse(text)
    id = given === null ? null : String(given)
    const read = readDecisionRequest(request)
    if (!read.ok) return refused(read.error.message)
    const judged = judgeRequest(embeddedDataset(), read.value)
    if (judged.kind !== "decided") return refused(judged.message)
    const codes = (entries: readonly { readonly code: string }[]) =>
      [...new Set(entries.map(({ code }) => code))].join(" ")
    return [line, id, judged.outcome, codes(judged.blockers), codes(judged.conditions), null]
  } catch (cause) {
    return refused((cause as Error).message)
  }
}

/** Adds `landfall_trips(file)` to a connection. */
export function registerJudge(connection: DuckDBConnection): void {
  connection.registerTableFunction(
    DuckDBTableFunction.create({
      name: "landfall_trips",
      parameterTypes: [VARCHAR],
      bindFunction: info => {
        for (const [name, type] of COLUMNS) info.addResultColumn(name, type)
        info.setBindData({ lines: readFileSync(String(info.getParameter(0)), "utf8").split("\n") })
      },
      initFunction: info => info.setInitData({ next: 0 }),
      mainFunction: (info, output) => {
        const { lines } = info.bindData as { readonly lines: readonly string[] }
        const state = info.initData as { next: number }
        const rows: (readonly (string | number | null)[])[] = []
        while (rows.length < ROWS_A_CHUNK && state.next < lines.length) {
          const text = lines[state.next++] as string
          if (text.trim() !== "") rows.push(judge(text, state.next))
        }
        // No rows end the scan.
        output.rowCount = rows.length
        COLUMNS.forEach((_, at) => {
          if (rows.length > 0)
            output.setColumnValues(
              at,
              rows.map(row => row[at] ?? null),
            )
        })
      },
    }),
  )
}
