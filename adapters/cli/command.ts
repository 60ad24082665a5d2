/**
 * What is a command?
 *
 * One value: its description, its usage, its arguments and flags, and its action. A call that the command refuses ends with 2 and the line
 * of its usage, which is added here, so that checks do not pass it along. Everything that a command opens is closed when it ends.
 */
import { Effect, type Scope } from "effect"
import { Command } from "effect/cli"
import { switchFlag } from "./command-outcome.ts"
import { CalledWrongly } from "./failure.ts"

/** The `--help` of a command, and its usage. */
interface Words {
  readonly about: string
  /** Its line in the list of all commands, where `about` is too long for one. */
  readonly short?: string
  /** The usage, for wrong calls; a command that refuses nothing itself needs none. */
  readonly usage?: string
  /** Command lines, each with its description. */
  readonly examples: Readonly<Record<string, string>>
}

type ErrorOf<Step> = [Step] extends [Effect.Effect<infer _A, infer E, infer _R>] ? E : never
type NeedsOf<Step> = [Step] extends [Effect.Effect<infer _A, infer _E, infer R>] ? R : never

/** Makes a command that runs something and prints no record: a service, or the raw text of something. */
export const makePlainCommand = <
  const Name extends string,
  const Takes extends Command.Command.Config,
  Step extends Effect.Effect<unknown, unknown, unknown>,
>(
  name: Name,
  command: Words & {
    readonly takes: Takes
    run(given: Command.Command.Config.Infer<Takes>): Generator<Step, unknown, never>
  },
): Command.Command<
  Name,
  Command.Command.Config.Infer<Takes>,
  object,
  ErrorOf<Step>,
  Exclude<NeedsOf<Step>, Scope.Scope>
> => {
  const { about, short = about, usage, examples, takes, run } = command
  // Asserted: the compiler does not see that the steps of a generator are those that `Effect.gen` reads.
  return Command.make(name, takes, given =>
    Effect.gen(() => run(given)).pipe(Effect.scoped, Effect.mapError(addUsage(usage))),
  ).pipe(
    Command.withDescription(about),
    Command.withShortDescription(short),
    Command.withExamples(Object.entries(examples).map(([line, description]) => ({ command: line, description }))),
  ) as never
}

/** Makes a command that prints a record too, with `--json`, which is the last of its flags. */
export const makeCommand = <
  const Name extends string,
  const Takes extends Command.Command.Config,
  Step extends Effect.Effect<unknown, unknown, unknown>,
>(
  name: Name,
  command: Words & {
    readonly takes: Takes
    run(given: Command.Command.Config.Infer<Takes & typeof PRINTS>): Generator<Step, unknown, never>
  },
) => makePlainCommand(name, { ...command, takes: { ...command.takes, ...PRINTS } })

const PRINTS = { json: switchFlag("json", "Print JSON for machines instead of text for people") }

const addUsage = (usage: string | undefined) => (error: unknown) =>
  error instanceof CalledWrongly && usage !== undefined
    ? new CalledWrongly({ ...error, message: error.message, usage })
    : error
