/**
 * What does the reference add to the definition of the interface?
 *
 * The parameters as the rows read them, the headers of answers, the ways to send a key, and the answer to an internal fault. They come from
 * the pipeline, which the definition does not contain. This is one table; the contract tests compare it with real answers.
 */

import { type Described, writePath } from "../pipeline/describe-row.ts"
import { type Endpoint, hasValidator, isRepeatable, takesKey as looksForKeys } from "../pipeline/endpoint.ts"
import type { ParameterDocument, ParameterTable } from "../pipeline/parameters.ts"
import { SURFACE_TRAITS, type SurfaceTraits } from "../pipeline/surface.ts"
import type { EndpointGroup } from "../routes/all-endpoints.ts"
import answerExamples from "./answer-examples.json" with { type: "json" }
import { BODY_EXAMPLES } from "./body-examples.ts"
import { cleanSchemas, extendSchemas, shareComponents, shareSchemas } from "./share-components.ts"

interface HeaderDocument {
  readonly description: string
  readonly schema: { readonly type: "string" | "integer" }
}

const header = (description: string, type: "string" | "integer" = "string"): HeaderDocument => ({
  description,
  schema: { type },
})

/** Headers of answers of every endpoint: the document explains them once. */
export const COMMON_HEADERS: Readonly<Record<string, string>> = {
  "X-Request-Id": "the id of the request, the client's own or a new one",
  "Access-Control-Allow-Origin": "always `*`",
  "Cache-Control": "how long the answer may be cached",
  "RateLimit-Policy":
    "beside `X-RateLimit-Limit`, every limit as a structured field (draft-ietf-httpapi-ratelimit-headers)",
  RateLimit: "the rest of each limit",
  "Idempotency-Replayed": "`true` if the request was sent before under its `Idempotency-Key`",
}

/** The same for every surface, although each decides which limit it shows. */
const LIMITS = {
  "X-RateLimit-Limit": header("The deciding limit; absent if nothing was counted.", "integer"),
  "X-RateLimit-Remaining": header("The rest of the deciding limit; absent if nothing was counted.", "integer"),
}

const PLAN = { "X-Plan": header("The caller's plan; absent without a valid key.") }

const RESET = {
  "X-RateLimit-Reset": header(
    "When the deciding limit is available again, in epoch seconds; only for limits that renew.",
    "integer",
  ),
}

const ON_NOTICE = {
  Deprecation: header("When the endpoint was deprecated (RFC 9745)."),
  Sunset: header("When it may stop answering (RFC 8594)."),
  Link: header("A note on the replacement, as rel=deprecation."),
}

const LATER = { "Retry-After": header("Seconds until a retry can succeed; only if waiting helps.", "integer") }

const OF_STATUS: Readonly<Record<number, Readonly<Record<string, HeaderDocument>>>> = {
  401: { "WWW-Authenticate": header("How to send a key.") },
  405: { Allow: header("The methods of the path.") },
  415: { "Accept-Encoding": header("`identity`, the only encoding of a body that is read.") },
}

const VALIDATED = {
  ETag: header("The validator of the body, for If-None-Match; only for answers that are written before they are sent."),
}

const VERSIONED = { "Svc-Version": header("The version of the answer.") }

const REPEATED: ResponseDocument = {
  description: "The Idempotency-Key was sent with another request, or the first request under it is still under way.",
}

const IDEMPOTENCY_KEY: ParameterDocument = {
  description: "A UUID, under which the first answer is replayed for 24 hours.",
  type: "string",
  example: "0b9d2f1e-5d0f-4c55-9a39-8a3f4cf6e0f1",
}

const IF_NONE_MATCH: ParameterDocument = {
  description: "The ETag of an answer that the client has.",
  type: "string",
  example: 'W/"2026.11.21"',
}

const KEY_SCHEMES = {
  apiKeyHeader: { type: "apiKey", in: "header", name: "x-api-key" },
  bearer: { type: "http", scheme: "bearer" },
  apiKeyQuery: { type: "apiKey", in: "query", name: "api_key" },
  session: { type: "apiKey", in: "cookie", name: "svc_token" },
} as const

const EVENTS = "text/event-stream"
const JSON_TYPE = "application/json"

/** OpenAPI cannot describe the events of a stream. */
const EVENT_STREAM = { schema: { type: "string", description: "Each `data:` line is the JSON of one event." } }

interface ResponseDocument {
  description: string
  content?: Record<string, object>
  headers?: Record<string, unknown>
}

interface OperationDocument {
  operationId: string
  requestBody?: { content: Record<string, object> }
  parameters?: unknown
  security?: unknown
  responses: Record<string, ResponseDocument>
}

const AWAY: ResponseDocument = {
  description: "The database cannot do its work now.",
  content: {
    "application/json": {
      schema: { type: "object", properties: { error: { type: "string" } }, required: ["error"] },
    },
  },
}

const FAULT: ResponseDocument = {
  description: "A fault inside.",
  content: {
    "application/json": {
      schema: {
        type: "object",
        properties: { error: { type: "string" }, request_id: { type: "string" } },
        required: ["error", "request_id"],
      },
    },
  },
}

/** The names of answers that several operations share. */
const NAMES_OF_ANSWERS: Readonly<Record<number, string>> = {
  304: "NotModified",
  400: "BadRequest",
  401: "Unauthorized",
  403: "Forbidden",
  404: "NotFound",
  405: "MethodNotAllowed",
  409: "Conflict",
  413: "TooLarge",
  415: "UnsupportedMediaType",
  429: "TooManyRequests",
  500: "Fault",
  503: "Unavailable",
}

const NOT_MODIFIED: ResponseDocument = { description: "The answer that If-None-Match names is still current." }

/** The facts that determine an answer's headers. */
interface AnswerKind {
  readonly traits: SurfaceTraits
  readonly isValidated: boolean
  readonly takesKey: boolean
  readonly isOnNotice: boolean
  readonly status: number
}

/** Lists the headers of an operation's answer, besides those of every answer and of its definition. */
function listAnswerHeaders({ traits, isValidated, takesKey, isOnNotice, status }: AnswerKind) {
  const showsQuota = traits.shownLimits === "quota"
  const isLimited = takesKey && ![500, 503].includes(status) && (status !== 401 || traits.isVersioned)
  const isSent = status === 200 || status === 304
  return {
    ...(isOnNotice ? ON_NOTICE : {}),
    ...(isLimited ? { ...LIMITS, ...(showsQuota ? PLAN : RESET) } : {}),
    ...OF_STATUS[status],
    ...(status === 429 && takesKey && showsQuota ? RESET : {}),
    ...(status === 429 || status === 503 ? LATER : {}),
    ...(isValidated && isSent ? VALIDATED : {}),
    ...(traits.isVersioned ? VERSIONED : {}),
  }
}

/** A parameter in the words of OpenAPI. */
const describeParameter = (name: string, place: string, required: boolean, document: ParameterDocument) => {
  const { description, example = document.default ?? document.enum?.[0], ...schema } = document
  return { name, in: place, required, description, schema, ...(example === undefined ? {} : { example }) }
}

/** The parameters of a row in the words of OpenAPI. */
const describeParameters = (table: ParameterTable, path = "") =>
  Object.entries(table).map(([name, { isRequired, document }]) =>
    describeParameter(name, path.split("/").includes(`:${name}`) ? "path" : "query", isRequired, document),
  )

/** Headers that change an answer, in the words of OpenAPI. */
const describeHeaders = (headers: Readonly<Record<string, ParameterDocument>> = {}) =>
  Object.entries(headers).map(([name, document]) => describeParameter(name, "header", false, document))

const describeBody = ({ operationId, requestBody }: OperationDocument) =>
  requestBody && {
    requestBody: {
      ...requestBody,
      content: Object.fromEntries(
        Object.entries(requestBody.content).map(([type, body]) => [
          type,
          { ...body, example: BODY_EXAMPLES[operationId] },
        ]),
      ),
    },
  }

/** Lists the ways to send a key; if a key is optional, sending none is one of them. */
function listSecurity({ access, surface }: Endpoint): readonly object[] {
  if (access.kind === "public") return []
  if (access.kind === "session") return access.isOptional ? [{ session: [] }, {}] : [{ session: [] }]
  const schemes = SURFACE_TRAITS[surface].keySchemes.map(scheme => ({ [scheme]: [] }))
  return access.kind === "key" ? schemes : [...schemes, {}]
}

const ANSWER_EXAMPLES: Readonly<Record<string, unknown>> = answerExamples

/** The content of an answer, with its example where the request succeeded. */
function describeContent({ content }: ResponseDocument, operationId: string, status: number) {
  if (content?.[JSON_TYPE] === undefined || status >= 300 || ANSWER_EXAMPLES[operationId] === undefined) return {}
  return { content: { ...content, [JSON_TYPE]: { ...content[JSON_TYPE], example: ANSWER_EXAMPLES[operationId] } } }
}

function describeOperation(
  operation: OperationDocument,
  { row, headers: taken, ignores, isDeprecated, sends }: Described,
) {
  const isValidated = hasValidator(row)
  const repeats = isRepeatable(row)
  const takesKey = looksForKeys(row.access)
  const kind = { traits: SURFACE_TRAITS[row.surface], isValidated, takesKey, isOnNotice: isDeprecated === true }
  const { 204: _, ...declared } = operation.responses as Record<number, ResponseDocument>
  const responses: Record<string, ResponseDocument> = {}
  for (const [status, response] of Object.entries({
    503: AWAY,
    ...(repeats ? { 409: REPEATED } : {}),
    500: FAULT,
    ...declared,
    ...(isValidated ? { 304: NOT_MODIFIED } : {}),
  })) {
    const isStream = response.content?.[EVENTS] !== undefined
    const sent = Object.entries(sends?.[Number(status)] ?? {}).map(([name, words]) => [name, header(words)])
    responses[status] = {
      ...response,
      ...describeContent(response, operation.operationId, Number(status)),
      ...(isStream ? { content: { [EVENTS]: EVENT_STREAM } } : {}),
      headers: {
        ...Object.fromEntries(sent),
        ...listAnswerHeaders({ ...kind, status: Number(status) }),
        ...response.headers,
      },
    }
  }
  return {
    ...operation,
    ...describeBody(operation),
    parameters: [
      ...describeParameters(ignores ?? row.parameters, row.path),
      ...describeHeaders({
        ...taken,
        ...(repeats ? { "Idempotency-Key": IDEMPOTENCY_KEY } : {}),
        ...(isValidated ? { "If-None-Match": IF_NONE_MATCH } : {}),
      }),
    ],
    security: listSecurity(row),
    responses: cleanSchemas(responses as never) as unknown as OperationDocument["responses"],
  }
}

type Schemas = Readonly<Record<string, { readonly description?: string }>>

/** Finds schemas that differ only in their description, and returns for each name the one that stays. */
function findTwins(schemas: Schemas): Map<string, string> {
  const shape = (name: string) => JSON.stringify({ ...schemas[name], description: "" })
  const twins = new Map<string, string>()
  for (const name of Object.keys(schemas)) {
    const first = name.replace(/(_\d+|Encoded)$/, "")
    if (first !== name && schemas[first] !== undefined && shape(first) === shape(name)) twins.set(name, first)
  }
  return twins
}

/** Leaves one schema of each shape and name: one `Error` and not four. */
function mergeTwins<Document extends { readonly components: { readonly schemas: Schemas } }>(document: Document) {
  const twins = findTwins(document.components.schemas)
  const text = JSON.stringify(document).replace(/"#\/components\/schemas\/(\w+)"/g, (reference, name: string) =>
    twins.has(name) ? `"#/components/schemas/${twins.get(name)}"` : reference,
  )
  const merged = JSON.parse(text) as Document & { components: { schemas: Record<string, { description?: string }> } }
  for (const [name, first] of twins) {
    delete merged.components.schemas[name]
    if (first === "Error") merged.components.schemas.Error = { ...merged.components.schemas.Error, ...ERROR_WORDS }
  }
  return merged
}

const ERROR_WORDS = { description: "The error as a sentence for people; programs should use the status." }

/** Adds the information of some groups' rows to an OpenAPI document. */
export function completeReference<Document extends Record<string, unknown>>(
  document: Document,
  groups: readonly EndpointGroup[],
): Document {
  const described = new Map<string, Described>(
    groups.flatMap(({ endpoints }) =>
      endpoints.map(of => [`${of.row.method.toLowerCase()} ${writePath(of.row.path)}`, of] as const),
    ),
  )
  const paths: Record<string, Record<string, OperationDocument>> = {}
  for (const [path, operations] of Object.entries(document.paths as typeof paths)) {
    paths[path] = Object.fromEntries(
      Object.entries(operations).map(([method, operation]) => {
        const row = described.get(`${method} ${path}`)
        return [method, row === undefined ? operation : describeOperation(operation, row)]
      }),
    )
  }
  const { schemas } = cleanSchemas(document.components as never) as unknown as { schemas: Schemas }
  const merged = mergeTwins({ ...document, paths, components: { schemas, securitySchemes: KEY_SCHEMES } })
  const shared = shareComponents(merged.paths as never, status => NAMES_OF_ANSWERS[Number(status)] ?? `Answer${status}`)
  const components = {
    ...merged.components,
    ...shared.components,
    schemas: shareSchemas(extendSchemas(merged.components.schemas as never)),
  }
  return { ...merged, paths: shared.paths, components }
}
