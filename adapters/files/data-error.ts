/**
 * What is wrong with files of data, or with an operation on them?
 *
 * Everything that reads, checks, compares or imports files fails with this one error, which lists every mistake found by file and field.
 */
import { Result, Schema } from "effect"
import { describeFileError } from "./file-errors.ts"

/** A mistake in a file of `data/` or `seeds/`. */
export interface FileIssue {
  readonly file: string
  /** Empty for the whole file. */
  readonly field: string
  readonly message: string
}

/** Files could not be read, compared or written: every mistake found, one a line of the message. */
export class DataError extends Schema.TaggedError<DataError>()("DataError", {
  message: Schema.String,
  issues: Schema.Array(Schema.Struct({ file: Schema.String, field: Schema.String, message: Schema.String })),
}) {
  static of(issues: readonly FileIssue[]): DataError {
    const lines = issues.map(({ file, field, message }) => `${[file, field].filter(Boolean).join(" ")}: ${message}`)
    return new DataError({ message: lines.join("\n"), issues: [...issues] })
  }
}

/** Refuses a whole file, or an operation on it. */
export function refuseFile(file: string, message: string): Result.Result<never, DataError> {
  return Result.fail(DataError.of([{ file, field: "", message }]))
}

/** Does something with a file or a folder; what the file system refuses is a mistake of the whole file. */
export function onFile<Value>(file: string, work: () => Value): Result.Result<Value, DataError> {
  return Result.try({
    try: work,
    catch: cause => DataError.of([{ file: file || '""', field: "", message: describeFileError(cause) }]),
  })
}
