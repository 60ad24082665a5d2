/** `landfall worker`: sends the service's deliveries and judges jobs, next to it or on another machine with the same PostgreSQL. */
import { Console, Effect } from "effect"
import { makePlainCommand } from "./command.ts"
import { failCommand } from "./failure.ts"
import { untilOrphaned } from "./parent.ts"

export const worker = makePlainCommand("worker", {
  about: "Deliver webhooks and judge jobs, in addition to `landfall serve` or instead of its dispatchers",
  examples: { "landfall worker": "Until it is told to stop" },
  takes: {},
  *run() {
    // Loaded here, because every other command starts faster without it.
    const { runWorkers } = yield* Effect.promise(() => import("../start/background-work.ts"))
    const { watchLoop } = yield* Effect.promise(() => import("../start/watchdog.ts"))
    const { label, moveCheckpoints, workers, thisProcess } = yield* runWorkers.pipe(Effect.mapError(failCommand))
    yield* moveCheckpoints
    yield* watchLoop(thisProcess)
    yield* Console.log(`landfall delivers from the database ${label} (${workers} at a time)`)
    return yield* untilOrphaned
  },
})
