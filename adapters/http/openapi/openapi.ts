/**
 * What does the reference add to the definition of the interface?
 *
 * The parameters as the rows read them, the headers of every answer, the two ways to send a key, and the answer to an internal fault. They
 * come from the pipeline, which the definition does not contain. This is one table; the contract tests compare it with real answers.
 */

import type { Described } from "../pipeline/describe-row.ts"
import { type Endpoint, takesKey as looksForKeys } from "../pipeline/endpoint.ts"
import type { ParameterDocument, ParameterTable } from "../pipeline/parameters.ts"
import { SURFACE_TRAITS, type SurfaceTraits } from "../pipeline/surface.ts"
import type { EndpointGroup } from "../routes/all-endpoints.ts"
import answerExamples from "./answer-examples.json" with { type: "json" }
import { BODY_EXAMPLES } from "./body-examples.ts"

interface HeaderDocument {
  readonly description: string
  readonly schema: { readonly type: "string" | "integer" }
}

const header = (description: string, type: "string" | "integer" = "string"): HeaderDocument => ({
  description,
  schema: { type },
})

const COMMON = {
  "X-Request-Id": header("The id of this request, for questions about it; the client's own if it sent one."),
  "Access-Control-Allow-Origin": header("Always *, so that every page may read the answer."),
}

const QUOTA = {
  "X-RateLimit-Limit": header("The number of requests allowed in the period; absent without a valid key.", "integer"),
  "X-RateLimit-Remaining": header("The number of requests left in the period; absent without a valid key.", "integer"),
  "X-Plan": header("The caller's plan; absent without a valid key."),
  "RateLimit-Policy": header(
    "The same limit as a structured field (draft-ietf-httpapi-ratelimit-headers); absent without a valid key.",
  ),
  RateLimit: header("The rest of the limit, as a structured field; absent without a valid key."),
}

const REFUSED = {
  "X-RateLimit-Reset": header("When the monthly quota restarts, in epoch seconds; only if it is spent.", "integer"),
  "Retry-After": header("Seconds until a retry can succeed; only for limits that restart.", "integer"),
}

/** For surfaces that show the deciding limit. */
const LIMITS = {
  "X-RateLimit-Limit": header("The deciding limit; absent if nothing was counted.", "integer"),
  "X-RateLimit-Remaining": header("The rest of the deciding limit; absent if nothing was counted.", "integer"),
  "X-RateLimit-Reset": header(
    "When the whole limit is available again, in epoch seconds; only for limits that renew.",
    "integer",
  ),
  "RateLimit-Policy": header(
    "Every limit as a structured field (draft-ietf-httpapi-ratelimit-headers); absent if nothing was counted.",
  ),
  RateLimit: header("The rest of each limit, as a structured field; absent if nothing was counted."),
}

const RENDERED = {
  Vary: header("Accept and Accept-Encoding: JSON or markdown, compressed or not."),
  "X-Powered-By": header("Landfall."),
}

const ON_NOTICE = {
  Deprecation: header("When the endpoint was deprecated (RFC 9745)."),
  Sunset: header("When it may stop answering (RFC 8594)."),
  Link: header("A note on the replacement, as rel=deprecation."),
}

const LATER = { "Retry-After": header("Seconds until a retry can succeed.", "integer") }

const CACHED = { "Cache-Control": header("How long the answer may be cached.") }

const VALIDATED = { ETag: header("The validator of the body, for If-None-Match.") }

const VERSIONED = { "Svc-Version": header("The version of the answer.") }

const REPEATED: ResponseDocument = {
  description: "The Idempotency-Key was sent with another request, or the first request under it is still under way.",
}

const REPLAYED = { "Idempotency-Replayed": header("`true`; only for a request that was sent again.") }

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

const NOT_MODIFIED: ResponseDocument = { description: "The answer that If-None-Match names is still current." }

/** The facts that determine an answer's headers. */
interface AnswerKind {
  readonly shownLimits: SurfaceTraits["shownLimits"]
  readonly isVersioned: boolean
  readonly isValidated: boolean
  readonly takesKey: boolean
  readonly isOnNotice: boolean
  readonly status: number
  readonly contentTypes: readonly string[]
}

/** Lists the headers of an operation's answer, besides those of its definition. */
function listAnswerHeaders({
  shownLimits,
  isVersioned,
  isValidated,
  takesKey,
  isOnNotice,
  status,
  contentTypes,
}: AnswerKind) {
  const showsQuota = shownLimits === "quota"
  const quota = showsQuota ? QUOTA : LIMITS
  return {
    ...COMMON,
    "Cache-Control": CACHED["Cache-Control"],
    ...(isOnNotice ? ON_NOTICE : {}),
    ...(takesKey && ![401, 500, 503].includes(status) ? quota : {}),
    ...(status === 401 ? { "WWW-Authenticate": header("How to send a key.") } : {}),
    ...(status === 429 ? (showsQuota && takesKey ? REFUSED : LATER) : {}),
    ...(status === 503 ? LATER : {}),
    ...(isValidated && (status === 200 || status === 304) ? VALIDATED : {}),
    ...(isVersioned && (status === 200 || status === 304) ? VERSIONED : {}),
    ...(status === 200 && contentTypes.includes("text/markdown") ? RENDERED : {}),
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
  { row, headers: taken, ignores, isDeprecated, isValidated: isMarked, sends }: Described<unknown>,
) {
  const { shownLimits, validatesAnswers } = SURFACE_TRAITS[row.surface]
  const isVersioned = taken?.["Svc-Version"] !== undefined
  // Answers that a caller pays for may be kept, those about an account never.
  const isValidated = isMarked === true || (validatesAnswers && row.method === "GET" && row.cost !== undefined)
  const takesKey = looksForKeys(row.access)
  const { 204: _, ...declared } = operation.responses as Record<number, ResponseDocument>
  const responses: Record<string, ResponseDocument> = {}
  for (const [status, response] of Object.entries({
    ...(takesKey ? { 503: AWAY } : {}),
    ...(row.isRepeatable ? { 409: REPEATED } : {}),
    500: FAULT,
    ...declared,
    ...(isValidated ? { 304: NOT_MODIFIED } : {}),
  })) {
    const contentTypes = Object.keys(response.content ?? {})
    const isOnNotice = isDeprecated === true
    const headers = listAnswerHeaders({
      shownLimits,
      isVersioned,
      isValidated,
      takesKey,
      isOnNotice,
      status: Number(status),
      contentTypes,
    })
    const content = contentTypes.includes(EVENTS) ? { content: { [EVENTS]: EVENT_STREAM } } : {}
    const sent = Object.entries(sends?.[Number(status)] ?? {}).map(([name, words]) => [name, header(words)])
    responses[status] = {
      ...response,
      ...describeContent(response, operation.operationId, Number(status)),
      ...content,
      headers: { ...Object.fromEntries(sent), ...headers, ...(row.isRepeatable ? REPLAYED : {}), ...response.headers },
    }
  }
  return {
    ...operation,
    ...describeBody(operation),
    parameters: [
      ...describeParameters(ignores ?? row.parameters, row.path),
      ...describeHeaders({
        ...taken,
        ...(row.isRepeatable ? { "Idempotency-Key": IDEMPOTENCY_KEY } : {}),
        ...(isValidated ? { "If-None-Match": IF_NONE_MATCH } : {}),
      }),
    ],
    security: listSecurity(row),
    responses: cleanSchemas(responses) as OperationDocument["responses"],
  }
}

/**
 * Makes a schema suitable for generators: open, because answers may get new fields at any time and clients ignore unknown ones; and without
 * the parts that only Effect's own clients read.
 */
function cleanSchemas(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(cleanSchemas)
  if (typeof value !== "object" || value === null) return value
  const entries = Object.entries(value).filter(
    ([name, held]) => !(name === "additionalProperties" && held === false) && !name.startsWith("x-effect"),
  )
  return Object.fromEntries(entries.map(([name, held]) => [name, cleanSchemas(held)]))
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
  const described = new Map(
    groups.flatMap(({ endpoints }) =>
      endpoints.map(of => [`${of.row.method.toLowerCase()} ${of.row.path.replace(/:(\w+)/g, "{$1}")}`, of] as const),
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
  const components = { ...(cleanSchemas(document.components) as { schemas: Schemas }), securitySchemes: KEY_SCHEMES }
  return mergeTwins({ ...document, paths, components })
}
