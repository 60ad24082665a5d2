/**
 * Why can nobody change a later answer by writing into an earlier one?
 *
 * Everything that is shared and handed out is frozen with all that it holds. For plain records and lists of our own making only, and for
 * values off the hot path: V8 reads the elements of a frozen list four times slower.
 */

/** Freezes a plain value with all that it holds, and gives it back. What is frozen already is taken to be so deeply. */
export function freezeDeeply<Value>(value: Value): Value {
  if (typeof value !== "object" || value === null || Object.isFrozen(value)) return value
  Object.freeze(value)
  for (const held of Object.values(value)) freezeDeeply(held)
  return value
}
