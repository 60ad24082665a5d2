/** `landfall worker`: sends what the service has to deliver and judges jobs, beside it or on another machine that shares its PostgreSQL. */
import { Console, Effect } from "effect"
import { Command } from "effect/cli"
import { CommandFailed } from "./outcome.ts"
import { untilOrphaned } from "./parent.ts"

export const worker = Command.make(
  "worker",
  {},
  Effect.fnUntraced(function* () {
    // Loaded here, because every other command starts faster without it.
    const { runWorkers } = yield* Effect.promise(() => import("../run/work.ts"))
    const { label, workers } = yield* runWorkers.pipe(Effect.mapError(({ message }) => new CommandFailed({ message })))
    yield* Console.log(`landfall delivers from the database ${label} (${workers} at a time)`)
    return yield* untilOrphaned
  }, Effect.scoped),
).pipe(
  Command.withDescription("Deliver webhooks and judge jobs, beside `landfall serve` or instead of its own dispatchers"),
  Command.withExamples([{ command: "landfall worker", description: "Until it is told to stop" }]),
)
