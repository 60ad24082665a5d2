/**
 * What is a command?
 *
 * One row: its words, the arguments and flags that it takes, each with its kind, and its action, which returns an answer. How it is read, its help,
 * its usage, completions, `--json` and the printing follow. A call that the command refuses ends with 2 and the line of its usage, which is added
 * here, so that checks do not pass it along. Nothing here needs Effect, because most commands answer before it would be loaded.
 */
import { type ParseArgsConfig, parseArgs } from "node:util"
import type { Effect } from "effect"
import { distance } from "fastest-levenshtein"
import { CommandEnded, refuseWord, wrong } from "./failure.ts"
import { type Answer, type Screen, writeAnswer } from "./print.ts"

/** Reads a text that was given for a flag or an argument, which is called so in messages. */
export type Read<Value> = (given: string, called: string) => Value

/** The kind of an argument or a flag; its name is that of its field, in kebab-case. */
export interface Kind<out Value> {
  readonly help: string
  /** An argument has a place; a flag has a name. */
  readonly isArgument?: boolean
  /** How the value of a flag is called, and the form of several arguments; a flag without one is set or not. */
  readonly metavar?: string
  readonly alias?: string
  /** The words of which it is one, for completions. */
  readonly words?: readonly string[]
  /** Reads its value, or ends the command. */
  readonly read?: Read<unknown>
  readonly isNeeded?: boolean
  readonly isSeveral?: boolean
  /** The value of what is absent. */
  readonly absent?: unknown
  /** Never there: only for the compiler. */
  readonly value?: Value
}

// What a value is read as decides its type; a text where nothing reads it.
type AnyRead = Read<unknown>
type Text = Read<string>

/** An argument; a text, unless it is read as something else. */
export const argument = <By extends AnyRead = Text>(help: string, read?: By): Kind<ReturnType<By>> => ({
  help,
  isArgument: true,
  isNeeded: true,
  ...(read && { read }),
})

/** An argument that may be left out. */
export const optionalArgument = (help: string): Kind<string | undefined> => ({ help, isArgument: true })

/** An argument that is one of some words. */
export const choiceArgument = <const Word extends string>(words: readonly Word[]): Kind<Word> => ({
  ...argument(`One of ${words.join(", ")}`, readWord(words)),
  words,
})

/** All arguments from here on, each in a form such as FIELD=VALUE. */
export const restArguments = (metavar: string, help: string): Kind<readonly string[]> => ({
  help,
  isArgument: true,
  isSeveral: true,
  metavar,
})

/** A flag with a value, which may be left out; a text, unless it is read as something else. */
export const text = <By extends AnyRead = Text>(
  metavar: string,
  help: string,
  read?: By,
): Kind<ReturnType<By> | undefined> => ({ help, metavar, ...(read && { read }) })

/** A flag with a whole number, which may be left out. */
export const whole = (metavar: string, help: string, range?: Range) => text(metavar, help, wholeNumber(range))

/** A flag with one of some words, which may be left out. */
export const choice = <const Word extends string>(words: readonly Word[], help: string): Kind<Word | undefined> => ({
  ...text(words.join("|"), help, readWord(words)),
  words,
})

/** `-o FILE`: where something is written. */
export const output = (help: string, metavar = "FILE"): Kind<string | undefined> => ({ help, metavar, alias: "o" })

/** A flag with a value that is taken when it is absent. */
export const or = <Value>(
  { value: _, ...kind }: Kind<Value>,
  absent: NonNullable<Value>,
): Kind<NonNullable<Value>> => ({
  ...kind,
  absent,
})

/** A flag with a value, which has to be given. */
export const required = <By extends AnyRead = Text>(metavar: string, help: string, read?: By) =>
  ({ ...text(metavar, help, read), isNeeded: true }) as Kind<ReturnType<By>>

/** A flag with a value that may be given several times. */
export const several = <By extends AnyRead = Text>(metavar: string, help: string, atLeast: 0 | 1, read?: By) =>
  ({ ...text(metavar, help, read), isSeveral: true, isNeeded: atLeast === 1 }) as Kind<readonly ReturnType<By>[]>

/** A flag that is set or not. */
export const isSet = (help: string): Kind<boolean> => ({ help })

/** What a command takes, by the names of its arguments and flags. */
export type Takes = Readonly<Record<string, Kind<unknown>>>
export type Given<Taken extends Takes> = {
  readonly [Name in keyof Taken]: Taken[Name] extends Kind<infer Value> ? Value : never
}

/** The surroundings of a command: its streams, its variables, and what stops it. */
export interface Surroundings {
  readonly console: Pick<Console, "log" | "error">
  /** The width and the colours of the standard output and of the standard error. */
  readonly stdout: Screen
  readonly stderr: Screen
  readonly env: Readonly<Record<string, string | undefined>>
  /** The standard input, and what reads it whole. */
  readonly input: AsyncIterable<Uint8Array>
  readonly readInput: () => Uint8Array
  /** Aborted by the name of the signal that stops the command. */
  readonly signal: AbortSignal
  /** Gives effects services in place of the usual ones. */
  readonly provide?: <Value, Error>(work: Effect.Effect<Value, Error>) => Effect.Effect<Value, Error>
}

/** The surroundings of a command that runs. */
export interface Running extends Surroundings {
  /** Does something when the command has ended, however it did; the last that was added first. */
  readonly onEnd: (work: () => unknown) => void
}

/** The words of a command for its `--help`, besides its line in the table of all commands. */
export interface Words {
  /** What it does, where that line does not say all. */
  readonly about?: string
  /** Command lines, each with its description. */
  readonly examples: Readonly<Record<string, string>>
}

/** What a command returns, or a promise of it. A command that cannot go on throws how it ends. */
export type Returns<Value> = Value | Promise<Value>

/** A command. */
export interface Row extends Words {
  /** Its name, after those of the commands above it. */
  readonly path: string
  readonly takes: Takes
  run(given: never, at: Running): Returns<unknown>
}

/** Makes a command that prints everything itself: a service, or the raw text of something. */
export const makePlainCommand = <const Taken extends Takes>(
  path: string,
  command: Words & { readonly takes: Taken; run(given: Given<Taken>, at: Running): Returns<unknown> },
): Row => ({ path, ...command })

/** Makes a command that answers: it returns its answer, or prints it itself and returns nothing. `--json` is the last of its flags. */
export const makeCommand = <const Taken extends Takes>(
  path: string,
  command: Words & {
    readonly takes: Taken
    run(given: Given<Taken & typeof PRINTS>, at: Running): Returns<Answer | undefined>
  },
): Row => ({
  path,
  ...command,
  takes: { ...command.takes, ...PRINTS },
  async run(given: Given<Taken & typeof PRINTS>, at) {
    const answer = await command.run(given, at)
    if (answer !== undefined) printAnswer(at, answer, given.json as boolean)
  },
})

const PRINTS = { json: isSet("Print JSON for machines instead of text for people") }

/** Prints an answer. */
export function printAnswer({ console, stdout }: Running, answer: Answer, isForMachines: boolean): void {
  console.log(isForMachines ? JSON.stringify(answer.json, null, 2) : writeAnswer(stdout, answer))
}

/** A kind with its names: that of its field, and that of its flag or argument. */
export const listTaken = (takes: Takes) =>
  Object.entries(takes).map(([field, kind]) => ({
    field,
    kind,
    name: field.replace(/[A-Z]/g, letter => `-${letter.toLowerCase()}`),
  }))

/** Writes an argument or a flag as it stands in a usage. */
function writeTaken({ kind, name }: ReturnType<typeof listTaken>[number]): string {
  const { metavar, alias, isArgument, isSeveral, isNeeded, absent } = kind
  const value = `${metavar === undefined ? "" : ` ${metavar}`}${isSeveral ? " …" : ""}`
  const flag = alias === undefined ? `--${name}` : `-${alias}`
  const written = isArgument ? value.trimStart() || name.toUpperCase() : `${flag}${value}`
  return isNeeded && absent === undefined ? written : `[${written}]`
}

/** The line that says how to call a command. */
export const writeUsage = ({ path, takes }: Row): string =>
  ["landfall", path, ...listTaken(takes).map(writeTaken)].join(" ")

/** The flags of every command. */
export const GLOBAL = {
  help: { ...isSet("Show this help"), alias: "h" },
  version: { ...isSet("Show the version"), alias: "v" },
  completions: text("bash|zsh|fish|powershell", "Print what completes commands in a shell"),
  color: isSet("Colours, or none with --no-color, regardless of the terminal, NO_COLOR, FORCE_COLOR and TERM"),
} as const satisfies Takes

/** Runs a command with the words that follow its name. */
export async function runRow(row: Row, words: readonly string[], at: Running): Promise<void> {
  try {
    await row.run(readGiven(row, words) as never, at)
  } catch (thrown) {
    if (!(thrown instanceof CommandEnded) || thrown.exitCode !== 2) throw thrown
    throw new CommandEnded(thrown.message, 2, { ...thrown.details, usage: writeUsage(row) })
  }
}

/** Reads arguments and flags; anything wrong ends with 2. */
function readGiven({ path, takes }: Row, words: readonly string[]): Readonly<Record<string, unknown>> {
  const taken = listTaken(takes)
  const flags = taken.filter(({ kind }) => !kind.isArgument)
  const options: ParseArgsConfig["options"] = {}
  for (const { name, kind } of flags) {
    const type = kind.metavar === undefined ? "boolean" : "string"
    options[name] = { type, multiple: true, ...(kind.alias === undefined ? {} : { short: kind.alias }) }
  }
  const { tokens } = parseArgs({ args: [...words], options, strict: false, allowPositionals: true, tokens: true })
  const places: string[] = []
  const given = new Map<string, (string | boolean)[]>()
  for (const token of tokens) {
    if (token.kind === "positional") places.push(token.value)
    if (token.kind !== "option" || /^(?:no-)?color$/.test(token.name)) continue
    const { name, rawName: flag, value, inlineValue } = token
    const kind = flags.find(each => each.name === name)?.kind
    if (kind === undefined) {
      const known = [...flags.map(each => `--${each.name}`), "--help"]
      const details = { code: "unknown_flag", given: flag, didYouMean: listSimilar(flag, known) } as const
      throw wrong(`${flag} is not a flag of landfall ${path}.`, details)
    }
    const isMissing = value === undefined || (!inlineValue && /^-[^\d]/.test(value))
    if (kind.metavar === undefined ? value !== undefined : isMissing) {
      const expected = kind.metavar === undefined ? "no value" : `a value, ${kind.metavar},`
      throw wrong(`${flag}: ${expected} is expected.`, { field: flag, expected })
    }
    given.set(name, [...(given.get(name) ?? []), value ?? true])
  }
  const values: Record<string, unknown> = {}
  for (const { field, kind, name } of taken) {
    const { isArgument, isSeveral, isNeeded, metavar } = kind
    const found = isArgument ? places.splice(0, isSeveral ? places.length : 1) : (given.get(name) ?? [])
    const called = isArgument ? name : `--${name}`
    if (found.length === 0 && isNeeded && kind.absent === undefined) {
      throw wrong(`${called} is missing.`, { code: isArgument ? "missing_argument" : "missing_flag", field: called })
    }
    if (found.length > 1 && !isSeveral) throw wrong(`${called} is given twice.`, { field: called })
    const read = found.map(each => (typeof each === "string" && kind.read ? kind.read(each, called) : each))
    values[field] = isSeveral
      ? read
      : (read[0] ?? kind.absent ?? (metavar === undefined && !isArgument ? false : undefined))
  }
  const [surplus] = places
  if (surplus === undefined) return values
  throw wrong(`${JSON.stringify(surplus)} is one argument too many.`, {
    code: "unexpected_argument",
    given: places.join(" "),
  })
}

/** The least and the most that a number may be. */
type Range = readonly [least: number, most: number]

/** Reads a whole number. */
export const wholeNumber =
  (range?: Range): Read<number> =>
  (given, field) => {
    const [least, most] = range ?? [Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER]
    const number = /^[+-]?\d+$/.test(given) ? Number(given) : null
    if (number !== null && number >= least && number <= most) return number
    const expected = `a whole number${range === undefined ? "" : ` from ${least} to ${most}`}`
    throw wrong(`${field}: ${expected} is expected, not ${JSON.stringify(number ?? given)}.`, {
      field,
      given,
      expected,
    })
  }

const readWord =
  <const Word extends string>(words: readonly Word[]): Read<Word> =>
  (given, called) => {
    const word = words.find(each => each === given)
    if (word === undefined) throw refuseWord(called, given, words)
    return word
  }

/** Reads a list of some words, separated by commas. */
export const readWords =
  <const Word extends string>(words: readonly Word[]): Read<readonly Word[]> =>
  (given, called) =>
    given.split(",").map(word => readWord(words)(word.trim(), called))

/** Words that differ from a given one in few letters, the likeliest first. */
export function listSimilar(given: string, words: readonly string[]): readonly string[] {
  const found = words.map(word => ({ word, edits: distance(given, word) }))
  return found
    .filter(({ edits }) => edits <= 2)
    .sort((a, b) => a.edits - b.edits)
    .map(({ word }) => word)
}
