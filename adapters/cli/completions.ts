/**
 * `landfall --completions bash`: what a shell offers while a command is typed.
 *
 * Effect's own scripts know commands, flags and values to choose from; here arguments that are countries also complete to codes
 * and English names, and those that are files to files. All of it is in the script, so that no process is started for each key.
 */
import { Console, Effect, Option } from "effect"
import { Completions, GlobalFlag } from "effect/cli"
import { LANGUAGES } from "../../src/full.ts"
import { openFinder } from "./find-code.ts"

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

/** The flag that replaces Effect's own. */
export const completions: typeof GlobalFlag.Completions = GlobalFlag.Action({
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
