/**
 * How do the fields of a table get the words that a reference says of them?
 *
 * Apart from the tables, so that code which only reads values carries no words.
 */
import type { Fields, Kind } from "./kinds.ts"

/** By a field's name, or by its object and its name with a dot between, a line about it and an example. */
export type Words = Readonly<Record<string, readonly [about: string, example?: unknown]>>

/** Gives the fields of an object their words, and those of the objects inside theirs. */
export function tellFields<F extends Fields>(object: string, fields: F, words: Words): F {
  const told = Object.entries(fields).map(([name, row]) => {
    const [about, example] = words[`${object}.${name}`] ?? words[name]!
    return [name, { ...row, is: tellKind(row.is, words), about, example }]
  })
  return Object.fromEntries(told) as F
}

/** Gives all fields of a value their words. */
export function tellKind<K extends Kind>(is: K, words: Words): K {
  if (is.kind === "list") return { ...is, of: tellKind(is.of, words) }
  return is.kind === "object" ? { ...is, fields: tellFields(is.name, is.fields, words) } : is
}
