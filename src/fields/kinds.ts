/**
 * How is a shape that crosses a border declared once, so that its types, its readers and its schemas come from one table?
 *
 * A row has the engine's name (its key), the wire's name, the kind of value, whether it is optional, a description and an example. Rules
 * that no kind expresses (a stay that ends before it begins) are a function of an object, with the engine's names.
 */

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
export type Need = "required" | "optional" | "nullable"

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
export type Spelling = "wire" | "engine"

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
