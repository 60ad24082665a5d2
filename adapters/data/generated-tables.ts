/**
 * How do the tables of a document stay what the data gives?
 *
 * A table stands between two comments with its name, `<!-- coverage -->` and `<!-- /coverage -->`; everything between them is written
 * anew, and nothing else is touched. A document may lack a table; one that is opened and not closed is refused.
 */
import { readFileSync, writeFileSync } from "node:fs"
import { Result } from "effect"
import { type CorroborationError, compareStoredFiles } from "./corroborate-files.ts"
import { formatDifferences } from "./differences.ts"
import { describeFileError } from "./file-errors.ts"
import { formatFullCoverage } from "./full-coverage.ts"
import { RecordFilesError } from "./record-files.ts"
import { verifyData } from "./verify.ts"

/** Writes the tables of a document from a data folder; says whether the document has changed. */
export function writeGeneratedTables(options: {
  readonly file: string
  readonly folder: string
}): Result.Result<{ readonly changed: boolean }, RecordFilesError | CorroborationError> {
  const report = verifyData(options.folder)
  if (Result.isFailure(report)) return Result.fail(report.failure)
  const checks = compareStoredFiles(options.folder)
  if (Result.isFailure(checks)) return Result.fail(checks.failure)
  const tables = {
    coverage: formatFullCoverage(report.success.fields),
    differences: formatDifferences(checks.success),
  }
  const refuse = (message: string) =>
    Result.fail(RecordFilesError.of([{ file: options.file, field: "(document)", message }]))
  let before: string
  try {
    before = readFileSync(options.file, "utf8")
  } catch (cause) {
    return refuse(describeFileError(cause))
  }
  let after = before
  for (const [name, table] of Object.entries(tables)) {
    const [opening, closing] = [`<!-- ${name} -->\n`, `<!-- /${name} -->`]
    const start = after.indexOf(opening)
    if (start < 0) continue
    const end = after.indexOf(closing, start)
    if (end < 0) return refuse(`The table ${name} is opened and not closed.`)
    after = after.slice(0, start + opening.length) + table + after.slice(end)
  }
  if (after === before) return Result.succeed({ changed: false })
  try {
    writeFileSync(options.file, after)
  } catch (cause) {
    return refuse(describeFileError(cause))
  }
  return Result.succeed({ changed: true })
}
