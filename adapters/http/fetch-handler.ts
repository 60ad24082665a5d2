/**
 * How is the service mounted in somebody else's server?
 *
 * As a WHATWG fetch handler, which every framework and most runtimes take, or as a listener of node:http, which has the fast lane
 * too. Both are the whole service, with its own database; nothing listens, and whoever mounts it also stops it.
 */
import type { RequestListener } from "node:http"
import { Effect, Exit, Layer, Option, Scope } from "effect"
import { HttpEffect, type HttpPlatform, HttpServerRequest } from "effect/http"
import { makeApp } from "./app.ts"
import { Backend } from "./backend.ts"
import { readConfig, type ServiceConfig } from "./config.ts"
import { makeListener } from "./listener.ts"
import { withLogs } from "./logs.ts"
import { layerService, openConfiguredDataset } from "./serve.ts"

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

/** Builds something over a service of its own, which goes on until it is closed. */
async function mount<Mounted, Failure>(
  options: MountOptions,
  build: (
    config: ServiceConfig,
    scope: Scope.Scope,
  ) => Effect.Effect<Mounted, Failure, Layer.Success<ReturnType<typeof layerService>> | Scope.Scope>,
): Promise<{ readonly mounted: Mounted; readonly close: () => Promise<void> }> {
  const scope = Scope.makeUnsafe()
  const start = Effect.gen(function* () {
    const config = yield* readConfig(options, ANY_HOST)
    const services = yield* Layer.build(layerService(config, yield* openConfiguredDataset(config.datasetPath)))
    const started = Effect.gen(function* () {
      const { lifecycle } = yield* Backend
      const requests = yield* Scope.fork(scope)
      yield* Effect.addFinalizer(() => lifecycle.stop)
      return yield* build(config, requests)
    })
    return yield* started.pipe(Effect.provideContext(services), withLogs(config.logLevel))
  })
  const close = () => Effect.runPromise(Scope.close(scope, Exit.void))
  try {
    const mounted = await Effect.runPromise(Effect.provideService(start, Scope.Scope, scope))
    return { mounted, close }
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
  const addresses = new WeakMap<object, string>()
  const { mounted, close } = await mount(options, ({ surfaces }) =>
    Effect.gen(function* () {
      const app = yield* makeApp(surfaces)
      const withAddress = Effect.updateService(app, HttpServerRequest.HttpServerRequest, request => {
        const address = addresses.get(request.source)
        return address === undefined ? request : request.modify({ remoteAddress: Option.some(address) })
      })
      const context = yield* Effect.context<HttpPlatform.HttpPlatform>()
      return HttpEffect.toWebHandlerWith<HttpPlatform.HttpPlatform, Effect.Services<typeof app>>(context)(withAddress)
    }),
  )
  return {
    fetch: (request, clientAddress) => {
      if (clientAddress !== undefined) addresses.set(request, clientAddress)
      return mounted(request)
    },
    close,
  }
}

/**
 * Starts the service as a listener of node:http, with the fast lane.
 *
 * Rejects like {@link createFetchService}.
 */
export async function createListener(options: MountOptions = {}): Promise<ListenerService> {
  const { mounted, close } = await mount(options, (config, scope) => makeListener(config, { scope }))
  return { listener: mounted, close }
}
