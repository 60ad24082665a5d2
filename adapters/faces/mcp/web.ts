/**
 * The MCP server behind a web server: streamable HTTP, one request after the other.
 *
 * The host says who the client is. A key pays as it does for the endpoints; without one an address has its number of distinct
 * pairs a day, repeats free. Sessions cost memory and never end by themselves, so their number is bounded: beyond it, the one
 * used least recently ends.
 */
import { Clock, Context, Effect, Layer } from "effect"
import { McpSchema, McpServer } from "effect/ai"
import { HttpRouter } from "effect/http"
import type { Caller } from "../../customers/accounts/account.ts"
import type { Meter } from "../../customers/metering/meter.ts"
import type { Unavailable } from "../../platform/storage/storage-errors.ts"
import type { Knowledge } from "./answers.ts"
import { Asker, type AskerShape, type ToolCost, ToolRefused } from "./asker.ts"
import { DESCRIPTION, layerRegistrations } from "./server.ts"

/** What a request to the server is, once its host has read it. */
export interface McpRequest {
  readonly method: "POST" | "DELETE"
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  /** What limits count the client under. */
  readonly client: string
}

/** What it answers; `body` may be empty. */
export interface McpReply {
  readonly status: number
  readonly contentType: string
  readonly sessionId: string | null
  readonly body: string
}

/** What the server uses to answer. */
export interface McpBackend {
  readonly knowledge: Knowledge
  readonly meter: Meter["Service"]
  readonly findCaller: (key: string) => Effect.Effect<Caller | null, Unavailable>
  readonly upgradeUrl: string
  readonly publicUrl: string
  readonly clock: Clock.Clock
  readonly origins: readonly string[]
  /** How many sessions there are at once; {@link MAXIMUM_SESSIONS} where it is left out. */
  readonly maximumSessions?: number
}

/** How many sessions there are at once. */
const MAXIMUM_SESSIONS = 5_000

const CLIENT_HEADER = "x-landfall-client"
const SESSION_HEADER = "mcp-session-id"
const VERSION_HEADER = "mcp-protocol-version"
const KEY_REFUSED = -32_001
const NOT_AVAILABLE = -32_002

const refuseKey = (message: string) => new McpSchema.InvalidRequest({ message, data: { code: KEY_REFUSED } })

const readKey = (headers: Readonly<Record<string, string | undefined>>): string | null => {
  const bearer = /^bearer +(\S+)$/i.exec(headers.authorization ?? "")?.[1]
  return headers["x-api-key"] ?? bearer ?? null
}

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
  const { meter, upgradeUrl, maximumSessions = MAXIMUM_SESSIONS } = backend
  const visitor = (client: string): AskerShape => ({
    reader: { plan: "free", upgradeUrl },
    pay: payWith(
      ({ pairs }) => meter.reserveVisitorLoaded(client, { pool: "pairs", pairs: pairs.map(pair => pair.join(" ")) }),
      `The pairs that may be asked for without a key today are used up. Asking for a pair of today again is free; an API key in the header x-api-key gives more: ${upgradeUrl}.`,
    ),
  })
  const known = (caller: Caller): AskerShape => ({
    reader: { plan: caller.plan.id, upgradeUrl },
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
  const identify = McpServer.middleware<{ provides: Asker }>()((effect, { headers }) => {
    const key = readKey(headers)
    if (key === null) return Effect.provideService(effect, Asker, visitor(headers[CLIENT_HEADER] ?? ""))
    return backend.findCaller(key).pipe(
      Effect.catchTag("Unavailable", () =>
        Effect.fail(
          new McpSchema.InvalidRequest({ message: "Try again in a few seconds.", data: { code: NOT_AVAILABLE } }),
        ),
      ),
      Effect.flatMap(caller =>
        caller === null
          ? Effect.fail(refuseKey("This API key is not valid: it is unknown or was deactivated."))
          : Effect.provideService(effect, Asker, known(caller)),
      ),
    )
  })
  const services = Context.make(Clock.Clock, backend.clock) as Context.Context<never>
  const { handler } = HttpRouter.toWebHandler(
    McpServer.layerHttp({
      ...DESCRIPTION,
      path: "/mcp",
      allowSessionTermination: true,
      allowedOrigins: backend.origins,
      registrations: layerRegistrations(backend.knowledge).pipe(Layer.provide(identify.layer)),
    }),
    { disableLogger: true },
  )
  const ask = (method: McpRequest["method"], headers: Record<string, string>, body: string): Promise<Response> =>
    handler(
      new Request(new URL("/mcp", backend.publicUrl), { method, headers, ...(method === "POST" ? { body } : {}) }),
      services,
    )

  /** The sessions and the version that each speaks, those used last at the end. */
  const sessions = new Map<string, string>()
  const keep = async (id: string, version: string) => {
    sessions.delete(id)
    sessions.set(id, version)
    const [oldest] = sessions
    if (sessions.size <= maximumSessions || oldest === undefined) return
    sessions.delete(oldest[0])
    await ask("DELETE", { [SESSION_HEADER]: oldest[0], [VERSION_HEADER]: oldest[1] }, "")
  }

  return async ({ method, headers, body, client }) => {
    const response = await ask(method, { ...headers, [CLIENT_HEADER]: client }, body)
    const begun = response.headers.get(SESSION_HEADER)
    const used = begun ?? (response.status < 300 ? headers[SESSION_HEADER] : undefined)
    const answered = await response.text()
    if (method === "DELETE" && response.status < 300) sessions.delete(headers[SESSION_HEADER] ?? "")
    else if (used !== undefined && used !== null) {
      await keep(used, headers[VERSION_HEADER] ?? sessions.get(used) ?? readVersion(answered))
    }
    return {
      status: response.status,
      contentType: response.headers.get("content-type") ?? "",
      sessionId: begun,
      body: answered,
    }
  }
}

/** The version that an answer to `initialize` agrees on. */
const readVersion = (answer: string): string => /"protocolVersion":"([\d-]+)"/.exec(answer)?.[1] ?? "2025-03-26"
