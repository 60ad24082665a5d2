/**
 * A real service on a free port and a new database, as a stranger would start it, and plain HTTP to talk to it.
 */
import { mkdtempSync, rmSync } from "node:fs"
import { type IncomingHttpHeaders, request } from "node:http"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { ConfigProvider, Effect, Exit, Scope } from "effect"
import type { PlanId } from "../../adapters/accounts/plans.ts"
import { type Service, serve } from "../../adapters/http/serve.ts"

/** What came back. */
export interface Reply {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly text: string
  /** The body as JSON, or the part of it that a path such as `meta.pairs_charged` leads to. */
  readonly read: (path?: string) => unknown
}

function readPart(body: unknown, path: string): unknown {
  const keys = path === "" ? [] : path.split(".")
  return keys.reduce((part, key) => (part as Record<string, unknown> | undefined)?.[key], body)
}

/** A request beside its path. */
export interface Ask {
  readonly method?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
}

/** Sends a request as it is: nothing is added, escaped or followed. */
export function send(url: string, path: string, { method = "GET", headers = {}, body }: Ask = {}): Promise<Reply> {
  const { hostname, port } = new URL(url)
  return new Promise((resolve, reject) => {
    const outgoing = request({ hostname, port, path, method, headers, agent: false }, response => {
      const chunks: Buffer[] = []
      response.on("data", chunk => chunks.push(chunk))
      response.on("error", reject)
      response.on("end", () => {
        const text = Buffer.concat(chunks).toString()
        resolve({
          status: response.statusCode as number,
          headers: response.headers,
          text,
          read: (path = "") => readPart(JSON.parse(text), path),
        })
      })
    })
    outgoing.on("error", reject)
    outgoing.end(body)
  })
}

/** A running service of a test. */
export interface TestService extends AsyncDisposable {
  readonly service: Service
  readonly url: string
  readonly folder: string
  readonly keys: Readonly<Record<PlanId, string>>
  readonly ask: (path: string, ask?: Ask) => Promise<Reply>
  /** Asks with the key of a demo account. */
  readonly askAs: (plan: PlanId, path: string, ask?: Ask) => Promise<Reply>
  /** Stops it and keeps its folder. */
  readonly stop: () => Promise<void>
}

/** Starts a service with some variables of the environment; in a folder that goes with it, unless one is given. */
export async function startTestService(
  environment: Readonly<Record<string, string>> = {},
  folder = mkdtempSync(join(tmpdir(), "landfall-http-")),
): Promise<TestService> {
  const scope = Scope.makeUnsafe()
  const env = {
    LANDFALL_PORT: "0",
    LANDFALL_DATABASE_URL: `file:${join(folder, "landfall.db")}`,
    LANDFALL_LOG_LEVEL: "error",
    ...environment,
  }
  const service = await Effect.runPromise(
    serve.pipe(
      Effect.provideService(Scope.Scope, scope),
      Effect.provideService(ConfigProvider.ConfigProvider, ConfigProvider.fromEnv({ env })),
    ),
  )
  const keys = Object.fromEntries(service.demoAccounts.map(({ plan, key }) => [plan, key])) as Record<PlanId, string>
  const ask = (path: string, given?: Ask) => send(service.url, path, given)
  const stop = () => Effect.runPromise(Scope.close(scope, Exit.void))
  return {
    service,
    url: service.url,
    folder,
    keys,
    ask,
    askAs: (plan, path, given = {}) => ask(path, { ...given, headers: { "x-api-key": keys[plan], ...given.headers } }),
    stop,
    [Symbol.asyncDispose]: async () => {
      await stop()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
