/**
 * What is a command?
 *
 * One row: its words, the arguments and flags that it takes, each with its kind, and its action, which returns an answer. Its help, its usage, completions,
 * `--json` and the printing follow. A call that the command refuses ends with 2 and the line of its usage, which is added here, so that checks do
 * not pass it along. Everything that a command opens is closed when it ends.
 */
import { Console, Context, Effect, Option, type Scope } from "effect"
import { Argument, Command, Flag, type Param } from "effect/cli"
import { CommandEnded } from "./failure.ts"
import { type Answer, NO_SCREEN, type Screen, writeBlocks } from "./print.ts"

/** The kind of an argument or a flag; its name is that of its field, in kebab-case. */
export interface Kind<out Value> {
  readonly make: (name: string) => Param.Param<Param.ParamKind, Value>
  /** How it is written in a usage. */
  readonly write: (name: string) => string
}

/** An argument that is a text. */
export const argument = (help: string): Kind<string> => ({
  make: name => Argument.String(name).pipe(Argument.withDescription(help)),
  write: name => name.toUpperCase(),
})

/** An argument that may be left out. */
export const optionalArgument = (help: string): Kind<string | undefined> => ({
  make: name =>
    Argument.String(name).pipe(
      Argument.withDescription(help),
      Argument.optional,
      Argument.map(Option.getOrUndefined<string>),
    ),
  write: name => `[${name.toUpperCase()}]`,
})

/** An argument that is a whole number. */
export const wholeArgument = (help: string): Kind<number> => ({
  make: name => Argument.Int(name).pipe(Argument.withDescription(help)),
  write: name => name.toUpperCase(),
})

/** An argument that is one of some words. */
export const choiceArgument = <const Word extends string>(words: readonly Word[]): Kind<Word> => ({
  make: name => Argument.Literals(name, words),
  write: name => name.toUpperCase(),
})

/** All arguments from here on, each in a form such as FIELD=VALUE. */
export const restArguments = (form: string, help: string): Kind<readonly string[]> => ({
  make: name => Argument.String(name).pipe(Argument.withDescription(help), Argument.variadic()),
  write: () => `[${form} …]`,
})

const openText = (metavar: string) => (name: string) => Flag.String(name).pipe(Flag.withMetavar(metavar))

// A flag that may be left out; the first function opens one of its kind.
const optionalFlag = <Value>(
  open: (name: string) => Flag.Flag<Value>,
  metavar: string,
  help: string,
): Kind<Value | undefined> => ({
  make: name => open(name).pipe(Flag.withDescription(help), Flag.optional, Flag.map(Option.getOrUndefined<Value>)),
  write: name => `[--${name} ${metavar}]`,
})

/** A flag with a text, which may be left out. */
export const text = (metavar: string, help: string) => optionalFlag(openText(metavar), metavar, help)

/** A flag with a whole number, which may be left out. */
export const whole = (metavar: string, help: string) =>
  optionalFlag(name => Flag.Int(name).pipe(Flag.withMetavar(metavar)), metavar, help)

/** A flag with one of some words, which may be left out. */
export const choice = <const Word extends string>(words: readonly Word[], help: string) =>
  optionalFlag(name => Flag.Literals(name, words), words.join("|"), help)

/** `-o FILE`: where something is written. */
export const output = (help: string, metavar = "FILE") => ({
  ...optionalFlag(name => openText(metavar)(name).pipe(Flag.withAlias("o")), metavar, help),
  write: () => `[-o ${metavar}]`,
})

/** A flag with a value that is taken when it is absent. */
export const or = <Value>({ make, write }: Kind<Value>, absent: NonNullable<Value>): Kind<NonNullable<Value>> => ({
  make: name => Flag.map(make(name) as Flag.Flag<Value>, given => given ?? absent),
  write,
})

/** A flag with a text, which has to be given. */
export const required = (metavar: string, help: string): Kind<string> => ({
  make: name => openText(metavar)(name).pipe(Flag.withDescription(help)),
  write: name => `--${name} ${metavar}`,
})

/** A flag with a text that may be given several times. */
export const several = (metavar: string, help: string, atLeast: 0 | 1): Kind<readonly string[]> => ({
  make: name => openText(metavar)(name).pipe(Flag.withDescription(help), Flag.atLeast(atLeast)),
  write: name => (atLeast === 0 ? `[--${name} ${metavar} …]` : `--${name} ${metavar} …`),
})

/** A flag that is set or not. */
export const isSet = (help: string): Kind<boolean> => ({
  make: name => Flag.Boolean(name).pipe(Flag.withDescription(help), Flag.withDefault(false)),
  write: name => `[--${name}]`,
})

/** What a command takes, by the names of its arguments and flags. */
export type Takes = Readonly<Record<string, Kind<unknown>>>
export type Given<Taken extends Takes> = {
  readonly [Name in keyof Taken]: Taken[Name] extends Kind<infer Value> ? Value : never
}

/** The words of a command for its `--help`, besides its line in the table of all commands. */
export interface Words {
  /** What it does, where that line does not say all. */
  readonly about?: string
  /** Command lines, each with its description. */
  readonly examples: Readonly<Record<string, string>>
}

/** What a command does, with the services of every process. A command that cannot go on throws how it ends, or yields that as a failure. */
export type Steps<Returned> = Generator<
  Effect.Effect<unknown, unknown, Command.Environment | Scope.Scope>,
  Returned,
  unknown
>

/** A command. */
export interface Row extends Words {
  /** Its name, after those of the commands above it. */
  readonly path: string
  readonly takes: Takes
  run(given: never): Steps<unknown>
}

/** Makes a command that prints everything itself: a service, or the raw text of something. */
export const makePlainCommand = <const Taken extends Takes>(
  path: string,
  command: Words & { readonly takes: Taken; run(given: Given<Taken>): Steps<unknown> },
): Row => ({ path, ...command })

/** Makes a command that answers: it returns its answer, or prints it itself and returns nothing. `--json` is the last of its flags. */
export const makeCommand = <const Taken extends Takes>(
  path: string,
  command: Words & {
    readonly takes: Taken
    run(given: Given<Taken & typeof PRINTS>): Steps<Answer | undefined> | Answer
  },
): Row => ({
  path,
  ...command,
  takes: { ...command.takes, ...PRINTS },
  *run(given: Given<Taken & typeof PRINTS>) {
    const steps = command.run(given)
    const answer = "json" in steps ? steps : yield* steps
    if (answer !== undefined) yield* printAnswer(answer, given.json as boolean)
  },
})

const PRINTS = { json: isSet("Print JSON for machines instead of text for people") }

/** The width and the colours of the standard output. */
export const Stdout = Context.Reference<Screen>("landfall/cli/Stdout", { defaultValue: () => NO_SCREEN })

export const printJson = (value: unknown) => Console.log(JSON.stringify(value, null, 2))

/** Prints an answer. */
export const printAnswer = ({ json, text }: Answer, isForMachines: boolean) => {
  if (isForMachines) return printJson(json)
  return text.length === 0 ? Effect.void : Effect.flatMap(Stdout, screen => Console.log(writeBlocks(screen, text)))
}

/** A command of the parser. */
// biome-ignore lint/suspicious/noExplicitAny: a command's type is exact in its name and input, which differ from one to the next.
export type Runnable = Command.Command<any, any, any, unknown, Command.Environment>

/** Makes the command of the parser; `short` is its line in the table of all commands. */
export function makeRunnable({ path, about, examples, takes, run }: Row, short: string): Runnable {
  const named = Object.entries(takes).map(([field, kind]) => [field, kind, toKebab(field)] as const)
  const usage = ["landfall", path, ...named.map(([, kind, name]) => kind.write(name))].join(" ")
  const params = Object.fromEntries(named.map(([field, kind, name]) => [field, kind.make(name)]))
  const end = (error: unknown) =>
    error instanceof CommandEnded && error.exitCode === 2
      ? new CommandEnded({ ...error, message: error.message, usage })
      : error
  return Command.make(path.slice(path.lastIndexOf(" ") + 1), params, given =>
    Effect.gen(() => run(given as never)).pipe(
      Effect.scoped,
      Effect.catchDefect(thrown => (thrown instanceof CommandEnded ? thrown : Effect.die(thrown))),
      Effect.mapError(end),
    ),
  ).pipe(
    Command.withDescription(about ?? short),
    Command.withShortDescription(short),
    Command.withExamples(Object.entries(examples).map(([line, description]) => ({ command: line, description }))),
  )
}

const toKebab = (name: string): string => name.replace(/[A-Z]/g, letter => `-${letter.toLowerCase()}`)
