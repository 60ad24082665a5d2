/**
 * A dispatcher of the soak: that of the service, on another clock and with less patience, so that what a killed process was at is anybody's
 * after seconds: `node dispatcher-process.ts DATABASE_URL SECRET LEASE_MS TIMEOUT_MS PUSH_URL`. Pushes go to that address, as to a push service.
 */
import { Clock, Effect, Layer, Redacted } from "effect"
import { PushedPlatforms } from "../../adapters/events/followers/fan-out.ts"
import { later, type PushService } from "../../adapters/push/push-service.ts"
import { makePusher } from "../../adapters/push/pusher.ts"
import { DeploymentSecret } from "../../adapters/secrets/deployment-secret.ts"
import { layerStorage } from "../../adapters/storage/migrations.ts"
import { makeDispatcher } from "../../adapters/webhooks/dispatcher.ts"
import { followInput, moveClock, readMovedMs } from "./moved-clock.ts"

const [databaseUrl = "", secret = "", leaseMs = "", timeoutMs = "", pushUrl = ""] = process.argv.slice(2)
followInput()

const layer = DeploymentSecret.layer({ databaseUrl, secret: Redacted.make(secret) }).pipe(
  Layer.provideMerge(layerStorage(databaseUrl)),
)
const service: PushService = {
  platform: "fcm",
  send: (token, { data }) =>
    Effect.promise(async () => {
      const body = JSON.stringify({ token, destination: data.destination, eventId: data.event_id })
      const taken = await fetch(pushUrl, { method: "POST", body }).then(
        ({ ok }) => ok,
        () => false,
      )
      return taken ? { kind: "sent" } : later("not now")
    }),
}
const work = Effect.gen(function* () {
  const options = { allowsPrivate: true, leaseMs: Number(leaseMs), timeoutMs: Number(timeoutMs) }
  const { run } = yield* makeDispatcher(options)
  const pusher = yield* makePusher([service])
  yield* Effect.sync(() => console.log("ready"))
  yield* Effect.all([run, pusher.run], { concurrency: "unbounded", discard: true })
}).pipe(Effect.provideService(PushedPlatforms, [service.platform]))
const program = Effect.flatMap(moveClock(readMovedMs), clock =>
  Effect.provideService(Effect.scoped(Effect.provide(work, layer)), Clock.Clock, clock),
)
await Effect.runPromise(program)
