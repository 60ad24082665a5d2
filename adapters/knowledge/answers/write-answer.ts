/**
 * How is an answer written as JSON from its table, a hundred thousand times a second?
 *
 * The text equals that of `JSON.stringify` of the same fields as plain values ({@link describeAs}), character for character, and is joined
 * from pieces. Everything that depends only on the table is computed once. Frozen values that the engine shares between answers (a pair's
 * requirement, a rule, the reason for a gap) are written once and kept. Codes, days and words were checked before and need no escaping;
 * texts do.
 */
import type { AnswerFields, AnswerRow, Out } from "../../../src/answers.ts"
import { toSnakeCase, toWire } from "./wire-names.ts"

/** Writes a value; `whole` is the decision that it belongs to. */
type Write = (value: never, whole: unknown) => string

// How the value of a field is written: numbers and words without a call.
const NUMBER = 0
const BARE = 1
const CALL = 2

/** A row, ready to be written; all have one layout. */
interface FieldWriter {
  readonly name: string
  readonly from: ((value: never, whole: never) => unknown) | null
  /** The text before it, also if it is left out: the end of the previous row. */
  readonly before: string
  /** The text before its value: its name, and fields before it that always have the same word. */
  readonly head: string
  readonly tag: number
  readonly write: Write
  readonly leavesOut: boolean
  readonly leavesOutEmpty: boolean
}

/** Makes the writer of a value. */
export function writerOf<V>(of: Out<V>): (value: V) => string {
  const write = writeOf(of)
  return value => write(value as never, value)
}

function writeOf({ is }: Out): Write {
  switch (is.kind) {
    case "code":
    case "day":
    case "word":
      return value => `"${value}"`
    case "flag":
    case "number":
      return value => `${value}`
    case "integer":
      return value => (typeof value === "number" ? `${value as number}` : `"${value}"`)
    case "text":
      return writeOften
    case "path":
      return value => writeOften(toSnakeCase(value))
    case "values":
      return writeOnce(null, value => JSON.stringify(value))
    case "record":
      return writeOnce(null, value => JSON.stringify(describeRecord(value, is.without)))
    case "list":
      return writeList(writeOf(is.of))
    case "object":
      return is.isShared === null ? writeObject(is) : writeOnce(is.isShared, writeObject(is))
    case "variants": {
      const writers = new Map(Object.entries(is.of).map(([name, of]) => [name, writeOf(of)]))
      return (value, whole) => writers.get(value[is.by])!(value, whole)
    }
    case "finding": {
      const known = writeOf(is.known)
      const unknown = writeOf(is.unknown)
      return (value: Found, whole) => (value.status === "unknown" ? unknown : known)(value as never, whole)
    }
  }
}

type ObjectKind = Extract<Out["is"], { readonly kind: "object" }>

interface Found {
  readonly status: string
}

function tagOf({ is }: Out): number {
  if (is.kind === "integer" && is.word === null) return NUMBER
  return is.kind === "code" || is.kind === "day" || is.kind === "word" ? BARE : CALL
}

// The text between two values is one piece, with the quotes of words and the fields that never differ, because joining pieces takes the
// time.
function readyRows(fields: AnswerFields): { readonly rows: readonly FieldWriter[]; readonly end: string } {
  const rows: FieldWriter[] = []
  let pending = "{"
  for (const [name, { wire, is: of, presence, from }] of Object.entries(fields)) {
    const { is } = of
    const leavesOut = presence !== "always" && presence !== "nullable"
    const key = `${pending.endsWith("{") ? "" : ","}"${wire}":`
    if (is.kind === "word" && is.words?.length === 1 && presence === "always") {
      pending += `${key}"${is.words[0]}"`
      continue
    }
    const tagged = tagOf(of)
    // A missing number is written as null, like any number.
    const isDirect = presence === "always" || (presence === "nullable" && tagged === NUMBER)
    const tag = isDirect ? tagged : CALL
    const write = writeOf(of)
    rows.push({
      name,
      from,
      before: leavesOut ? pending : "",
      head: `${leavesOut ? "" : pending}${key}${tag === BARE ? '"' : ""}`,
      tag,
      write: presence === "nullable" ? (value, whole) => (value === null ? "null" : write(value, whole)) : write,
      leavesOut,
      leavesOutEmpty: presence === "unless_empty",
    })
    pending = tag === BARE ? '"' : ""
  }
  return { rows, end: `${pending}}` }
}

function writeObject({ fields, isWhole }: ObjectKind): Write {
  const { rows, end } = readyRows(fields)
  return (value: Readonly<Record<string, never>>, given) => {
    const whole = isWhole ? value : given
    let text = ""
    for (let at = 0; at < rows.length; at++) {
      const row = rows[at]!
      const held: unknown = row.from === null ? value[row.name] : row.from(value as never, whole as never)
      if (row.leavesOut) {
        text += row.before
        if (held === null || held === undefined) continue
        if (row.leavesOutEmpty && (held as readonly unknown[]).length === 0) continue
      }
      // Numbers apart: V8 joins texts much faster where it has met nothing else.
      if (row.tag === BARE) text = text + row.head + (held as string)
      else if (row.tag === NUMBER) text = text + row.head + String(held as number)
      else text = text + row.head + row.write(held as never, whole)
    }
    return text + end
  }
}

function writeList(write: Write): Write {
  return (values: readonly never[], whole) => {
    if (values.length === 0) return "[]"
    let text = `[${write(values[0]!, whole)}`
    for (let at = 1; at < values.length; at++) text += `,${write(values[at]!, whole)}`
    return `${text}]`
  }
}

// Only frozen values are sure not to change.
function writeOnce(isShared: ((value: never) => boolean) | null, write: Write): Write {
  const texts = new WeakMap<object, string>()
  return (value: object, whole) => {
    const kept = texts.get(value)
    if (kept !== undefined) return kept
    const text = write(value as never, whole)
    if (Object.isFrozen(value) && (isShared === null || isShared(value as never))) texts.set(value, toOnePiece(text))
    return text
  }
}

// V8 keeps a joined text as a tree of its pieces until it is cut. Each answer would walk the tree of a kept text again.
const toOnePiece = (text: string) => ` ${text}`.slice(1)

const texts = new Map<string, string>()
/** The engine has some dozens of sentences; other texts, which come from requests, are written each time. */
const MOST_TEXTS = 1_000

function writeOften(text: string): string {
  const known = texts.get(text)
  if (known !== undefined) return known
  const written = JSON.stringify(text)
  if (texts.size < MOST_TEXTS) texts.set(text, written)
  return written
}

function describeRecord(value: object, without: readonly string[]): unknown {
  if (without.length === 0) return toWire(value)
  return toWire(Object.fromEntries(Object.entries(value).filter(([name]) => !without.includes(name))))
}

/** Lists the fields of an answer by their names on the wire, in order. */
export const listWireNames = ({ is }: Out): readonly string[] =>
  is.kind === "object" ? Object.values(is.fields).map(({ wire }) => wire) : []

/** Describes a value as plain values with the names of the wire; the slow way to the text of {@link writerOf}. */
export function describeAs<V, J>({ is }: Out<V, J>, value: V): J {
  return describe(is, value as never, value) as J
}

function describe(is: Out["is"], value: never, whole: unknown): unknown {
  switch (is.kind) {
    case "path":
      return toSnakeCase(value)
    case "record":
      return describeRecord(value, is.without)
    case "list":
      return (value as readonly never[]).map(entry => describe(is.of.is, entry, whole))
    case "variants":
      return describe(is.of[value[is.by]]!.is, value, whole)
    case "finding":
      return describe(((value as Found).status === "unknown" ? is.unknown : is.known).is, value, whole)
    case "object":
      return Object.fromEntries(
        Object.entries(is.fields).flatMap(([name, row]) => {
          const of = is.isWhole ? value : whole
          const held = row.from === null ? value[name] : row.from(value, of as never)
          return isLeftOut(row, held) ? [] : [[row.wire, held === null ? null : describe(row.is.is, held as never, of)]]
        }),
      )
    default:
      return value
  }
}

function isLeftOut({ presence }: AnswerRow, held: unknown): boolean {
  if (presence === "always" || presence === "nullable") return false
  return (
    held === null || held === undefined || (presence === "unless_empty" && (held as readonly unknown[]).length === 0)
  )
}
