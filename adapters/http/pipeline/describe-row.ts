/**
 * How does the reference describe a row?
 *
 * With its texts, and its bodies as schemas; the possible errors follow from the row. Descriptions are made for the reference,
 * never to answer a request.
 */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiSchema } from "effect/http-api"
import { changesAccount, type Endpoint, type Needs, type RowWith, takesKey } from "./endpoint.ts"
import type { ParameterDocument, ParameterTable } from "./parameters.ts"
import { SURFACE_TRAITS } from "./surface.ts"

// How is a body named in the reference? By the name of its type in generated clients, and by a sentence.

export const makeBody = <const Fields extends Schema.Struct.Fields>(
  identifier: string,
  description: string,
  fields: Fields,
) => Schema.Struct(fields).annotate({ identifier, description })

const errorBody = (status: number, description: string) =>
  makeBody("Error", description, { error: Schema.String }).pipe(HttpApiSchema.status(status))

export const BadRequest = /* @__PURE__ */ errorBody(400, "A parameter is missing or not valid.")
export const NotFound = /* @__PURE__ */ errorBody(404, "The codes are valid and nothing is recorded for them.")
export const TooManyRequests = /* @__PURE__ */ errorBody(429, "A quota or a limit is reached.")
const TooLarge = /* @__PURE__ */ errorBody(413, "The body is larger than the limit.")

const WrongMethod = /* @__PURE__ */ errorBody(405, "The path does not take this method; `Allow` says which.")
const UnsupportedEncoding = /* @__PURE__ */ errorBody(415, "A body with a Content-Encoding is not read.")

export const Conflicting = /* @__PURE__ */ errorBody(
  409,
  "The request conflicts with the present state; the message says how.",
)

const Unauthorized = /* @__PURE__ */ (() =>
  makeBody("Unauthorized", "No key was given, or it has expired (`expired`).", {
    error: Schema.String,
    message: Schema.String,
    signup_url: Schema.optionalKey(Schema.String),
    free_tier: Schema.optionalKey(Schema.String),
  }).pipe(HttpApiSchema.status(401)))()

const Forbidden = /* @__PURE__ */ (() =>
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

const SessionMissing = /* @__PURE__ */ (() =>
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

/** The texts of a row for the reference, and its bodies. Parameters and the pipeline's errors follow from the row. */
export interface Words {
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
  readonly payload?: Schema.Top
  readonly success?: Schema.Top | readonly Schema.Top[]
  /** Errors besides those of the pipeline; the lookup's have their own shape, so its rows list all. */
  readonly error?: readonly Schema.Top[]
}

export interface Described<N extends Needs = Needs> extends Omit<Words, "payload" | "success" | "error"> {
  readonly row: RowWith<N>
  readonly declare: () => HttpApiEndpoint.Constraint
}

/** The answers of the pipeline instead of the row. */
function listPipelineErrors(row: Endpoint): readonly Schema.Top[] {
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

/** A path in the words of OpenAPI, which takes its parameters from the row. */
export const writePath = (path: string) => path.replace(/:(\w+)/g, "{$1}") as `/${string}`

export function describe<N extends Needs>(
  row: RowWith<N>,
  { payload, success, error = [], ...said }: Words,
): Described<N> {
  const { name, method, path, surface } = row
  const declare = () =>
    HttpApiEndpoint.make(method)(name, writePath(path), {
      payload,
      success,
      error: SURFACE_TRAITS[surface].hasOwnErrors ? error : [...listPipelineErrors(row), ...error],
    } as object) as HttpApiEndpoint.Constraint
  return { ...said, row, declare }
}
