/** How is input that was read written again, with the names of the engine? Absent fields stay absent. */
import type { Fields, Given, Kind, ObjectKind, Read } from "./kinds.ts"

/** Returns the fields of an object as plain values, in the order of the table. */
export function giveBack<F extends Fields>({ fields }: ObjectKind<F>, read: Read<F>): Given<F, "engine"> {
  const given: Record<string, unknown> = {}
  for (const name in fields) {
    const value = (read as Readonly<Record<string, unknown>>)[name]
    if (value != null) given[name] = giveValue(fields[name]!.is, value)
  }
  return given as Given<F, "engine">
}

function giveValue(is: Kind, value: unknown): unknown {
  if (is.kind === "list") return (value as readonly unknown[]).map(entry => giveValue(is.of, entry))
  return is.kind === "object" ? giveBack(is, value as Read<Fields>) : value
}
