/** How is input that was read written again, with the names of the engine or of the wire? Absent fields stay absent. */
import type { Fields, Given, Kind, ObjectKind, Read, Spelling } from "./kinds.ts"

/** Returns the fields of an object as plain values, in the order of the table. */
export function giveBack<F extends Fields, S extends Spelling>(
  { fields }: ObjectKind<F>,
  read: Read<F>,
  spelling: S,
): Given<F, S> {
  const given: Record<string, unknown> = {}
  for (const name in fields) {
    const value = (read as Readonly<Record<string, unknown>>)[name]
    const { wire, is } = fields[name]!
    if (value != null) given[spelling === "wire" ? wire : name] = giveValue(is, value, spelling)
  }
  return given as Given<F, S>
}

function giveValue(is: Kind, value: unknown, spelling: Spelling): unknown {
  if (is.kind === "list") return (value as readonly unknown[]).map(entry => giveValue(is.of, entry, spelling))
  return is.kind === "object" ? giveBack(is, value as Read<Fields>, spelling) : value
}
