/**
 * What does `landfall` do with its arguments?
 *
 * It finds the command that they name, runs it, and says how it ended. Arguments, streams and the environment are given, so that the same commands
 * run as a process (`main.ts`) and inside another program.
 */
import { VERSION } from "../settings/package-version.ts"
import {
  GLOBAL,
  listSimilar,
  listTaken,
  type Running,
  runRow,
  type Surroundings,
  type Takes,
  writeUsage,
} from "./command.ts"
import { GROUPS, isService, listParts, loadRow, sayShort } from "./commands.ts"
import { CommandEnded, describeFailure, explainMissingModule, failed, wrong } from "./failure.ts"
import { type Block, listFlags, paint, points, table, wrapText, writeBlocks } from "./print.ts"

const EXIT_CODES = [
  ["0", "done"],
  ["1", "failed: the command could not do its work, or nothing is recorded"],
  ["2", "called wrongly: an invalid value, name, flag or command"],
  ["3", "only landfall watch: something has changed"],
  ["4", "the database is of another version: see landfall migrate"],
]

/** The exit codes of a command that a signal has ended, as a shell has them: 128 and the signal's number. */
const SIGNAL_CODES: Readonly<Record<string, number>> = { SIGHUP: 129, SIGINT: 130, SIGQUIT: 131, SIGTERM: 143 }

/**
 * Runs the command that arguments name; returns its exit code. A signal that interrupted work has its own code, but none if it stopped a service,
 * which runs until it is stopped.
 */
export async function landfall(given: readonly string[], at: Surroundings): Promise<number> {
  const endings: (() => unknown)[] = []
  const args = given[0] === "help" ? [...given.slice(given[1] === "help" ? 2 : 1), "--help"] : given
  const { signal } = at
  try {
    const stopped = new Promise<void>(resolve => signal.addEventListener("abort", () => resolve(), { once: true }))
    await Promise.race([answer(args, { ...at, onEnd: work => endings.push(work) }), stopped])
    if (!signal.aborted) return 0
  } catch (thrown) {
    return report(thrown, listFlags(args).includes("--json"), at)
  } finally {
    for (const end of endings.reverse()) await end()
  }
  return isService(args) ? 0 : (SIGNAL_CODES[String(signal.reason)] ?? 0)
}

async function answer(args: readonly string[], at: Running): Promise<void> {
  const flags = listFlags(args)
  const isAsked = (flag: keyof typeof GLOBAL, short: string = flag) =>
    flags.some(each => each === `--${flag}` || each === `-${short}` || each.startsWith(`--${flag}=`))
  if (isAsked("version", "v")) return at.console.log(`landfall v${VERSION}`)
  if (isAsked("completions")) {
    const words = args.flatMap(arg => arg.split("="))
    const { writeCompletions } = await import("./completions.ts")
    return at.console.log(await writeCompletions(words[words.indexOf("--completions") + 1]))
  }
  const { path, rest } = readPath(args)
  const parts = listParts(path)
  const isHelp = isAsked("help", "h")
  if (parts.length === 0 && !isHelp) return runRow(await loadRow(path), rest, at)
  const help = parts.length === 0 ? await describeRow(path) : describeParts(path)
  const screen = isHelp ? at.stdout : at.stderr
  const text = writeBlocks(
    screen,
    help.flatMap(({ title, blocks }) => [paint(screen, "bold", title), ...blocks, ""]).slice(0, -1),
  )
  if (isHelp) return at.console.log(text)
  at.console.error(text)
  throw new CommandEnded("", 2)
}

/** Finds the command that words name, and the words that follow; a name that no command has ends with 2. */
function readPath(args: readonly string[], above = ""): { readonly path: string; readonly rest: readonly string[] } {
  const parts = listParts(above)
  const place = args.findIndex(word => !word.startsWith("-"))
  const name = args[place]
  if (parts.length === 0 || name === undefined) return { path: above, rest: args }
  const rest = args.toSpliced(place, 1)
  if (parts.includes(name)) return readPath(rest, above === "" ? name : `${above} ${name}`)
  const command = above === "" ? "landfall" : `landfall ${above}`
  const details = { code: "unknown_command", given: name, didYouMean: listSimilar(name, parts) } as const
  throw wrong(`${JSON.stringify(name)} is not a command of ${command}.`, { ...details, usage: `${command} COMMAND` })
}

/** Prints a failure: for machines a record on stdout, for people a sentence on stderr, because stdout is for answers only; returns the exit code. */
function report(thrown: unknown, isForMachines: boolean, { console, stderr }: Surroundings): number {
  const missing = explainMissingModule(thrown)
  const ended = missing === null ? thrown : failed(missing)
  const failure = describeFailure(ended)
  const { message, did_you_mean, usage, exit_code } = failure
  const details = ended instanceof CommandEnded ? ended.details : null
  // What has changed is the answer, and help is too: they are printed already.
  if (exit_code === 3 || message === "") return exit_code
  if (isForMachines && details?.hasAnswered !== true) console.log(JSON.stringify({ error: failure }, null, 2))
  if (details === null) console.error(ended instanceof Error ? ended.stack : String(ended))
  if (details === null || (isForMachines && details.hasAnswered !== true)) return exit_code
  const isNamed = did_you_mean.every(meant => message.includes(typeof meant === "string" ? meant : meant.code))
  const meant = did_you_mean.map(each => (typeof each === "string" ? each : `${each.code} (${each.name})`))
  const lines = [
    ...message.split("\n").map(line => `  ${line}`),
    ...(isNamed ? [] : [`  Is ${meant.join(", ")} meant?`]),
    ...(usage === null ? [] : [`Usage: ${usage}`]),
  ]
  const text = wrapText(escapeControls(lines.join("\n")), stderr.columns, "  ")
  console.error(`\n${paint(stderr, "red", "ERROR")}\n${text}`)
  return exit_code
}

// The message repeats what was given, which may hold control characters for the terminal.
const escapeControls = (text: string): string =>
  text.replace(/[^\P{Cc}\n]/gu, character => `\\x${character.charCodeAt(0).toString(16).padStart(2, "0")}`)

interface Section {
  readonly title: string
  readonly blocks: readonly Block[]
}

/** Terms with their explanations, indented. */
const list = (title: string, rows: readonly (readonly string[])[]): readonly Section[] =>
  rows.length === 0
    ? []
    : [
        {
          title,
          blocks: [
            table(
              [],
              rows.map(row => ["", ...row]),
            ),
          ],
        },
      ]

const say = (title: string, text: string): Section => ({ title, blocks: [points(text.replace(/^(?=.)/gm, "  "))] })

const listFlagsOf = (title: string, takes: Takes) =>
  list(
    title,
    listTaken(takes)
      .filter(({ kind }) => !kind.isArgument)
      .map(({ name, kind: { alias, metavar = "", help } }) => [
        `--${name}${alias === undefined ? "" : `, -${alias}`} ${metavar}`.trimEnd(),
        help,
      ]),
  )

const ENDING = [...listFlagsOf("GLOBAL FLAGS", GLOBAL), ...list("EXIT CODES", EXIT_CODES)]

/** Describes a command. */
async function describeRow(path: string): Promise<readonly Section[]> {
  const row = await loadRow(path)
  const described = listTaken(row.takes).filter(({ kind }) => kind.isArgument)
  const examples = Object.entries(row.examples).map(([line, what]) => `# ${what}\n${line}`)
  return [
    say("DESCRIPTION", row.about ?? sayShort(path)),
    say("USAGE", writeUsage(row)),
    ...list(
      "ARGUMENTS",
      described.map(({ name, kind }) => [name.toUpperCase(), kind.help]),
    ),
    ...listFlagsOf("FLAGS", row.takes),
    say("EXAMPLES", examples.join("\n\n")),
    ...ENDING,
  ]
}

/** Describes the commands below a name, or all of them under their headings. */
function describeParts(path: string): readonly Section[] {
  const describe = (names: readonly string[]) =>
    names.map(name => [name, sayShort(path === "" ? name : `${path} ${name}`)])
  const isAbove = (name: string) => !name.includes(" ")
  return [
    say(
      "DESCRIPTION",
      path === "" ? "Visa rules, offline: what a passport's holder needs to enter a country" : sayShort(path),
    ),
    say("USAGE", `${["landfall", path].join(" ").trimEnd()} COMMAND …`),
    ...(path === ""
      ? Object.entries(GROUPS).flatMap(([group, rows]) =>
          list(`${group}:`, describe(Object.keys(rows).filter(isAbove))),
        )
      : list("COMMANDS", describe(listParts(path)))),
    ...ENDING,
  ]
}
