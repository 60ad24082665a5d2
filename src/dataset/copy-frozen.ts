/**
 * Why can nobody change a later answer by writing into an earlier one?
 *
 * Everything that is shared and handed out is frozen with all that it holds. Copied first, so that what a caller gave is left as it is. For
 * plain records and lists off the hot path: V8 reads the elements of a frozen list four times slower.
 */

/** Gives a frozen copy of a plain value and of all that it holds. What is frozen already is taken to be so deeply, and not copied. */
export function copyFrozen<Value>(value: Value): Value {
  if (typeof value !== "object" || value === null || Object.isFrozen(value)) return value
  if (Array.isArray(value)) return Object.freeze(value.map(copyFrozen)) as Value
  return Object.freeze(Object.fromEntries(Object.entries(value).map(([key, held]) => [key, copyFrozen(held)]))) as Value
}
