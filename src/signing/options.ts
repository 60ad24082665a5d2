/**
 * Has a caller given an option that does not exist?
 *
 * A misspelt `toleranceSeconds` would silently leave the usual tolerance in force, so every unknown name is refused.
 */
import { failure, type SignatureError } from "../errors.ts"

/** Refuses options that have an unknown field; null where there is none. */
export function findOtherOption(
  options: object,
  known: readonly string[],
): { readonly ok: false; readonly error: SignatureError } | null {
  for (const name in options) {
    if (known.includes(name)) continue
    const message = `There is no option ${JSON.stringify(name.slice(0, 40))}; known are ${known.join(", ")}.`
    return failure({ tag: "MalformedOptions", message })
  }
  return null
}
