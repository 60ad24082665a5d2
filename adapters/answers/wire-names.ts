/**
 * How do the engine's names become those on the wire?
 *
 * The engine writes camelCase, JSON on the wire is snake_case. Only names of fields change, and paths of fields; values stay. What the engine
 * shares between answers, frozen, is translated once and shared here too.
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
  return convertOnce(snakeCased, name, text => text.replace(/[A-Z]/g, letter => `_${letter.toLowerCase()}`))
}

/**
 * Writes a name in camelCase.
 *
 * @example
 * ```ts
 * toCamelCase("passport_expiry") // => "passportExpiry"
 * ```
 */
export function toCamelCase(name: string): string {
  return convertOnce(camelCased, name, text => text.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase()))
}

const snakeCased = new Map<string, string>()
const camelCased = new Map<string, string>()
/** The engine has some hundred names; whatever a caller makes up beyond them is converted anew each time. */
const MOST_NAMES = 1_000

function convertOnce(converted: Map<string, string>, name: string, convert: (name: string) => string): string {
  const known = converted.get(name)
  if (known !== undefined) return known
  const text = convert(name)
  if (converted.size < MOST_NAMES) converted.set(name, text)
  return text
}

/** A value whose fields, at any depth, have their names on the wire. Frozen objects give the same frozen object each time. */
export function toWire(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value
  if (Array.isArray(value)) return value.map(toWire)
  if (!Object.isFrozen(value)) return renameFields(value)
  const known = shared.get(value)
  if (known !== undefined) return known
  const renamed = Object.freeze(renameFields(value))
  shared.set(value, renamed)
  return renamed
}

const shared = new WeakMap<object, object>()

function renameFields(value: object): object {
  const renamed: Record<string, unknown> = {}
  for (const name of Object.keys(value)) renamed[toSnakeCase(name)] = toWire((value as Record<string, unknown>)[name])
  return renamed
}
