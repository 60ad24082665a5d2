/**
 * How does the reference describe a row?
 *
 * With its texts, and its bodies as schemas; the statuses with which it refuses follow from the row. Descriptions are made for the
 * reference, never to answer a request.
 */
import { Schema } from "effect"
import { HttpApiEndpoint, OpenApi } from "effect/http-api"
import { toCamelCase } from "../../answers/wire-names.ts"
import type { Parameter, ParameterTable } from "./endpoint.ts"
import {
  changesAccount,
  type ErrorStatus,
  isRepeatable,
  type Needs,
  type RowWith,
  takesKey,
  type Words,
} from "./endpoint.ts"

/** A row of the reference. */
export type Described = RowWith<Needs>

/** Describes a row apart from it, where the row is part of a bundle that needs no schemas. */
export const describe = <Row extends object>(row: Row, words: Words): Row & Words => ({ ...row, ...words })

/** A body under the name of its type in generated clients, with a sentence. */
export const makeBody = <const Fields extends Schema.Struct.Fields>(
  identifier: string,
  description: string,
  fields: Fields,
) => Schema.Struct(fields).annotate({ identifier, description })

/** A field of a body that is made from a value: its schema, and how it is read where the value has it under another name or in another form. */
type FieldFrom<From> = Schema.Top | readonly [schema: Schema.Top, read: (from: From) => unknown]

type SchemasOf<Table> = {
  readonly [Name in keyof Table]: Table[Name] extends readonly [infer Of extends Schema.Top, unknown]
    ? Of
    : Extract<Table[Name], Schema.Top>
}

/** The fields of a body that is made from a value, in one table: their schemas for the reference, and their writer. */
export const fieldsFrom =
  <From extends object>() =>
  <const Table extends Readonly<Record<string, FieldFrom<From>>>>(table: Table) => {
    const rows = Object.entries(table).map(([name, given]) => {
      const held = toCamelCase(name)
      const readOwn = (from: From) => (from as Readonly<Record<string, unknown>>)[name in from ? name : held]
      const [schema, read = readOwn] = (Array.isArray(given) ? given : [given]) as [Schema.Top, typeof readOwn?]
      return { name, schema, read }
    })
    return {
      schemas: Object.fromEntries(rows.map(({ name, schema }) => [name, schema])) as SchemasOf<Table>,
      write: (from: From) =>
        Object.fromEntries(rows.map(({ name, read }) => [name, read(from)])) as Schema.Struct.Type<SchemasOf<Table>>,
    }
  }

const describeField = ({ isRequired, document }: Parameter<unknown>) => {
  const { description, enum: words, pattern } = document
  const text = pattern === undefined ? Schema.String : Schema.String.check(Schema.isPattern(pattern))
  const field = (words === undefined ? text : Schema.Literals(words)).annotate({ description })
  return isRequired ? field : Schema.optionalKey(field)
}

/** The schema of a body whose fields are texts. */
const describeFields = (name: string, fields: ParameterTable) =>
  Schema.Struct(
    Object.fromEntries(Object.entries(fields).map(([field, parameter]) => [field, describeField(parameter)])),
  ).annotate({ identifier: `${name.slice(0, 1).toUpperCase()}${name.slice(1)}Request` })

/** A body with the example of each of its fields. */
const exampleOf = (fields: ParameterTable) =>
  Object.fromEntries(
    Object.entries(fields).map(([name, { document }]) => [name, document.example ?? document.enum?.[0]]),
  )

/** An example of the body of a row. */
export const exampleOfBody = ({ fields, example }: Described): unknown =>
  fields === undefined ? example : exampleOf(fields)

/** A path in the words of OpenAPI, which takes its parameters from the row. */
export const writePath = (path: string) => path.replace(/:(\w+)/g, "{$1}") as `/${string}`

const isStatus = (error: ErrorStatus | Schema.Top): error is ErrorStatus => typeof error === "number"

/** The row as a definition of Effect's HTTP interfaces, without the refusals that have one form on a surface: `complete` adds what it has not. */
export function declareRow(
  row: Described,
  complete: (operation: Record<string, unknown>) => Record<string, unknown>,
): HttpApiEndpoint.Constraint {
  const { name, method, path, payload, fields, success, errors = [], summary = "", description, deprecation } = row
  const made = HttpApiEndpoint.make(method)(name, writePath(path), {
    payload: payload ?? (fields && describeFields(name, fields)),
    success,
    error: errors.filter(error => !isStatus(error)),
  } as object)
  const words = OpenApi.annotations({
    // Names are unique over all groups, and become names of functions in generated clients.
    identifier: name,
    summary,
    ...(description === undefined ? {} : { description }),
    ...(deprecation === undefined ? {} : { deprecated: true }),
    transform: complete,
  })
  return (made as unknown as { annotateMerge: (given: typeof words) => HttpApiEndpoint.Constraint }).annotateMerge(
    words,
  )
}

/** The statuses with which a row refuses, those of the checks before it included. */
export function listRefusals(row: Described): readonly ErrorStatus[] {
  const { access, parameters, cost, takesBody, uploadBytes, errors = [] } = row
  const isSession = access.kind === "session"
  const takesNothing = Object.values(parameters).every(parameter => parameter.takesAnything)
  const statuses: readonly (ErrorStatus | false)[] = [
    // Two sessions at once are refused like a parameter that is given twice.
    (!takesNothing || isSession || takesBody === true) && 400,
    (takesKey(access) || isSession) && 401,
    (takesKey(access) || isSession) && 403,
    405,
    isRepeatable(row) && 409,
    (takesBody === true || uploadBytes !== undefined) && 413,
    (takesBody === true || uploadBytes !== undefined) && 415,
    (cost !== undefined || changesAccount(row)) && 429,
    500,
    503,
  ]
  return [...new Set([...statuses.filter(status => status !== false), ...errors.filter(isStatus)])]
}
