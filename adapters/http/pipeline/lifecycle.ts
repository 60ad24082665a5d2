/**
 * Is the service still accepting requests?
 *
 * It is, until it is told to stop, while its database works and its time is believed.
 */
import { Context, Deferred, Effect, Layer } from "effect"
import { DatabaseClock } from "../../storage/database-clock.ts"
import { OutageLog } from "../../storage/outage-log.ts"
import { Storage } from "../../storage/storage.ts"
import { LiveActivity } from "./activity.ts"

/** The life of this process. */
export class Lifecycle extends Context.Service<Lifecycle>()("landfall/http/Lifecycle", {
  make: Effect.gen(function* () {
    const activity = yield* LiveActivity
    const { liveness } = yield* Storage
    const { check } = yield* DatabaseClock
    const outages = new OutageLog("the service is not ready")
    const stopping = yield* Deferred.make<void>()
    return {
      isStopping: () => Deferred.isDoneUnsafe(stopping),
      /** Accepts no more requests, and ends every stream. */
      stop: Effect.andThen(
        Deferred.succeed(stopping, undefined),
        Effect.sync(() => activity.endStreams()),
      ),
      /** Succeeds within a second when the database can do its work, else says why not. */
      liveness: outages.tell(Effect.andThen(check, liveness)),
    }
  }),
}) {
  static readonly layer = Layer.effect(Lifecycle, Lifecycle.make)
}
