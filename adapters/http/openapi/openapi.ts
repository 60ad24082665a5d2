/**
 * What does the reference add to the definition of the interface?
 *
 * The parameters as the rows read them, the headers of answers, the ways to send a key, and the answer to an internal fault. They come from
 * the pipeline, which the definition does not contain. This is one table; the contract tests compare it with real answers.
 */

import { Effect, Layer } from "effect"
import { HttpApi, HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { API_VERSION } from "../../answers/visa-answers.ts"
import { notices } from "../../data-files/notices.generated.ts"
import { EVENT_TYPES } from "../../events/followers/subscription.ts"
import type { Surface } from "../../settings/settings.ts"
import { type Described, declareRow, exampleOfBody, listRefusals } from "../pipeline/describe-row.ts"
import {
  type Endpoint,
  type ErrorStatus,
  hasValidator,
  isRepeatable,
  type ParameterDocument,
  type ParameterTable,
  type SurfaceName,
  takesKey,
} from "../pipeline/endpoint.ts"
import { MountedSite } from "../pipeline/process-state.ts"
import { type EndpointGroup, mountGroups } from "../routes/all-endpoints.ts"
import { listLookupCodes } from "../routes/lookup/lookup-errors.ts"
import { Reference } from "../routes/operations/operations-endpoints.ts"
import { describeEvent } from "../routes/webhook-endpoints.ts"
import { REFERENCE_SCRIPT, REFERENCE_STYLE, writeReference } from "./reference-page.ts"
import { cleanSchemas, extendSchemas, shareComponents, shareSchemas } from "./share-components.ts"

interface HeaderDocument {
  readonly description: string
  readonly schema: { readonly type: "string" | "integer" }
}

const header = (description: string, type: "string" | "integer" = "string"): HeaderDocument => ({
  description,
  schema: { type },
})

/** Headers of answers of every endpoint, of every endpoint with a limit, or of a whole service: the document explains them once. */
export const COMMON_HEADERS: Readonly<Record<string, string>> = {
  "X-Request-Id": "the id of the request, the client's own or a new one",
  "Access-Control-Allow-Origin": "always `*`",
  "Cache-Control": "how long the answer may be cached",
  "X-RateLimit-Limit": "the deciding limit; absent if nothing was counted",
  "X-RateLimit-Remaining": "the rest of the deciding limit",
  "X-RateLimit-Reset":
    "when it is available again, in epoch seconds; for limits that renew, and where a month is the limit only on a 429",
  "RateLimit-Policy":
    "beside `X-RateLimit-Limit`, every limit as a structured field (draft-ietf-httpapi-ratelimit-headers)",
  RateLimit: "the rest of each limit",
  "X-Plan": "the caller's plan, in answers of the visa service to a valid key",
  "Svc-Version": "the version of an answer of the lookup service",
  "Idempotency-Replayed": "`true` if the request was sent before under its `Idempotency-Key`",
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

/** A body of texts by name. */
const texts = (required: readonly string[], optional: readonly string[] = []) => ({
  type: "object",
  properties: Object.fromEntries([...required, ...optional].map(name => [name, { type: "string" }])),
  required,
})

/** The bodies of refusals. */
const REFUSAL_BODIES = {
  Error: { description: "The error as a sentence for people; programs should use the status.", ...texts(["error"]) },
  Unauthorized: texts(["error", "message"], ["signup_url", "free_tier"]),
  Forbidden: {
    ...texts(["error", "message"]),
    properties: {
      ...texts(["error", "message"], ["upgrade_url", "required_scope"]).properties,
      required_plan: { type: ["string", "null"] },
    },
  },
  SessionMissing: texts(["error", "message", "login_url"]),
  SessionRefused: texts(["error"], ["message"]),
  Fault: texts(["error", "request_id"]),
} as const

interface RefusalDocument {
  /** Its name among the answers that operations share. */
  readonly name: string
  readonly description: string
  readonly body?: keyof typeof REFUSAL_BODIES
}

const REFUSALS: Readonly<Record<ErrorStatus, RefusalDocument>> = {
  400: { name: "BadRequest", description: "A parameter or a field is missing or not valid." },
  401: {
    name: "Unauthorized",
    description: "No key was given, or it has expired (`expired`).",
    body: "Unauthorized",
  },
  403: {
    name: "Forbidden",
    description:
      "The key is unknown or deactivated, may not be used from this address or for this endpoint (`required_scope`), or its plan is too low.",
    body: "Forbidden",
  },
  404: { name: "NotFound", description: "Nothing is recorded for these codes, or there is nothing of this id." },
  405: { name: "MethodNotAllowed", description: "The path does not take this method; `Allow` says which." },
  409: {
    name: "Conflict",
    description:
      "The request conflicts with the present state, or its Idempotency-Key was sent before with another request or is in use; the message says how.",
  },
  413: { name: "TooLarge", description: "The body is larger than the limit." },
  415: { name: "UnsupportedMediaType", description: "A body with a Content-Encoding is not read." },
  416: { name: "RangeNotSatisfiable", description: "The result has no such bytes." },
  429: { name: "TooManyRequests", description: "A quota or a limit is reached." },
  500: { name: "Fault", description: "A fault inside.", body: "Fault" },
  503: {
    name: "Unavailable",
    description: "The deployment is not set up for this, or the service cannot do its work now.",
  },
}

/** Refusals of rows that know sessions instead of keys. */
const SESSION_REFUSALS: Readonly<Partial<Record<ErrorStatus, RefusalDocument>>> = {
  401: {
    name: "SessionMissing",
    description: "Nobody is signed in, or the sign-in is older than an hour and the action needs a newer one.",
    body: "SessionMissing",
  },
  403: {
    name: "SessionRefused",
    description: "The request comes from another site, or the account is disabled.",
    body: "SessionRefused",
  },
}

/** The schemas of refusals by name. */
const REFUSAL_SCHEMAS: Readonly<Record<string, object>> = {
  ...REFUSAL_BODIES,
  LookupError: {
    type: "object",
    properties: {
      error: {
        ...texts(["code", "message", "request_id"], ["param"]),
        properties: {
          ...texts(["message", "request_id", "param"]).properties,
          code: {
            type: "string",
            enum: listLookupCodes(),
            description: "For programs; each answer lists its own.",
          },
        },
      },
    },
    required: ["error"],
  },
}

/** How a row refuses with a status; `own` is a body that only this row has. */
function describeRefusal(
  { access, surface }: Described,
  status: ErrorStatus,
  own?: ResponseDocument,
): ResponseDocument {
  const isLookup = surface === "lookup"
  const { description, body = "Error" } = (takesKey(access) ? undefined : SESSION_REFUSALS[status]) ?? REFUSALS[status]
  const codes = isLookup ? listLookupCodes(status).join(", ") : undefined
  const schema = { $ref: `#/components/schemas/${isLookup ? "LookupError" : body}` }
  const given = own?.content?.[JSON_TYPE] as { readonly schema: object } | undefined
  return {
    description: own?.description ?? codes ?? description,
    content: { [JSON_TYPE]: { schema: given === undefined ? schema : { anyOf: [given.schema, schema] } } },
  }
}

const NOT_MODIFIED: ResponseDocument = { description: "The answer that If-None-Match names is still current." }

/** Lists the headers of a row's answer with a status, besides those of every answer and of its definition. */
const listAnswerHeaders = (row: Described, status: number) => ({
  ...(row.deprecation === undefined ? {} : ON_NOTICE),
  ...OF_STATUS[status],
  ...(status === 429 || status === 503 ? LATER : {}),
  ...(hasValidator(row) && (status === 200 || status === 304) ? VALIDATED : {}),
})

/** A parameter in the words of OpenAPI. */
const describeParameter = (name: string, place: string, required: boolean, document: ParameterDocument) => {
  const { description, example = document.default ?? document.enum?.[0], pattern, ...rest } = document
  return {
    name,
    in: place,
    ...(required ? { required } : {}),
    description,
    schema: cleanSchemas({ ...rest, ...(pattern === undefined ? {} : { pattern: pattern.source }) } as never),
    ...(example === undefined ? {} : { example }),
  }
}

/** The parameters of a row in the words of OpenAPI. */
const describeParameters = (table: ParameterTable, path = "") =>
  Object.entries(table).map(([name, { isRequired, document }]) =>
    describeParameter(name, path.split("/").includes(`:${name}`) ? "path" : "query", isRequired, document),
  )

/** Headers that change an answer, in the words of OpenAPI. */
const describeHeaders = (headers: Readonly<Record<string, ParameterDocument>> = {}) =>
  Object.entries(headers).map(([name, document]) => describeParameter(name, "header", false, document))

const describeBody = ({ requestBody }: OperationDocument, row: Described) =>
  requestBody && {
    requestBody: {
      ...requestBody,
      content: Object.fromEntries(
        Object.entries(requestBody.content).map(([type, body]) => [type, { ...body, example: exampleOfBody(row) }]),
      ),
    },
  }

const listSchemes = (surface: SurfaceName) =>
  (surface === "lookup" ? ["bearer", "apiKeyHeader"] : ["apiKeyHeader", "bearer", "apiKeyQuery"]).map(scheme => ({
    [scheme]: [],
  }))

/** The ways of most operations: the others say theirs. */
const USUAL_SECURITY = listSchemes("visa")

/** Lists the ways to send a key; if a key is optional, sending none is one of them. */
function listSecurity({ access, surface }: Endpoint): readonly object[] {
  if (access.kind === "public") return []
  if (access.kind === "session") return access.isOptional ? [{ session: [] }, {}] : [{ session: [] }]
  const schemes = listSchemes(surface)
  return access.kind === "key" ? schemes : [...schemes, {}]
}

function describeOperation({ security: _declared, ...operation }: OperationDocument, row: Described) {
  const isValidated = hasValidator(row)
  const security = listSecurity(row)
  const isUsual = JSON.stringify(security) === JSON.stringify(USUAL_SECURITY)
  const { 204: _, ...declared } = operation.responses as Record<number, ResponseDocument>
  const refusals = listRefusals(row).map(status => [status, describeRefusal(row, status, declared[status])])
  const responses: Record<string, ResponseDocument> = {}
  for (const [status, response] of Object.entries({
    ...declared,
    ...(Object.fromEntries(refusals) as typeof declared),
    ...(isValidated ? { 304: NOT_MODIFIED } : {}),
  })) {
    const isStream = response.content?.[EVENTS] !== undefined
    const sent = Object.entries(row.sends?.[Number(status)] ?? {}).map(([name, words]) => [name, header(words)])
    const headers = {
      ...Object.fromEntries(sent),
      ...listAnswerHeaders(row, Number(status)),
      ...response.headers,
    }
    responses[status] = {
      ...response,
      ...(isStream ? { content: { [EVENTS]: EVENT_STREAM } } : {}),
      ...(Object.keys(headers).length === 0 ? {} : { headers }),
    }
  }
  return {
    ...operation,
    ...describeBody(operation, row),
    parameters: [
      ...describeParameters(row.ignores ?? row.parameters, row.path),
      ...describeHeaders({
        ...row.headers,
        ...(isRepeatable(row) ? { "Idempotency-Key": IDEMPOTENCY_KEY } : {}),
        ...(isValidated ? { "If-None-Match": IF_NONE_MATCH } : {}),
      }),
    ],
    ...(isUsual ? {} : { security }),
    responses: cleanSchemas(responses as never) as unknown as OperationDocument["responses"],
  }
}

type Schemas = Readonly<Record<string, { readonly description?: string }>>

/** The refusals' schemas that a part of the document names. */
const findRefusalSchemas = (paths: object) => {
  const text = JSON.stringify(paths)
  return Object.fromEntries(
    Object.entries(REFUSAL_SCHEMAS).filter(([name]) => text.includes(`"#/components/schemas/${name}"`)),
  )
}

/** Writes once what several operations share, and adds what no operation has. */
function completeReference<Document extends Record<string, unknown>>(document: Document): Document {
  const { schemas } = cleanSchemas(document.components as never) as unknown as { schemas: Schemas }
  const { paths: written, components } = shareComponents(
    document.paths as never,
    status => REFUSALS[Number(status) as ErrorStatus]?.name ?? (status === "304" ? "NotModified" : `Answer${status}`),
  )
  return {
    ...document,
    security: USUAL_SECURITY,
    paths: written,
    components: {
      securitySchemes: KEY_SCHEMES,
      ...components,
      schemas: shareSchemas(extendSchemas({ ...schemas, ...findRefusalSchemas(document.paths as object) } as never)),
    },
  }
}

// The service as a definition of Effect's HTTP interfaces: for the OpenAPI document and the rendered reference.
// It is made from the table of endpoints and answers no requests.

function makeReference(site: MountedSite["Service"]): Reference["Service"] {
  const describe = () => OpenApi.fromApi(declareApi(site.surfaces, [site.publicUrl]))
  let page: string | undefined
  return {
    describe,
    render: () => {
      page ??= writeReference(describe())
      return page
    },
    script: REFERENCE_SCRIPT,
    style: REFERENCE_STYLE,
  }
}

export const layerReference = Layer.effect(Reference, Effect.map(MountedSite, makeReference))

const ABOUT =
  "Visa requirements as data. Answers are not legal advice; unknown is unknown. `Accept: application/problem+json` returns errors as problems (RFC 9457), with the same members. An unknown field of a body is refused; an unknown parameter of a query is ignored."

const HEADERS = `Headers of answers: ${Object.entries(COMMON_HEADERS)
  .map(([name, words]) => `\`${name}\`, ${words}`)
  .join("; ")}.`

/** Adds what the service sends to webhooks: a request for each type of event, whose body is described like that of an endpoint. */
function addWebhooks<Document extends Record<string, unknown>>(document: Document): Document {
  const [first, ...others] = EVENT_TYPES.map(type =>
    HttpApiEndpoint.post(type, `/${type}`, { payload: describeEvent(type) }).annotateMerge(
      OpenApi.annotations({ identifier: type, summary: `The event ${type}` }),
    ),
  ) as unknown as [HttpApiEndpoint.Constraint, ...HttpApiEndpoint.Constraint[]]
  const events = HttpApiGroup.make("events").add(first as never, ...(others as never[]))
  const { paths, components } = OpenApi.fromApi(HttpApi.make("webhooks").add(events))
  const webhooks = Object.entries(paths).map(([path, { post }]) => {
    const { summary, requestBody } = post as { readonly summary?: string; readonly requestBody?: unknown }
    const responses = { "2XX": { description: "The event is accepted; any other answer is a failure." } }
    return [path.slice(1), { post: { summary, requestBody, responses } }]
  })
  const own = document.components as typeof components
  return {
    ...document,
    webhooks: Object.fromEntries(webhooks),
    components: { ...own, schemas: { ...components.schemas, ...own.schemas } },
  }
}

/** A group of the table as a group of the definition. */
function declareGroup({ id, title, description, endpoints }: EndpointGroup): HttpApiGroup.Constraint {
  const [first, ...others] = endpoints.map(row =>
    declareRow(row, operation => describeOperation(operation as never, row)),
  )
  const made = HttpApiGroup.make(id).add(first as never, ...(others as never[]))
  return made.annotateMerge(OpenApi.annotations({ title, description })) as never
}

/** The groups of some surfaces, for the OpenAPI document; `servers` are the addresses under which the service is reached. */
export function declareApi(
  surfaces: readonly Surface[],
  servers: readonly string[] = [],
): HttpApi.HttpApi<"landfall", HttpApiGroup.Constraint> {
  const groups = mountGroups(surfaces)
  const hasWebhooks = groups.some(({ endpoints }) =>
    endpoints.some(({ access }) => access.kind === "key" && access.feature === "webhooks"),
  )
  const empty = HttpApi.make("landfall").annotateMerge(
    OpenApi.annotations({
      title: "Landfall",
      version: API_VERSION,
      description: `${ABOUT} ${HEADERS}\n\n${notices.text}`,
      license: { name: "MIT" },
      servers: servers.map(url => ({ url })),
      transform: document => completeReference(hasWebhooks ? addWebhooks(document) : document),
    }),
  )
  return empty.add(...(groups.map(declareGroup) as unknown as [never])) as never
}
