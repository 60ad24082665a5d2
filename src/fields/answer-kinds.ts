/**
 * How is the shape of an answer declared once, so that its types, its writers and its schemas come from one table?
 *
 * A row has the engine's name (its key), the wire's name, the kind of value, when it is left out and a description. The order of rows is the order on the wire. A field with another form
 * in the engine has a function that makes it from its object.
 */
import type { Fields, Scalar } from "./kinds.ts"

/** The kind of a value. Codes, days and words need no escaping as JSON. */
type AnswerKind =
  | { readonly kind: "code" | "day" | "flag" | "number" | "text" }
  /** The path of a field: on the wire it has wire names. */
  | { readonly kind: "path" }
  /** A whole number, or one word for another answer. */
  | { readonly kind: "integer"; readonly word: string | null }
  | { readonly kind: "word"; readonly words: readonly string[] | null }
  /** Plain values by names that are no fields, such as the parameters of a sentence. */
  | { readonly kind: "values" }
  /** A record of the data, written with the names of the wire; `without` names what is not written. */
  | { readonly kind: "record"; readonly without: readonly string[] }
  | { readonly kind: "list"; readonly of: Out }
  | {
      readonly kind: "object"
      readonly name: string | null
      readonly fields: AnswerFields
      /** Which values, if frozen, may be written once; null for none. */
      readonly isShared: ((value: never) => boolean) | null
      /** Whether fields inside it treat it as the whole answer. */
      readonly isWhole: boolean
    }
  /** One of several objects, named by one of its fields. */
  | { readonly kind: "variants"; readonly by: string; readonly of: { readonly [word: string]: Out } }
  /** A known value with further fields, or the reason why it is unknown. */
  | { readonly kind: "finding"; readonly known: Out; readonly unknown: Out }

/** A kind with the engine's type of its value, and the type that it has on the wire. */
export interface Out<V = unknown, J = unknown> {
  readonly is: AnswerKind
  readonly inEngine?: V
  readonly onWire?: J
}

/** Whether a field is always present; null or absent on the wire if the engine has null; absent in both; or absent if empty. */
type Presence = "always" | "nullable" | "left_out" | "optional" | "unless_empty"

/** A field of an answer. */
export interface AnswerRow<
  W extends string = string,
  O extends Out = Out,
  P extends Presence = Presence,
  D extends boolean = boolean,
> {
  readonly wire: W
  readonly is: O
  readonly presence: P
  readonly about: string
  readonly isDerived: D
  /** Makes a field that the engine has in another form, from its object and the whole decision. */
  readonly from: ((value: never, whole: never) => unknown) | null
}

/** The fields of an object, by the engine's names. */
export type AnswerFields = { readonly [name: string]: AnswerRow }

type InEngine<O> = O extends Out<infer V, unknown> ? V : never
type OnWire<O> = O extends Out<unknown, infer J> ? J : never
type Flat<T> = { readonly [N in keyof T]: T[N] }
type Named<F extends AnswerFields, N extends keyof F, P> = F[N]["isDerived"] extends true
  ? never
  : F[N]["presence"] extends P
    ? N
    : never

/** The engine's type of an object. */
export type Made<F extends AnswerFields> = Flat<
  {
    readonly [N in keyof F as Named<F, N, "always" | "unless_empty">]: InEngine<F[N]["is"]>
  } & { readonly [N in keyof F as Named<F, N, "nullable" | "left_out">]: InEngine<F[N]["is"]> | null } & {
    readonly [N in keyof F as Named<F, N, "optional">]?: InEngine<F[N]["is"]>
  }
>
/** Its type on the wire. */
export type Written<F extends AnswerFields> = Flat<
  {
    readonly [N in keyof F as F[N]["presence"] extends "always" ? F[N]["wire"] : never]: OnWire<F[N]["is"]>
  } & {
    readonly [N in keyof F as F[N]["presence"] extends "nullable" ? F[N]["wire"] : never]: OnWire<F[N]["is"]> | null
  } & {
    readonly [N in keyof F as F[N]["presence"] extends "always" | "nullable" ? never : F[N]["wire"]]?: OnWire<
      F[N]["is"]
    >
  }
>

const out = <V, J = V>(is: AnswerKind): Out<V, J> => ({ is })

export const CODE = out<string>({ kind: "code" })
export const DAY = out<string>({ kind: "day" })
export const NUMBER = out<number>({ kind: "number" })
export const TEXT = out<string>({ kind: "text" })
export const PATH = out<string>({ kind: "path" })
export const INTEGER = out<number>({ kind: "integer", word: null })

/** Plain values by names that are no fields. */
export const values = <V>() => out<V, Readonly<Record<string, unknown>>>({ kind: "values" })

/** A whole number, or a word in its place. */
export const integerOr = <const W extends string>(word: W) => out<number | W>({ kind: "integer", word })

/** A word of a list. */
export const word = <const W extends string>(words: readonly W[]) => out<W>({ kind: "word", words })

/** A word of a list that is defined elsewhere. */
export const anyWord = <W extends string>() => out<W>({ kind: "word", words: null })

/** A record of the data. */
export const record = <V>(without: readonly (keyof V & string)[] = []) =>
  out<V, Readonly<Record<string, unknown>>>({ kind: "record", without })

/** A list of values. */
export const listOf = <V, J>(of: Out<V, J>) => out<readonly V[], readonly J[]>({ kind: "list", of })

/** An object; those that `isShared` says are written once, if they are frozen. */
export const answer = <const F extends AnswerFields>(
  name: string | null,
  fields: F,
  isShared: ((value: never) => boolean) | null = null,
) => out<Made<F>, Written<F>>({ kind: "object", name, fields, isShared, isWhole: false })

/** An object that the engine has in another form. */
export const answerOf =
  <V>(isShared: ((value: V) => boolean) | null = null) =>
  <const F extends AnswerFields>(name: string | null, fields: F) =>
    out<V, Written<F>>({ kind: "object", name, fields, isShared, isWhole: false })

/** An object by the names of its two types, so that declarations name them instead of repeating their fields. */
export const named = <V, J>(name: string, fields: AnswerFields, { isWhole = false } = {}) =>
  out<V, J>({ kind: "object", name, fields, isShared: null, isWhole })

/** A known value, or the reason why it is unknown. */
export const either = <V, J, U, K>(known: Out<V, J>, unknown: Out<U, K>) =>
  out<V | U, J | K>({ kind: "finding", known, unknown })

function kindOfGiven(is: Scalar): Out {
  switch (is.kind) {
    case "count":
      return out({ kind: "integer", word: is.word ?? null })
    case "word":
      return word(is.words)
    default:
      return out({ kind: is.kind })
  }
}

/** The rows of input fields, for an answer that repeats them: those of a table of single values. */
export function rowsOfGiven<V>(
  fields: Fields,
  find: (value: V) => object,
  leftOut: Presence = "optional",
): AnswerFields {
  const rows = Object.entries(fields).map(([name, { wire, is, about = "", need }]) => {
    const from = (value: V) => (find(value) as Readonly<Record<string, unknown>>)[name]
    return [name, derived<V>()(wire, kindOfGiven(is as Scalar), about, from, need === "required" ? "always" : leftOut)]
  })
  return Object.fromEntries(rows)
}

type Variants<By extends string, V extends { readonly [word: string]: AnswerFields }, S> = {
  [N in keyof V]: S extends "engine"
    ? Flat<{ readonly [B in By]: N } & Made<V[N]>>
    : Flat<{ readonly [B in By]: N } & Written<V[N]>>
}[keyof V]

/** One of several objects, by the word in one of their fields. */
export const variants = <const By extends string, const V extends { readonly [word: string]: AnswerFields }>(
  by: By,
  about: string,
  of: V,
) => {
  const named = Object.entries(of).map(
    ([name, fields]) => [name, answer(null, { [by]: row(by, word([name]), about), ...fields })] as const,
  )
  return out<Variants<By, V, "engine">, Variants<By, V, "wire">>({
    kind: "variants",
    by,
    of: Object.fromEntries(named),
  })
}

/** Makes a row. */
export function row<const W extends string, O extends Out>(
  wire: W,
  is: O,
  about: string,
): AnswerRow<W, O, "always", false>
export function row<const W extends string, O extends Out, const P extends Presence>(
  wire: W,
  is: O,
  about: string,
  presence: P,
): AnswerRow<W, O, P, false>
export function row(wire: string, is: Out, about: string, presence: Presence = "always"): AnswerRow {
  return { wire, is, about, presence, isDerived: false, from: null }
}

/** Makes the row of a field that the engine has in another form, made from its object and the whole decision. */
export const derived =
  <V, Whole = unknown>() =>
  <const W extends string, O extends Out, const P extends Presence>(
    wire: W,
    is: O,
    about: string,
    from: (value: V, whole: Whole) => unknown,
    presence: P,
  ): AnswerRow<W, O, P, true> => ({ wire, is, about, presence, isDerived: true, from })
