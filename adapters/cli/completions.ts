/**
 * `landfall --completions bash`: what a shell offers while a command is typed.
 *
 * Effect's scripts know commands, flags and values to choose from; here arguments that are countries also complete to codes and English names, and
 * those that are files to files. All of it is in the script, so that no process is started for each key.
 */
import { Completions } from "effect/cli"
import { LANGUAGES } from "../../src/full.ts"
import { GLOBAL, type Kind, listTaken, type Takes } from "./command.ts"
import { listParts, loadRow, sayShort } from "./commands.ts"
import { refuseWord } from "./failure.ts"
import { openFinder } from "./find-code.ts"

const SHELLS = ["bash", "zsh", "fish", "powershell"] as const

const COUNTRIES: ReadonlySet<string> = new Set([
  "passport",
  "passport1",
  "passport2",
  "passports",
  "destination",
  "destinations",
  "text",
])
const FILES: ReadonlySet<string> = new Set(["file", "before", "after", "dataset", "output", "state"])

/** Writes the script of a shell. */
export async function writeCompletions(named = ""): Promise<string> {
  const shell = SHELLS.find(each => each === named)
  if (shell === undefined) throw refuseWord("--completions", named, SHELLS)
  const { codes, nameOf } = await openFinder()
  const cased = codes.flatMap(code => [code, nameOf(code)])
  const countries = [...cased, ...cased.map(word => word.toLowerCase())]
  const root = await describe("", countries)
  const help = { ...describeHelp(root), name: "help", description: "What a command does, and its flags" }
  return Completions.generate("landfall", shell, { ...root, subcommands: [...root.subcommands, help] })
}

async function describe(path: string, countries: readonly string[]): Promise<Completions.CommandDescriptor> {
  const parts = listParts(path)
  const takes: Takes = parts.length === 0 ? (await loadRow(path)).takes : {}
  const taken = listTaken({ ...takes, ...GLOBAL })
  const typeOf = ({ metavar, isArgument, words }: Kind<unknown>, name: string): Completions.ArgumentType => {
    if (words !== undefined) return { _tag: "Choice", values: words }
    if (name === "completions") return { _tag: "Choice", values: SHELLS }
    if (name === "lang") return { _tag: "Choice", values: LANGUAGES }
    if (name === "data") return { _tag: "Path", pathType: "directory" }
    if (isArgument && COUNTRIES.has(name)) return { _tag: "Choice", values: countries }
    if (FILES.has(name) && (isArgument || metavar === "FILE")) return { _tag: "Path", pathType: "file" }
    return { _tag: "String" }
  }
  return {
    name: path === "" ? "landfall" : path.slice(path.lastIndexOf(" ") + 1),
    description: sayShort(path),
    arguments: taken
      .filter(({ kind }) => kind.isArgument)
      .map(({ name, kind }) => ({
        name,
        description: kind.help,
        required: kind.isNeeded === true,
        variadic: kind.isSeveral === true,
        type: typeOf(kind, name),
      })),
    flags: taken
      .filter(({ kind }) => !kind.isArgument)
      .map(({ name, kind }) => ({
        name,
        aliases: kind.alias === undefined ? [] : [kind.alias],
        description: kind.help,
        type: kind.metavar === undefined ? ({ _tag: "Boolean" } as const) : typeOf(kind, name),
        negation: name === "color" ? undefined : (false as const),
      })),
    subcommands: await Promise.all(parts.map(part => describe(path === "" ? part : `${path} ${part}`, countries))),
  }
}

/** `help` before a command: it completes to the commands alone. */
const describeHelp = (descriptor: Completions.CommandDescriptor): Completions.CommandDescriptor => ({
  ...descriptor,
  flags: [],
  arguments: [],
  subcommands: descriptor.subcommands.map(describeHelp),
})
