/**
 * What does `landfall` do with its arguments, and with which code does it end?
 *
 * Arguments, standard input, the console and the environment come from services, so that the same commands run as a process (`main.ts`)
 * and inside another program.
 */
import { Cause, Console, Effect, Exit, Layer, Runtime } from "effect"
import { CliError, CliOutput, Command } from "effect/cli"
import { account } from "./account.ts"
import { batch } from "./batch.ts"
import { check } from "./check.ts"
import { find } from "./countries.ts"
import { data } from "./data.ts"
import { dataset } from "./dataset.ts"
import { explain } from "./explain.ts"
import { best, entrants, group } from "./group.ts"
import { itinerary } from "./itinerary.ts"
import { key } from "./key.ts"
import { mcp } from "./mcp.ts"
import { compare, rank, score } from "./mobility.ts"
import { payments } from "./payments.ts"
import { serve } from "./serve.ts"
import { spots } from "./spots.ts"
import { stays } from "./stays.ts"
import { VERSION } from "./version.ts"
import { visa } from "./visa.ts"
import { webhook } from "./webhook.ts"
import { worker } from "./worker.ts"

const commands = Command.make("landfall").pipe(
  Command.withDescription("Visa rules, offline: what a passport's holder needs to enter a country"),
  Command.withSubcommands([
    check,
    find,
    visa,
    explain,
    group,
    best,
    entrants,
    itinerary,
    batch,
    stays,
    score,
    compare,
    rank,
    serve,
    worker,
    mcp,
    webhook,
    account,
    key,
    payments,
    dataset,
    spots,
    data,
  ]),
)

/** Which of the two streams may carry colours. */
export interface Colours {
  readonly stdout: boolean
  readonly stderr: boolean
}

// stdout is for answers only: whoever reads JSON from it finds no help there. stderr has its own terminal, or none.
function printWith({ stdout, stderr }: Colours) {
  const { formatError, formatErrors, formatHelpDoc } = CliOutput.defaultFormatter({ colors: stderr })
  return Layer.mergeAll(
    CliOutput.layer({ ...CliOutput.defaultFormatter({ colors: stdout }), formatError, formatErrors }),
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
}

/** Runs the command that the arguments of `Stdio` name. */
export const landfall = (colours: Colours) =>
  commands.pipe(Command.run({ version: VERSION }), Effect.provide(printWith(colours)))

/**
 * Says how a process ends: a call that the parser refuses, or that names no command, is a usage error, 2; everything else says its own
 * code.
 */
export const teardown: Runtime.Teardown = (exit, onExit) => {
  const error = Exit.isFailure(exit) ? Cause.squash(exit.cause) : null
  if (CliError.isCliError(error) && error._tag === "ShowHelp") return onExit(2)
  // A service that was told to stop, and stopped, has done what it was asked.
  if (Exit.isFailure(exit) && Cause.hasInterruptsOnly(exit.cause)) return onExit(0)
  Runtime.defaultTeardown(exit, onExit)
}
