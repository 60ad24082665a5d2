/**
 * Is the service still accepting requests?
 *
 * It is, until it is told to stop, and while its database works.
 */
import { Context, Deferred, Effect, Layer } from "effect"
import { OutageLog } from "../../storage/outage-log.ts"
import { Storage } from "../../storage/storage.ts"
import { LiveActivity } from "./activity.ts"

/** The life of this process. */
export class Lifecycle extends Context.Service<Lifecycle>()("landfall/http/Lifecycle", {
  make: Effect.gen(function* () {
    const activity = yield* LiveActivity
    const { liveness } = yield* Storage
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
      liveness: outages.tell(liveness),
    }
  }),
}) {
  static readonly layer = Layer.effect(Lifecycle, Lifecycle.make)
}
