/**
 * How does a refused request say what was wrong with it?
 *
 * The schemas of a request say in words what they expect ({@link text}, {@link choice}), so that a message names the field, what is
 * expected and what was given. Messages are shortened: what was given is the caller's own and can be long.
 */
import { Schema, SchemaIssue } from "effect"
import type { HttpApiError } from "effect/http-api"

/** One mistake in a request. */
export interface RequestIssue {
  /** The field, for example `stops[2].from`, or the part of the request where all of it is meant. */
  readonly path: string
  readonly message: string
}

const missing = (expected: string) => ({ messageMissingKey: `Missing, expected ${expected}` })

/** A string of a pattern, described by a noun phrase such as "a calendar date YYYY-MM-DD". */
export const text = (expected: string, pattern: RegExp) =>
  Schema.String.annotate({ expected }).check(Schema.isPattern(pattern, { expected })).annotateKey(missing(expected))

/** One of some words. */
export const choice = <const Words extends readonly string[]>(words: Words) => {
  const expected = `one of ${words.join(", ")}`
  return Schema.Literals(words).annotate({ expected }).annotateKey(missing(expected))
}

const formatIssues = SchemaIssue.makeFormatterStandardSchemaV1()

const LONGEST_MESSAGE = 240

const shorten = (message: string): string =>
  message.length > LONGEST_MESSAGE ? `${message.slice(0, LONGEST_MESSAGE)}…` : message

/** Writes a path the way a program would: `stops[2].from`. */
export function formatPath(path: readonly PropertyKey[]): string {
  return path
    .map(key => (typeof key === "number" ? `[${key}]` : `.${String(key)}`))
    .join("")
    .replace(/^\./, "")
}

/** The mistakes that a schema has found in a request, in the order of its fields. */
export function listIssues({ kind, cause }: HttpApiError.HttpApiSchemaError): RequestIssue[] {
  return formatIssues(cause.issue).issues.map(({ path = [], message }) => {
    const keys = path.map(segment => (typeof segment === "object" ? segment.key : segment))
    return { path: shorten(keys.length === 0 ? kind.toLowerCase() : formatPath(keys)), message: shorten(message) }
  })
}

/** The same as one text, for the `error` of a 400. */
export function describeIssues(issues: readonly RequestIssue[]): string {
  return issues.map(({ path, message }) => `${path}: ${message}`).join("; ")
}
