/**
 * How is a table of fields prepared for reading in one spelling?
 *
 * Everything that depends only on the table is computed once: names, error messages, and an empty result.
 */
import type { Kind, Need, ObjectKind, Spelling } from "./kinds.ts"

export const CODE = 0
export const DAY = 1
export const COUNT = 2
export const WORD = 3
export const TEXT = 4
export const FLAG = 5
export const LIST = 6
export const OBJECT = 7
const TAGS = { code: CODE, day: DAY, count: COUNT, word: WORD, text: TEXT, flag: FLAG, list: LIST, object: OBJECT }

/** A row, ready to be read; all have one layout, whatever their kind. */
export interface FieldReader {
  readonly tag: number
  readonly name: string
  readonly out: string
  /** Where the key of a code or the day of a date is put. */
  readonly parsed: string
  readonly isRequired: boolean
  readonly isNullable: boolean
  readonly refusal: string
  readonly least: number
  readonly most: number
  readonly words: readonly string[]
  readonly mayBeBlank: boolean
  readonly entry: FieldReader | null
  readonly object: ObjectReader | null
}

/** An object of fields, ready to be read. */
export interface ObjectReader {
  readonly fields: readonly FieldReader[]
  /** The names of its fields, in the order in which their mistakes are named. */
  readonly order: readonly string[]
  readonly required: number
  readonly blank: object
  readonly copy: (blank: object) => object
  readonly bare: string | null
  readonly usual: ObjectKind["usual"]
  readonly rule: ObjectKind["rule"]
  /** The fields that have rules inside. */
  readonly ruled: readonly FieldReader[]
}

// One literal for each layout: a single one that meets more than four layouts is slow (4.0 instead of 2.3 µs a request). Further ones share.
const COPIES: readonly ((blank: object) => object)[] = [
  blank => ({ ...blank }),
  blank => ({ ...blank }),
  blank => ({ ...blank }),
  blank => ({ ...blank }),
  blank => ({ ...blank }),
  blank => ({ ...blank }),
  blank => ({ ...blank }),
  blank => ({ ...blank }),
]
let layouts = 0

/** The bounds that a kind may have. */
interface Bounds {
  readonly least?: number
  readonly most?: number
  readonly words?: readonly string[]
  readonly word?: string
  readonly refusal?: string
  readonly mayBeBlank?: boolean
  readonly of?: Kind
}

/** Says what a value of another kind is not. */
export function refusalOf(kind: Kind["kind"], { least, most, words = [], word }: Bounds = {}): string {
  switch (kind) {
    case "code":
      return "not an ISO 3166-1 alpha-3 code: three capital letters"
    case "day":
      return "not a calendar date YYYY-MM-DD from 1900 to 2199"
    case "flag":
      return "neither true nor false"
    case "text":
      return `not a text of 1 to ${most} characters`
    case "word":
      return `neither ${words.join(" nor ")}`
    case "count":
      return `${word === undefined ? "not" : `neither "${word}" nor`} a whole number from ${least} to ${most}`
    default:
      return kind === "list" ? "not an array" : "not an object"
  }
}

function readerOfField(is: Kind, name: string, out: string, need: Need, spelling: Spelling): FieldReader {
  const bounds: Bounds = is as Bounds
  const { least = 0, most = 0, words = [], word, refusal, mayBeBlank = false, of } = bounds
  return {
    tag: TAGS[is.kind],
    name,
    out,
    parsed: `${out}${is.kind === "code" ? "Key" : "Day"}`,
    isRequired: need === "required",
    isNullable: need === "nullable",
    refusal: refusal ?? refusalOf(is.kind, bounds),
    least,
    most,
    words: word === undefined ? words : [word],
    mayBeBlank,
    entry: of === undefined ? null : readerOfField(of, "", "", "required", spelling),
    object: is.kind === "object" ? readerOfObject(is, spelling) : null,
  }
}

export function readerOfObject({ fields, bare, first, usual, rule }: ObjectKind, spelling: Spelling): ObjectReader {
  const rows = Object.entries(fields)
  const nameOf = (name: string) => (spelling === "wire" ? fields[name]!.wire : name)
  const readers = rows.map(([out, { is, need }]) => readerOfField(is, nameOf(out), out, need, spelling))
  const places = readers.flatMap(({ tag, out, parsed }) => (tag <= DAY ? [out, parsed] : [out]))
  const ordered = [...first, ...Object.keys(fields).filter(name => !first.includes(name))]
  return {
    fields: readers,
    order: ordered.map(nameOf),
    required: readers.filter(reader => reader.isRequired).length,
    blank: JSON.parse(`{${places.map(name => `"${name}":null`).join()}}`),
    copy: COPIES[layouts++ % COPIES.length]!,
    bare: bare as string | null,
    usual,
    rule,
    ruled: readers.filter(({ object, entry }) => hasRule(object) || hasRule(entry?.object ?? null)),
  }
}

const hasRule = (reader: ObjectReader | null) => reader !== null && (reader.rule !== null || reader.ruled.length > 0)
