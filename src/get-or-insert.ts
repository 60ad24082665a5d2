/** How is something made once for each key? As `getOrInsertComputed` of ECMAScript does, which older runtimes do not have. */

/** Gets the value of a key; makes and keeps it if there is none. */
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
