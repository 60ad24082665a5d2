/**
 * A dispatcher of the soak: that of the service, on another clock and with less patience, so that what a killed process was at is anybody's
 * after seconds: `node dispatcher-process.ts DATABASE_URL SECRET LEASE_MS TIMEOUT_MS`.
 */
import { Clock, Effect, Layer, Redacted } from "effect"
import { makeDispatcher } from "../../adapters/delivery/webhooks/dispatcher.ts"
import { DeploymentSecret } from "../../adapters/platform/secrets/deployment-secret.ts"
import { layerStorage } from "../../adapters/platform/storage/migrations.ts"
import { followInput, movedClock } from "./moved-clock.ts"

const [databaseUrl = "", secret = "", leaseMs = "", timeoutMs = ""] = process.argv.slice(2)
followInput()

const layer = DeploymentSecret.layer({ databaseUrl, secret: Redacted.make(secret) }).pipe(
  Layer.provideMerge(layerStorage(databaseUrl)),
)
const work = Effect.gen(function* () {
  const options = { allowsPrivate: true, leaseMs: Number(leaseMs), timeoutMs: Number(timeoutMs) }
  const { run } = yield* makeDispatcher(options)
  yield* Effect.sync(() => console.log("ready"))
  yield* run
})
const program = Effect.flatMap(movedClock, clock =>
  Effect.provideService(Effect.scoped(Effect.provide(work, layer)), Clock.Clock, clock),
)
await Effect.runPromise(program)
