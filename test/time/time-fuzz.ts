/**
 * Which input makes the service slow, rather than which makes it fail?
 *
 * For every place where a client can put something (a part of a path, a parameter, a header, a field of a body) and every text or body that is hard on a reader, the service is asked at a
 * short length, at the documented limit and at the longest length that gets through. Where that is dear, a quarter of the length shows how the time grows. The time that counts is that of the
 * service's event loop, the shortest of several requests, because others may use the machine too.
 */
import { OpenApi } from "effect/http-api"
import { declareApi } from "../../adapters/http/openapi/openapi.ts"
import type { Endpoint } from "../../adapters/http/pipeline/endpoint.ts"
import { mountRows } from "../../adapters/http/routes/all-endpoints.ts"
import { SURFACES } from "../../adapters/settings/settings.ts"
import type { Ask, Reply } from "../http/service.ts"
import type { FuzzedService } from "./fuzzed-service.ts"
import { BODY_BYTES, Form, listBodies, MOST_REFUSAL_BYTES, type Shape, TEXTS, VALUES } from "./shapes.ts"

/** One request holds the event loop for at most so long. */
const MOST_MS = 50
/** Below this, how the time grows cannot be told from noise. */
const LEAST_MS = 8
/** A length against a quarter of it: n log n gives less than 5, a square gives 16. */
const MOST_GROWTH = 8
/** The same against a half: n log n gives less than 2.3, a square gives 4. */
const MOST_DOUBLING = 3
/** Shorter times of a part are taken for this, because what a request takes by itself varies. */
const FLOOR_MS = 2
const SHORT = 40
/** All headers together, and the path, have at most 16 KB. */
const HEADER_BYTES = 14_000

/** A place and what is put there. */
export interface Probe {
  readonly row: string
  readonly place: string
  readonly shape: string
  readonly lengths: readonly number[]
  readonly make: (length: number) => Ask & { readonly path: string }
  /** Whether it is sent as whole lists of a body, whose refusal has to be short. */
  readonly isBody: boolean
}

/** The headers that the service reads, with the row on which the short run tries each. */
export const HEADERS: Readonly<Record<string, string>> = {
  accept: "GET /api/v1/visa",
  "accept-encoding": "GET /api/v1/visa",
  "accept-language": "GET /account",
  authorization: "GET /visa",
  "content-encoding": "POST /api/v1/visa/register",
  "content-type": "POST /api/v1/visa/register",
  cookie: "GET /api/v1/visa/auth/account",
  "idempotency-key": "POST /api/v1/visa/decision",
  "if-none-match": "GET /changes.atom",
  "mcp-method": "POST /mcp",
  "mcp-name": "POST /mcp",
  "mcp-protocol-version": "POST /mcp",
  origin: "POST /api/v1/visa/auth/regenerate-key",
  "payment-signature": "GET /api/x402/visa",
  range: "GET /api/v1/visa/jobs/:id/result",
  "sec-fetch-site": "POST /account",
  "sec-purpose": "GET /api/v1/visa/auth/confirm",
  "stripe-signature": "POST /api/v1/visa/stripe/webhook",
  "svc-version": "GET /visa",
  traceparent: "GET /api/v1/visa/check",
  "user-agent": "POST /api/v1/visa/register",
  "x-api-key": "GET /api/v1/visa/check",
  "x-forwarded-for": "GET /api/v1/visa/check",
  "x-request-id": "GET /api/v1/visa/check",
}

const reference = OpenApi.fromApi(declareApi(SURFACES))

interface Operation {
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: Shape }>> }
}

/** The schema of a row's body; undefined where the reference has none. */
export function findBodySchema({ method, path }: Pick<Endpoint, "method" | "path">): Shape | undefined {
  const item = reference.paths[path.replaceAll(/:(\w+)/g, "{$1}")] as Readonly<Record<string, Operation>> | undefined
  return item?.[method.toLowerCase()]?.requestBody?.content["application/json"]?.schema
}

/** The rows whose answers end: the live stream is left out. */
export const ROWS = mountRows(SURFACES).filter(({ path }) => path !== "/api/v1/visa/live")
export const nameRow = ({ method, path }: Pick<Endpoint, "method" | "path">): string => `${method} ${path}`
export const REFERENCE = new Form(reference)

/** A request that a row answers, as far as its documented examples go. */
function makeBase({ method, path, parameters, takesBody, uploadBytes }: Endpoint): Ask & { readonly path: string } {
  const query = Object.entries(parameters)
    .filter(([name, { isRequired }]) => isRequired && !path.includes(`:${name}`))
    .map(([name, { document }]) => `${name}=${encodeURIComponent(document.example ?? document.enum?.[0] ?? 1)}`)
  const full = path.replaceAll(/:\w+/g, "1") + (query.length === 0 ? "" : `?${query.join("&")}`)
  const isSent = takesBody === true || uploadBytes !== undefined
  const headers = {
    ...(isSent ? { "content-type": "application/json" } : {}),
    ...(path === "/mcp" ? { accept: "application/json, text/event-stream" } : {}),
  }
  return { method, path: full, headers, ...(isSent ? { body: "{}" } : {}) }
}

const forHeader = (text: string) => text.replaceAll(/[^\t\x20-\x7e]/g, "")
const forPath = (text: string) => text.replaceAll(/[^\w.,:;=~@!$'()*+&%-]/g, "+")

/** Everything that is tried on a row. */
export function listProbes(row: Endpoint, headers: readonly string[] = Object.keys(HEADERS)): readonly Probe[] {
  const base = makeBase(row)
  const probes: Probe[] = []
  const add = (
    place: string,
    longest: number,
    limit: number | undefined,
    put: (text: string) => Partial<Ask & { readonly path: string }>,
  ) => {
    for (const [shape, make] of Object.entries(TEXTS)) {
      const lengths = [...new Set([SHORT, limit ?? SHORT, longest])]
      probes.push({
        row: nameRow(row),
        place,
        shape,
        lengths,
        isBody: false,
        make: length => ({ ...base, ...put(make(length)) }),
      })
    }
  }
  for (const [name, { document }] of Object.entries(row.parameters)) {
    const isSegment = row.path.includes(`:${name}`)
    const [path = "", query = ""] = base.path.split("?")
    const others = query.split("&").filter(pair => pair !== "" && !pair.startsWith(`${name}=`))
    add(`parameter ${name}`, HEADER_BYTES, document.maxLength, text => ({
      path: isSegment
        ? row.path.replace(`:${name}`, forPath(text).replaceAll("+", "-")).replaceAll(/:\w+/g, "1")
        : `${path}?${[...others, `${name}=${forPath(text)}`].join("&")}`,
    }))
  }
  for (const name of headers)
    add(`header ${name}`, HEADER_BYTES, undefined, text => ({ headers: { ...base.headers, [name]: forHeader(text) } }))
  if (base.body !== undefined) {
    add("body", BODY_BYTES, undefined, body => ({ body }))
    const schema = findBodySchema(row)
    const bodies =
      schema === undefined
        ? Object.entries(VALUES).map(([name, make]) => [name, (share: number) => make(BODY_BYTES * share)] as const)
        : listBodies(REFERENCE, schema)
    for (const [shape, make] of bodies)
      probes.push({
        row: nameRow(row),
        place: "body",
        shape,
        lengths: [BODY_BYTES],
        isBody: true,
        make: length => ({ ...base, body: make(length / BODY_BYTES) }),
      })
  }
  return probes
}

const callTool = (method: string, params: string): Ask & { readonly path: string } => ({
  method: "POST",
  path: "/mcp",
  headers: { "content-type": "application/json", accept: "application/json, text/event-stream" },
  body: `{"jsonrpc":"2.0","id":1,"method":"${method}","params":${params}}`,
})

/** The arguments of every tool for language models. */
export async function listToolProbes({ ask }: Pick<FuzzedService, "ask">): Promise<readonly Probe[]> {
  const { reply } = await ask(callTool("tools/list", "{}"))
  if (reply === null) throw new Error("The tools are not listed.")
  const { tools } = reply.read("result") as {
    readonly tools: readonly { readonly name: string; readonly inputSchema: Shape }[]
  }
  return tools.flatMap(({ name, inputSchema }) =>
    listBodies(new Form(inputSchema), inputSchema, ["a long text", "nested lists", "a list of objects"]).map(
      ([shape, make]): Probe => ({
        row: "POST /mcp",
        place: `tool ${name}`,
        shape,
        lengths: [BODY_BYTES],
        isBody: true,
        make: length => callTool("tools/call", `{"name":"${name}","arguments":${make(length / BODY_BYTES)}}`),
      }),
    ),
  )
}

/** What the probes found, in words. */
export interface Findings {
  readonly faults: readonly string[]
  /** The dearest requests, for whoever wants to know what comes next. */
  readonly dearest: readonly string[]
  readonly requests: number
}

/** Tries probes one after the other. */
export async function fuzz(service: Pick<FuzzedService, "ask">, probes: Iterable<Probe>): Promise<Findings> {
  const faults: string[] = []
  const dear: { readonly ms: number; readonly name: string }[] = []
  const hung = new Set<string>()
  let requests = 0
  const ask = (probe: Probe, length: number) => {
    requests++
    return service.ask(probe.make(length))
  }
  // The shortest of several requests: a pause of the machine looks like work.
  const least = async (probe: Probe, length: number, attempts: number) => {
    let ms = Number.POSITIVE_INFINITY
    for (let at = 0; at < attempts; at++) ms = Math.min(ms, (await ask(probe, length)).ms)
    return ms
  }
  const judgeGrowth = async (probe: Probe, length: number, attempts: number): Promise<string | null> => {
    const base = await least(probe, 1, attempts)
    const quarter = Math.max(FLOOR_MS, (await least(probe, length / 4, attempts)) - base)
    const half = Math.max(FLOOR_MS, (await least(probe, length / 2, attempts)) - base)
    const whole = (await least(probe, length, attempts)) - base
    if (whole <= MOST_GROWTH * quarter || whole <= MOST_DOUBLING * half) return null
    return `takes ${whole.toFixed(1)} ms, and ${quarter.toFixed(1)} ms for a quarter`
  }
  const judge = async (probe: Probe, length: number): Promise<string | null> => {
    const first = await ask(probe, length)
    if (first.reply === null) return "hangs"
    const fault = probe.isBody ? judgeReply(first.reply) : null
    if (fault !== null || first.ms <= LEAST_MS) return fault
    const second = Math.min(first.ms, (await ask(probe, length)).ms)
    if (second <= LEAST_MS) return null
    dear.push({ ms: second, name: `${probe.row}, ${probe.place}, ${probe.shape}, ${length} characters` })
    if (second > MOST_MS) {
      const ms = await least(probe, length, ATTEMPTS)
      if (ms > MOST_MS) return `holds the event loop for ${ms.toFixed(0)} ms`
    }
    if (second - (await ask(probe, 1)).ms <= LEAST_MS) return null
    if ((await judgeGrowth(probe, length, 1)) === null) return null
    return judgeGrowth(probe, length, ATTEMPTS)
  }
  for (const probe of probes) {
    const place = `${probe.row}, ${probe.place}`
    for (const length of probe.lengths) {
      if (hung.has(place)) break
      const fault = await judge(probe, length)
      if (fault === null) continue
      faults.push(`${place}, ${probe.shape}, ${length} characters: ${fault}`)
      if (fault === "hangs") hung.add(place)
      break
    }
  }
  const dearest = dear
    .sort((a, b) => b.ms - a.ms)
    .slice(0, DEAREST)
    .map(({ ms, name }) => `${ms.toFixed(1)} ms: ${name}`)
  return { faults, dearest, requests }
}

const ATTEMPTS = 5
const DEAREST = 10

/** Says what is wrong with the answer to a body; null for nothing. */
function judgeReply({ status, bytes, text }: Reply): string | null {
  if (![200, 201, 202, 303, 400, 401, 403, 404, 409, 413, 503].includes(status))
    return `is answered with ${status} ${text.slice(0, 200)}`
  const isRefusal = status >= 400 || /"(isError|error)":/.test(text)
  return isRefusal && bytes.length > MOST_REFUSAL_BYTES ? `is refused in ${bytes.length} bytes` : null
}
