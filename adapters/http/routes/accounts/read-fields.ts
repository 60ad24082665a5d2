/**
 * How are the fields of a JSON body read?
 *
 * A body is an object whose fields are texts, read by the same kind of value as a parameter of a query. Every mistake is reported with its
 * field, unknown fields too. A body that is not JSON, or not an object, is refused in one sentence.
 */
import { LANGUAGES, type Language } from "../../../../src/full.ts"
import { isEmailAddress, NAME_PATTERN } from "../../../accounts/account.ts"
import {
  describeIssues,
  FieldReader,
  type Fields,
  type ReadFields,
  type RequestIssue,
  readBody,
  sayExpected,
  showValue,
} from "../../../validation/fields.ts"
import type { ReadQuestion } from "../../pipeline/endpoint.ts"
import type { Answer } from "../../pipeline/http-answer.ts"
import { answerError } from "../../pipeline/http-errors.ts"
import {
  choice,
  optional,
  type Parameter,
  type ParameterDocument,
  type ParameterTable,
  type ValuesOf,
} from "../../pipeline/parameters.ts"

const refuse = (issues: readonly RequestIssue[]) =>
  ({ ok: false, answer: answerError(400, describeIssues(issues)) }) as const

/** A body that was read as the question of a row, or the answer that names its mistakes. */
export const asQuestion = <Value>(read: ReadFields<Value>): ReadQuestion<Value> =>
  read.ok ? { ok: true, question: read.value } : refuse(read.issues)

/** Reads a body that must be a JSON object; a field that is not among the known ones, where those are given, is refused. */
export function readObject(
  body: string,
  known?: readonly string[],
): { readonly ok: true; readonly fields: Fields } | { readonly ok: false; readonly answer: Answer } {
  const read = readBody(body)
  if (!read.ok) return refuse(read.issues)
  const reader = new FieldReader()
  if (known !== undefined) reader.checkNames(read.value, known)
  return reader.issues.length === 0 ? { ok: true, fields: read.value } : refuse(reader.issues)
}

/** Reads the fields of a body by a table; a field that is not in it is refused. */
function readFields<Table extends ParameterTable>(table: Table, body: string): ReadQuestion<ValuesOf<Table>> {
  const given = readObject(body)
  if (!given.ok) return given
  const { fields } = given
  const reader = new FieldReader()
  reader.checkNames(fields, Object.keys(table))
  const values: Record<string, unknown> = {}
  for (const [path, { expected, isRequired, read }] of Object.entries(table)) {
    const field = Object.hasOwn(fields, path) ? fields[path] : undefined
    if (field === undefined || (field === null && !isRequired)) {
      if (isRequired) reader.report(path, sayExpected(expected, undefined))
      continue
    }
    const value = typeof field === "string" ? read(field) : undefined
    if (value === undefined) reader.report(path, `Expected ${expected}, got ${showValue(field)}`)
    else values[path] = value
  }
  return asQuestion(reader.end(values as ValuesOf<Table>))
}

/** What a row has that reads its question from the fields of its body, unless something else refuses it before. */
export const takesFields = <Table extends ParameterTable, Context = unknown>(
  fields: Table,
  refuse: (context: Context) => Answer | null = () => null,
) =>
  ({
    fields,
    takesBody: true,
    read: ({ body }: { readonly body: string }, context: Context): ReadQuestion<ValuesOf<Table>> => {
      const refused = refuse(context)
      return refused === null ? readFields(fields, body) : { ok: false, answer: refused }
    },
  }) as const

const field = (
  expected: string,
  isValid: (text: string) => boolean,
  document: Pick<ParameterDocument, "description" | "example">,
): Parameter<string> => ({
  expected,
  isRequired: true,
  document: { type: "string", ...document },
  read: text => (isValid(text) ? text : undefined),
})

export const email = field("an e-mail address", isEmailAddress, {
  description: "An e-mail address.",
  example: "ada@example.com",
})
export const name = field("1 to 100 characters on one line", text => NAME_PATTERN.test(text), {
  description: "A name.",
  example: "Ada",
})
export const language: Parameter<Language | undefined> = optional(
  choice(LANGUAGES, { description: "The language of mails; by default that of `Accept-Language`." }),
)
