/**
 * What does `landfall` do with its arguments?
 *
 * Arguments, standard input, the console and the environment come from services, so that the same commands run as a process (`main.ts`)
 * and inside another program.
 */
import { Console, Effect, Layer, Stdio } from "effect"
import { CliConfig, CliError, CliOutput, Command, Flag, GlobalFlag } from "effect/cli"
import { VERSION } from "../../platform/settings/version.ts"
import { isCommand, loadCommands } from "./commands.ts"
import { completions } from "./completions.ts"
import {
  CommandFailed,
  describeFailure,
  describeInvocation,
  explainMissingModule,
  type Failure,
  SomethingChanged,
} from "./failure.ts"
import { Stdout } from "./outcome.ts"
import { listFlags, paint, type Screen, type Screens } from "./screen.ts"
import { measureColumns } from "./table.ts"
import { wrapLine, wrapText } from "./wrap.ts"

// The arguments are read here directly, because the parser's own mistakes have to be printed in the right form too.
const color = GlobalFlag.Setting("color")({
  flag: Flag.Boolean("color").pipe(
    Flag.withDescription(
      "Colours, or with --no-color none, whatever the terminal and NO_COLOR, FORCE_COLOR or TERM say",
    ),
    Flag.optional,
  ),
})

const builtIns = [GlobalFlag.Help, GlobalFlag.Version, completions] as const

const EXIT_CODES = `EXIT CODES
  0  done
  1  failed: what was asked could not be done, or nothing is recorded
  2  called wrongly: an invalid value, name, flag or command
  3  only landfall watch: something has changed`

/** Runs the command that the arguments of `Stdio` name. */
export const landfall = (screens: Screens) =>
  Effect.gen(function* () {
    const args = readHelp(yield* (yield* Stdio.Stdio).args)
    const isForMachines = listFlags(args).some(flag => flag === "--json" || flag === "--json=true")
    const commands = yield* Effect.promise(() => loadCommands(args))
    const root = Command.make("landfall").pipe(
      Command.withDescription("Visa rules, offline: what a passport's holder needs to enter a country"),
      Command.withSubcommands(commands),
      Command.withGlobalFlags([color]),
    )
    const report = reportFailure(screens.stderr, isForMachines)
    const reportBeside = reportFailure(screens.stderr, false)
    return yield* Command.runWith(root, { version: VERSION })(args).pipe(
      Effect.catchDefect(defect => {
        const message = explainMissingModule(defect)
        return message === null ? Effect.die(defect) : Effect.fail(new CommandFailed({ message }))
      }),
      Effect.tapError(error =>
        isSaid(error)
          ? Effect.void
          : (error instanceof CommandFailed && error.hasAnswered === true ? reportBeside : report)(
              describeFailure(error),
            ),
      ),
      Effect.tapDefect(defect => (isForMachines ? report(describeFailure(defect)) : Effect.void)),
      Effect.provide(printWith(screens, report)),
      Effect.provideService(Stdout, screens.stdout),
    )
  })

/** `help COMMAND` is another way to write `COMMAND --help`. A command that does not exist is refused, whether or not its help is asked for. */
function readHelp(given: readonly string[]): readonly string[] {
  const args = given[0] === "help" ? [...given.slice(1), "--help"] : given
  const [name = "-"] = args
  return name.startsWith("-") || isCommand(name) ? args : args.filter(word => word !== "--help" && word !== "-h")
}

// The presenter prints what the parser refused; for `SomethingChanged` the answer is printed already.
const isSaid = (error: unknown): boolean =>
  (CliError.isCliError(error) && error._tag === "ShowHelp") || error instanceof SomethingChanged

/** Prints a failure: for machines a record on stdout, for people a sentence on stderr, because stdout is for answers only. */
const reportFailure = (screen: Screen, isForMachines: boolean) => (failure: Failure, hint?: string) => {
  if (isForMachines) return Console.log(JSON.stringify({ error: failure }, null, 2))
  const { message, did_you_mean, usage } = failure
  const isNamed = did_you_mean.every(meant => message.includes(typeof meant === "string" ? meant : meant.code))
  const meant = did_you_mean.map(each => (typeof each === "string" ? each : `${each.code} (${each.name})`))
  const lines = [
    ...message.split("\n").map(line => `  ${line}`),
    ...(isNamed ? [] : [`  Is ${meant.join(", ")} meant?`]),
    ...(usage === null ? [] : [`Usage: ${usage}${hint ?? ""}`]),
  ]
  const text = wrapText(escapeControls(lines.join("\n")), screen.columns, measureColumns, "  ")
  return Console.error(`\n${paint(screen, "red", "ERROR")}\n${text}`)
}

// The message repeats what was given, which may hold control characters for the terminal.
const escapeControls = (text: string): string =>
  text.replace(/[^\P{Cc}\n]/gu, character => `\\x${character.charCodeAt(0).toString(16).padStart(2, "0")}`)

function printWith({ stdout, stderr }: Screens, report: ReturnType<typeof reportFailure>) {
  const writeHelp = (screen: Screen) => {
    const { formatHelpDoc } = CliOutput.defaultFormatter({ colors: screen.hasColours })
    return (doc: Parameters<typeof formatHelpDoc>[0]) =>
      wrapHelp(`${formatHelpDoc(doc)}\n\n${EXIT_CODES}`, screen.columns)
  }
  return Layer.mergeAll(
    CliConfig.layer({ builtIns: builtIns as unknown as CliConfig.CliConfig.Service["builtIns"] }),
    CliOutput.layerPresenter({
      present: event => {
        switch (event._tag) {
          case "Version":
            return Console.log(`${event.name} v${event.version}`)
          case "InvalidInvocation": {
            const { errors, commandPath, helpDoc } = event
            return report(describeInvocation(errors, helpDoc.usage), ` (${commandPath.join(" ")} --help says more)`)
          }
          case "Help":
            return event.reason === "Requested"
              ? Console.log(writeHelp(stdout)(event.helpDoc))
              : Console.error(writeHelp(stderr)(event.helpDoc))
        }
      },
    }),
  )
}

/** A line of help begins with a term; its explanation is next to it, or below it if it is too long. */
const MOST_INDENT = 28

// A line of help begins with what it explains; the explanation is beside it, or below it if it is too long.
function wrapHelp(help: string, columns: number | null): string {
  if (columns === null) return help
  return help
    .split("\n")
    .flatMap(line => {
      const [explained = ""] = /^\s+\S.*?\s{2,}(?=\S)/.exec(line) ?? []
      if (explained === "") return wrapLine(line, columns, measureColumns)
      const name = explained.trimEnd()
      const indent = Math.min(measureColumns(explained), MOST_INDENT)
      const room = indent - measureColumns(name)
      const parts = wrapLine(line.slice(explained.length), columns - indent, measureColumns)
      const below = parts.map(part => " ".repeat(indent) + part)
      return room < 2 ? [name, ...below] : [name + " ".repeat(room) + (parts[0] ?? ""), ...below.slice(1)]
    })
    .join("\n")
}
