/**
 * How do the engine's names become those on the wire?
 *
 * The engine writes camelCase, JSON on the wire is snake_case. Only names of fields change, and paths of fields; values stay.
 */

/**
 * Writes a name, or a path of names, in snake_case.
 *
 * @example
 * ```ts
 * toSnakeCase("passportExpiry") // => "passport_expiry"
 * toSnakeCase("transit[0].rule") // => "transit[0].rule"
 * ```
 */
export function toSnakeCase(name: string): string {
  const known = snakeCased.get(name)
  if (known !== undefined) return known
  const text = name.replace(/[A-Z]/g, letter => `_${letter.toLowerCase()}`)
  if (snakeCased.size < MOST_NAMES) snakeCased.set(name, text)
  return text
}

const snakeCased = new Map<string, string>()
/** The engine has some hundred names; others, which callers make up, are converted each time. */
const MOST_NAMES = 1_000

/**
 * Writes a name of the wire as the engine does.
 *
 * @example
 * ```ts
 * toCamelCase("passport_expiry") // => "passportExpiry"
 * ```
 */
export const toCamelCase = (name: string): string =>
  name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase())

type SnakeCase<Name extends string> = Name extends `${infer First}${infer Rest}`
  ? `${First extends Lowercase<First> ? First : `_${Lowercase<First>}`}${SnakeCase<Rest>}`
  : Name

/** The type of a value with the names of the wire. */
export type OnWire<Value> = Value extends readonly (infer Entry)[]
  ? readonly OnWire<Entry>[]
  : Value extends object
    ? { readonly [Name in keyof Value as Name extends string ? SnakeCase<Name> : Name]: OnWire<Value[Name]> }
    : Value

/** A value whose fields, at any depth, have their names on the wire. */
export function toWire<Value>(value: Value): OnWire<Value> {
  return rename(value) as OnWire<Value>
}

function rename(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(rename)
  if (typeof value !== "object" || value === null) return value
  const renamed: Record<string, unknown> = {}
  for (const [name, held] of Object.entries(value)) renamed[toSnakeCase(name)] = rename(held)
  return renamed
}
