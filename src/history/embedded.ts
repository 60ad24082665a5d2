/**
 * Which history comes with the package?
 *
 * It is opened at first use, synchronously, from text in a module of its own, which only a program that imports `landfall/history` loads.
 */
import { embeddedHistoryText } from "./embedded-history.generated.ts"
import { type History, openHistoryText } from "./past.ts"

let opened: History | null = null

/**
 * Opens the history that is part of this package; the same object at every call.
 *
 * Cannot fail: the build embeds only a history that opens. Some two milliseconds at the first call.
 *
 * @example
 * ```ts
 * embeddedHistory().untilOn >= "2026-02-17" // => true
 * ```
 */
export function embeddedHistory(): History {
  if (opened === null) {
    const result = openHistoryText(embeddedHistoryText)
    if (!result.ok) throw new Error(result.error.message)
    opened = result.value
  }
  return opened
}
