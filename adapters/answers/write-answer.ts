/**
 * How is an answer written as JSON from its table, a hundred thousand times a second?
 *
 * The text equals that of `JSON.stringify` of the same fields as plain values ({@link describeAs}), character for character, and is joined
 * from pieces. Everything that depends only on the table is computed once. Frozen values that the engine shares between answers (a pair's
 * requirement, a rule, the reason for a gap) are written once and kept. Codes, days and words were checked before and need no escaping;
 * texts do.
 */
import type { AnswerFields, AnswerRow, Out } from "../../src/answers.ts"
import type { AnswerOutput } from "./answer-output.ts"
import { toSnakeCase, toWire } from "./wire-names.ts"

/** Writes a value; `whole` is the decision that it belongs to. */
type Write<Piece> = (out: AnswerOutput<Piece>, value: never, whole: unknown) => void

// How the value of a field is written: numbers and words without a call.
const NUMBER = 0
const BARE = 1
const CALL = 2

/** A row, ready to be written; all have one layout. */
interface FieldWriter<Piece> {
  readonly name: string
  readonly from: ((value: never, whole: never) => unknown) | null
  /** The text before it, also if it is left out: the end of the previous row; null for none. */
  readonly before: Piece | null
  /** The text before its value: its name, and fields before it that always have the same word. */
  readonly head: Piece
  readonly tag: number
  readonly write: Write<Piece>
  readonly leavesOut: boolean
  readonly leavesOutEmpty: boolean
}

/** Makes the writer of a value into an output whose pieces a function makes. */
export function writerOf<V, Piece>(
  of: Out<V>,
  makePiece: (text: string) => Piece,
): (out: AnswerOutput<Piece>, value: V) => void {
  const write = new Writers(makePiece).writeOf(of)
  return (out, value) => write(out, value as never, value)
}

type ObjectKind = Extract<Out["is"], { readonly kind: "object" }>

interface Found {
  readonly status: string
}

class Writers<Piece> {
  readonly #make: (text: string) => Piece
  readonly #null: Piece
  readonly #open: Piece
  readonly #comma: Piece
  readonly #close: Piece
  readonly #empty: Piece

  constructor(make: (text: string) => Piece) {
    this.#make = make
    this.#null = make("null")
    this.#open = make("[")
    this.#comma = make(",")
    this.#close = make("]")
    this.#empty = make("[]")
  }

  writeOf({ is }: Out): Write<Piece> {
    switch (is.kind) {
      case "code":
      case "day":
      case "word":
        return (out, value) => out.addPlain(`"${value}"`)
      case "flag":
      case "number":
        return (out, value) => out.addPlain(`${value}`)
      case "count":
        return (out, value) => (typeof value === "number" ? out.addNumber(value) : out.addPlain(`"${value}"`))
      case "text":
        return (out, value) => out.addQuoted(value)
      case "path":
        return (out, value) => out.addQuoted(toSnakeCase(value))
      case "values":
        return this.#writeValues()
      case "record":
        return this.#writeOnce(null, (out, value) => out.addText(JSON.stringify(describeRecord(value, is.without))))
      case "list":
        return this.#writeList(this.writeOf(is.of))
      case "object":
        return is.isShared === null ? this.#writeObject(is) : this.#writeOnce(is.isShared, this.#writeObject(is))
      case "variants": {
        const writers = new Map(Object.entries(is.of).map(([name, of]) => [name, this.writeOf(of)]))
        return (out, value, whole) => writers.get(value[is.by])!(out, value, whole)
      }
      case "finding": {
        const known = this.writeOf(is.known)
        const unknown = this.writeOf(is.unknown)
        return (out, value: Found, whole) =>
          value.status === "unknown" ? unknown(out, value as never, whole) : known(out, value as never, whole)
      }
    }
  }

  // The text between two values is one piece, with the quotes of words and the fields that never differ, because adding pieces takes the
  // time.
  #readyRows(fields: AnswerFields): { readonly rows: readonly FieldWriter<Piece>[]; readonly end: Piece } {
    const rows: FieldWriter<Piece>[] = []
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
      const write = this.writeOf(of)
      rows.push({
        name,
        from,
        before: leavesOut && pending !== "" ? this.#make(pending) : null,
        head: this.#make(`${leavesOut ? "" : pending}${key}${tag === BARE ? '"' : ""}`),
        tag,
        write: presence === "nullable" ? this.#writeNullable(write) : write,
        leavesOut,
        leavesOutEmpty: presence === "unless_empty",
      })
      pending = tag === BARE ? '"' : ""
    }
    return { rows, end: this.#make(`${pending}}`) }
  }

  #writeNullable(write: Write<Piece>): Write<Piece> {
    const none = this.#null
    return (out, value, whole) => (value === null ? out.add(none) : write(out, value, whole))
  }

  #writeObject({ fields, isWhole }: ObjectKind): Write<Piece> {
    const { rows, end } = this.#readyRows(fields)
    return (out, value: Readonly<Record<string, never>>, given) => {
      const whole = isWhole ? value : given
      for (let at = 0; at < rows.length; at++) {
        const row = rows[at]!
        const held: unknown = row.from === null ? value[row.name] : row.from(value as never, whole as never)
        if (row.leavesOut) {
          if (row.before !== null) out.add(row.before)
          if (held === null || held === undefined) continue
          if (row.leavesOutEmpty && (held as readonly unknown[]).length === 0) continue
        }
        out.add(row.head)
        if (row.tag === BARE) out.addPlain(held as string)
        else if (row.tag === NUMBER) out.addNumber(held as number)
        else row.write(out, held as never, whole)
      }
      out.add(end)
    }
  }

  #writeList(write: Write<Piece>): Write<Piece> {
    const open = this.#open
    const comma = this.#comma
    const close = this.#close
    const empty = this.#empty
    return (out, values: readonly never[], whole) => {
      if (values.length === 0) return out.add(empty)
      for (let at = 0; at < values.length; at++) {
        out.add(at === 0 ? open : comma)
        write(out, values[at]!, whole)
      }
      out.add(close)
    }
  }

  // Parameters are not kept by their object: most pairs have their own, and finding one takes longer than writing its few fields.
  #writeValues(): Write<Piece> {
    const writeList = this.#writeList((out, value) => write(out, value))
    const open = this.#make("{")
    const comma = this.#comma
    const colon = this.#make(":")
    const close = this.#make("}")
    const write = (out: AnswerOutput<Piece>, value: unknown): void => {
      if (typeof value === "string") out.addQuoted(value)
      else if (typeof value === "number") out.addNumber(value)
      else if (typeof value !== "object" || value === null) out.addPlain(`${value}`)
      else if (Array.isArray(value)) writeList(out, value as never, null)
      else writeFields(out, value as Readonly<Record<string, unknown>>)
    }
    const writeFields = (out: AnswerOutput<Piece>, value: Readonly<Record<string, unknown>>) => {
      out.add(open)
      const names = Object.keys(value)
      let isFirst = true
      for (let at = 0; at < names.length; at++) {
        const name = names[at]!
        const held = value[name]
        if (held === undefined) continue
        if (!isFirst) out.add(comma)
        isFirst = false
        out.addQuoted(name)
        out.add(colon)
        write(out, held)
      }
      out.add(close)
    }
    return write
  }

  // Only frozen values are sure not to change.
  #writeOnce(isShared: ((value: never) => boolean) | null, write: Write<Piece>): Write<Piece> {
    const kept = new WeakMap<object, Piece>()
    return (out, value: object, whole) => {
      const piece = kept.get(value)
      if (piece !== undefined) return out.add(piece)
      const from = out.size
      write(out, value as never, whole)
      if (Object.isFrozen(value) && (isShared === null || isShared(value as never))) kept.set(value, out.copyFrom(from))
    }
  }
}

function tagOf({ is }: Out): number {
  if (is.kind === "count" && is.word === undefined) return NUMBER
  return is.kind === "code" || is.kind === "day" || is.kind === "word" ? BARE : CALL
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
