/**
 * Do all processes use the data of an event before anybody is notified?
 *
 * Each process records the installation that it uses. Events of an installation are distributed when all live processes use it, or after
 * {@link PATIENCE_MS}: a process that was killed, or that cannot open the dataset, must not stop all notification. The log names those that
 * are behind.
 */
import { Clock, Effect, Option } from "effect"
import { Storage } from "../storage/storage.ts"
import type { Unavailable } from "../storage/storage-errors.ts"
import { LiveDataset } from "./live-dataset.ts"

/** How long events wait for processes that are behind. */
const PATIENCE_MS = 5_000

/** Returns a function that finds the newest installation whose events may be sent; every one if this process answers no requests. */
export const followAnswered: Effect.Effect<Effect.Effect<number, Unavailable>, never, Storage> = Effect.gen(
  function* () {
    const { datasets, nodes } = yield* Storage
    const live = Option.getOrUndefined(yield* Effect.serviceOption(LiveDataset))
    if (live === undefined) return Effect.succeed(Number.MAX_SAFE_INTEGER)
    let answered = 0
    let waiting = { newest: -1, sinceMs: 0 }
    return Effect.gen(function* () {
      const newest = yield* datasets.readRevision
      if (newest <= answered) return answered
      yield* live.refresh
      const nowMs = yield* Clock.currentTimeMillis
      const behind = yield* nodes.listBehind(newest, nowMs)
      if (behind.length > 0) {
        if (waiting.newest !== newest) waiting = { newest, sinceMs: nowMs }
        if (nowMs - waiting.sinceMs < PATIENCE_MS) return answered
        yield* Effect.logWarning(
          `events of installation ${newest} are sent, although ${behind.length} processes do not use it yet`,
          {
            behind,
          },
        )
      }
      answered = newest
      return answered
    })
  },
)
