/** The command line: reads arguments, runs one command, ends with its exit code. */
import { NodeRuntime, NodeServices } from "@effect/platform-node"
import { Cause, Console, Effect, Exit, Layer, Runtime } from "effect"
import { CliError, CliOutput, Command } from "effect/cli"
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

// stdout is for answers only: whoever reads JSON from it finds no help there. stderr has its own terminal, or none.
const formatterFor = (stream: NodeJS.WriteStream) =>
  CliOutput.defaultFormatter({ colors: stream.isTTY === true && stream.hasColors() })
const { formatError, formatErrors, formatHelpDoc } = formatterFor(process.stderr)
const output = Layer.mergeAll(
  CliOutput.layer({ ...formatterFor(process.stdout), formatError, formatErrors }),
  CliOutput.layerPresenter({
    present: event => {
      if (event._tag === "InvalidInvocation") {
        const { errors, commandPath, helpDoc } = event
        return Console.error(
          `${formatErrors(errors)}\nUsage: ${helpDoc.usage} (${commandPath.join(" ")} --help says more)`,
        )
      }
      const isAsked = event._tag !== "Help" || event.reason === "Requested"
      return isAsked ? CliOutput.defaultPresenter.present(event) : Console.error(formatHelpDoc(event.helpDoc))
    },
  }),
)

// A call that the parser refuses, or that names no command, is a usage error, 2; everything else says its own code.
const teardown: Runtime.Teardown = (exit, onExit) => {
  const error = Exit.isFailure(exit) ? Cause.squash(exit.cause) : null
  if (CliError.isCliError(error) && error._tag === "ShowHelp") return onExit(2)
  // A service that was told to stop, and stopped, has done what it was asked.
  if (Exit.isFailure(exit) && Cause.hasInterruptsOnly(exit.cause)) return onExit(0)
  Runtime.defaultTeardown(exit, onExit)
}

landfall.pipe(
  Command.run({ version: VERSION }),
  Effect.provide([NodeServices.layer, output]),
  NodeRuntime.runMain({ teardown }),
)
