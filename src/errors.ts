/**
 * The errors of the core, as one tagged union.
 *
 * A function that can fail returns a {@link Result}. No input from outside makes it throw; values that our own functions returned are not checked. An error has a `tag` to branch on and a
 * `message` with what was found, what was expected and, if it helps, what to do next.
 */

/** A value or an error. */
export type Result<Value, Failure extends CoreError = CoreError> =
  | { readonly ok: true; readonly value: Value }
  | { readonly ok: false; readonly error: Failure }

/** Why the bytes of a dataset were refused. They are refused whole: no answer is ever read from them. */
export type DatasetError = {
  readonly tag: "WrongMagic" | "WrongFormatVersion" | "TruncatedDataset" | "WrongChecksum" | "MalformedDataset"
  readonly message: string
}

/** One mistake in the facts, named by its record and field. */
export type FactIssue = {
  readonly tag:
    | "UnknownCode"
    | "UnknownBloc"
    | "UnknownSource"
    | "DuplicateRecord"
    | "DuplicateRule"
    | "RulesDisagree"
    | "NotACalendarDate"
    | "UntilBeforeFrom"
    | "ImpossibleRule"
    | "TooManyAnswers"
  /** The record, as `file-without-ending`, for example `policies/JPN`. */
  readonly record: string
  /** The field inside the record, for example `rules[3].passports[2]`; empty where the whole record is meant. */
  readonly field: string
  readonly message: string
}

/** The facts were not compiled: every mistake found, not only the first. */
export type FactsError = {
  readonly tag: "FactsRefused"
  readonly message: string
  readonly issues: readonly FactIssue[]
}

/** One mistake in a caller's input, named by its path. */
export type InputIssue = {
  /** Where it is, as in `stops[0].from`. */
  readonly path: string
  /** What is wrong and what is expected, as a sentence. */
  readonly message: string
}

/** The most mistakes of an input that are named: reading ends with the last of them. */
export const MOST_ISSUES = 50

/** The input was not judged: its mistakes, each with its path; at most {@link MOST_ISSUES} of an itinerary or a list. */
export type InputError = {
  /** The field to branch on. */
  readonly tag: "InputRefused"
  /** Every mistake with its path, in one text. */
  readonly message: string
  /** Every mistake. */
  readonly issues: readonly InputIssue[]
}

/**
 * Why a webhook delivery was not signed or not accepted.
 *
 * `MalformedOptions`, `MalformedSecret` and `BodyNotRaw` are mistakes of the calling program; all others are about the delivery.
 */
export type SignatureError = {
  readonly tag:
    | "MalformedOptions"
    | "MalformedSecret"
    | "BodyNotRaw"
    | "MalformedBody"
    | "MissingSignature"
    | "MalformedSignature"
    | "MissingTimestamp"
    | "MalformedTimestamp"
    | "MissingId"
    | "MalformedId"
    | "TimestampTooOld"
    | "TimestampInFuture"
    | "SignatureMismatch"
  readonly message: string
}

/** Every error of the core. */
export type CoreError = DatasetError | FactsError | InputError | SignatureError

/** Wraps a value as a success. */
export function success<Value>(value: Value): { readonly ok: true; readonly value: Value } {
  return { ok: true, value }
}

/** Wraps an error as a failure. */
export function failure<Failure extends CoreError>(error: Failure): { readonly ok: false; readonly error: Failure } {
  return { ok: false, error }
}

/** What is said of an input with a getter or a proxy that throws while its values are read. */
export const UNREADABLE = "The input cannot be read: one of its properties throws. Give plain objects."

/** Writes a value that was refused, shortened, so that a message can name it. */
export function describe(value: unknown): string {
  if (typeof value === "string") return JSON.stringify(value.length > 40 ? `${value.slice(0, 40)}…` : value)
  if (typeof value === "object" && value !== null) return isArray(value) ? "An array" : "An object"
  return typeof value === "function" ? "A function" : String(value)
}

/** Says what a value is not; a missing one, undefined, is required, as what the words that refuse others say. */
export function sayRefused(value: unknown, refusal: string): string {
  if (value !== undefined) return `${describe(value)} is ${refusal}.`
  return `It is required, as ${refusal.replace(/^(not|neither|none of) /, "").replaceAll(" nor ", " or ")}.`
}

/** Says what an input of another kind than an object of named fields is. */
const NOT_FIELDS = "This is a date, a list or a text, not an object of named fields."

/** Says what a value is that is not an object of named fields. */
export const sayNotFields = (value: unknown): string =>
  typeof value === "object" && value !== null && !Array.isArray(value)
    ? NOT_FIELDS
    : `${describe(value)} is not an object.`

/** Says that a list has too few or too many entries. */
export const sayLength = (least: number, most: number, length: number): string =>
  `${least} to ${most} entries are expected, not ${length}.`

// `Array.isArray` throws for a revoked proxy.
function isArray(value: object): boolean {
  try {
    return Array.isArray(value)
  } catch {
    return false
  }
}
