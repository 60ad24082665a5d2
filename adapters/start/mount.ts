/**
 * How is the service mounted in another program's server?
 *
 * As a WHATWG fetch handler, which every framework and most runtimes take, or as a listener of node:http. Both are the whole
 * service, with its own database, and equally fast. Neither listens on a port, and the mounting program also stops it.
 */

import type { IncomingMessage, ServerResponse } from "node:http"
import { Context, Effect, Exit, Layer, Schema, SchemaIssue, Scope } from "effect"
import { EmailAddress, Name } from "../accounts/account.ts"
import { Accounts } from "../accounts/accounts.ts"
import type { Pipeline } from "../http/pipeline/pipeline.ts"
import { Lifecycle, MountedSite } from "../http/pipeline/process-state.ts"
import { makeFetchHandler } from "../http/server/fetch-host.ts"
import { HELD_LIMITS, HeldBytes } from "../http/server/held-bytes.ts"
import { makeNodeListener } from "../http/server/node-host.ts"
import { makeService } from "../http/server/service.ts"
import { readConfig, type ServiceConfig, warnOfUnknownVariables } from "../settings/config.ts"
import { PLAN_IDS, type PlanId } from "../settings/feature-options.ts"
import type { ConfigOptions } from "../settings/settings.ts"
import { Clients, findAddress } from "../validation/addresses.ts"
import { startBackground } from "./background-work.ts"
import { layerService, openConfigured } from "./layers.ts"
import { numbersOfService, openTelemetry, withLogs } from "./telemetry.ts"

/**
 * Settings that replace those of the environment and are checked in the same way. Set `publicUrl`; and `host` only if the server
 * listens on a loopback address: without it a mounted service assumes that it is public and in production. A `publicUrl` of another machine
 * means production too.
 */
export type MountOptions = ConfigOptions

/** The person an account is made for. */
export interface NewOwner {
  readonly name: string
  readonly email: string
  readonly plan: PlanId
}

/** The functions of a mounted service. */
export interface MountedService {
  /**
   * Creates a confirmed account and returns its whole key, once. Rejects for an invalid name, address or plan, and for an address that has
   * an account already.
   */
  readonly createAccount: (owner: NewOwner) => Promise<{ readonly accountId: number; readonly key: string }>
  /** Ends open streams, saves what was counted and closes the database. */
  readonly close: () => Promise<void>
}

const ANY_HOST = "0.0.0.0"

/** The service as a fetch handler. */
export interface FetchService extends MountedService {
  /**
   * Answers a request. The client's address is used for limits: as a text, or in the second argument that Deno, Bun and Hono on Node pass
   * to a handler. Anything else is ignored. Without an address a request needs a key or an admitted `Origin`, and all keyless clients share
   * one limit.
   */
  readonly fetch: (request: Request, host?: unknown) => Promise<Response>
}

/**
 * A listener for `createServer` of node:http. Its arguments are node's `IncomingMessage` and `ServerResponse`, described by the members
 * that identify them, so that the declarations need no types of Node.
 */
export type NodeListener = (
  request: { readonly httpVersion: string; readonly rawHeaders: readonly string[] },
  response: { readonly headersSent: boolean; statusCode: number },
) => void

/** The service as a listener of node:http; stop the server before it is closed. */
export interface ListenerService extends MountedService {
  readonly listener: NodeListener
}

const NewOwnerRecord = Schema.Struct({ name: Name, email: EmailAddress, plan: Schema.Literals(PLAN_IDS) })

const formatIssues = SchemaIssue.makeFormatterStandardSchemaV1()

/** Reads an owner, or fails with a sentence that names every field that is wrong. */
const readOwner = (given: NewOwner) =>
  Effect.mapError(
    Schema.decodeUnknownEffect(NewOwnerRecord)(given, { errors: "all" }),
    ({ issue }) =>
      new Error(
        formatIssues(issue)
          .issues.map(({ path = [], message }) => `${path.join(".")}: ${message}`)
          .join("\n"),
      ),
  )

/** Starts a service that runs until it is closed, and returns the function that runs its effects. */
async function mount(options: MountOptions) {
  const scope = Scope.makeUnsafe()
  const startMounted = Effect.fnUntraced(function* (config: ServiceConfig) {
    yield* warnOfUnknownVariables
    const configured = yield* openConfigured(config)
    const telemetry = yield* openTelemetry(config)
    const services = yield* Effect.provideContext(Layer.build(layerService(configured)), telemetry.context)
    const started = Effect.gen(function* () {
      const clients = yield* Clients
      const lifecycle = yield* Lifecycle
      const site = yield* MountedSite
      yield* startBackground(configured, () => site.publicUrl)
      yield* Effect.addFinalizer(() => lifecycle.stop)
      const pipeline: Pipeline = yield* makeService({ accessLog: config.accessLog })
      const accounts = yield* Accounts
      telemetry.follow(yield* numbersOfService)
      const createAccount = (given: NewOwner) =>
        readOwner(given).pipe(
          Effect.flatMap(owner => accounts.createAccount({ ...owner, isConfirmed: true })),
          Effect.catchTag("EmailTaken", () => Effect.fail(new Error("email: an account has this address already."))),
          Effect.map(({ account, key }) => ({ accountId: account.id, key })),
        )
      const run = Effect.runPromiseWith(yield* Effect.context<never>())
      const options = { nameClient: clients.name, held: new HeldBytes(HELD_LIMITS) }
      return { pipeline, options, createAccount: (owner: NewOwner) => run(createAccount(owner)) }
    })
    return yield* Effect.provideContext(started, Context.merge(services, telemetry.context))
  })
  const start = Effect.flatMap(readConfig(options, { host: ANY_HOST }), config =>
    withLogs(config.logLevel)(startMounted(config)),
  )
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
 * Rejects with `ConfigRefused`, `DatasetRefused`, `PushRefused` or one of the storage's errors; each has a `message` for people.
 *
 * @example
 * ```ts
 * const service = await createFetchService({ databaseUrl, publicUrl: "https://visa.example" })
 * const response = await service.fetch(new Request("https://visa.example/api/v1/visa/stats"), "203.0.113.7")
 * response.status // => 200
 * await service.close()
 * ```
 */
export async function createFetchService(options: MountOptions = {}): Promise<FetchService> {
  const { pipeline, options: hosted, ...service } = await mount(options)
  return { fetch: makeFetchHandler(pipeline, { ...hosted, findAddress }), ...service }
}

/**
 * Starts the service as a listener of node:http.
 *
 * Rejects like {@link createFetchService}.
 *
 * @example
 * ```ts
 * const service = await createListener({ databaseUrl, publicUrl: "https://visa.example" })
 * const server = createServer(service.listener)
 * server.listening // => false
 * await service.close()
 * ```
 */
export async function createListener(options: MountOptions = {}): Promise<ListenerService> {
  const { pipeline, options: hosted, ...service } = await mount(options)
  const listen = makeNodeListener(pipeline, hosted)
  return { listener: (request, response) => listen(request as IncomingMessage, response as ServerResponse), ...service }
}
