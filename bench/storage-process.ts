/**
 * One process of `npm run bench -- storage`: it serves requests as fast as it can, and prints its figures.
 *
 * On `begin` on its standard input, it reserves and commits requests of some accounts one after the other for a while, in turns with
 * what the service does from time to time; it is a service without HTTP. It also runs on the code of an earlier version, whose modules are named by their folder, so that both do exactly the same.
 */
import { once } from "node:events"
import { resolve } from "node:path"
import { pathToFileURL } from "node:url"
import type * as EffectModule from "effect"
import { SECRET, say, startClock } from "./measure.ts"

const [root = ".", databaseUrl = "", accounts = "0", durationMs = "0"] = process.argv.slice(2)

type Adapters = typeof import("../adapters/accounts/accounts.ts") &
  typeof import("../adapters/secrets/deployment-secret.ts") &
  typeof import("../adapters/plans/plans.ts") &
  typeof import("../adapters/quota/meter.ts") &
  typeof import("../adapters/storage/migrations.ts")

/** How many requests are served before other tasks have a turn. */
const REQUESTS_AT_ONCE = 500

const load = async <Module>(path: string): Promise<Module> => import(pathToFileURL(resolve(root, path)).href)

// The instance that those modules use.
const { Context, Effect, Layer, Redacted, Scope } = await load<typeof EffectModule>("node_modules/effect/dist/index.js")
const modules = await Promise.all(
  [
    "adapters/secrets/deployment-secret.ts",
    "adapters/plans/plans.ts",
    "adapters/quota/meter.ts",
    "adapters/storage/migrations.ts",
  ].map(path => load<Partial<Adapters>>(path)),
)
const { DeploymentSecret, Plans, Meter, layerStorage } = Object.assign({}, ...modules) as Adapters

const program = Effect.gen(function* () {
  const layer = Meter.layer.pipe(
    Layer.provideMerge(DeploymentSecret.layer({ databaseUrl, secret: Redacted.make(SECRET) })),
    Layer.provideMerge(Plans.layer()),
    Layer.provideMerge(layerStorage(databaseUrl)),
  )
  const services = yield* Layer.buildWithScope(layer, yield* Scope.Scope)
  const meter = Context.get(services, Meter)
  const plan = Context.get(services, Plans).byId.business
  const callers = Array.from({ length: Number(accounts) }, (_, at) => ({
    accountId: at + 1,
    keyId: at + 1,
    scopes: ["visa"],
    expiresAt: null,
    replacedAt: null,
    allowedFrom: null,
    isConfirmed: true,
    plan: { ...plan, requestsPerMonth: 1_000_000_000, destinationsPerPassportAndDay: null },
  }))
  const request = { charge: 1, passport: "FRA", destinations: "JPN" }
  let served = 0
  // Serves the first request of each account, many at once.
  const serveFirst = (caller: (typeof callers)[number]) =>
    Effect.map(meter.reserveLoaded(caller as never, request), answer => {
      if (!answer.ok) throw new Error(`refused: ${JSON.stringify(answer)}`)
      answer.commit()
      served++
    })
  const loadedAt = performance.now()
  yield* Effect.forEach(callers, serveFirst, { concurrency: 100, discard: true })
  const firstMs = performance.now() - loadedAt

  let waited = 0
  const serveSome = Effect.gen(function* () {
    for (let i = 0; i < REQUESTS_AT_ONCE; i++) {
      const caller = callers[served % callers.length] as never
      let answer = meter.reserve(caller, request, Date.now())
      if (answer === null) {
        waited++
        answer = yield* meter.reserveLoaded(caller, request)
      }
      if (!answer.ok) return yield* Effect.die(new Error(`refused: ${JSON.stringify(answer)}`))
      answer.commit()
      served++
    }
    // As between two requests, other tasks have a turn.
    yield* Effect.promise(() => new Promise(resolve => setImmediate(resolve)))
  })
  say({ isReady: true })
  yield* Effect.promise(() => once(process.stdin, "data"))
  process.stdin.unref()
  const startedAt = performance.now()
  const isOver = () => performance.now() - startedAt >= Number(durationMs)
  const serveOn: EffectModule.Effect.Effect<void, unknown> = Effect.suspend(() =>
    isOver() ? Effect.void : Effect.andThen(serveSome, serveOn),
  )
  const servedBefore = served
  const readClock = startClock()
  yield* serveOn
  const taken = readClock()
  yield* meter.flush
  say({ firstMs, servedBefore, served, waited, ...taken })
})

await Effect.runPromise(Effect.scoped(program) as EffectModule.Effect.Effect<void, unknown>)
