/**
 * How is the service mounted in somebody else's server?
 *
 * As a WHATWG fetch handler, which every framework and most runtimes take, or as a listener of node:http. Both are the whole service,
 * with its own database, and equally fast; nothing listens, and whoever mounts it also stops it.
 */
import type { RequestListener } from "node:http"
import { Effect, Exit, Layer, Scope } from "effect"
import { Backend } from "./backend.ts"
import { readConfig, type ServiceConfig } from "./config.ts"
import { makeFetchHandler } from "./fetch-host.ts"
import { withLogs } from "./logs.ts"
import { makeNodeListener } from "./node-host.ts"
import type { Pipeline } from "./pipeline.ts"
import { layerService, openConfiguredDataset } from "./serve.ts"
import { makeService } from "./service.ts"

/**
 * Settings that take the place of those of the environment. Set `publicUrl`; and `host` only where the host listens on a loopback
 * address: a mounted service takes itself for a public one in production.
 */
export type MountOptions = Partial<ServiceConfig>

const ANY_HOST = "0.0.0.0"

/** The service as a fetch handler. */
export interface FetchService {
  /**
   * Answers a request. The client's address, where the host knows it, serves for limits; without one a request has to show a key or
   * a welcome `Origin`, and all keyless clients share one limit.
   */
  readonly fetch: (request: Request, clientAddress?: string) => Promise<Response>
  /** Ends open streams, saves what was counted and closes the database. */
  readonly close: () => Promise<void>
}

/** The service as a listener of node:http. */
export interface ListenerService {
  readonly listener: RequestListener
  /** As that of {@link FetchService}; stop the server first. */
  readonly close: () => Promise<void>
}

/** A service of its own, which goes on until it is closed, and how to run what it waits for. */
async function mount(options: MountOptions) {
  const scope = Scope.makeUnsafe()
  const start = Effect.gen(function* () {
    const config = yield* readConfig(options, ANY_HOST)
    const services = yield* Layer.build(layerService(config, yield* openConfiguredDataset(config.datasetPath)))
    const started = Effect.gen(function* () {
      const { lifecycle } = yield* Backend
      yield* Effect.addFinalizer(() => lifecycle.stop)
      const pipeline: Pipeline = yield* makeService({ logsRequests: config.logLevel === "debug" })
      return { pipeline, context: yield* Effect.context<never>() }
    })
    return yield* started.pipe(Effect.provideContext(services), withLogs(config.logLevel))
  })
  const close = () => Effect.runPromise(Scope.close(scope, Exit.void))
  try {
    return { ...(await Effect.runPromise(Effect.provideService(start, Scope.Scope, scope))), close }
  } catch (cause) {
    await close()
    throw cause
  }
}

/**
 * Starts the service as a fetch handler.
 *
 * Rejects with `ConfigRefused`, `DatasetRefused` or one of the storage's errors; each has a `message` for people.
 */
export async function createFetchService(options: MountOptions = {}): Promise<FetchService> {
  const { pipeline, context, close } = await mount(options)
  const run = Effect.runPromiseExitWith(context)
  const fetch = makeFetchHandler(pipeline, async (effect, signal) => {
    const exit = await run(effect, { signal })
    if (Exit.isSuccess(exit)) return exit.value
    throw exit.cause
  })
  return { fetch, close }
}

/**
 * Starts the service as a listener of node:http.
 *
 * Rejects like {@link createFetchService}.
 */
export async function createListener(options: MountOptions = {}): Promise<ListenerService> {
  const { pipeline, context, close } = await mount(options)
  return { listener: makeNodeListener(pipeline, context), close }
}
