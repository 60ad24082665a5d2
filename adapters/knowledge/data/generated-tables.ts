/**
 * How are the tables of a document kept equal to the data?
 *
 * A table is between two comments with its name, `<!-- coverage -->` and `<!-- /coverage -->`; everything between them is
 * rewritten, and nothing else is touched. A document may lack a table; one that is opened and not closed is refused.
 */
import { readFileSync, writeFileSync } from "node:fs"
import { Result } from "effect"
import { type DataError, refuseFile } from "../../platform/files/data-error.ts"
import { describeFileError } from "../../platform/files/file-errors.ts"
import { formatBusiest } from "./busiest.ts"
import { compareStoredFiles } from "./corroborate-files.ts"
import { formatDifferences } from "./differences.ts"
import { formatFullCoverage } from "./full-coverage.ts"
import { formatTermsCoverage } from "./terms-coverage.ts"
import { verifyData } from "./verify.ts"

/** Writes the tables of a document from a data folder; says whether the document has changed. */
export function writeGeneratedTables(options: {
  readonly file: string
  readonly folder: string
}): Result.Result<{ readonly changed: boolean }, DataError> {
  const report = verifyData(options.folder)
  if (Result.isFailure(report)) return Result.fail(report.failure)
  const checks = compareStoredFiles(options.folder)
  if (Result.isFailure(checks)) return Result.fail(checks.failure)
  const tables = {
    coverage: formatFullCoverage(report.success.fields),
    "busiest coverage": formatBusiest(report.success.fields.busiest),
    differences: formatDifferences(checks.success),
    "terms coverage": formatTermsCoverage(options.folder),
  }
  let before: string
  try {
    before = readFileSync(options.file, "utf8")
  } catch (cause) {
    return refuseFile(options.file, describeFileError(cause))
  }
  const replaced = replaceTables(before, tables)
  if (Result.isFailure(replaced)) return refuseFile(options.file, replaced.failure)
  const after = replaced.success
  if (after === before) return Result.succeed({ changed: false })
  try {
    writeFileSync(options.file, after)
  } catch (cause) {
    return refuseFile(options.file, describeFileError(cause))
  }
  return Result.succeed({ changed: true })
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
