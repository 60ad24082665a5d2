/**
 * How is a data folder formatted, so that a diff reads as facts?
 *
 * Keys in schema order, two spaces, lines of 120 characters; codes and rows sorted where their order says nothing. No value is
 * changed. Files that cannot be read as records are named, and nothing is written then.
 */
import { join } from "node:path"
import { Result } from "effect"
import { type DataError, refuseFile } from "../../platform/files/data-error.ts"
import { describeFileError } from "../../platform/files/file-errors.ts"
import { writeRecordFiles } from "../../platform/files/record-files.ts"
import { listDataFiles } from "./data-files.ts"
import { readDataRecords } from "./read-facts.ts"

/** Lists of codes whose order says nothing. */
const UNORDERED = new Set(["passports", "except", "destinations", "silent", "issuers", "states"])

/** Formats every file that a dataset is compiled from; gives the paths of those that changed. */
export function formatDataFolder(folder: string): Result.Result<readonly string[], DataError> {
  const read = readDataRecords(folder)
  if (Result.isFailure(read)) return Result.fail(read.failure)
  const files = listDataFiles(read.success).map(({ name, schema, record }) => ({
    path: join(folder, name),
    schema,
    record: sortRows(name, sortCodes(record)),
  }))
  try {
    return Result.succeed(writeRecordFiles(files))
  } catch (cause) {
    return refuseFile(folder, describeFileError(cause))
  }
}

function sortCodes(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sortCodes)
  if (typeof value !== "object" || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, held]) => [
      key,
      UNORDERED.has(key) && Array.isArray(held) ? held.toSorted(compareTexts) : sortCodes(held),
    ]),
  )
}

type Row = Readonly<Record<string, unknown>>

/** What the rows of a file are sorted by; a file that is not named keeps its order. */
const SORT_KEYS: Readonly<Record<string, (row: Row) => string>> = {
  "sources.json": row => String(row.id),
  "countries.json": row => String(row.code),
  "passports.json": row => String(row.code),
  "waivers.json": firstDestination,
  "stay-rules.json": firstDestination,
  "border-rules.json": firstDestination,
  "passport-kinds.json": firstDestination,
  "change-log.json": row => `${row.destination} ${row.on}`,
}

function firstDestination(row: Row): string {
  return String((row.destinations as readonly string[])[0] ?? "")
}

function sortRows(name: string, record: unknown): unknown {
  const keyOf = SORT_KEYS[name]
  if (keyOf !== undefined) return (record as readonly Row[]).toSorted((a, b) => compareTexts(keyOf(a), keyOf(b)))
  if (!/^(blocs|zones)\//.test(name)) return record
  const { members, ...rest } = record as { readonly members: readonly Row[] }
  return { ...rest, members: members.toSorted((a, b) => compareTexts(String(a.code), String(b.code))) }
}

function compareTexts(a: unknown, b: unknown): number {
  return String(a) < String(b) ? -1 : String(a) > String(b) ? 1 : 0
}
