/**
 * How are the tables of a document kept equal to the data?
 *
 * A table is between two comments with its name, `<!-- coverage -->` and `<!-- /coverage -->`; everything between them is
 * rewritten, and nothing else is touched. A document may lack a table; one that is opened and not closed is refused.
 */
import { readFileSync, writeFileSync } from "node:fs"
import { Result } from "effect"
import { onFile, refuseFile } from "../files/data-error.ts"
import { formatBusiest } from "./busiest.ts"
import { compareStoredFiles } from "./corroborate-files.ts"
import { formatDifferences } from "./differences.ts"
import { formatFullCoverage } from "./full-coverage.ts"
import { formatTermsCoverage } from "./terms-coverage.ts"
import { verifyData } from "./verify-data.ts"

/** Writes the tables of a document from a data folder; says whether the document has changed. */
export function writeGeneratedTables({ file, folder }: { readonly file: string; readonly folder: string }) {
  return Result.gen(function* () {
    const { fields } = yield* verifyData(folder)
    const tables = {
      coverage: formatFullCoverage(fields),
      "busiest coverage": formatBusiest(fields.busiest),
      differences: formatDifferences(yield* compareStoredFiles(folder)),
      "terms coverage": formatTermsCoverage(folder),
    }
    const before = yield* onFile(file, () => readFileSync(file, "utf8"))
    const replaced = replaceTables(before, tables)
    if (Result.isFailure(replaced)) return yield* refuseFile(file, replaced.failure)
    const changed = replaced.success !== before
    if (changed) yield* onFile(file, () => writeFileSync(file, replaced.success))
    return { changed }
  })
}

/** Puts tables between the comments with their names, and touches nothing else; says which table is opened and not closed. */
export function replaceTables(text: string, tables: Readonly<Record<string, string>>): Result.Result<string, string> {
  let written = text
  for (const [name, table] of Object.entries(tables)) {
    const [opening, closing] = [`<!-- ${name} -->\n`, `<!-- /${name} -->`]
    const start = written.indexOf(opening)
    if (start < 0) continue
    const end = written.indexOf(closing, start)
    if (end < 0) return Result.fail(`The table ${name} is opened and not closed.`)
    written = written.slice(0, start + opening.length) + table + written.slice(end)
  }
  return Result.succeed(written)
}
