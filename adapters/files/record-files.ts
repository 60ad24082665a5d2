/**
 * How is a file of records read, and how is it written so that a diff reads as facts?
 *
 * Reading names the file and the field of every mistake. Writing puts keys in schema order and each row on one line, so that writing what
 * was read changes no byte.
 */
import { existsSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { Option, Result, Schema, SchemaIssue } from "effect"
import stringify from "json-stringify-pretty-compact"
import type { FileIssue } from "./data-error.ts"
import { describeFileError, describeJsonError } from "./file-errors.ts"

const formatIssue = SchemaIssue.makeFormatterStandardSchemaV1()

/**
 * Reads one JSON file as a record, or reports its mistakes and returns nothing. Other keys are a mistake, unless the file has another
 * format.
 */
export function readRecordFile<A>(
  path: string,
  schema: Schema.ConstraintDecoder<A>,
  report: (issue: FileIssue) => void,
  onExcessProperty: "error" | "ignore" = "error",
): Option.Option<A> {
  let text = ""
  let json: unknown
  try {
    text = readFileSync(path, "utf8")
    json = JSON.parse(text)
  } catch (cause) {
    const message = cause instanceof SyntaxError ? describeJsonError(text, cause) : describeFileError(cause)
    report({ file: path, field: "", message })
    return Option.none()
  }
  const decoded = Schema.decodeUnknownResult(schema, { errors: "all", onExcessProperty })(json)
  if (Result.isSuccess(decoded)) return Option.some(decoded.success)
  for (const issue of formatIssue(decoded.failure.issue).issues) {
    report({ file: path, field: describePath(issue.path ?? []), message: issue.message })
  }
  return Option.none()
}

/** Reads every record of a folder, each from the file that is named after it, and reports every mistake. */
export function readRecordFolder<A>(
  folder: string,
  schema: Schema.ConstraintDecoder<A>,
  idOf: (record: A) => string,
  report: (issue: FileIssue) => void,
): A[] {
  return listJsonFiles(folder, report).flatMap(file => {
    const path = join(folder, file)
    const record = Option.getOrNull(readRecordFile(path, schema, report))
    if (record === null) return []
    if (`${idOf(record)}.json` !== file) {
      report({ file: path, field: "", message: `is named after its record: ${idOf(record)}.json is expected.` })
    }
    return [record]
  })
}

/** Lists the `.json` files of a folder in the order of their names; none when there is no such folder. */
export function listJsonFiles(folder: string, report: (issue: FileIssue) => void): string[] {
  if (!existsSync(folder)) return []
  try {
    return readdirSync(folder)
      .filter(name => name.endsWith(".json"))
      .sort()
  } catch (cause) {
    report({ file: folder, field: "", message: describeFileError(cause) })
    return []
  }
}

function describePath(path: ReadonlyArray<PropertyKey | { readonly key: PropertyKey }>): string {
  const steps = path.map(step => (typeof step === "object" ? step.key : step))
  const text = steps.map(step => (typeof step === "number" ? `[${step}]` : `.${String(step)}`)).join("")
  return text.replace(/^\./, "")
}

/** Writes a record as the text of its file: keys in the order of the schema, and each row of a list or table on one line. */
export function formatRecord(schema: Schema.Constraint, record: unknown): string {
  return `${formatLines(orderKeys(schema.ast, record))}\n`
}

function formatLines(record: unknown): string {
  const line = (value: unknown) => stringify(value, { maxLength: Number.POSITIVE_INFINITY })
  const block = (open: string, close: string, lines: readonly string[], indent: string) =>
    lines.length === 0
      ? open + close
      : `${open}\n${lines.map(each => `${indent}  ${each}`).join(",\n")}\n${indent}${close}`
  if (Array.isArray(record)) return block("[", "]", record.map(line), "")
  const keys = Object.entries(record as object).map(([key, value]) => {
    if (Array.isArray(value)) return `"${key}": ${block("[", "]", value.map(line), "  ")}`
    if (typeof value !== "object" || value === null) return `"${key}": ${line(value)}`
    const rows = Object.entries(value).map(([name, held]) => `${JSON.stringify(name)}: ${line(held)}`)
    return `"${key}": ${block("{", "}", rows, "  ")}`
  })
  return block("{", "}", keys, "")
}

/**
 * Finds the line of a row in the text of such a file, for a field such as `claims[3].who`; or of the key. One is the first line; null if
 * the text is not laid out so.
 */
export function findLine(text: string, field: string): number | null {
  const [, key, row, name] = /^(\w+)(?:\[(\d+)\]|\.([^ ]+?))?(?:\.\w+(?:\[\d+\])?)?$/.exec(field) ?? []
  const lines = text.trimEnd().split("\n")
  const [, listed] = /^\[(\d+)\]/.exec(field) ?? []
  if (listed !== undefined) return Math.min(Number(listed) + 2, lines.length)
  const start = lines.findIndex(line => line.startsWith(`  "${key}":`))
  if (start < 0) return null
  if (row !== undefined) return start + 2 + Number(row)
  if (name === undefined) return start + 1
  const at = lines.findIndex((line, place) => place > start && line.startsWith(`    ${JSON.stringify(name)}:`))
  return at < 0 ? start + 1 : at + 1
}

/** Removes the temporary file of a write. */
export function removePart(part: string): void {
  try {
    rmSync(part, { force: true })
  } catch {
    // Not our file, but something at its path; the write itself reports that.
  }
}

export interface RecordFile {
  readonly path: string
  readonly schema: Schema.Constraint
  readonly record: unknown
}

/**
 * Writes files and returns the paths of those that changed.
 *
 * All are written to temporary files before the first is renamed, so that a full disk or a read-only folder changes nothing; each file is
 * replaced in one step. Throws the file system's errors, and leaves no temporary file behind.
 */
export function writeRecordFiles(files: readonly RecordFile[]): readonly string[] {
  const changed = listChanged(files)
  try {
    for (const { part, text } of changed) writeFileSync(part, text)
    for (const { part, path } of changed) renameSync(part, path)
  } finally {
    for (const { part } of changed) removePart(part)
  }
  return changed.map(({ path }) => path)
}

/** Returns the paths of files that writing would change. Throws the file system's errors. */
export function findChangedFiles(files: readonly RecordFile[]): readonly string[] {
  return listChanged(files).map(({ path }) => path)
}

function listChanged(files: readonly RecordFile[]) {
  return files
    .map(({ path, schema, record }) => ({ path, part: `${path}.part`, text: formatRecord(schema, record) }))
    .filter(({ path, text }) => !existsSync(path) || readFileSync(path, "utf8") !== text)
}

function orderKeys(ast: Schema.Constraint["ast"], value: unknown): unknown {
  if (ast._tag === "Arrays" && Array.isArray(value)) {
    const element = ast.rest[0]
    return element === undefined ? value : value.map(item => orderKeys(element, item))
  }
  if (ast._tag !== "Objects" || typeof value !== "object" || value === null) return value
  const fields = value as Record<string, unknown>
  const named = ast.propertySignatures
    .filter(({ name }) => fields[String(name)] !== undefined)
    .map(({ name, type }) => [String(name), orderKeys(type, fields[String(name)])] as const)
  // Where the schema allows keys of any name, they follow in their own order.
  const free = ast.indexSignatures[0]
  if (free === undefined) return Object.fromEntries(named)
  const known = new Set(named.map(([name]) => name))
  const others = Object.entries(fields).filter(([name]) => !known.has(name))
  return Object.fromEntries([...named, ...others.map(([name, held]) => [name, orderKeys(free.type, held)] as const)])
}
