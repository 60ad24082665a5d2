/**
 * `landfall --completions bash`: what a shell offers while a command is typed.
 *
 * Effect's own scripts know commands, flags and values to choose from; here arguments that are countries also complete to codes
 * and English names, lists of them after each comma too, and those that are files to files. All of it is in the script, so that no process is started for each key.
 */
import { Console, Effect, Option } from "effect"
import { Completions, GlobalFlag } from "effect/cli"
import { LANGUAGES } from "../../src/full.ts"
import { openFinder } from "./find-code.ts"

const COUNTRIES: ReadonlySet<string> = new Set(["passport", "passport1", "passport2", "destination", "text"])
const LISTS: ReadonlySet<string> = new Set(["passports", "destinations"])
/** The first value of a list, by which its line is found in a script; no country has this name. */
const LIST_MARK = ","
const FILES: ReadonlySet<string> = new Set(["file", "before", "after"])
const FILE_FLAGS: ReadonlySet<string> = new Set(["dataset", "output", "state", "before"])

function complete(
  descriptor: Completions.CommandDescriptor,
  countries: readonly string[],
  lists: readonly string[],
): Completions.CommandDescriptor {
  return {
    ...descriptor,
    arguments: descriptor.arguments.map(argument => ({ ...argument, type: typeOf(argument, countries, lists) })),
    flags: descriptor.flags.map(flag => {
      if (flag.type._tag !== "String") return flag
      if (flag.name === "lang") return { ...flag, type: { _tag: "Choice", values: LANGUAGES } as const }
      if (flag.name === "data") return { ...flag, type: { _tag: "Path", pathType: "directory" } as const }
      return FILE_FLAGS.has(flag.name) ? { ...flag, type: { _tag: "Path", pathType: "file" } as const } : flag
    }),
    subcommands: descriptor.subcommands.map(command => complete(command, countries, lists)),
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
  lists: readonly string[],
): Completions.ArgumentType {
  if (type._tag !== "String") return type
  if (LISTS.has(name)) return { _tag: "Choice", values: lists }
  if (COUNTRIES.has(name)) return { _tag: "Choice", values: countries }
  return FILES.has(name) ? { _tag: "Path", pathType: "file" } : type
}

const BASH_LIST = `_landfall--list()
{
  local _cur="$1" _word="$2" _before=""; shift 2
  [[ "$_cur" == *,* ]] && _before="\${_cur%,*},"
  _before=\${_before//\\\\/}; _before=\${_before//\\"/}; _before=\${_before//\\'/}
  local _choices=("$@")
  _landfall--choices "$_cur" "$_word" "\${_choices[@]/#/"$_before"}"
  COMPREPLY=("\${COMPREPLY[@]//\\\\,/,}")
}

`

const FISH_LIST = `function __landfall_list
    set -l before (string match -r -- '^.*,' (commandline -ct)); or set before ''
    printf '%s\\n' $before$argv
end

`

/** Makes a script complete the part of a list after the last comma. */
function completeLists(script: string, shell: string): string {
  if (shell === "bash") {
    const lines = script.replaceAll(
      `_landfall--choices "$cur" "$_comp_word" '${LIST_MARK}' `,
      '_landfall--list "$cur" "$_comp_word" ',
    )
    return lines.replace(/^_landfall\(\)$/m, () => `${BASH_LIST}_landfall()`)
  }
  if (shell === "zsh") return script.replace(/:\(, (.*)\)'/g, (_, countries) => `:_sequence compadd - ${countries}'`)
  if (shell === "fish")
    return (
      FISH_LIST + script.replace(/ -a ', (.*?)'(?= |$)/gm, (_, countries) => ` -a '(__landfall_list ${countries})'`)
    )
  return script
}

/** The flag that replaces Effect's own. */
export const completions: typeof GlobalFlag.Completions = GlobalFlag.Action({
  flag: GlobalFlag.Completions.flag,
  run: Effect.fnUntraced(function* (shell, { command }) {
    if (Option.isNone(shell)) return
    const { codes, nameOf } = yield* Effect.promise(() => openFinder())
    const cased = codes.flatMap(code => [code, nameOf(code)])
    const countries = [...cased, ...cased.map(word => word.toLowerCase())]
    // PowerShell completes behind a comma by itself: there it begins another argument.
    const lists = shell.value === "powershell" ? countries : [LIST_MARK, ...countries]
    const root = Completions.fromCommand(command)
    const help = { ...describeHelp(root), name: "help", description: "What a command does, and its flags" }
    const descriptor = complete({ ...root, subcommands: [...root.subcommands, help] }, countries, lists)
    yield* Console.log(completeLists(Completions.generate(command.name, shell.value, descriptor), shell.value))
  }),
})
