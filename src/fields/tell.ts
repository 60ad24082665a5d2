/**
 * How do the fields of a table get their descriptions in a reference?
 *
 * The descriptions are next to the fields but separate from their rows, so that a bundle which only reads values leaves them out.
 */
import type { Fields, Kind } from "./kinds.ts"

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
