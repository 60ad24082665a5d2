/**
 * How is a value read by its table, in the engine's names or in those of the wire?
 *
 * Everything is bounded, and every value is read once, so that nothing downstream meets a getter or a proxy. Every mistake has its path, and an unknown field also the closest known one.
 * No code is generated, so that it runs everywhere.
 *
 * What makes it fast (0.4 of the time that converting names first took, measured on requests of twelve stops): fields are visited in their given order, which V8 does by place and not by
 * name; an object's constructor is read first; the result starts as a copy of an empty result that was parsed from JSON, with a separate literal for each layout.
 */

import { parseCivilDate } from "../civil-date.ts"
import { codeKey, MALFORMED_KEY } from "../codes.ts"
import {
  type InputIssue,
  isPlainObject,
  MOST_ISSUES,
  NOT_FIELDS,
  sayLength,
  sayNotFields,
  sayRefused,
  UNREADABLE,
} from "../errors.ts"

function readObject(reader: ObjectReader, value: unknown, issues: InputIssue[]): Record<string, unknown> {
  const read = reader.copy(reader.blank) as Record<string, unknown>
  let given = value as Record<string, unknown>
  if (reader.bare !== null && typeof value === "string") given = { [reader.bare]: value }
  if (typeof given !== "object" || given === null || given.constructor !== Object) {
    if (!isPlainObject(given)) {
      issues.push({ path: "", message: sayNotFields(given) })
      return read
    }
    given = copyFields(reader, given)
  }
  const { fields } = reader
  const known = issues.length
  let at = 0
  let others = 0
  // None is missed in an object that is not read to its end.
  let missing = reader.required
  for (const name in given) {
    if (at >= fields.length || fields[at]!.name !== name) {
      at = placeOf(fields, name)
      if (at < 0) {
        // Numbered entries come first, and are no fields.
        if (name === "0") {
          issues.push({ path: "", message: NOT_FIELDS })
          return read
        }
        at = 0
        if (++others < MOST_ISSUES) continue
        missing = 0
        break
      }
    }
    const field = fields[at++]!
    const found = given[name]
    if (field.isRequired) missing--
    else if (found === undefined || (found === null && field.isNullable)) continue
    if (field.tag === CODE) {
      const key = codeKey(found)
      if (key === MALFORMED_KEY) refuse(issues, field, found)
      else {
        read[field.out] = found
        read[field.parsed] = key
      }
    } else if (field.tag === DAY) {
      const day = parseCivilDate(found)
      if (day === null) refuse(issues, field, found)
      else {
        read[field.out] = found
        read[field.parsed] = day
      }
    } else read[field.out] = readValue(field, found, issues)
    if (issues.length > known && isFull(issues)) {
      missing = 0
      break
    }
  }
  if (others > 0 || missing > 0) refuseFields(reader, given, { others, missing }, issues, known)
  return read
}

function placeOf(fields: readonly FieldReader[], name: string): number {
  for (let at = 0; at < fields.length; at++) if (fields[at]!.name === name) return at
  return -1
}

function readValue(field: FieldReader, value: unknown, issues: InputIssue[]): unknown {
  switch (field.tag) {
    case LIST:
      if (!Array.isArray(value)) break
      return readList(field, value, issues)
    case OBJECT: {
      const known = issues.length
      const read = readObject(field.object!, value, issues)
      if (issues.length > known && field.name !== "") nest(issues, known, field.name)
      return read
    }
    case COUNT:
      if (typeof value === "number") {
        if (Number.isInteger(value) && value >= field.least && value <= field.most) return value
      } else if (field.words.length > 0 && value === field.words[0]) return value
      break
    case WORD:
      if (field.words.includes(value as string)) return value
      break
    case TEXT:
      if (typeof value !== "string" || value === "" || value.length > field.most) break
      if (field.mayBeBlank || value.trim() !== "") return value
      break
    case FLAG:
      if (typeof value === "boolean") return value
      break
    case CODE:
      if (codeKey(value) !== MALFORMED_KEY) return value
      break
    case DAY:
      if (parseCivilDate(value) !== null) return value
      break
  }
  refuse(issues, field, value)
  // An empty list was given, so it is not missing.
  return field.tag === LIST ? [] : null
}

function readList(field: FieldReader, value: readonly unknown[], issues: InputIssue[]): unknown[] {
  // As a number: a proxy's length may be anything, and another one each time that it is compared.
  const length = Number(value.length)
  if (!(length >= field.least && length <= field.most)) {
    issues.push({ path: field.name, message: sayLength(field.least, field.most, length) })
    return []
  }
  const entry = field.entry!
  const usual = entry.object?.usual ?? null
  const entries: unknown[] = []
  for (let place = 0; place < length; place++) {
    const given = value[place]
    let read: unknown = usual === null ? null : usual(given)
    if (read === null) {
      const known = issues.length
      read = readValue(entry, given, issues)
      if (issues.length > known) {
        nest(issues, known, `${field.name}[${place}]`)
        if (isFull(issues)) break
      }
    }
    entries.push(read)
  }
  return entries
}

// Calls the rules of an object and of its parts. They only see values that were read, so a fault in a rule is not mistaken for one of the
// caller's.
function askRules(reader: ObjectReader, read: Readonly<Record<string, unknown>>, issues: InputIssue[]): void {
  const { ruled, rule } = reader
  for (let at = 0; at < ruled.length; at++) {
    const field = ruled[at]!
    const value = read[field.out]
    if (value == null) continue
    const known = issues.length
    if (field.object !== null) {
      askRules(field.object, value as Record<string, unknown>, issues)
      if (issues.length > known) nest(issues, known, field.name)
      continue
    }
    const entries = value as readonly Readonly<Record<string, unknown>>[]
    for (let place = 0; place < entries.length; place++) {
      const before = issues.length
      askRules(field.entry!.object!, entries[place]!, issues)
      if (issues.length > before) nest(issues, before, `${field.name}[${place}]`)
    }
  }
  const refused = rule === null ? null : rule(read as never)
  if (refused === null) return
  for (const [path, message] of refused) issues.push({ path: namePath(path, reader), message })
}

/** Reads a value and reports its mistakes; refused parts of the result are null. Never throws. */
type Reader<F extends Fields> = (given: unknown, issues: InputIssue[]) => Read<F>

/** Makes the reader of an object's table in one spelling. */
export function readerOf<F extends Fields>(kind: ObjectKind<F>, spelling: Spelling): Reader<F> {
  const reader = readerOfObject(kind as unknown as ObjectKind, spelling)
  return (given, issues) => {
    const known = issues.length
    let read: Record<string, unknown>
    try {
      read = readObject(reader, given, issues)
    } catch {
      // Only a getter or a proxy of the caller can throw while its values are read.
      issues.push({ path: "", message: UNREADABLE })
      return reader.blank as Read<F>
    }
    // A value that is not an object was not read, and one with too many mistakes not to its end.
    if (issues.length === known || (issues[known]!.path !== "" && !isFull(issues))) askRules(reader, read, issues)
    if (issues.length > known + 1) sortIssues(reader, issues, known)
    return read as Read<F>
  }
}

// ---- Readers of one field

// How is a table of fields prepared for reading in one spelling?
//
// Everything that depends only on the table is computed once: names, error messages, and an empty result.

const CODE = 0
const DAY = 1
const COUNT = 2
const WORD = 3
const TEXT = 4
const FLAG = 5
const LIST = 6
const OBJECT = 7
const TAGS = { code: CODE, day: DAY, count: COUNT, word: WORD, text: TEXT, flag: FLAG, list: LIST, object: OBJECT }

/** A row, ready to be read; all have one layout, whatever their kind. */
interface FieldReader {
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
interface ObjectReader {
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

function readerOfObject({ fields, bare, first, usual, rule }: ObjectKind, spelling: Spelling): ObjectReader {
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

// ---- Refusals

// How are mistakes reported: by path, in the order of the tables, each once, and no more than are named? Nothing here runs for valid input.

/** How much of an unknown name is repeated. */
const LONGEST_NAME = 40

/** Reports a value that a field cannot have; undefined for a missing field. */
function refuse(issues: InputIssue[], { name, refusal }: FieldReader, value: unknown): void {
  issues.push({ path: name, message: sayRefused(value, refusal) })
}

/** Whether so many mistakes were found that no further one is named. */
const isFull = (issues: readonly InputIssue[]): boolean => issues.length >= MOST_ISSUES

/** Adds a field or an entry to the paths of the mistakes from a place on: paths are built only for mistakes. */
function nest(issues: InputIssue[], from: number, parent: string): void {
  for (let at = from; at < issues.length; at++) {
    const { path, message } = issues[at]!
    issues[at] = { path: `${parent}${path === "" || path.startsWith("[") ? "" : "."}${path}`, message }
  }
}

/** Reports unknown fields, and required ones that are missing. */
function refuseFields(
  { fields }: ObjectReader,
  given: Readonly<Record<string, unknown>>,
  { others, missing }: { readonly others: number; readonly missing: number },
  issues: InputIssue[],
  known: number,
): void {
  const inside = issues.splice(known)
  const names = fields.map(({ name }) => name)
  let left = others
  for (const name in given) {
    if (left === 0) break
    if (names.includes(name)) continue
    left--
    issues.push({ path: name.slice(0, LONGEST_NAME), message: `There is no such field; ${suggestName(name, names)}` })
  }
  issues.push(...inside)
  if (missing === 0) return
  for (const field of fields) if (field.isRequired && !(field.name in given)) refuse(issues, field, undefined)
}

/** Copies the fields of an instance of a class, with inherited ones that the table names, so that no getter is silently ignored. Each value is read once. */
function copyFields({ fields }: ObjectReader, given: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const copy: Record<string, unknown> = Object.create(null)
  let left = fields.length + MOST_ISSUES
  for (const name in given) {
    if (left-- < 0) break
    copy[name] = given[name]
  }
  for (const { name } of fields) if (!(name in copy) && name in given) copy[name] = given[name]
  return copy
}

/** Converts a rule's path, which has the engine's names, to the names of the spelling that is read. */
function namePath(path: string, reader: ObjectReader): string {
  let at: ObjectReader | null = reader
  return path.replace(/[A-Za-z]+/g, name => {
    const field: FieldReader | undefined = at?.fields.find(each => each.out === name)
    at = field?.object ?? field?.entry?.object ?? null
    return field?.name ?? name
  })
}

// Ranks a path in the order of the tables: fields without a row come before those of the same object.
function rankPath(reader: ObjectReader, path: string): readonly number[] {
  const ranks: number[] = []
  let object: ObjectReader | null = reader
  let entry: FieldReader | null = null
  for (const part of path.match(/[^.[\]]+/g) ?? []) {
    if (entry !== null) {
      ranks.push(Number(part))
      object = entry.object
      entry = null
    } else {
      ranks.push(object === null ? 0 : object.order.indexOf(part))
      const field: FieldReader | undefined = object?.fields.find(({ name }) => name === part)
      object = field?.object ?? null
      entry = field?.entry ?? null
    }
  }
  return ranks
}

/** Sorts the mistakes from a place on in the order of the tables. */
function sortIssues(reader: ObjectReader, issues: InputIssue[], known: number): void {
  const ranked = issues.splice(known).map(issue => ({ issue, ranks: rankPath(reader, issue.path) }))
  ranked.sort(({ ranks: a }, { ranks: b }) => {
    for (let at = 0; at < a.length && at < b.length; at++) if (a[at] !== b[at]) return a[at]! - b[at]!
    return a.length - b.length
  })
  // A value that was refused, or whose parts were, is not refused by a rule as well. A value comes right before its parts.
  let last = "."
  for (const { issue } of ranked) {
    const { path } = issue
    if (isFull(issues)) return
    if (path.startsWith(last) && /^$|^[.[]/.test(path.slice(last.length))) continue
    last = path
    issues.push(issue)
  }
}

/**
 * Describes an unknown name: the known names, and the closest of them.
 *
 * @example
 * ```ts
 * suggestName("validUntil", ["valid_from", "valid_until"]) // => "it is spelled valid_until."
 * suggestName("form", ["from", "to"]) // => "known: from, to. Did you mean from?"
 * ```
 */
function suggestName(name: string, known: readonly string[]): string {
  const near = nearestName(name, known)
  if (near !== null && fold(near) === fold(name)) return `it is spelled ${near}.`
  return `known: ${known.join(", ")}.${near === null ? "" : ` Did you mean ${near}?`}`
}

// The known name that differs least from one; null where none is close.
function nearestName(name: string, known: readonly string[]): string | null {
  const plain = fold(name)
  let nearest: string | null = null
  let least = Number.POSITIVE_INFINITY
  for (const each of known) {
    const other = fold(each)
    const distance = countEdits(plain, other)
    const most = Math.min(Math.max(2, other.length / 4), plain.length / 2, other.length / 2)
    if (distance >= least || distance > most) continue
    nearest = each
    least = distance
  }
  return nearest
}

// Bounded, because a name may be of any length.
const fold = (name: string) => name.slice(0, 40).toLowerCase().replace(/[_-]/g, "")

// The number of letters to insert, delete or replace.
function countEdits(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, at) => at)
  for (let i = 1; i <= from.length; i++) {
    const next = [i]
    for (let j = 1; j <= to.length; j++) {
      const replaced = row[j - 1]! + (from[i - 1] === to[j - 1] ? 0 : 1)
      next.push(Math.min(row[j]! + 1, next[j - 1]! + 1, replaced))
    }
    row = next
  }
  return row[to.length]!
}

// ---- Giving back

// How is input that was read written again, with the names of the engine? Absent fields stay absent.

/** Returns the fields of an object as plain values, in the order of the table. */
export function giveBack<F extends Fields>({ fields }: ObjectKind<F>, read: Read<F>): Given<F, "engine"> {
  const given: Record<string, unknown> = {}
  for (const name in fields) {
    const value = (read as Readonly<Record<string, unknown>>)[name]
    if (value != null) given[name] = giveValue(fields[name]!.is, value)
  }
  return given as Given<F, "engine">
}

function giveValue(is: Kind, value: unknown): unknown {
  if (is.kind === "list") return (value as readonly unknown[]).map(entry => giveValue(is.of, entry))
  return is.kind === "object" ? giveBack(is, value as Read<Fields>) : value
}

// ---- Tables of fields

// How is a shape that crosses a border declared once, so that its types, its readers and its schemas come from one table?
//
// A row has the engine's name (its key), the wire's name, the kind of value, whether it is optional, a description and an example. Rules
// that no kind expresses (a stay that ends before it begins) are a function of an object, with the engine's names.

/** A single value. `refusal` replaces the usual words after "… is" in the message about a wrong value. */
export type Scalar =
  | { readonly kind: "code" | "day" | "flag"; readonly refusal?: string }
  | { readonly kind: "count"; readonly least: number; readonly most: number; readonly word?: string }
  | { readonly kind: "word"; readonly words: readonly string[]; readonly refusal?: string }
  | { readonly kind: "text"; readonly most: number; readonly mayBeBlank?: true }

/** A mistake that a rule finds: the path with the engine's names, and the message. */
export type Refusal = readonly [path: string, message: string]

/** An object of named fields. `bare` is the one field that a plain text sets. */
export interface ObjectKind<F extends Fields = Fields, Bare = unknown> {
  readonly kind: "object"
  /** Its name in the reference. */
  readonly name: string
  readonly fields: F
  readonly bare: Bare
  /** Fields whose mistakes are named before those of the others. */
  readonly first: readonly string[]
  /** Reads its usual form faster than row by row; returns null for any other form. */
  readonly usual: ((given: unknown) => object | null) | null
  /** Finds mistakes of several fields together; refused and absent values are null. */
  readonly rule: ((read: never) => readonly Refusal[] | null) | null
}

/** The kind of a value. */
export type Kind =
  | Scalar
  | ObjectKind
  | { readonly kind: "list"; readonly of: Kind; readonly least: number; readonly most: number }

/** Whether a field is required, optional, or optional and nullable. */
type Need = "required" | "optional" | "nullable"

/** A field. */
export interface Row {
  readonly wire: string
  readonly is: Kind
  readonly need: Need
  /** A description and an example; only if a reference is made (`tellFields`). */
  readonly about?: string
  readonly example?: unknown
}

/** The fields of an object, by the engine's names. */
export type Fields = { readonly [name: string]: Row }

/** Whose names are used: the wire's or the engine's. */
type Spelling = "wire" | "engine"

type ScalarOf<K> = K extends { readonly kind: "code" | "day" | "text" }
  ? string
  : K extends { readonly kind: "flag" }
    ? boolean
    : K extends { readonly words: readonly (infer W)[] }
      ? W
      : K extends { readonly kind: "count"; readonly word: infer W extends string }
        ? number | W
        : number

type GivenValue<K, S extends Spelling> =
  K extends ObjectKind<infer F, infer B>
    ? Given<F, S> | (B extends string ? string : never)
    : K extends { readonly kind: "list"; readonly of: infer E }
      ? readonly GivenValue<E, S>[]
      : ScalarOf<K>

type NameIn<F extends Fields, N extends keyof F, S, Needed> = F[N]["need"] extends Needed
  ? S extends "wire"
    ? F[N]["wire"]
    : N
  : never

/** The input of a caller, in one of the two spellings. */
export type Given<F extends Fields, S extends Spelling> = {
  readonly [N in keyof F as NameIn<F, N, S, "required">]: GivenValue<F[N]["is"], S>
} & {
  readonly [N in keyof F as NameIn<F, N, S, "optional">]?: GivenValue<F[N]["is"], S> | undefined
} & {
  readonly [N in keyof F as NameIn<F, N, S, "nullable">]?: GivenValue<F[N]["is"], S> | null | undefined
}

type OrNull<R extends Row> = R["need"] extends "required" ? never : null
type ReadValue<K> =
  K extends ObjectKind<infer F>
    ? Read<F>
    : K extends { readonly kind: "list"; readonly of: infer E }
      ? readonly ReadValue<E>[]
      : ScalarOf<K>
type Parsed<K, N extends string> = K extends { readonly kind: "code" }
  ? `${N}Key`
  : K extends { readonly kind: "day" }
    ? `${N}Day`
    : never

/**
 * The result of reading: every field is present, null if it was left out. A code has its key and a date its day, so that nothing parses
 * them again.
 */
export type Read<F extends Fields> = {
  readonly [N in keyof F]: ReadValue<F[N]["is"]> | OrNull<F[N]>
} & {
  readonly [N in keyof F as Parsed<F[N]["is"], N & string>]: number | OrNull<F[N]>
}

/** The same without null: unknown fields are absent. */
export type WithoutNull<G> = { readonly [N in keyof G]: Exclude<G[N], null> }

/** The input of a rule: the values that were read, null for refused ones. */
export type Unsure<R> = { readonly [N in keyof R]: R[N] | null }

/** Makes a row. */
export const row = <const W extends string, const K extends Kind, const N extends Need>(wire: W, is: K, need: N) =>
  ({ wire, is, need }) as const

/** Makes a list with its least and its greatest length. */
export const list = <const K extends Kind>(of: K, least: number, most: number) =>
  ({ kind: "list", of, least, most }) as const

/** Makes an object of fields. */
export const object = <F extends Fields, const B extends string | null = null>(
  name: string,
  fields: F,
  {
    bare,
    first = [],
    usual = null,
    rule = null,
  }: {
    readonly bare?: B
    readonly first?: readonly (keyof F & string)[]
    readonly usual?: ((given: unknown) => object | null) | null
    readonly rule?: ((read: Unsure<Read<F>>) => readonly Refusal[] | null) | null
  } = {},
): ObjectKind<F, B> => ({ kind: "object", name, fields, bare: (bare ?? null) as B, first, usual, rule: rule as never })

// ---- Descriptions

// How do the fields of a table get their descriptions in a reference?
//
// The descriptions are next to the fields but separate from their rows, so that a bundle which only reads values leaves them out.

type Word = readonly [about: string, example?: unknown]

/** By a field's name, or by its object and its name with a dot between: a description and an example. */
export type Words = Readonly<Record<string, Word>>

/** The words of every field of an object, behind the object's name with a dot where that is given. */
export type WordsOf<F extends Fields, O extends string = ""> = { readonly [N in keyof F & string as `${O}${N}`]: Word }

/** Adds the descriptions to the fields of an object, and of the objects inside. */
export function tellFields<F extends Fields>(object: string, fields: F, words: readonly Words[]): F {
  const find = (name: string) => words.find(each => name in each)?.[name]
  const told = Object.entries(fields).map(([name, row]) => {
    const [about, example] = find(`${object}.${name}`) ?? find(name)!
    return [name, { ...row, is: tellKind(row.is, words), about, example }]
  })
  return Object.fromEntries(told) as F
}

/** Adds the descriptions to all fields of a value. */
export function tellKind<K extends Kind>(is: K, words: readonly Words[]): K {
  if (is.kind === "list") return { ...is, of: tellKind(is.of, words) }
  return is.kind === "object" ? { ...is, fields: tellFields(is.name, is.fields, words) } : is
}
