/**
 * Which set of spots does this process use?
 *
 * The operator's, if any were imported: a counter is read every {@link POLL_MS}, and when it has changed the set is read and laid out next
 * to the old one, in steps between which requests are answered. Otherwise the set of the package, which is read at the first request for a
 * spot, so that a start does not wait for it.
 */
import { Context, Effect, Layer, Result, Schedule } from "effect"
import { OutageLog } from "../storage/outage-log.ts"
import { Storage } from "../storage/storage.ts"
import { workInTurns } from "../time/yield-turn.ts"
import { readStoredSpots } from "./import-spots.ts"
import { openInSteps, openSpotSet, type SpotSet } from "./search-spots.ts"
import { readSeedSpots } from "./spot.ts"

/** How long an import by another process can go unnoticed. */
const POLL_MS = 1_000

export class LiveSpots extends Context.Service<LiveSpots>()("landfall/spots/LiveSpots", {
  make: Effect.gen(function* () {
    const storage = yield* Storage
    const outages = new OutageLog("newly imported spots may not be in use yet")
    const openStored = Effect.flatMap(readStoredSpots, spots =>
      spots === null ? Effect.succeed(undefined) : workInTurns(openInSteps(spots)),
    )
    let revision = yield* storage.spots.readRevision
    let stored = revision === 0 ? undefined : yield* openStored
    let shipped: SpotSet | undefined

    const look = Effect.gen(function* () {
      const newest = yield* storage.spots.readRevision
      if (newest === revision) return
      stored = yield* openStored
      revision = newest
    }).pipe(Effect.provideService(Storage, storage))
    /** Checks now whether another set was imported. */
    const refresh = Effect.ignore(outages.tell(look))
    yield* Effect.forkScoped(Effect.repeat(refresh, Schedule.spaced(POLL_MS)))
    /** Returns the set. Throws if the file of the package is damaged. */
    const read = (): SpotSet => {
      if (stored !== undefined) return stored
      shipped ??= openSpotSet(Result.getOrThrow(readSeedSpots()))
      return shipped
    }
    return { read, refresh }
  }),
}) {
  static readonly layer = Layer.effect(LiveSpots, LiveSpots.make)
}
