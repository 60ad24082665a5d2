/**
 * Which environment variables look like settings of the service, but are not?
 *
 * A misspelt variable changes nothing, and nobody notices. So every variable with the prefix of the settings is named at the
 * start, with the setting whose name is most like it. Its value is not shown.
 */
import { ConfigProvider, Effect } from "effect"
import { SETTINGS } from "./settings.ts"

const PREFIX = "LANDFALL"
/** Variables of the test suite. */
const OTHERS = /^LANDFALL_TEST_/
/** A name that differs in more letters is not taken for a misspelling. */
const MAXIMUM_EDITS = 4

/** How many letters have to be added, removed or changed to turn one text into another. */
export function countEdits(a: string, b: string): number {
  let above = Array.from({ length: b.length + 1 }, (_, at) => at)
  for (let i = 1; i <= a.length; i++) {
    const row = [i]
    for (let j = 1; j <= b.length; j++) {
      const changed = (above[j - 1] as number) + (a[i - 1] === b[j - 1] ? 0 : 1)
      row.push(Math.min(changed, (above[j] as number) + 1, (row[j - 1] as number) + 1))
    }
    above = row
  }
  return above[b.length] as number
}

/** Every variable of the provider that begins with the words of a path. */
const listNames = (
  provider: ConfigProvider.ConfigProvider,
  path: readonly string[],
): Effect.Effect<readonly string[], ConfigProvider.SourceError> =>
  Effect.gen(function* () {
    const node = yield* provider.load(path)
    if (node === undefined) return []
    const own = node.value === undefined ? [] : [path.join("_")]
    if (node._tag === "Value") return own
    const keys = node._tag === "Record" ? [...node.keys] : Array.from({ length: node.length }, (_, at) => String(at))
    const inner = yield* Effect.forEach(keys, key => listNames(provider, [...path, key]))
    return [...own, ...inner.flat()]
  })

/**
 * Says of a variable that it is not a setting.
 *
 * @example
 * ```ts
 * describeUnknown("LANDFALL_PROT") // => "LANDFALL_PROT is not a setting and changes nothing; LANDFALL_PORT is the nearest."
 * describeUnknown("LANDFALL_COLOUR_OF_THE_SEA") // => "LANDFALL_COLOUR_OF_THE_SEA is not a setting and changes nothing."
 * ```
 */
export function describeUnknown(name: string): string {
  const byEdits = SETTINGS.map(setting => ({ name: setting.name, edits: countEdits(name, setting.name) }))
  const nearest = byEdits.reduce((best, other) => (other.edits < best.edits ? other : best))
  const hint = nearest.edits <= MAXIMUM_EDITS ? `; ${nearest.name} is the nearest` : ""
  return `${name} is not a setting and changes nothing${hint}.`
}

/** Says in the log of each variable that was meant for the service and is not a setting. */
export const warnOfUnknownVariables: Effect.Effect<void> = Effect.gen(function* () {
  const provider = yield* ConfigProvider.ConfigProvider
  const names = yield* Effect.orDie(listNames(provider, [PREFIX]))
  const unknown = names.filter(name => !OTHERS.test(name) && SETTINGS.every(setting => setting.name !== name))
  yield* Effect.forEach(unknown.sort(), name => Effect.logWarning(describeUnknown(name)), { discard: true })
})
