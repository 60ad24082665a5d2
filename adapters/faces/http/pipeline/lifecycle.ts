/**
 * Is the service still accepting requests?
 *
 * It is, until it is told to stop, and while its database works.
 */
import { Context, Deferred, Effect, Layer } from "effect"
import { OutageLog } from "../../../platform/storage/outage-log.ts"
import { Storage } from "../../../platform/storage/storage.ts"
import type { Unavailable } from "../../../platform/storage/storage-errors.ts"
import { LiveActivity } from "./activity.ts"

export interface LifecycleShape {
  readonly isStopping: () => boolean
  /** Accepts no more requests, and ends every stream. */
  readonly stop: Effect.Effect<void>
  /** Succeeds within a second when the database can do its work, else says why not. */
  readonly liveness: Effect.Effect<void, Unavailable>
}

/** The life of this process. */
export class Lifecycle extends Context.Service<Lifecycle, LifecycleShape>()("landfall/http/Lifecycle") {
  static readonly layer = Layer.effect(
    Lifecycle,
    Effect.gen(function* () {
      const activity = yield* LiveActivity
      const { liveness } = yield* Storage
      const outages = new OutageLog("the service is not ready")
      const stopping = yield* Deferred.make<void>()
      return {
        isStopping: () => Deferred.isDoneUnsafe(stopping),
        stop: Effect.andThen(
          Deferred.succeed(stopping, undefined),
          Effect.sync(() => activity.endStreams()),
        ),
        liveness: outages.tell(liveness),
      }
    }),
  )
}
