/** Can a value be an object of named fields? */

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
