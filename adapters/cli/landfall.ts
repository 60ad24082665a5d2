/**
 * What does `landfall` do with its arguments?
 *
 * Arguments, standard input, the console and the environment come from services, so that the same commands run as a process (`main.ts`)
 * and inside another program.
 */
import * as NodeChildProcessSpawner from "@effect/platform-node-shared/NodeChildProcessSpawner"
import * as NodeFileSystem from "@effect/platform-node-shared/NodeFileSystem"
import * as NodePath from "@effect/platform-node-shared/NodePath"
import * as NodeStdio from "@effect/platform-node-shared/NodeStdio"
import * as NodeTerminal from "@effect/platform-node-shared/NodeTerminal"
import { Console, Effect, Layer, Option, Stdio } from "effect"
import { CliConfig, CliError, CliOutput, Command, Completions, Flag, GlobalFlag } from "effect/cli"
import { LANGUAGES } from "../../src/full.ts"
import { VERSION } from "../settings/package-version.ts"
import { Stdout } from "./command.ts"
import { loadCommands } from "./commands.ts"
import {
  CommandEnded,
  describeFailure,
  describeInvocation,
  explainMissingModule,
  type Failure,
  failed,
} from "./failure.ts"
import { openFinder } from "./find-code.ts"
import { listFlags, measureColumns, paint, type Screen, wrapLine, wrapText } from "./print.ts"

/** What the commands reach of Node: processes, files, paths and streams. */
export const nodeServices = NodeChildProcessSpawner.layer.pipe(
  Layer.provideMerge(Layer.mergeAll(NodeFileSystem.layer, NodePath.layer, NodeStdio.layer, NodeTerminal.layer)),
)

/** Standard output and standard error. */
interface Screens {
  readonly stdout: Screen
  readonly stderr: Screen
}

// The arguments are read here directly, because the parser's own mistakes have to be printed in the right form too.
const color = GlobalFlag.Setting("color")({
  flag: Flag.Boolean("color").pipe(
    Flag.withDescription(
      "Colours, or none with --no-color, regardless of the terminal, NO_COLOR, FORCE_COLOR and TERM",
    ),
    Flag.optional,
  ),
})

const EXIT_CODES = `EXIT CODES
  0  done
  1  failed: the command could not do its work, or nothing is recorded
  2  called wrongly: an invalid value, name, flag or command
  3  only landfall watch: something has changed
  4  the database is of another version: see landfall migrate`

/** Runs the command that the arguments of `Stdio` name. */
export const landfall = (screens: Screens) =>
  Effect.gen(function* () {
    const given = readHelp(yield* (yield* Stdio.Stdio).args)
    const isForMachines = listFlags(given).some(flag => flag === "--json" || flag === "--json=true")
    const commands = yield* Effect.promise(() => loadCommands(given))
    const root = Command.make("landfall").pipe(
      Command.withDescription("Visa rules, offline: what a passport's holder needs to enter a country"),
      Command.withSubcommands(commands),
      Command.withGlobalFlags([color]),
    )
    // The parser shows the help of what is there; a command that does not exist is refused, whether or not its help is asked for.
    const isRefused = given.some(isHelpFlag) && !namesCommands(given, Completions.fromCommand(root))
    const args = isRefused ? given.filter(word => !isHelpFlag(word)) : given
    const report = reportFailure(screens.stderr, isForMachines)
    const reportBeside = reportFailure(screens.stderr, false)
    return yield* Command.runWith(root, { version: VERSION })(args).pipe(
      Effect.catchDefect(defect => {
        const message = explainMissingModule(defect)
        return message === null ? Effect.die(defect) : failed(message)
      }),
      Effect.tapError(error =>
        isSaid(error)
          ? Effect.void
          : (error instanceof CommandEnded && error.hasAnswered === true ? reportBeside : report)(
              describeFailure(error),
            ),
      ),
      Effect.tapDefect(defect => (isForMachines ? report(describeFailure(defect)) : Effect.void)),
      Effect.provide(printWith(screens, report)),
      Effect.provideService(Stdout, screens.stdout),
    )
  })

const HELP_FLAGS = ["--help", "-h"]
const isHelpFlag = (word: string): boolean => HELP_FLAGS.includes(word)

/** `help COMMAND` is another way to write `COMMAND --help`. */
function readHelp(given: readonly string[]): readonly string[] {
  if (given[0] !== "help") return given
  const words = given.slice(1).filter(word => !isHelpFlag(word))
  return [...(words[0] === "help" ? words.slice(1) : words), "--help"]
}

/** Says whether arguments name no command that does not exist, up to the first flag. */
function namesCommands([name = "-", ...rest]: readonly string[], root: Completions.CommandDescriptor): boolean {
  if (root.subcommands.length === 0 || name.startsWith("-")) return true
  const named = root.subcommands.find(command => command.name === name)
  return named !== undefined && namesCommands(rest, named)
}

// The presenter prints what the parser refused; what has changed is the answer, which is printed already.
const isSaid = (error: unknown): boolean =>
  CliError.isCliError(error) ? error._tag === "ShowHelp" : error instanceof CommandEnded && error.exitCode === 3

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
  const text = wrapText(escapeControls(lines.join("\n")), screen.columns, "  ")
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

function wrapHelp(help: string, columns: number | null): string {
  if (columns === null) return help
  return help
    .split("\n")
    .flatMap(line => {
      const [explained = ""] = /^\s+\S(?:\s?\S)*\s{2,}(?=\S)/.exec(line) ?? []
      if (explained === "") return wrapLine(line, columns)
      const name = explained.trimEnd()
      const indent = Math.min(measureColumns(explained), MOST_INDENT)
      const room = indent - measureColumns(name)
      const parts = wrapLine(line.slice(explained.length), columns - indent)
      const below = parts.map(part => " ".repeat(indent) + part)
      return room < 2 ? [name, ...below] : [name + " ".repeat(room) + (parts[0] ?? ""), ...below.slice(1)]
    })
    .join("\n")
}

// `landfall --completions bash`: what a shell offers while a command is typed. Effect's own scripts know commands, flags and values to choose from;
// here arguments that are countries also complete to codes and English names, and those that are files to files. All of it is in the script, so
// that no process is started for each key.

const COUNTRIES: ReadonlySet<string> = new Set([
  "passport",
  "passport1",
  "passport2",
  "passports",
  "destination",
  "destinations",
  "text",
])
const FILES: ReadonlySet<string> = new Set(["file", "before", "after"])
const FILE_FLAGS: ReadonlySet<string> = new Set(["dataset", "output", "state", "before"])

function complete(
  descriptor: Completions.CommandDescriptor,
  countries: readonly string[],
): Completions.CommandDescriptor {
  return {
    ...descriptor,
    arguments: descriptor.arguments.map(argument => ({ ...argument, type: typeOf(argument, countries) })),
    flags: descriptor.flags.map(flag => {
      if (flag.type._tag !== "String") return flag
      if (flag.name === "lang") return { ...flag, type: { _tag: "Choice", values: LANGUAGES } as const }
      if (flag.name === "data") return { ...flag, type: { _tag: "Path", pathType: "directory" } as const }
      return FILE_FLAGS.has(flag.name) ? { ...flag, type: { _tag: "Path", pathType: "file" } as const } : flag
    }),
    subcommands: descriptor.subcommands.map(command => complete(command, countries)),
  }
}

/** `help` before a command, which the parser does not know: it completes to the commands alone. */
const describeHelp = (descriptor: Completions.CommandDescriptor): Completions.CommandDescriptor => ({
  ...descriptor,
  flags: [],
  arguments: [],
  subcommands: descriptor.subcommands.map(describeHelp),
})

function typeOf(
  { name, type }: Completions.ArgumentDescriptor,
  countries: readonly string[],
): Completions.ArgumentType {
  if (type._tag !== "String") return type
  if (COUNTRIES.has(name)) return { _tag: "Choice", values: countries }
  return FILES.has(name) ? { _tag: "Path", pathType: "file" } : type
}

// The flag that replaces Effect's own.
const completions: typeof GlobalFlag.Completions = GlobalFlag.Action({
  flag: GlobalFlag.Completions.flag,
  run: Effect.fnUntraced(function* (shell, { command }) {
    if (Option.isNone(shell)) return
    const { codes, nameOf } = yield* Effect.promise(() => openFinder())
    const cased = codes.flatMap(code => [code, nameOf(code)])
    const countries = [...cased, ...cased.map(word => word.toLowerCase())]
    const root = Completions.fromCommand(command)
    const help = { ...describeHelp(root), name: "help", description: "What a command does, and its flags" }
    const descriptor = complete({ ...root, subcommands: [...root.subcommands, help] }, countries)
    yield* Console.log(Completions.generate(command.name, shell.value, descriptor))
  }),
})

const builtIns = [GlobalFlag.Help, GlobalFlag.Version, completions] as const
