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
export type Suggestion = string | { readonly code: string; readonly name: string }

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

/** The command could not do what was asked: exit code 1; 4 where the database is of another version. */
export class CommandFailed extends Data.TaggedError("CommandFailed")<{ readonly message: string } & FailureDetails> {
  override readonly [Runtime.errorExitCode] = this.code === "other_version" ? 4 : 1
  override readonly [Runtime.errorReported] = false
}

/** Ends a command with the message of what failed. */
export const failCommand = (error: { readonly message: string }, message = error.message): CommandFailed => {
  if (error instanceof CommandFailed) return error
  const isOther = "_tag" in error && error._tag === "OtherVersion"
  return new CommandFailed({ message, ...(isOther ? { code: "other_version" } : {}) })
}

/** The command was called wrongly: exit code 2, with the line that says how to call it, which the command adds. */
export class CalledWrongly extends Data.TaggedError("CalledWrongly")<
  { readonly message: string; readonly usage?: string } & FailureDetails
> {
  override readonly [Runtime.errorExitCode] = 2
  override readonly [Runtime.errorReported] = false
}

/** Ends a command that could not do what was asked. */
export const failed = (message: string): CommandFailed => new CommandFailed({ message })

/** Ends a command that was called wrongly. */
export const wrong = (message: string): CalledWrongly => new CalledWrongly({ message })

/** The watched data have changed: exit code 3, which is a result for jobs, not a failure. */
export class SomethingChanged extends Data.TaggedError("SomethingChanged")<{ readonly message: string }> {
  override readonly [Runtime.errorExitCode] = 3
  override readonly [Runtime.errorReported] = false
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
  readonly exit_code: 1 | 2 | 4
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
  if (error instanceof CalledWrongly)
    return write(error, { exitCode: 2, usage: error.usage ?? null, code: "invalid_value" })
  if (error instanceof CommandFailed)
    return write(error, { exitCode: error[Runtime.errorExitCode], usage: null, code: "failed" })
  const message = error instanceof Error ? error.message : String(error)
  return write({ message }, { exitCode: 1, usage: null, code: "internal" })
}

/** Describes a call that the parser refused: all of its mistakes in the message, the first one in the fields. */
export function describeInvocation(errors: readonly CliError.CliError[], usage: string): Failure {
  const message = errors.map(error => error.message).join("\n")
  const [first] = errors
  return write(
    { ...(first === undefined ? {} : readParseError(first)), message },
    { exitCode: 2, usage, code: "invalid_value" },
  )
}

function write(
  { message, ...details }: { readonly message: string } & FailureDetails,
  ends: { readonly exitCode: 1 | 2 | 4; readonly usage: string | null; readonly code: FailureCode },
): Failure {
  const { code = ends.code, field = null, given = null, expected = null, didYouMean = [] } = details
  return {
    code,
    message,
    field,
    given,
    expected,
    did_you_mean: didYouMean,
    usage: ends.usage,
    exit_code: ends.exitCode,
  }
}

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
