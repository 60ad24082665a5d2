/**
 * Has a caller given an option that does not exist?
 *
 * With a misspelt `toleranceSeconds` the default would silently apply, so every unknown name is refused.
 */
import { failure, type SignatureError } from "../errors.ts"

/** Finds an unknown option; null if there is none. */
export function findOtherOption(
  options: object,
  known: readonly string[],
): { readonly ok: false; readonly error: SignatureError } | null {
  for (const name in options) {
    if (known.includes(name)) continue
    const message = `There is no option ${JSON.stringify(name.slice(0, 40))}; known: ${known.join(", ")}.`
    return failure({ tag: "MalformedOptions", message })
  }
  return null
}
