/**
 * How does the reference describe a row?
 *
 * With its texts, and its bodies as schemas; the possible errors follow from the row. Descriptions are made for the reference or for a
 * typed client, never to answer a request.
 */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiSchema } from "effect/http-api"
import {
  changesAccount,
  type Endpoint,
  type Method,
  type Needs,
  type Place,
  type RowWith,
  takesKey,
} from "./endpoint.ts"
import { makeBody } from "./named-body.ts"
import type { ParameterDocument, ParameterTable, ValuesOf } from "./parameters.ts"
import { SURFACE_TRAITS } from "./surface.ts"

const errorBody = (status: number, description: string) =>
  makeBody("Error", description, { error: Schema.String }).pipe(HttpApiSchema.status(status))

export const BadRequest = /* @__PURE__ */ errorBody(400, "A parameter is missing or not valid.")
export const NotFound = /* @__PURE__ */ errorBody(404, "The codes are valid and nothing is recorded for them.")
export const TooManyRequests = /* @__PURE__ */ errorBody(429, "A quota or a limit is reached.")
export const TooLarge = /* @__PURE__ */ errorBody(413, "The body is larger than the limit.")

const WrongMethod = /* @__PURE__ */ errorBody(405, "The path does not take this method; `Allow` says which.")
const UnsupportedEncoding = /* @__PURE__ */ errorBody(415, "A body with a Content-Encoding is not read.")

export const Conflicting = /* @__PURE__ */ errorBody(
  409,
  "The request conflicts with the present state; the message says how.",
)

export const Unauthorized = /* @__PURE__ */ (() =>
  makeBody("Unauthorized", "No key was given, or it has expired (`expired`).", {
    error: Schema.String,
    message: Schema.String,
    signup_url: Schema.optionalKey(Schema.String),
    free_tier: Schema.optionalKey(Schema.String),
  }).pipe(HttpApiSchema.status(401)))()

export const Forbidden = /* @__PURE__ */ (() =>
  makeBody(
    "Forbidden",
    "The key is unknown or deactivated, may not be used from this address or for this endpoint (`required_scope`), or its plan is too low.",
    {
      error: Schema.String,
      message: Schema.String,
      required_plan: Schema.optionalKey(Schema.NullOr(Schema.String)),
      upgrade_url: Schema.optionalKey(Schema.String),
      required_scope: Schema.optionalKey(Schema.String),
    },
  ).pipe(HttpApiSchema.status(403)))()

export const SessionMissing = /* @__PURE__ */ (() =>
  makeBody(
    "SessionMissing",
    "Nobody is signed in, or the sign-in is older than an hour and the action needs a newer one.",
    { error: Schema.String, message: Schema.String, login_url: Schema.String },
  ).pipe(HttpApiSchema.status(401)))()

export const SessionRefused = /* @__PURE__ */ (() =>
  makeBody("SessionRefused", "The request comes from another site, or the account is disabled.", {
    error: Schema.String,
    message: Schema.optionalKey(Schema.String),
  }).pipe(HttpApiSchema.status(403)))()

export const NotSetUp = /* @__PURE__ */ (() =>
  makeBody("NotSetUp", "The deployment is not set up for this, or its database is unavailable.", {
    error: Schema.String,
  }).pipe(HttpApiSchema.status(503)))()

/** Answers of the pipeline instead of a row. */
export type PipelineError =
  | typeof BadRequest
  | typeof Unauthorized
  | typeof Forbidden
  | typeof TooManyRequests
  | typeof TooLarge
  | typeof WrongMethod
  | typeof UnsupportedEncoding
  | typeof SessionMissing
  | typeof SessionRefused

/** The texts of a row for the reference, and its bodies. Parameters and the pipeline's errors follow from the row. */
export interface Words<Payload = Schema.Top, Success = unknown, Failure = Schema.Top> {
  readonly summary: string
  readonly description?: string
  readonly isDeprecated?: true
  /** Parameters that are listed but not read. */
  readonly ignores?: ParameterTable
  /** Headers that change the answer. */
  readonly headers?: Readonly<Record<string, ParameterDocument>>
  /** Headers of its answers, beyond those of every answer, by status. */
  readonly sends?: Readonly<Record<number, Readonly<Record<string, string>>>>
  /** The request body, and the bodies of its answers. */
  readonly payload?: Payload
  readonly success?: Success
  /** Errors besides those of the pipeline; the lookup's have their own shape, so its rows list all. */
  readonly error?: readonly Failure[]
}

export interface Described<Declaration = HttpApiEndpoint.Constraint, N extends Needs = Needs>
  extends Omit<Words, "payload" | "success" | "error"> {
  readonly row: RowWith<N>
  readonly declare: () => Declaration
}

function listPipelineErrors(row: Endpoint): readonly PipelineError[] {
  const { access, parameters, cost, takesBody, uploadBytes } = row
  const isSession = access.kind === "session"
  const takesNothing = Object.values(parameters).every(parameter => parameter.takesAnything)
  return [
    // Two sessions at once are refused like a parameter that is given twice.
    ...(takesNothing && !isSession ? [] : [BadRequest]),
    ...(isSession ? [SessionMissing, SessionRefused] : []),
    ...(takesKey(access) ? [Unauthorized, Forbidden] : []),
    WrongMethod,
    ...(takesBody || uploadBytes !== undefined ? [TooLarge, UnsupportedEncoding] : []),
    ...(cost === undefined && !changesAccount(row) ? [] : [TooManyRequests]),
  ]
}

/** What a client writes for a value: words stay words, lists and numbers are text. */
type Written<Value> = Value extends string ? Value : string

type QuerySchema<Table extends ParameterTable> = {
  readonly [Name in keyof Table]: undefined extends ValuesOf<Table>[Name]
    ? Schema.optionalKey<Schema.Codec<Written<NonNullable<ValuesOf<Table>[Name]>>, string>>
    : Schema.Codec<Written<ValuesOf<Table>[Name]>, string>
}

/** The parameters of a row as a schema, for typed clients; requests are read by the parameters themselves. */
function querySchema<Table extends ParameterTable>(parameters: Table): QuerySchema<Table> {
  const fields = Object.entries(parameters).map(([name, { isRequired, document }]) => {
    const text: Schema.Top = document.enum === undefined ? Schema.String : Schema.Literals(document.enum)
    return [name, isRequired ? text : Schema.optionalKey(text)]
  })
  return Object.fromEntries(fields) as QuerySchema<Table>
}

/** The parameters that a path names. */
type NamesIn<Path extends string> = Path extends `${string}:${infer Name}/${infer Rest}`
  ? Name | NamesIn<Rest>
  : Path extends `${string}:${infer Name}`
    ? Name
    : never

type Part<Table extends ParameterTable, Names extends keyof Table> = [Names] extends [never]
  ? never
  : Schema.Struct<Pick<QuerySchema<Table>, Names>>

/** A row as Effect declares it, with types for its clients. */
type Declared<
  Of extends Place<string, `/${string}`, ParameterTable>,
  Payload,
  Success,
  Failure,
> = HttpApiEndpoint.HttpApiEndpoint<
  Of["name"],
  Method,
  Of["path"],
  Part<Of["parameters"], Extract<keyof Of["parameters"], NamesIn<Of["path"]>>>,
  Part<Of["parameters"], Exclude<keyof Of["parameters"], NamesIn<Of["path"]>>>,
  Extract<Payload, Schema.Top>,
  never,
  Extract<Success extends readonly (infer One)[] ? One : Success, Schema.Top>,
  Extract<Failure | PipelineError, Schema.Top>
>

export function describe<
  const Name extends string,
  const Path extends `/${string}`,
  const Table extends ParameterTable,
  N extends Needs,
  Payload = never,
  const Success = typeof HttpApiSchema.NoContent,
  Failure = never,
>(
  row: RowWith<N> & Place<Name, Path, Table>,
  { payload, success, error = [], ...said }: Words<Payload, Success, Failure>,
): Described<Declared<Place<Name, Path, Table>, Payload, Success, Failure>, N> {
  const { name, method, path, parameters, surface } = row
  const inPath = new Set([...path.matchAll(/:(\w+)/g)].map(([, found]) => found as string))
  const pick = (isPath: boolean) => {
    const own = Object.entries(parameters).filter(([of]) => inPath.has(of) === isPath)
    return own.length === 0 ? undefined : querySchema(Object.fromEntries(own))
  }
  const declare = () =>
    HttpApiEndpoint.make(method)(name, path, {
      params: pick(true),
      query: pick(false),
      payload,
      success,
      error: SURFACE_TRAITS[surface].hasOwnErrors ? error : [...listPipelineErrors(row), ...error],
    } as object) as unknown as Declared<Place<Name, Path, Table>, Payload, Success, Failure>
  return { ...said, row, declare }
}
