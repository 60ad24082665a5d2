/**
 * How is a file of records read, and how is it written so that a diff reads as facts?
 *
 * Reading names the file and the field of every mistake. Writing puts keys in schema order and whatever fits on a line on one
 * line, so that writing what was read changes no byte.
 */
import { readFileSync, renameSync, writeFileSync } from "node:fs"
import { Option, Result, Schema, SchemaIssue } from "effect"
import stringify from "json-stringify-pretty-compact"

/** A mistake in a file of `data/` or `seeds/`, named by file and field. */
export interface FileIssue {
  readonly file: string
  readonly field: string
  readonly message: string
}

/** The files could not be read as records: every mistake found. */
export class RecordFilesError extends Schema.TaggedError<RecordFilesError>()("RecordFilesError", {
  message: Schema.String,
  issues: Schema.Array(Schema.Struct({ file: Schema.String, field: Schema.String, message: Schema.String })),
}) {
  static of(issues: readonly FileIssue[]): RecordFilesError {
    const lines = issues.map(issue => `${issue.file} ${issue.field}: ${issue.message}`)
    return new RecordFilesError({ message: lines.join("\n"), issues: [...issues] })
  }
}

const formatIssue = SchemaIssue.makeFormatterStandardSchemaV1()

/** Reads one JSON file as a record, or reports what is wrong with it and gives nothing. */
export function readRecordFile<A>(
  path: string,
  schema: Schema.ConstraintDecoder<A>,
  report: (issue: FileIssue) => void,
): Option.Option<A> {
  let json: unknown
  try {
    json = JSON.parse(readFileSync(path, "utf8"))
  } catch (cause) {
    const isMissing = (cause as NodeJS.ErrnoException).code === "ENOENT"
    report({
      file: path,
      field: "(file)",
      message: isMissing ? "does not exist." : `is not JSON: ${(cause as Error).message}`,
    })
    return Option.none()
  }
  const decoded = Schema.decodeUnknownResult(schema, { errors: "all", onExcessProperty: "error" })(json)
  if (Result.isSuccess(decoded)) return Option.some(decoded.success)
  for (const issue of formatIssue(decoded.failure.issue).issues) {
    report({ file: path, field: describePath(issue.path ?? []), message: issue.message })
  }
  return Option.none()
}

function describePath(path: ReadonlyArray<PropertyKey | { readonly key: PropertyKey }>): string {
  const steps = path.map(step => (typeof step === "object" ? step.key : step))
  const text = steps.map(step => (typeof step === "number" ? `[${step}]` : `.${String(step)}`)).join("")
  return text === "" ? "(file)" : text.replace(/^\./, "")
}

/** Writes a record as the text of its file, keys in the order of the schema. */
export function formatRecord(schema: Schema.Constraint, record: unknown): string {
  return `${stringify(orderKeys(schema.ast, record), { maxLength: 120 })}\n`
}

/** Replaces a file in one step, so that a crash leaves the old or the new one; says whether anything changed. */
export function writeRecordFile(path: string, schema: Schema.Constraint, record: unknown): boolean {
  const text = formatRecord(schema, record)
  let before: string | null = null
  try {
    before = readFileSync(path, "utf8")
  } catch {
    // A new file.
  }
  if (before === text) return false
  writeFileSync(`${path}.part`, text)
  renameSync(`${path}.part`, path)
  return true
}

function orderKeys(ast: Schema.Constraint["ast"], value: unknown): unknown {
  if (ast._tag === "Arrays" && Array.isArray(value)) {
    const element = ast.rest[0]
    return element === undefined ? value : value.map(item => orderKeys(element, item))
  }
  if (ast._tag !== "Objects" || typeof value !== "object" || value === null) return value
  const fields = value as Record<string, unknown>
  return Object.fromEntries(
    ast.propertySignatures
      .filter(({ name }) => fields[String(name)] !== undefined)
      .map(({ name, type }) => [String(name), orderKeys(type, fields[String(name)])]),
  )
}
