/**
 * A real service on a free port and a new database, as a stranger would start it, and plain HTTP to talk to it.
 */
import { mkdtempSync, rmSync } from "node:fs"
import { type IncomingHttpHeaders, request } from "node:http"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Clock, Effect, Exit, Scope } from "effect"
import type { ServerOptions } from "../../adapters/http/server/http-server.ts"
import { Environment, readConfig } from "../../adapters/settings/config.ts"
import type { PlanId } from "../../adapters/settings/feature-options.ts"
import { type Service, startService } from "../../adapters/start/serve.ts"
import { FollowsDatabaseTime } from "../../adapters/storage/database-clock.ts"
import { AreIdsCounted } from "../../adapters/storage/table-statements.ts"
import { KnownSteps, STEPS, type Step } from "../../adapters/storage/tables.ts"
import { LONG_MS } from "../eventually.ts"

/** What came back. */
export interface Reply {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly text: string
  /** The body as it was sent. */
  readonly bytes: Uint8Array
  /** The body as JSON, or the part of it that a path such as `meta.pairs_charged` leads to. */
  readonly read: (path?: string) => unknown
}

function readPart(body: unknown, path: string): unknown {
  const keys = path === "" ? [] : path.split(".")
  return keys.reduce((part, key) => (part as Record<string, unknown> | undefined)?.[key], body)
}

/** What came back, to be read. */
export function makeReply(status: number, headers: IncomingHttpHeaders, bytes: Uint8Array): Reply {
  const text = new TextDecoder().decode(bytes)
  return { status, headers, text, bytes, read: (path = "") => readPart(JSON.parse(text), path) }
}

/** A request beside its path. */
export interface Ask {
  readonly method?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string | Uint8Array<ArrayBuffer>
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
        resolve(makeReply(response.statusCode as number, response.headers, Buffer.concat(chunks)))
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
  /** The test key of the demo account of the plan business. */
  readonly testKey: string
  readonly ask: (path: string, ask?: Ask) => Promise<Reply>
  /** Asks with the key of a demo account. */
  readonly askAs: (plan: PlanId, path: string, ask?: Ask) => Promise<Reply>
  /** Sets the clock that stands still to another instant (epoch milliseconds). */
  readonly setTime: (instant: number) => void
  /** Stops it and keeps its folder. */
  readonly stop: () => Promise<void>
}

/** Limits of a service whose connections a test closes itself, however long it takes. */
export const PATIENT = {
  headersTimeout: LONG_MS,
  requestTimeout: LONG_MS,
  keepAliveTimeout: LONG_MS,
} as const

/** How to start a service for a test. */
export interface TestOptions extends ServerOptions {
  /** Variables of the environment. */
  readonly env?: Readonly<Record<string, string>>
  /** A folder that stays; a new one that goes with the service where none is given. */
  readonly folder?: string
  /** The instant at which the service's clock stands still (epoch milliseconds); it runs where none is given. */
  readonly stoppedAt?: number
  /** How far the clock of its machine is ahead of the real one, in milliseconds. */
  readonly aheadMs?: number
  /** The steps of the tables that its version knows; those of this version where none are given. */
  readonly steps?: readonly Step[]
  /** Whether ids are 1, 2, 3, so that tests can name them; true by default. */
  readonly areIdsCounted?: boolean
}

/** A clock whose time of day stands still until it is set; what waits for a while waits by the real clock. */
export const stopClock = Effect.map(Clock.Clock, live => {
  let instant = 0
  const currentTimeMillisUnsafe = () => instant
  const currentTimeNanosUnsafe = () => BigInt(instant) * 1_000_000n
  const clock: Clock.Clock = {
    currentTimeMillisUnsafe,
    currentTimeNanosUnsafe,
    currentTimeMillis: Effect.sync(currentTimeMillisUnsafe),
    currentTimeNanos: Effect.sync(currentTimeNanosUnsafe),
    monotonicTimeNanosUnsafe: () => live.monotonicTimeNanosUnsafe(),
    monotonicTimeNanos: live.monotonicTimeNanos,
    sleep: duration => live.sleep(duration),
  }
  const setTime = (to: number) => {
    instant = to
  }
  return { clock, setTime }
})

/** A clock that is ahead of another one. */
const moveClock = (live: Clock.Clock, aheadMs: number): Clock.Clock => {
  const readMs = () => live.currentTimeMillisUnsafe() + aheadMs
  return aheadMs === 0
    ? live
    : Object.assign(Object.create(live) as Clock.Clock, {
        currentTimeMillisUnsafe: readMs,
        currentTimeMillis: Effect.sync(readMs),
      })
}

/** Starts a service. */
export async function startTestService({
  env = {},
  folder,
  stoppedAt,
  aheadMs = 0,
  steps = STEPS,
  areIdsCounted = true,
  ...server
}: TestOptions = {}): Promise<TestService> {
  const scope = Scope.makeUnsafe()
  const run = <A, E>(effect: Effect.Effect<A, E, Scope.Scope>) =>
    Effect.runPromise(Effect.provideService(effect, Scope.Scope, scope))
  const home = folder ?? makeFolder()
  const variables = {
    LANDFALL_PORT: "0",
    LANDFALL_DATABASE_URL: `file:${join(home, "landfall.db")}`,
    LANDFALL_LOG_LEVEL: "error",
    LANDFALL_DRAIN_SECONDS: "0",
    ...env,
  }
  const { clock, setTime } = await run(stopClock)
  if (stoppedAt !== undefined) setTime(stoppedAt)
  const start = readConfig().pipe(
    Effect.flatMap(config => startService(config, server)),
    Effect.provideService(Environment, variables),
    Effect.provideService(KnownSteps, steps),
    Effect.provideService(AreIdsCounted, areIdsCounted),
  )
  const service = await run(
    stoppedAt === undefined
      ? Effect.flatMap(Clock.Clock, live => Effect.provideService(start, Clock.Clock, moveClock(live, aheadMs)))
      : start.pipe(Effect.provideService(Clock.Clock, clock), Effect.provideService(FollowsDatabaseTime, false)),
  )
  const keys = Object.fromEntries(service.demoAccounts.map(({ plan, key }) => [plan, key])) as Record<PlanId, string>
  const testKey = service.demoAccounts.find(account => account.testKey !== null)?.testKey ?? ""
  const ask = (path: string, given?: Ask) => send(service.url, path, given)
  const stop = () => Effect.runPromise(Scope.close(scope, Exit.void))
  return {
    service,
    url: service.url,
    folder: home,
    keys,
    testKey,
    ask,
    askAs: (plan, path, given = {}) => ask(path, { ...given, headers: { "x-api-key": keys[plan], ...given.headers } }),
    setTime,
    stop,
    [Symbol.asyncDispose]: async () => {
      await stop()
      if (folder === undefined) rmSync(home, { recursive: true, force: true })
    },
  }
}

/** Makes a new empty folder. */
export const makeFolder = (): string => mkdtempSync(join(tmpdir(), "landfall-http-"))
