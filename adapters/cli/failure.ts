/**
 * How does a command say that it failed?
 *
 * With an exit code: 1 where it could not do what was asked, 2 where it was called wrongly, 4 where the database is of another version. People read a sentence on
 * stderr, and how to call the command after a wrong call. Machines, with `--json`, read the same record from every command on
 * stdout, where answers are: `{"error": {code, message, field, given, expected, did_you_mean, usage, exit_code}}`, with null for
 * fields that do not apply.
 */
import { Cause, Data, Exit, Runtime } from "effect"
import { CliError } from "effect/cli"
import type { InputError } from "../../src/engine.ts"
import { toSnakeCase } from "../answers/wire-names.ts"

/** The kind of failure, for programs. */
export type FailureCode =
  /** A value has the wrong form, or is not one of those that are taken. */
  | "invalid_value"
  | "missing_argument"
  | "unexpected_argument"
  | "missing_flag"
  | "unknown_flag"
  | "unknown_command"
  /** A name or a code is not a country's. */
  | "unknown_country"
  /** A name may mean several countries. */
  | "ambiguous_country"
  /** The dataset has no record of the pair, which does not mean that nothing is needed. */
  | "no_record"
  /** Something that was named, such as an account, does not exist. */
  | "not_found"
  /** The database has the tables of another version of the program. */
  | "other_version"
  /** The request could not be done, for the reason in the message. */
  | "failed"
  /** A mistake of the program itself. */
  | "internal"

/** Something that may have been meant. */
type Suggestion = string | { readonly code: string; readonly name: string }

/** The details of a failure besides its message. */
export interface FailureDetails {
  readonly code?: FailureCode
  /** The argument, flag or field of a file that is wrong. */
  readonly field?: string
  readonly given?: unknown
  readonly expected?: string
  readonly didYouMean?: readonly Suggestion[]
  /** The standard output has an answer already, so the failure is not printed there for machines. */
  readonly hasAnswered?: boolean
}

/** Ends a command: with 1 where it could not do what was asked, 2 where it was called wrongly, 3 where watched data have changed, which is a result for jobs, 4 where the database is of another version. */
export class CommandEnded extends Data.TaggedError("CommandEnded")<
  {
    readonly message: string
    readonly exitCode: 1 | 2 | 3 | 4
    /** The line that says how to call the command, after a wrong call; the command adds it. */
    readonly usage?: string
  } & FailureDetails
> {
  override readonly [Runtime.errorExitCode] = this.exitCode
  override readonly [Runtime.errorReported] = false
}

/** Ends a command that could not do what was asked. */
export const failed = (message: string, details: FailureDetails = {}): CommandEnded =>
  new CommandEnded({ code: "failed", ...details, message, exitCode: details.code === "other_version" ? 4 : 1 })

/** Ends a command that was called wrongly. */
export const wrong = (message: string, details: FailureDetails = {}): CommandEnded =>
  new CommandEnded({ code: "invalid_value", ...details, message, exitCode: 2 })

/** Ends a command with the message of what failed. */
export const failCommand = (error: { readonly message: string }, message = error.message): CommandEnded => {
  if (error instanceof CommandEnded) return error
  return failed(message, "_tag" in error && error._tag === "OtherVersion" ? { code: "other_version" } : {})
}

/** A failure as it is printed. */
export interface Failure {
  readonly code: FailureCode
  readonly message: string
  readonly field: string | null
  readonly given: unknown
  readonly expected: string | null
  readonly did_you_mean: readonly Suggestion[]
  readonly usage: string | null
  readonly exit_code: number
}

const MISSING = /cannot find|no such|could not resolve|unknown/i

/** Says which module of Node a runtime lacks; null for any other defect. */
export function explainMissingModule(defect: unknown): string | null {
  const message = defect instanceof Error ? defect.message : ""
  const [name] = (MISSING.test(message) && /node:[a-z/_]+/i.exec(message)) || []
  if (name === undefined) return null
  return `this needs ${name}, which this runtime does not have. Node has it from 22.20 on, and newer versions of Bun and Deno do.`
}

/** Describes what ended a command. */
export function describeFailure(error: unknown): Failure {
  if (error instanceof CommandEnded) return write({ ...error, message: error.message })
  return write({ message: error instanceof Error ? error.message : String(error), exitCode: 1, code: "internal" })
}

/** Describes a call that the parser refused: all of its mistakes in the message, the first one in the fields. */
export function describeInvocation(errors: readonly CliError.CliError[], usage: string): Failure {
  const [first] = errors
  const details = first === undefined ? {} : readParseError(first)
  return write({ ...details, message: errors.map(error => error.message).join("\n"), exitCode: 2, usage })
}

const write = (
  ended: FailureDetails & { readonly message: string; readonly exitCode: number; readonly usage?: string },
): Failure => ({
  code: ended.code ?? "invalid_value",
  message: ended.message,
  field: ended.field ?? null,
  given: ended.given ?? null,
  expected: ended.expected ?? null,
  did_you_mean: ended.didYouMean ?? [],
  usage: ended.usage ?? null,
  exit_code: ended.exitCode,
})

function readParseError(error: CliError.CliError): FailureDetails {
  switch (error._tag) {
    case "UnrecognizedOption":
      return { code: "unknown_flag", given: error.option, didYouMean: error.suggestions }
    case "UnknownSubcommand":
      return { code: "unknown_command", given: error.subcommand, didYouMean: error.suggestions }
    case "MissingOption":
      return { code: "missing_flag", field: `--${error.option}` }
    case "MissingArgument":
      return { code: "missing_argument", field: error.argument }
    case "UnexpectedArgument":
      return { code: "unexpected_argument", given: error.arguments.join(" ") }
    case "InvalidValue": {
      const field = error.kind === "flag" ? `--${error.option}` : error.option
      return { code: "invalid_value", field, given: error.value, expected: error.expected.replace(/^Expected:? /, "") }
    }
    default:
      return {}
  }
}

/** The form of the engine's messages: "… is expected, not …." */
const EXPECTATION = /^(?<expected>.+?) (?:is|are) expected(?:\.$|, not (?<given>.+)$)/s

/** Reads which field the engine refused, and the given and the expected value. */
export function readRefusal({ issues }: InputError): { readonly message: string } & FailureDetails {
  const message = issues.map(issue => `${toSnakeCase(issue.path)}: ${issue.message}`).join("\n")
  const [first] = issues
  if (first === undefined) return { message }
  const { expected, given } = EXPECTATION.exec(first.message)?.groups ?? {}
  return {
    message,
    field: toSnakeCase(first.path),
    ...(expected === undefined ? {} : { expected }),
    ...(given === undefined ? {} : { given: readGiven(given.replace(/\.$/, "")) }),
  }
}

function readGiven(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

/** The exit codes of a command that a signal has ended, as a shell has them: 128 and the signal's number. */
const SIGNAL_CODES = { SIGHUP: 129, SIGINT: 130, SIGQUIT: 131, SIGTERM: 143 } as const
export type EndingSignal = keyof typeof SIGNAL_CODES

/**
 * Determines how a process ends. A call that the parser refuses, or that names no command, is a usage error, 2. A signal that interrupted
 * work has its own code, but none if it stopped a service, which runs until it is stopped. Everything else has its own code.
 */
export const makeTeardown =
  (cutOffBy: () => EndingSignal | null): Runtime.Teardown =>
  (exit, onExit) => {
    const error = Exit.isFailure(exit) ? Cause.squash(exit.cause) : null
    if (CliError.isCliError(error) && error._tag === "ShowHelp") return onExit(2)
    if (Exit.isFailure(exit) && Cause.hasInterruptsOnly(exit.cause)) {
      const signal = cutOffBy()
      return onExit(signal === null ? 0 : SIGNAL_CODES[signal])
    }
    Runtime.defaultTeardown(exit, onExit)
  }
