/**
 * `/healthz`, `/readyz` and `/metrics`, `/openapi.json` and `/docs`, `/`, and `/mcp`: for operators, programs, people and language models.
 */
import { Context, Effect, Result, Schema } from "effect"
import { HttpApiSchema, type OpenApi } from "effect/http-api"
import { LiveDataset } from "../../../events/live-dataset.ts"
import type { McpReply, McpRequest } from "../../../mcp/web.ts"
import { Storage } from "../../../storage/storage.ts"
import { describeReason, UNAVAILABLE_REASONS, type UnavailableReason } from "../../../storage/storage-errors.ts"
import type { Family } from "../../../telemetry/families.ts"
import { Clients } from "../../../validation/addresses.ts"
import { findShownKey } from "../../pipeline/admission.ts"
import { makeBody } from "../../pipeline/describe-row.ts"
import { type AnswerContext, endpoint } from "../../pipeline/endpoint.ts"
import {
  type Answer,
  answerJson,
  answerText,
  type DownloadBody,
  isPreviewer,
  NOT_STORED,
  readUtf8,
  wantsPage,
} from "../../pipeline/http-message.ts"
import {
  combineFamilies,
  formatFamilies,
  Lifecycle,
  MountedSite,
  RequestMetrics,
} from "../../pipeline/process-state.ts"
import { answerPage, VARY_OF_PAGE } from "../site/page-endpoints.ts"
import { FAMILY_NEEDS, listFamilies } from "./metric-families.ts"

// `GET /healthz`, `/readyz` and `/metrics`: is the process up, can it answer, and how is it doing?
// They have no access control: block them at the proxy if necessary.

const RETRY_AFTER_SECONDS = 1
const answerNotReady = (reason: UnavailableReason | "stopping", why: string) =>
  answerJson(503, { error: `The service cannot answer now: ${why}.`, status: "unavailable", reason }, [
    ...NOT_STORED,
    ...["retry-after", String(RETRY_AFTER_SECONDS)],
  ])
const STOPPING = answerNotReady("stopping", "it is about to stop")
const OK = answerJson(200, { status: "ok" }, NOT_STORED)

/** What an operator should know of a process that answers. */
const DEGRADED = {
  dataset_passed_over: "The installed dataset cannot be opened. Answers are from another one; the log says why.",
  tables_newer:
    "A newer version has added to the tables. This process works with them; replace it by one of that version.",
} as const
type Degradation = keyof typeof DEGRADED
const degradedBy = (reason: Degradation) => ({ status: "degraded", reason, message: DEGRADED[reason] }) as const

const METRICS_TYPE = "text/plain; version=0.0.4; charset=utf-8"

const common = { surface: "operations", access: { kind: "public" } } as const

const healthz = endpoint("GET /healthz", {
  ...common,
  name: "healthz",
  answer: () => OK,
  summary: "Is the process up?",
  success: Schema.Struct({ status: Schema.Literal("ok") }).annotate({ description: "The process is up." }),
})

const readyz = endpoint("GET /readyz", {
  ...common,
  name: "readyz",
  needs: { lifecycle: Lifecycle, live: LiveDataset, storage: Storage },
  answer: (_, context) => {
    const { lifecycle, live, storage } = context
    if (lifecycle.isStopping()) return STOPPING
    // Of the same moment as the dataset of the request, which may be another one after the wait.
    const isPassedOver = live.isPassedOver()
    return Effect.map(Effect.result(lifecycle.liveness), result => {
      if (Result.isFailure(result)) return answerNotReady(result.failure.reason, describeReason(result.failure.reason))
      const { known, applied } = storage.readState().steps
      const state = isPassedOver
        ? degradedBy("dataset_passed_over")
        : applied > known
          ? degradedBy("tables_newer")
          : { status: "ready" }
      return answerJson(200, { ...state, dataset_version: context.dataset.version }, NOT_STORED)
    })
  },
  summary: "Can the process answer?",
  success: Schema.Struct({
    status: Schema.Literals(["ready", "degraded"]).annotate({
      description:
        "Degraded: the process answers, but not from the dataset that was installed last, or it is older than the tables.",
    }),
    reason: Schema.optionalKey(Schema.Literals(Object.keys(DEGRADED) as Degradation[])),
    message: Schema.optionalKey(Schema.String),
    dataset_version: Schema.String,
  }).annotate({ description: "The dataset is loaded and the database answers." }),
  errors: [
    makeBody("NotReady", "The service is about to stop, or its database does not answer.", {
      error: Schema.String,
      status: Schema.Literal("unavailable"),
      reason: Schema.Literals([...UNAVAILABLE_REASONS, "stopping"]),
    }).pipe(HttpApiSchema.status(503)),
  ],
})

const metrics = endpoint("GET /metrics", {
  ...common,
  name: "metrics",
  needs: { ...FAMILY_NEEDS, metrics: RequestMetrics },
  answer: (_, context) => {
    const { metrics } = context
    const own = [metrics.listRequests(), ...listFamilies(context, context.dataset.version)]
    const say = (families: readonly Family[]) => answerText(METRICS_TYPE, formatFamilies(families), NOT_STORED)
    if (metrics.readOthers === null) return say(own)
    return Effect.map(metrics.readOthers, others => say(combineFamilies([own, ...others])))
  },
  summary: "Requests, refusals, the database and the process as numbers",
  success: Schema.String.annotate({ description: "Prometheus text format." }).pipe(
    HttpApiSchema.asText({ contentType: "text/plain" }),
  ),
})

export const healthEndpoints = [healthz, readyz, metrics] as const

// `/openapi.json` for programs, `/docs` for people, and `/`.
// The reference is a page of this service with a style sheet and a small script, so that it works without a network. It is made on first
// use. `/` shows a browser the explorer page, or the reference if that was not built, and gives a program an index.

// The icon of the service in a browser: a pin on a blue square, 32 x 32 pixels, drawn for this project.

const BASE64 = [
  "iVBORw0KGgoAAAANSUhEUgAAACAAAAAgAgMAAAAOFJJnAAAACVBMVEUAAAASTnj///+EiwIZAAAAA3RSTlMA//9EUNYhAAAAZklE",
  "QVR42mNgEA0FghAGBsZQMHBgYIUwAiAyIDk4A0hkrQQSQEbYqlVTwYyoVauWghlZq1atRGWsWhq1CsKYGkaYAVOMaQ7cCriloatW",
  "QZwBdw+CEbUUnRE2FYWB6S+4l+GBAAsWAMnaYYYZGnXWAAAAAElFTkSuQmCC",
].join("")

/** A PNG. */
const FAVICON: Uint8Array = Uint8Array.from(atob(BASE64), letter => letter.charCodeAt(0))

const CACHED = ["cache-control", "public, max-age=300"]

// The page may load nothing from other hosts, run nothing but its script, send requests only to this service, and be framed by no other page.
const DOCS_HEADERS = [
  ...CACHED,
  "content-security-policy",
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  "referrer-policy",
  "no-referrer",
]

/** The reference of the mounted surfaces, in both forms. */
export class Reference extends Context.Service<
  Reference,
  {
    readonly describe: () => OpenApi.OpenAPISpec
    readonly render: () => string
    /** The script that the page loads. */
    readonly script: string
    readonly style: string
  }
>()("landfall/http/Reference") {}

const referenceRow = (path: `/${string}`, name: string, answer: (reference: Reference["Service"]) => Answer) =>
  endpoint(`GET ${path}`, {
    ...common,
    name,
    keepAs: () => "",
    needs: { reference: Reference },
    answer: (_, context) => answer(context.reference),
  })

const openapi = referenceRow("/openapi.json", "openapi", reference => answerJson(200, reference.describe(), CACHED))
const docs = referenceRow("/docs", "docs", reference =>
  answerText("text/html; charset=utf-8", reference.render(), DOCS_HEADERS),
)
const docsScript = referenceRow("/docs/reference.js", "docsScript", ({ script }) =>
  answerText("text/javascript; charset=utf-8", script, CACHED),
)
const docsStyle = referenceRow("/docs/reference.css", "docsStyle", ({ style }) =>
  answerText("text/css; charset=utf-8", style, CACHED),
)

const sendTo = (path: string): Answer => ({
  status: 302,
  contentType: "text/plain; charset=utf-8",
  headers: ["location", path, "vary", VARY_OF_PAGE, ...CACHED],
  body: `See ${path}`,
})

const isForReading = ({ request }: AnswerContext): boolean =>
  wantsPage(request.header("accept")) || isPreviewer(request.header("user-agent"))

const index = endpoint("GET /", {
  ...common,
  name: "index",
  needs: { site: MountedSite },
  keepAs: (_, context) => (isForReading(context) ? "" : undefined),
  answer: (_, context) => {
    const { request, site } = context
    if (isForReading(context)) return answerPage(site.publicUrl) ?? sendTo("/docs")
    const body = {
      name: "landfall",
      dataset_version: context.dataset.version,
      surfaces: site.surfaces,
      openapi: `${site.publicUrl}/openapi.json`,
      docs: `${site.publicUrl}/docs`,
      health: `${site.publicUrl}/healthz`,
    }
    const headers = ["vary", VARY_OF_PAGE, ...CACHED]
    if (/\bapplication\/json\b/i.test(request.header("accept") ?? "")) return answerJson(200, body, headers)
    // A person with `curl`.
    const text = `Landfall: what the holder of a passport needs to enter a country. Dataset ${body.dataset_version}.

The page:   open ${site.publicUrl}/ in a browser
Reference:  ${body.docs} for people, ${body.openapi} for programs
Health:     ${body.health}
`
    return answerText("text/plain; charset=utf-8", text, headers)
  },
})

const favicon = endpoint("GET /favicon.ico", {
  ...common,
  name: "favicon",
  answer: () => ({
    status: 200,
    contentType: "image/png",
    headers: ["cache-control", "public, max-age=86400"],
    body: FAVICON,
    sharesBody: true,
  }),
})

/** Rows that the reference does not list. */
export const referenceRows = [openapi, docs, docsScript, docsStyle, index, favicon] as const

// `/mcp`: the visa rules for language models, by the Model Context Protocol over streamable HTTP.
// The server uses JSON-RPC and is not one of the reference's endpoints. This file only gives it a row in the table, so that its requests
// have the same limits, log and counts as all others. The server is made at the first request, because few deployments need it.

/** The headers of the protocol. */
const HEADERS = ["accept", "content-type", "mcp-method", "mcp-name", "mcp-protocol-version", "origin"] as const

const JSON_TYPE = "application/json"

/** A text from this length on is sent in its parts: as one it would exist several times over, and hold the event loop. */
const PARTS_FROM_LENGTH = 65_536

function joinShort(parts: readonly Uint8Array[]): string | DownloadBody {
  const length = parts.reduce((sum, part) => sum + part.length, 0)
  if (length < PARTS_FROM_LENGTH) return parts.map(readUtf8).join("")
  return { parts: readTexts(parts), heldBytes: length, read: () => passOn(parts) }
}

function* readTexts(parts: readonly Uint8Array[]) {
  for (const part of parts) yield readUtf8(part)
}

async function* passOn(parts: readonly Uint8Array[]) {
  yield* parts
}

/** Answers requests of the Model Context Protocol. */
export class Mcp extends Context.Service<Mcp, (request: McpRequest) => Promise<McpReply>>()("landfall/http/Mcp") {}

/** The row of `/mcp`, for a service that mounts it. `GET` and `DELETE` are refused: there are no streams and no sessions. */
export const mcpRows = [
  endpoint("POST /mcp", {
    ...common,
    name: "mcp",
    needs: { clients: Clients, mcp: Mcp },
    takesBody: true,
    // A batch of calls may have a large answer.
    isLarge: true,
    read: ({ body }) => ({ ok: true, question: body }),
    answer: (body: string, context) => {
      const { request, clients, mcp } = context
      const headers: Record<string, string> = {}
      for (const name of HEADERS) {
        const value = request.header(name)
        if (value !== undefined) headers[name] = value
      }
      const [client, address, key] = [clients.name(request), clients.address(request), findShownKey(request)]
      const asked = { headers, body, client, address, key, giveWay: () => context.giveWay() }
      return mcp(asked).then(({ status, contentType, body: answered, retryAfterSeconds }) => ({
        status,
        contentType: contentType === "" ? JSON_TYPE : contentType,
        headers: [
          ...NOT_STORED,
          ...(retryAfterSeconds === undefined ? [] : ["retry-after", String(retryAfterSeconds)]),
        ],
        body: typeof answered === "string" ? answered : joinShort(answered),
      }))
    },
  }),
] as const
