/**
 * The MCP server behind a web server: streamable HTTP, one request after the other.
 *
 * There are no sessions: nothing of a client is kept between two requests, and a request says which version it speaks.
 *
 * The host identifies the client, and gives each request its turns. A key is charged like at the endpoints, and an unknown one opens
 * nothing. Without a key an address has its number of distinct pairs a day, repeats free. The calls of one request are bounded.
 */
import { Clock, Context, Effect, Exit, Layer, Scheduler, Scope, Stream } from "effect"
import { McpSchema, McpServer } from "effect/ai"
import {
  HttpBody,
  HttpClientRequest,
  HttpEffect,
  HttpRouter,
  HttpServerRequest,
  type HttpServerResponse,
} from "effect/http"
import type { Caller } from "../accounts/account.ts"
import { explainKeyRefusal, judgeKey } from "../accounts/key-limits.ts"
import type { Meter } from "../quota/meter.ts"
import type { Unavailable } from "../storage/storage-errors.ts"
import { type Fields, isFields } from "../validation/fields.ts"
import { DESCRIPTION, layerRegistrations } from "./mcp-server.ts"
import type { Knowledge } from "./tool-answers.ts"
import { Asker, type AskerShape, type ToolCost, ToolRefused } from "./tools.ts"

/** A request to the server, after its host has read it. */
export interface McpRequest {
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  /** The name under which limits count the client. */
  readonly client: string
  /** The address of the client; null where it is not known. */
  readonly address: string | null
  /** The key that it shows; null for none. */
  readonly key: string | null
  /** Lets others run before the next call of a batch, if this one took long. */
  readonly giveWay: () => void | Promise<void>
}

/** The answer; `body` may be empty, or a text in parts of UTF-8, which the heap need not keep. */
export interface McpReply {
  readonly status: number
  readonly contentType: string
  readonly body: string | readonly Uint8Array[]
  /** After how many seconds a call that was not answered may be. */
  readonly retryAfterSeconds?: number
}

/** The services that the server uses. */
export interface McpBackend {
  readonly knowledge: Knowledge
  readonly meter: Meter["Service"]
  readonly findCaller: (key: string) => Effect.Effect<Caller | null, Unavailable>
  readonly upgradeUrl: string
  readonly publicUrl: string
  readonly clock: Clock.Clock
  readonly origins: readonly string[]
}

/** Names who asks, for the part of the server that answers. */
const ASKER_HEADER = "x-landfall-asker"
const SESSION_HEADER = "mcp-session-id"
const VERSION_HEADER = "mcp-protocol-version"
/** The version of a request that names none: the first that is spoken over HTTP, and the only one that has lists of calls. */
const VERSION_WITHOUT_HEADER = "2025-03-26"
/** The headers of requests that only the service's own server sees. */
const OWN_HEADERS = { accept: "application/json, text/event-stream", "content-type": "application/json" } as const
const INVALID_REQUEST = -32_600
const KEY_REFUSED = -32_001
const NOT_AVAILABLE = -32_002

/** A reply of the server. */
interface ServerReply {
  readonly status: number
  readonly headers: Readonly<Record<string, string | undefined>>
  readonly bytes: Uint8Array
}

/**
 * Runs the server's fibers within the piece of work that a request has (microtasks): otherwise those of all requests would run between the
 * pieces, without a turn and at nobody's charge.
 */
const IN_PIECE = new Scheduler.MixedScheduler("sync")

/** How many sessions of a version wait for the next request: as many as requests may be under way without a key. */
const MAXIMUM_FREE_SESSIONS = 8

/** Refuses a whole request. */
const refuse = (status: number, code: number, message: string, id: CallId = null): McpReply => ({
  status,
  contentType: "application/json",
  body: JSON.stringify({ jsonrpc: "2.0", id, error: { code, message } }),
})

/** Charges through a reservation, which is given back where nothing is answered. */
function payWith<Held extends { readonly ok: true; readonly commit: () => void; readonly release: () => void }>(
  reserve: (cost: ToolCost) => Effect.Effect<Held | { readonly ok: false }, Unavailable>,
  refusal: string,
): AskerShape["pay"] {
  return (cost, answer) =>
    reserve(cost).pipe(
      Effect.catchTag("Unavailable", () =>
        Effect.fail(new ToolRefused({ message: "The service cannot count requests now. Try again in a few seconds." })),
      ),
      Effect.flatMap(held => {
        if (!held.ok) return Effect.fail(new ToolRefused({ message: refusal }))
        return Effect.sync(() => {
          try {
            const answered = answer()
            held.commit()
            return answered
          } finally {
            held.release()
          }
        })
      }),
    )
}

/** Makes the server. Its answers are whole: no stream stays open. */
export function makeMcpWeb(backend: McpBackend): (request: McpRequest) => Promise<McpReply> {
  const { meter, upgradeUrl } = backend
  const keyless = ({ client, giveWay }: McpRequest): AskerShape => ({
    reader: { plan: "free", upgradeUrl },
    giveWay,
    pay: payWith(
      ({ pairs }) => meter.reserveKeylessLoaded(client, { pool: "pairs", pairs: pairs.map(pair => pair.join(" ")) }),
      `The pairs that may be asked for without a key today are used up. Asking for a pair of today again is free; an API key in the header x-api-key gives more: ${upgradeUrl}.`,
    ),
  })
  const known = (caller: Caller, { giveWay }: McpRequest): AskerShape => ({
    reader: { plan: caller.plan.id, upgradeUrl },
    giveWay,
    pay: payWith(
      ({ pairs, charge }) =>
        meter.reserveLoaded(caller, {
          charge,
          passport: pairs.map(([passport]) => passport),
          destinations: pairs.map(([, destination]) => destination),
        }),
      `The quota of this key is too small for this call: ${upgradeUrl}.`,
    ),
  })
  /** The callers of the requests that are under way, by the name in {@link ASKER_HEADER}. */
  const askers = new Map<string, AskerShape>()
  let askedBefore = 0
  const identify = McpServer.middleware<{ provides: Asker }>()((effect, { headers }) => {
    const asker = askers.get(headers[ASKER_HEADER] ?? "")
    const ended = () => new McpSchema.InvalidRequest({ message: "The request has ended." })
    if (asker === undefined) return Effect.fail(ended())
    // Before each call of a batch. It rejects where the client has left, which is no fault that the server should log.
    const turn = Effect.tryPromise({ try: async () => asker.giveWay(), catch: ended })
    return Effect.andThen(turn, Effect.provideService(effect, Asker, asker))
  })
  const services = Context.make(Clock.Clock, backend.clock).pipe(
    Context.add(Scheduler.Scheduler, IN_PIECE),
  ) as Context.Context<never>
  const replies = new Map<HttpServerRequest.HttpServerRequest, ServerReply>()
  const serving = HttpRouter.toHttpEffect(
    McpServer.layerHttp({
      ...DESCRIPTION,
      path: "/mcp",
      allowSessionTermination: true,
      allowedOrigins: backend.origins,
      registrations: layerRegistrations(backend.knowledge).pipe(Layer.provide(identify.layer)),
    }).pipe(Layer.provide(Layer.succeed(Scheduler.Scheduler, IN_PIECE))),
  ).pipe(
    Effect.map(app =>
      HttpEffect.toHandled(app, (request, { status, headers, body }) =>
        Effect.map(readBytes(body), bytes => replies.set(request, { status, headers, bytes })),
      ),
    ),
    Effect.provideService(Scope.Scope, Scope.makeUnsafe()),
    Effect.cached,
    Effect.runSync,
  )
  const url = new URL("/mcp", backend.publicUrl)
  /** Without a `Request` and a `Response`, whose streams would be most of what a call makes. */
  async function send(
    method: "POST" | "DELETE",
    headers: Readonly<Record<string, string>>,
    text?: string,
  ): Promise<ServerReply> {
    const body = text === undefined ? HttpBody.empty : HttpBody.text(text, headers["content-type"])
    const request = HttpServerRequest.fromClientRequest(HttpClientRequest.make(method)(url, { headers, body }))
    const handled = Effect.flatMap(serving, Effect.provideService(HttpServerRequest.HttpServerRequest, request))
    try {
      await Effect.runPromiseWith(services)(handled)
      return replies.get(request) as ServerReply
    } finally {
      replies.delete(request)
    }
  }

  /** Begins a session for one request. */
  async function beginSession(protocolVersion: string): Promise<string> {
    // Nothing of the client but the version.
    const params = { protocolVersion, capabilities: {}, clientInfo: { name: "any", version: "1" } }
    const begun = await send(
      "POST",
      OWN_HEADERS,
      JSON.stringify({ jsonrpc: "2.0", id: 0, method: "initialize", params }),
    )
    const session = begun.headers[SESSION_HEADER]
    if (session === undefined) throw new Error(`the MCP server began no session: ${UTF_8.decode(begun.bytes)}`)
    return session
  }

  /** Sessions in which nothing is asked now and nothing was left, by the version that they speak. */
  const freeSessions = new Map<string, string[]>()

  /** Keeps a session for a later request, or ends it. */
  async function giveSessionBack(session: string, version: string, isClean: boolean): Promise<void> {
    const free = freeSessions.get(version) ?? []
    if (!isClean || free.length >= MAXIMUM_FREE_SESSIONS)
      return void (await send("DELETE", { [SESSION_HEADER]: session }))
    freeSessions.set(version, free)
    free.push(session)
  }

  /**
   * Passes a request to the server. The server has sessions, which keep what `initialize` said until they are ended. No client learns the
   * name of one, and one request has it at a time: so it may serve the next that speaks its version, if nothing was left in it.
   */
  async function ask({ headers, body }: McpRequest, calls: AcceptedCalls, asker: AskerShape): Promise<McpReply> {
    const name = String(++askedBefore)
    askers.set(name, asker)
    const version = headers[VERSION_HEADER] ?? VERSION_WITHOUT_HEADER
    let session: string | null = null
    let isClean = false
    try {
      if (!calls.initializes) session = freeSessions.get(version)?.pop() ?? (await beginSession(version))
      const own = { [ASKER_HEADER]: name, ...(session === null ? {} : { [SESSION_HEADER]: session }) }
      const askOne = async (one: string): Promise<ServerReply> => {
        const reply = await send("POST", { ...headers, ...own }, one)
        session ??= reply.headers[SESSION_HEADER] ?? null
        return reply
      }
      const isList = calls.list !== null && version === VERSION_WITHOUT_HEADER
      const reply = await (isList ? askEach(calls.list ?? [], askOne) : askOne(body).then(asText))
      isClean = calls.leavesNothing && reply.status === 200
      return reply
    } finally {
      askers.delete(name)
      if (session !== null) await giveSessionBack(session, version, isClean)
    }
  }

  return async request => {
    const calls = readCalls(request.body)
    if (!calls.ok) return refuse(400, INVALID_REQUEST, calls.message)
    const { key } = request
    if (key === null) return ask(request, calls, keyless(request))
    const found = await Effect.runPromiseExitWith(services)(backend.findCaller(key))
    if (!Exit.isSuccess(found)) {
      return { ...refuse(503, NOT_AVAILABLE, "Try again in a few seconds.", calls.id), retryAfterSeconds: 1 }
    }
    const caller = found.value
    if (caller === null) {
      return refuse(403, KEY_REFUSED, "This API key is not valid: it is unknown or was deactivated.", calls.id)
    }
    const refusal = judgeKey(caller, {
      scope: "visa",
      nowMs: backend.clock.currentTimeMillisUnsafe(),
      readAddress: () => request.address,
    })
    if (refusal !== null) {
      return refuse(refusal.kind === "expired" ? 401 : 403, KEY_REFUSED, explainKeyRefusal(refusal), calls.id)
    }
    meter.noteKey(caller.keyId, backend.clock.currentTimeMillisUnsafe())
    return ask(request, calls, known(caller, request))
  }
}

/** The bytes of an answer; few are streams, and all of those end. */
const readBytes = (body: HttpServerResponse.HttpServerResponse["body"]): Effect.Effect<Uint8Array, unknown> => {
  if (body._tag === "Stream") return Stream.mkUint8Array(body.stream)
  return Effect.succeed(body._tag === "Uint8Array" ? body.body : new Uint8Array())
}

const UTF_8 = new TextDecoder()

const asText = ({ status, headers, bytes }: ServerReply): McpReply => ({
  status,
  contentType: headers["content-type"] ?? "",
  body: UTF_8.decode(bytes),
})

const [OPENING, COMMA, CLOSING] = ["[", ",", "]"].map(sign => new TextEncoder().encode(sign)) as [
  Uint8Array,
  Uint8Array,
  Uint8Array,
]

/** Answers the calls of a list one after the other. */
async function askEach(list: readonly unknown[], askOne: (call: string) => Promise<ServerReply>): Promise<McpReply> {
  const parts: Uint8Array[] = []
  for (const call of list) {
    const reply = await askOne(JSON.stringify(call))
    const { bytes, status } = reply
    // Its headers are refused, which are those of all.
    if (bytes.length === 0 && status >= 400) return asText(reply)
    // A notification has none.
    if (bytes.length > 0) parts.push(parts.length === 0 ? OPENING : COMMA, bytes)
  }
  if (parts.length === 0) return { status: 202, contentType: "", body: "" }
  parts.push(CLOSING)
  return { status: 200, contentType: "application/json", body: parts }
}

// Which calls are in the body of a request?
// One, or a list of them if the version of the protocol has lists (2025-03-26; later ones have none). A list is bounded, because a short call
// can have a long answer. An id may occur once, because it identifies the answer.

/** How many calls a list may have. */
export const MAXIMUM_BATCH_CALLS = 20

/** How many lists and objects a body may have inside one another; the arguments of a tool need half of it. The server walks them several times. */
export const MAXIMUM_DEPTH = 16

const isDeeper = (value: unknown, most: number): boolean =>
  typeof value === "object" &&
  value !== null &&
  (most === 0 || Object.values(value).some(inner => isDeeper(inner, most - 1)))

/** Calls that a session forgets when they are answered. */
const QUESTIONS: ReadonlySet<unknown> = new Set([
  "ping",
  "prompts/get",
  "prompts/list",
  "resources/list",
  "resources/read",
  "resources/templates/list",
  "tools/call",
  "tools/list",
])

/** An id of JSON-RPC; null where there is no usable id. */
type CallId = string | number | null

/** The calls of a body. */
interface AcceptedCalls {
  readonly ok: true
  /** The calls of a list that are answered one by one; null for a body that the server answers whole. */
  readonly list: readonly unknown[] | null
  /** The id of the only call; null for a list. */
  readonly id: CallId
  /** Whether the only call agrees on a version. */
  readonly initializes: boolean
  /** Whether all are questions that leave nothing in the session in which they are asked. */
  readonly leavesNothing: boolean
}

/** The contents of a body. */
type Calls = AcceptedCalls | { readonly ok: false; readonly message: string }

const NO_CALL: AcceptedCalls = { ok: true, list: null, id: null, initializes: false, leavesNothing: false }

const readId = (call: unknown): CallId => {
  const { id } = isFields(call) ? call : ({} as Fields)
  return typeof id === "string" || typeof id === "number" ? id : null
}

/** Whether a call of a list leaves the version to the request: a list with one that does not is refused whole. */
const isOwn = (call: unknown): boolean =>
  isFields(call) && call.method !== "initialize" && (!isFields(call.params) || call.params._meta === undefined)

/** Whether a call is a question that leaves nothing in its session. */
const isQuestion = (call: unknown): boolean =>
  isOwn(call) && QUESTIONS.has((call as Fields).method) && readId(call) !== null

function readBatch(batch: readonly unknown[]): Calls {
  if (batch.length > MAXIMUM_BATCH_CALLS) {
    return { ok: false, message: `A batch has at most ${MAXIMUM_BATCH_CALLS} calls; this one has ${batch.length}.` }
  }
  const seen = new Set<CallId>()
  for (const call of batch) {
    if (Array.isArray(call)) return { ok: false, message: "A batch is a list of calls, and has no list within." }
    const id = readId(call)
    if (id !== null && seen.has(id)) {
      return { ok: false, message: `Two calls of the batch have the id ${JSON.stringify(id).slice(0, 80)}.` }
    }
    seen.add(id)
  }
  const list = batch.length > 0 && batch.every(isOwn) ? batch : null
  return { ...NO_CALL, list, leavesNothing: list?.every(isQuestion) === true }
}

/** Reads a body as far as its bounds need it; a body that is not JSON is one call, which the server refuses. */
function readCalls(body: string): Calls {
  let call: unknown
  try {
    call = JSON.parse(body)
  } catch {
    return NO_CALL
  }
  if (isDeeper(call, MAXIMUM_DEPTH)) {
    return { ok: false, message: `A body has at most ${MAXIMUM_DEPTH} lists and objects inside one another.` }
  }
  if (Array.isArray(call)) return readBatch(call)
  if (!isFields(call)) return NO_CALL
  const id = readId(call)
  const initializes = call.jsonrpc === "2.0" && call.method === "initialize" && id !== null
  return { ...NO_CALL, id, initializes, leavesNothing: isQuestion(call) }
}
