/**
 * How is a data folder formatted, so that a diff reads as facts?
 *
 * Keys in schema order, two spaces, lines of 120 characters; codes and rows sorted where their order says nothing. No value is
 * changed. Files that cannot be read as records are named, and nothing is written then.
 */
import { join } from "node:path"
import { Result } from "effect"
import { type DataError, onFile } from "../files/data-error.ts"
import { writeRecordFiles } from "../files/record-files.ts"
import { listDataFiles, sortRecord } from "./data-files.ts"
import { readDataRecords } from "./read-facts.ts"

/** Formats every file of a dataset; returns the paths of those that changed. */
export const formatDataFolder = (folder: string): Result.Result<readonly string[], DataError> =>
  Result.flatMap(readDataRecords(folder), records => {
    const files = listDataFiles(records).map(file => ({
      path: join(folder, file.name),
      schema: file.schema,
      record: sortRecord(file),
    }))
    return onFile(folder, () => writeRecordFiles(files))
  })
