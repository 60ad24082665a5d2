/**
 * How is a value read by its table, in the engine's names or in those of the wire?
 *
 * Everything is bounded, and every value is read once, so that nothing downstream meets a getter or a proxy. Every mistake has its path, and an unknown field also the closest known one.
 * No code is generated, so that it runs everywhere.
 */

import { parseCivilDate } from "../civil-date.ts"
import { codeKey, MALFORMED_KEY } from "../codes.ts"
import { isPlainObject } from "../collections.ts"
import { type InputIssue, MOST_ISSUES, sayLength, sayNotFields, sayRefused, UNREADABLE } from "../errors.ts"

function readObject(reader: ObjectReader, value: unknown, path: string, issues: InputIssue[]): Record<string, unknown> {
  const read: Record<string, unknown> = { ...reader.blank }
  const given = reader.bare !== null && typeof value === "string" ? { [reader.bare]: value } : value
  if (!isPlainObject(given)) {
    issues.push({ path, message: sayNotFields(given) })
    return read
  }
  const { fields, names } = reader
  const own = given.constructor === Object ? given : copyFields(names, given)
  // None is missed in an object that is not read to its end.
  let missing = reader.required
  for (const name in own) {
    const field = fields[names.indexOf(name)]
    const found = own[name]
    if (field === undefined) {
      const message = `There is no such field; ${suggestName(name, names)}`
      issues.push({ path: joinPath(path, name.slice(0, LONGEST_NAME)), message })
    } else {
      if (field.isRequired) missing--
      else if (found === undefined || (found === null && field.isNullable)) continue
      const made = readValue(field, found, joinPath(path, name), issues)
      read[field.out] = made
      if (made !== null && field.is.kind === "code") read[field.parsed] = codeKey(made)
      if (made !== null && field.is.kind === "day") read[field.parsed] = parseCivilDate(made)
    }
    if (isFull(issues)) return read
  }
  if (missing === 0) return read
  for (const field of fields) {
    if (field.isRequired && !(field.name in own)) refuse(field, undefined, joinPath(path, field.name), issues)
  }
  return read
}

/** Copies the fields of an instance of a class, so that no getter, which is not listed, is silently ignored. Each value is read once. */
function copyFields(
  names: readonly string[],
  given: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> {
  const copy: Record<string, unknown> = Object.create(null)
  for (const name of names) if (name in given) copy[name] = given[name]
  let left = MOST_ISSUES
  for (const name in given) {
    if (name in copy) continue
    if (left-- === 0) break
    copy[name] = null
  }
  return copy
}

function readValue(field: FieldReader, value: unknown, path: string, issues: InputIssue[]): unknown {
  const { is, object } = field
  if (object !== null) return readObject(object, value, path, issues)
  if (is.kind === "list" && Array.isArray(value)) return readList(field, is, value, path, issues)
  if (fits(is as Scalar, value)) return value
  refuse(field, value, path, issues)
  // An empty list was given, so it is not missing.
  return is.kind === "list" ? [] : null
}

function fits(is: Scalar | { readonly kind: "list" }, value: unknown): boolean {
  switch (is.kind) {
    case "code":
      return codeKey(value) !== MALFORMED_KEY
    case "day":
      return parseCivilDate(value) !== null
    case "flag":
      return typeof value === "boolean"
    case "count":
      if (typeof value !== "number") return is.word !== undefined && value === is.word
      return Number.isInteger(value) && value >= is.least && value <= is.most
    case "word":
      return is.words.includes(value as string)
    case "text":
      if (typeof value !== "string" || value === "" || value.length > is.most) return false
      return is.mayBeBlank === true || value.trim() !== ""
    default:
      return false
  }
}

function readList(
  { entry }: FieldReader,
  { least, most }: { readonly least: number; readonly most: number },
  value: readonly unknown[],
  path: string,
  issues: InputIssue[],
): unknown[] {
  // As a number: a proxy's length may be anything, and another one each time that it is compared.
  const length = Number(value.length)
  if (!(length >= least && length <= most)) {
    issues.push({ path, message: sayLength(least, most, length) })
    return []
  }
  const usual = entry!.object?.usual ?? null
  const entries: unknown[] = []
  for (let place = 0; place < length && !isFull(issues); place++) {
    const given = value[place]
    entries.push(usual?.(given) ?? readValue(entry!, given, `${path}[${place}]`, issues))
  }
  return entries
}

// Calls the rules of an object and of its parts. They only see values that were read, so a fault in a rule is not mistaken for one of the
// caller's.
function askRules(
  reader: ObjectReader,
  read: Readonly<Record<string, unknown>>,
  path: string,
  issues: InputIssue[],
): void {
  for (const { out, name, object, entry } of reader.ruled) {
    const value = read[out]
    const place = joinPath(path, name)
    if (value == null) continue
    if (object !== null) askRules(object, value as Record<string, unknown>, place, issues)
    else {
      const entries = value as readonly Readonly<Record<string, unknown>>[]
      entries.forEach((each, at) => {
        askRules(entry!.object!, each, `${place}[${at}]`, issues)
      })
    }
  }
  const refused = reader.rule === null ? null : reader.rule(read as never)
  for (const [at, message] of refused ?? []) issues.push({ path: joinPath(path, namePath(at, reader)), message })
}

/** Reads a value and reports its mistakes; refused parts of the result are null. Never throws. */
type Reader<F extends Fields> = (given: unknown, issues: InputIssue[]) => Read<F>

/** Makes the reader of an object's table in one spelling. */
export function readerOf<F extends Fields>(kind: ObjectKind<F>, spelling: Spelling): Reader<F> {
  const reader = readerOfObject(kind as unknown as ObjectKind, spelling)
  return (given, issues) => {
    const own: InputIssue[] = []
    let read: Record<string, unknown>
    try {
      read = readObject(reader, given, "", own)
    } catch {
      // Only a getter or a proxy of the caller can throw while its values are read.
      issues.push({ path: "", message: UNREADABLE })
      return reader.blank as Read<F>
    }
    // A value that is not an object was not read, and one with too many mistakes not to its end.
    if (own.length === 0 || (own[0]!.path !== "" && !isFull(own))) askRules(reader, read, "", own)
    if (own.length > 0) sortIssues(reader, own, issues)
    return read as Read<F>
  }
}

// ---- Readers of one field

// How is a table of fields prepared for reading in one spelling?
//
// Everything that depends only on the table is computed once: names, error messages, and an empty result.

/** A row, ready to be read. */
interface FieldReader {
  readonly is: Kind
  readonly name: string
  readonly out: string
  /** Where the key of a code or the day of a date is put. */
  readonly parsed: string
  readonly isRequired: boolean
  readonly isNullable: boolean
  readonly refusal: string
  readonly entry: FieldReader | null
  readonly object: ObjectReader | null
}

/** An object of fields, ready to be read. */
interface ObjectReader extends Pick<ObjectKind, "usual" | "rule"> {
  readonly fields: readonly FieldReader[]
  readonly names: readonly string[]
  /** The names in the order in which their mistakes are named. */
  readonly order: readonly string[]
  readonly required: number
  readonly blank: object
  readonly bare: string | null
  /** The fields that have rules inside. */
  readonly ruled: readonly FieldReader[]
}

/** The bounds that a kind may have. */
interface Bounds {
  readonly least?: number
  readonly most?: number
  readonly words?: readonly string[]
  readonly word?: string
  readonly refusal?: string
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
  return {
    is,
    name,
    out,
    parsed: `${out}${is.kind === "code" ? "Key" : "Day"}`,
    isRequired: need === "required",
    isNullable: need === "nullable",
    refusal: bounds.refusal ?? refusalOf(is.kind, bounds),
    entry: is.kind === "list" ? readerOfField(is.of, "", "", "required", spelling) : null,
    object: is.kind === "object" ? readerOfObject(is, spelling) : null,
  }
}

function readerOfObject({ fields: rows, bare, first, usual, rule }: ObjectKind, spelling: Spelling): ObjectReader {
  const fields = Object.entries(rows).map(([out, { is, need, wire }]) =>
    readerOfField(is, spelling === "wire" ? wire : out, out, need, spelling),
  )
  const names = fields.map(({ name }) => name)
  const ahead = first.map(out => names[Object.keys(rows).indexOf(out)] as string)
  const places = fields.flatMap(({ is, out, parsed }) =>
    is.kind === "code" || is.kind === "day" ? [out, parsed] : [out],
  )
  return {
    fields,
    names,
    order: [...new Set([...ahead, ...names])],
    required: fields.filter(({ isRequired }) => isRequired).length,
    blank: Object.fromEntries(places.map(name => [name, null])),
    bare: bare as string | null,
    usual,
    rule,
    ruled: fields.filter(({ object, entry }) => hasRule(object) || hasRule(entry?.object ?? null)),
  }
}

const hasRule = (reader: ObjectReader | null) => reader !== null && (reader.rule !== null || reader.ruled.length > 0)

// ---- Refusals

// How are mistakes reported: by path, in the order of the tables, each once, and no more than are named? Nothing here runs for valid input.

/** How much of an unknown name is repeated. */
const LONGEST_NAME = 40

/** Reports a value that a field cannot have; undefined for a missing field. */
function refuse({ refusal }: FieldReader, value: unknown, path: string, issues: InputIssue[]): void {
  issues.push({ path, message: sayRefused(value, refusal) })
}

/** Whether so many mistakes were found that no further one is named. */
const isFull = (issues: readonly InputIssue[]): boolean => issues.length >= MOST_ISSUES

const joinPath = (path: string, name: string): string => (path === "" || name === "" ? path + name : `${path}.${name}`)

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
  let object: ObjectReader | null = reader
  return (path.match(/[^.[\]]+|\[\d+/g) ?? []).map(part => {
    if (part.startsWith("[")) return Number(part.slice(1))
    const rank = object?.order.indexOf(part) ?? 0
    const field: FieldReader | undefined = object?.fields[object.names.indexOf(part)]
    object = field?.object ?? field?.entry?.object ?? null
    return rank
  })
}

/** Adds mistakes to others in the order of the tables. */
function sortIssues(reader: ObjectReader, own: readonly InputIssue[], issues: InputIssue[]): void {
  const ranked = own.map(issue => ({ issue, ranks: rankPath(reader, issue.path) }))
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
