/**
 * How is an answer written as JSON from its table, a hundred thousand times a second?
 *
 * Everything that depends only on the table is computed once. The whole answer ({@link WHOLE}) equals the text of `JSON.stringify` of the same fields as plain
 * values, character for character; frozen values that the engine shares between answers (a pair's requirement, a rule, the reason for a gap) are written once
 * and kept. Other forms say what they leave out. Codes, days and words were checked before and need no escaping; texts do.
 */
import type { AnswerFields, AnswerRow, Out } from "../../src/answers.ts"
import { toSnakeCase, toWire } from "./wire-names.ts"

/** What a value is written in. */
export interface Context {
  /** The decision that it belongs to. */
  readonly whole: unknown
  /** The id of a rule that is written elsewhere, in forms that do so. */
  readonly idOf: (rule: object) => string
}

/** Writes a value as JSON; an empty text where there is nothing to say. */
export type Write = (value: never, context: Context) => string

/** A form in which answers are written. */
export interface Form {
  /** Fields that are not written. */
  readonly without: ReadonlySet<string>
  /** Whether nulls and everything empty are left out. */
  readonly isPruned: boolean
  readonly values: Write
  readonly record: (without: readonly string[]) => Write
  readonly finding: (known: Out, unknown: Out) => Write
}

/** A row, ready to be written; all have one layout. */
export interface FieldWriter {
  readonly name: string
  readonly from: AnswerRow["from"]
  /** Whether its value is a word in quotes: the opening one is in its key, the closing one in what follows. */
  readonly isWord: boolean
  /** Its key, as the first field, after a value, and after a word. */
  readonly first: string
  readonly next: string
  readonly afterWord: string
  /** The text of a missing value. */
  readonly none: "" | "null"
  readonly write: Write
}

/** Makes the writer of a value in a form. */
export function writerOf({ is }: Out, form: Form): Write {
  switch (is.kind) {
    case "code":
    case "day":
    case "word":
      return value => `"${value}"`
    case "flag":
    case "number":
      return value => `${value}`
    case "count":
      return (value: number | string) => (typeof value === "number" ? `${value}` : `"${value}"`)
    case "text":
      return quote
    case "path":
      return value => quote(toSnakeCase(value))
    case "values":
      return form.values
    case "record":
      return form.record(is.without)
    case "list":
      return listWriter(writerOf(is.of, form), form.isPruned ? "" : "[]")
    case "object": {
      const fields = fieldWriters(is.fields, form)
      const { isShared, isWhole } = is
      const write: Write = (value, context) => {
        const text = writeFields(fields, value, isWhole ? { ...context, whole: value } : context)
        return text === "" ? (form.isPruned ? "" : "{}") : `${text}}`
      }
      return isShared === null || form.isPruned ? write : writeOnce(isShared, write)
    }
    case "variants": {
      const writers = new Map(Object.entries(is.of).map(([name, of]) => [name, writerOf(of, form)]))
      return (value, context) => writers.get(value[is.by])!(value, context)
    }
    case "finding":
      return form.finding(is.known, is.unknown)
  }
}

const WORDS: readonly string[] = ["code", "day", "word"]

/** Makes the writers of fields, some of which have a special one; `before` is the text before the first field. */
export function fieldWriters(
  fields: AnswerFields,
  form: Form,
  {
    special = {},
    before = "{",
  }: { readonly special?: { readonly [name: string]: Write }; readonly before?: string } = {},
): readonly FieldWriter[] {
  return Object.entries(fields)
    .filter(([name]) => !form.without.has(name))
    .map(([name, { wire, is, from, presence }]) => {
      const none = form.isPruned || presence !== "nullable" ? "" : "null"
      const isWord = special[name] === undefined && none === "" && WORDS.includes(is.is.kind)
      const key = `"${wire}":${isWord ? '"' : ""}`
      const own =
        is.is.kind === "list" && presence === "unless_empty"
          ? listWriter(writerOf(is.is.of, form), "")
          : writerOf(is, form)
      const write = special[name] ?? own
      return { name, from, isWord, first: before + key, next: `,${key}`, afterWord: `",${key}`, none, write }
    })
}

/** Writes fields, without the closing brace. Adding pieces takes the time, so the marks between two values are one piece with the next key. */
export function writeFields(
  fields: readonly FieldWriter[],
  value: Readonly<Record<string, never>>,
  context: Context,
): string {
  let text = ""
  let isAfterWord = false
  for (let at = 0; at < fields.length; at++) {
    const { name, from, isWord, first, next, afterWord, none, write } = fields[at]!
    const held: unknown = from === null ? value[name] : from(value as never, context.whole as never)
    const said = held === null || held === undefined ? none : isWord ? (held as string) : write(held as never, context)
    if (said === "") continue
    text += isAfterWord ? afterWord : text === "" ? first : next
    text += said
    isAfterWord = isWord
  }
  return isAfterWord ? `${text}"` : text
}

export const listWriter =
  (write: Write, empty: "" | "[]"): Write =>
  (values: readonly never[], context) => {
    let text = ""
    for (let at = 0; at < values.length; at++) {
      const said = write(values[at]!, context)
      if (said !== "") text += text === "" ? said : `,${said}`
    }
    return text === "" ? empty : `[${text}]`
  }

/** Keeps the texts of values that are shared. Only frozen ones are sure not to change. */
function writeOnce(isShared: ((value: never) => boolean) | null, write: Write): Write {
  const kept = new WeakMap<object, string>()
  return (value: object, context) => {
    const known = kept.get(value)
    if (known !== undefined) return known
    const text = write(value as never, context)
    if (!Object.isFrozen(value) || !(isShared === null || isShared(value as never))) return text
    // V8 keeps a joined text as a tree of its pieces until it is cut. Each answer would walk the tree of a kept text again.
    const flat = ` ${text}`.slice(1)
    kept.set(value, flat)
    return flat
  }
}

/** The form with every field of the table. */
export const WHOLE: Form = {
  without: new Set(),
  isPruned: false,
  values: value => JSON.stringify(value),
  record: without => writeOnce(null, value => JSON.stringify(describeRecord(value, without))),
  finding: (known, unknown) => {
    const [writeKnown, writeUnknown] = [writerOf(known, WHOLE), writerOf(unknown, WHOLE)]
    return (value: Found, context) =>
      value.status === "unknown" ? writeUnknown(value as never, context) : writeKnown(value as never, context)
  },
}

interface Found {
  readonly status: string
}

let quoted = new Map<string, string>()
let quotedBefore = quoted
/** Most sentences recur. Those with values of a request do not, so the texts that were used last are kept. */
const MOST_TEXTS = 1_000
const LONGEST_TEXT = 1_000

/** A text as JSON. */
export function quote(text: string): string {
  const known = quoted.get(text)
  if (known !== undefined) return known
  const made = quotedBefore.get(text) ?? JSON.stringify(text)
  if (text.length > LONGEST_TEXT) return made
  if (quoted.size === MOST_TEXTS) {
    quotedBefore = quoted
    quoted = new Map()
  }
  quoted.set(text, made)
  return made
}

function describeRecord(value: object, without: readonly string[]): unknown {
  if (without.length === 0) return toWire(value)
  return toWire(Object.fromEntries(Object.entries(value).filter(([name]) => !without.includes(name))))
}

/** Lists the fields of an answer by their names on the wire, in order. */
export const listWireNames = ({ is }: Out): readonly string[] =>
  is.kind === "object" ? Object.values(is.fields).map(({ wire }) => wire) : []
