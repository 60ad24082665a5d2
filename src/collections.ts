/**
 * How is something made once for each key, how is a value frozen that many share, how are fields without a value left out, and can a value have
 * named fields?
 */

/** Gets the value of a key; makes and keeps it if there is none, as `getOrInsertComputed` of ECMAScript does, which older runtimes do not have. */
export function getOrInsert<Key, Value>(
  map: { get(key: Key): Value | undefined; set(key: Key, value: Value): unknown },
  key: Key,
  make: () => Value,
): Value {
  const known = map.get(key)
  if (known !== undefined) return known
  const made = make()
  map.set(key, made)
  return made
}

// ---- Frozen copies

/** A list of nothing, shared by all that find nothing. */
export const NOTHING: readonly never[] = /* @__PURE__ */ Object.freeze([])

/** Returns a deeply frozen copy of a plain value. A part that is frozen already is assumed to be deeply frozen and is not copied. */
export function copyFrozen<Value>(value: Value): Value {
  if (typeof value !== "object" || value === null || Object.isFrozen(value)) return value
  if (Array.isArray(value)) return Object.freeze(value.map(copyFrozen)) as Value
  return Object.freeze(Object.fromEntries(Object.entries(value).map(([key, held]) => [key, copyFrozen(held)]))) as Value
}

// ---- Known fields

type Known<Value> = { [Key in keyof Value]?: NonNullable<Value[Key]> }

/** Drops the fields without a value, so that unknown ones are absent. */
export function keepKnown<Value extends object>(value: Value): Known<Value> {
  const known: Known<Value> = {}
  for (const key of Object.keys(value) as (keyof Value)[]) if (value[key] != null) known[key] = value[key]!
  return known
}

/** The same; undefined where nothing is left. */
export function keepSome<Value extends object>(value: Value): Known<Value> | undefined {
  const known = keepKnown(value)
  return Object.keys(known).length === 0 ? undefined : known
}

// ---- Plain objects

// Can a value be an object of named fields?

/**
 * Says whether a value can be an object of named fields: not a list, not a value with numbered entries, and not a date,
 * which has no fields.
 *
 * Numbered entries are checked before any field: walking the fields of a list of bytes, or of a boxed text, would make
 * a name for every entry.
 */
export function isPlainObject(value: unknown): value is Record<string, unknown> {
  return (
    typeof value === "object" &&
    value !== null &&
    !Array.isArray(value) &&
    !(value instanceof Date) &&
    !(0 in value) &&
    !("length" in value && (ArrayBuffer.isView(value) || value instanceof String))
  )
}
