/**
 * Which parameters does an endpoint take, and is each of them valid?
 *
 * A parameter is a value: its expected form in words, its reader, and its description in the reference. Requests are decoded by it and the
 * OpenAPI document is made from it, so the two agree. Nothing here needs Effect, because the same rows run at the edge.
 */
import { type RequestIssue, readWhole, sayExpected } from "../../validation/fields.ts"
import type { Soon } from "./http-answer.ts"
import type { RawQuery } from "./request.ts"

/** The description of a parameter in the reference, in terms of JSON Schema. */
export interface ParameterDocument {
  readonly description: string
  readonly example?: string | number
  readonly type?: "string" | "integer" | "number"
  readonly pattern?: RegExp
  readonly enum?: readonly string[]
  readonly minimum?: number
  readonly maximum?: number
  readonly maxLength?: number
  readonly default?: string | number
}

/** One parameter; `Value` is the type of its decoded value. */
export interface Parameter<Value> {
  /** A noun phrase, for messages: "an ISO 3166-1 alpha-3 code in capital letters, such as FRA". */
  readonly expected: string
  readonly isRequired: boolean
  readonly document: ParameterDocument
  /** Whether every text is valid. */
  readonly takesAnything?: true
  /** Whether it is the code of a country, or several: a refusal then says which one is probably meant. */
  readonly isCode?: true
  /** Reads a text; undefined where it is not valid. */
  readonly read: (text: string) => Value | undefined
}

/** The parameters of an endpoint by name, in the order in which mistakes are named. */
export type ParameterTable = Readonly<Record<string, Parameter<unknown>>>

export type ValuesOf<Table extends ParameterTable> = {
  readonly [Name in keyof Table]: Table[Name] extends Parameter<infer Value> ? Value : never
}

/** Decoded parameters, or every mistake. */
export type ReadParameters =
  | { readonly ok: true; readonly values: Readonly<Record<string, unknown>> }
  | { readonly ok: false; readonly issues: readonly RequestIssue[] }

/** A text that its own function reads. */
export const parsed = <Value>(
  expected: string,
  read: Parameter<Value>["read"],
  document: ParameterDocument,
): Parameter<Value> => ({ expected, isRequired: true, document: { type: "string", ...document }, read })

/** A text that is valid, or is not. */
export const textThat = (expected: string, isValid: (text: string) => boolean, document: ParameterDocument) =>
  parsed(expected, text => (isValid(text) ? text : undefined), document)

export const pattern = (expected: string, expression: RegExp, document: ParameterDocument) =>
  textThat(expected, text => expression.test(text), { pattern: expression, ...document })

export function choice<const Word extends string>(
  words: readonly Word[],
  document: ParameterDocument,
): Parameter<Word> {
  const expected = `one of ${words.join(", ")}`
  return parsed(expected, text => words.find(word => word === text), { enum: words, ...document })
}

/** A list by commas, of a pattern, read into its items. */
export function list<Item extends string = string>(
  expected: string,
  expression: RegExp,
  document: ParameterDocument & { readonly isDistinct?: true },
): Parameter<readonly Item[]> {
  const { isDistinct, ...words } = document
  const read = (text: string) => {
    if (!expression.test(text)) return undefined
    const items = text.split(",") as Item[]
    return isDistinct && new Set(items).size < items.length ? undefined : items
  }
  return parsed(expected, read, { pattern: expression, ...words })
}

/** A whole number between two bounds, both included. */
export function whole(least: number, most: number, document: ParameterDocument): Parameter<number> {
  const read = (text: string) => {
    const value = readWhole(text)
    return value !== undefined && value >= least && value <= most ? value : undefined
  }
  const bounds = { type: "integer", minimum: least, maximum: most } as const
  return parsed(`a whole number from ${least} to ${most}`, read, { ...bounds, ...document })
}

/** The id of a record. */
export const idOf = (document: ParameterDocument): Parameter<number> =>
  whole(1, Number.MAX_SAFE_INTEGER, { example: 118_000_000_000_000, ...document })

const DECIMAL = /^[+-]?(\d+(\.\d*)?|\.\d+)$/

/** Reads a number as people write it, with a point and without an exponent; undefined for any other text. */
export function readDecimal(text: string): number | undefined {
  return DECIMAL.test(text) ? Number(text) : undefined
}

/** The same parameter, which may be left out. */
export function optional<Value>(parameter: Parameter<Value>): Parameter<Value | undefined> {
  return { ...parameter, isRequired: false }
}

/** The longest message: the given value is the caller's own and can be long. */
const LONGEST_MESSAGE = 240

const shorten = (message: string): string =>
  message.length > LONGEST_MESSAGE ? `${message.slice(0, LONGEST_MESSAGE)}…` : message

/**
 * Decodes a query; unknown names are ignored, because a proxy or a browser may have added them.
 *
 * @example
 * ```ts
 * readParameters({ lang: choice(["en", "fr"], { description: "" }) }, { lang: "fr" }) // => {"ok": true, "values": {"lang": "fr"}}
 * readParameters({ lang: choice(["en", "fr"], { description: "" }) }, {}) // => {"ok": false, "issues": [{"path": "lang", "message": "Missing, expected one of en, fr"}]}
 * ```
 */
export function readParameters(table: ParameterTable, raw: RawQuery): ReadParameters {
  const values: Record<string, unknown> = {}
  const issues: RequestIssue[] = []
  for (const name in table) {
    const { expected, isRequired, read } = table[name] as Parameter<unknown>
    const given = raw[name]
    if (given === undefined) {
      if (isRequired) issues.push({ path: name, message: sayExpected(expected, undefined) })
      continue
    }
    const value = typeof given === "string" ? read(given) : undefined
    if (value === undefined) {
      const wanted = typeof given === "string" ? expected : `${expected}, once`
      issues.push({ path: name, message: shorten(`Expected ${wanted}, got ${JSON.stringify(given)}`) })
    } else values[name] = value
  }
  return issues.length === 0 ? { ok: true, values } : { ok: false, issues }
}

/** The most codes of one list that are explained. */
const MOST_EXPLAINED = 10

/** Adds to each refused code which one is probably meant. The words are loaded when they are needed: the edge loads as little as possible before. */
export function explainCodes(
  table: ParameterTable,
  raw: RawQuery,
  issues: readonly RequestIssue[],
): Soon<readonly RequestIssue[]> {
  const isMeant = ({ path }: RequestIssue) => table[path]?.isCode === true && typeof raw[path] === "string"
  if (!issues.some(isMeant)) return issues
  return import("../../answers/code-help.ts").then(({ helpWithCode }) =>
    issues.map(issue => {
      if (!isMeant(issue)) return issue
      const given = String(raw[issue.path]).split(",").slice(0, MOST_EXPLAINED)
      const help = [...new Set(given.map(helpWithCode))].filter(text => text !== "")
      return help.length === 0 ? issue : { ...issue, message: `${issue.message}. ${help.join(" ")}` }
    }),
  )
}
