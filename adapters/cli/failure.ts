/**
 * How does a command say that it failed?
 *
 * With an exit code: 1 where it could not do what was asked, 2 where it was called wrongly, 4 where the database is of another version. People read a sentence on
 * stderr, and how to call the command after a wrong call. Machines, with `--json`, read the same record from every command on
 * stdout, where answers are: `{"error": {code, message, field, given, expected, did_you_mean, usage, exit_code}}`, with null for
 * fields that do not apply.
 */
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
  /** The line that says how to call the command, after a wrong call; the command adds it. */
  readonly usage?: string
  /** The standard output has an answer already, so the failure is not printed there for machines. */
  readonly hasAnswered?: boolean
}

/** Ends a command: with 1 where it could not do what was asked, 2 where it was called wrongly, 3 where watched data have changed, which is a result for jobs, 4 where the database is of another version. */
export class CommandEnded extends Error {
  override readonly name = "CommandEnded"
  readonly exitCode: 1 | 2 | 3 | 4
  readonly details: FailureDetails

  constructor(message: string, exitCode: CommandEnded["exitCode"], details: FailureDetails = {}) {
    super(message)
    this.exitCode = exitCode
    this.details = details
  }
}

/** Ends a command that could not do what was asked. */
export const failed = (message: string, details: FailureDetails = {}): CommandEnded =>
  new CommandEnded(message, details.code === "other_version" ? 4 : 1, { code: "failed", ...details })

/** Ends a command that was called wrongly. */
export const wrong = (message: string, details: FailureDetails = {}): CommandEnded =>
  new CommandEnded(message, 2, { code: "invalid_value", ...details })

/** Refuses a word that is not one of some. */
export function refuseWord(field: string, given: string, words: readonly string[]): CommandEnded {
  const expected = words.join(", ")
  const details = { field, given, expected: `one of ${expected}` }
  return wrong(`${field}: ${JSON.stringify(given)} is not one of ${expected}.`, details)
}

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

/** Says which module of Node a runtime lacks; null for any other error. */
export function explainMissingModule(thrown: unknown): string | null {
  const message = thrown instanceof Error ? thrown.message : ""
  const [name] = (MISSING.test(message) && /node:[a-z/_]+/i.exec(message)) || []
  if (name === undefined) return null
  return `this needs ${name}, which this runtime does not have. Node has it from 22.20 on, and newer versions of Bun and Deno do.`
}

/** Describes what ended a command. */
export function describeFailure(thrown: unknown): Failure {
  const message = thrown instanceof Error ? thrown.message : String(thrown)
  const ended = thrown instanceof CommandEnded ? thrown : { exitCode: 1, details: { code: "internal" } as const }
  const details: FailureDetails = ended.details
  return {
    code: details.code ?? "failed",
    message,
    field: details.field ?? null,
    given: details.given ?? null,
    expected: details.expected ?? null,
    did_you_mean: details.didYouMean ?? [],
    usage: details.usage ?? null,
    exit_code: ended.exitCode,
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
