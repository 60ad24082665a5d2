/** The command line: reads arguments, runs one command, ends with its exit code. */
import { NodeRuntime, NodeServices } from "@effect/platform-node"
import { Cause, Effect, Exit, Runtime } from "effect"
import { CliError, Command } from "effect/cli"
import { describeFileError } from "../data/file-errors.ts"
import { check } from "./check.ts"
import { data } from "./data.ts"
import { dataset } from "./dataset.ts"
import { explain } from "./explain.ts"
import { best, entrants, group } from "./group.ts"
import { itinerary } from "./itinerary.ts"
import { compare, rank, score } from "./mobility.ts"
import { serve } from "./serve.ts"
import { stays } from "./stays.ts"
import { VERSION } from "./version.ts"
import { visa } from "./visa.ts"

const landfall = Command.make("landfall").pipe(
  Command.withDescription("Visa rules, offline: what a passport's holder needs to enter a country"),
  Command.withSubcommands([
    check,
    visa,
    explain,
    group,
    best,
    entrants,
    itinerary,
    stays,
    score,
    compare,
    rank,
    serve,
    dataset,
    data,
  ]),
)

process.stdout.on("error", (cause: NodeJS.ErrnoException) => {
  // The reader has seen enough, as `head` does.
  if (cause.code === "EPIPE") return
  process.stderr.write(`stdout: ${describeFileError(cause)}\n`)
  process.exitCode = 1
})

// A call that the parser refuses is a usage error, 2; everything else says its own code.
const teardown: Runtime.Teardown = (exit, onExit) => {
  const error = Exit.isFailure(exit) ? Cause.squash(exit.cause) : null
  if (CliError.isCliError(error) && error._tag === "ShowHelp" && error.errors.length > 0) return onExit(2)
  // A service that was told to stop, and stopped, has done what it was asked.
  if (Exit.isFailure(exit) && Cause.hasInterruptsOnly(exit.cause)) return onExit(0)
  Runtime.defaultTeardown(exit, onExit)
}

landfall.pipe(Command.run({ version: VERSION }), Effect.provide(NodeServices.layer), NodeRuntime.runMain({ teardown }))
