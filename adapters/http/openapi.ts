/**
 * What does the reference add to what the definition of the interface says by itself?
 *
 * The headers of every answer, the two ways to send a key, and the answer to a fault inside: they come from the layers around the
 * endpoints, which the definition cannot see. One table; the contract tests hold it against real answers.
 */

interface HeaderDocument {
  readonly description: string
  readonly schema: { readonly type: "string" | "integer" }
}

const header = (description: string, type: "string" | "integer" = "string"): HeaderDocument => ({
  description,
  schema: { type },
})

const COMMON = {
  "X-Request-Id": header("The name of this request, for questions about it; the client's own if it sent one."),
  "Access-Control-Allow-Origin": header("Always *, so that every page may read the answer."),
}

const QUOTA = {
  "X-RateLimit-Limit": header("Requests of the period; absent without a key.", "integer"),
  "X-RateLimit-Remaining": header("Requests left in the period; absent without a key.", "integer"),
  "X-Plan": header("The caller's plan; absent without a key."),
  "RateLimit-Policy": header("The same limit as a structured field (draft-ietf-httpapi-ratelimit-headers)."),
  RateLimit: header("What is left, as a structured field."),
}

const REFUSED = {
  "X-RateLimit-Reset": header("When the monthly quota begins anew, in epoch seconds; only if it is spent.", "integer"),
  "Retry-After": header("Seconds until it is worth trying again; only for limits of a minute or a day.", "integer"),
}

const RENDERED = {
  Vary: header("Accept and Accept-Encoding: JSON or markdown, compressed or not."),
  "X-Powered-By": header("Landfall."),
}

const CACHED = { "Cache-Control": header("How long the answer may be kept.") }

const KEY_SCHEMES = {
  apiKeyHeader: { type: "apiKey", in: "header", name: "x-api-key" },
  apiKeyQuery: { type: "apiKey", in: "query", name: "api_key" },
} as const

interface ResponseDocument {
  description: string
  content?: Record<string, unknown>
  headers?: Record<string, unknown>
}

interface OperationDocument {
  operationId: string
  security?: unknown
  responses: Record<string, ResponseDocument>
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

/** Says which headers an answer of an operation carries, beside those that its definition names. */
export function listAnswerHeaders(takesKey: boolean, status: number, contentTypes: readonly string[]) {
  return {
    ...COMMON,
    "Cache-Control": CACHED["Cache-Control"],
    // A body that is too large is refused before its key is looked at.
    ...(takesKey && ![401, 413, 500].includes(status) ? QUOTA : {}),
    ...(status === 401 ? { "WWW-Authenticate": header("ApiKey: how to send a key.") } : {}),
    ...(status === 429 ? REFUSED : {}),
    ...(status === 200 && contentTypes.includes("text/markdown") ? RENDERED : {}),
  }
}

function describeOperation(operation: OperationDocument): OperationDocument {
  const takesKey = operation.responses["401"] !== undefined
  const responses: Record<string, ResponseDocument> = {}
  for (const [status, response] of Object.entries({ ...operation.responses, 500: FAULT })) {
    const headers = listAnswerHeaders(takesKey, Number(status), Object.keys(response.content ?? {}))
    responses[status] = { ...response, headers: { ...headers, ...response.headers } }
  }
  const security = Object.keys(KEY_SCHEMES).map(scheme => ({ [scheme]: [] }))
  const opened = openSchemas(responses) as OperationDocument["responses"]
  return { ...operation, ...(takesKey ? { security } : {}), responses: opened }
}

/** Answers may grow fields at any time, and clients ignore what they do not recognise: no schema of an answer is closed. */
function openSchemas(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(openSchemas)
  if (typeof value !== "object" || value === null) return value
  const entries = Object.entries(value).filter(([name, held]) => !(name === "additionalProperties" && held === false))
  return Object.fromEntries(entries.map(([name, held]) => [name, openSchemas(held)]))
}

/** Completes an OpenAPI document. */
export function completeReference<Document extends Record<string, unknown>>(document: Document): Document {
  const paths: Record<string, Record<string, OperationDocument>> = {}
  for (const [path, operations] of Object.entries(document.paths as typeof paths)) {
    paths[path] = Object.fromEntries(
      Object.entries(operations).map(([method, operation]) => [method, describeOperation(operation)]),
    )
  }
  const components = { ...(openSchemas(document.components) as object), securitySchemes: KEY_SCHEMES }
  return { ...document, paths, components }
}
